"""Message templates (``sync duration of {took}, expected less than {expected}``) -> compiled patterns.

Patterns come from rules/ (and from ``--rules DIR``), so they run under the regex module's timeout, on
bounded text, and are compiled only when their longest literal part occurs in a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

DURATION = r"(?:\d+(?:\.\d+)?(?:h|ms|m|s|[µμu]s|ns))+"
HEX_ID = r"[0-9a-f]{1,16}"
PLACEHOLDERS: dict[str, str] = {
    "took": DURATION,
    "value": DURATION,
    "expected": DURATION,
    "member": HEX_ID,
    "peer": HEX_ID,
    "leader": HEX_ID,
    "term": r"\d+",
    "n": r"\d+",
    "num": r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?",
    "any": r".*?",
    "word": r"\S+",
    "q": r'"[^"]*"',
}
CAPTURED = ("took", "value", "member", "peer", "leader", "term", "n", "num")
"""Placeholders whose text is kept; the others only match."""

MATCH_TIMEOUT_S = 0.5
MAX_TEXT = 16384
"""Characters of a line that are matched: longer lines carry a request dump, never a new message."""


def split_template(template: str) -> list[tuple[str, bool]]:
    """Literal and placeholder parts of a template, in order, as (text, is_placeholder).

    ``{{`` and ``}}`` stand for literal braces.

    Raises:
        ValueError: for an unknown placeholder or an unclosed brace.
    """
    parts: list[tuple[str, bool]] = []
    literal = ""
    position = 0
    while position < len(template):
        if template.startswith(("{{", "}}"), position):
            literal += template[position]
            position += 2
        elif template[position] == "{":
            end = template.find("}", position)
            name = template[position + 1 : end] if end > 0 else template[position + 1 :]
            if name not in PLACEHOLDERS:
                raise ValueError(f"unknown placeholder {{{name}}}; known: {', '.join(PLACEHOLDERS)}")
            if literal:
                parts.append((literal, False))
                literal = ""
            parts.append((name, True))
            position = end + 1
        else:
            literal += template[position]
            position += 1
    if literal:
        parts.append((literal, False))
    return parts


def first_word(text: str) -> str:
    """The leading run of ASCII letters, lower-cased: the dispatch key of a message."""
    end = 0
    while end < len(text) and text[end].isascii() and text[end].isalpha():
        end += 1
    return text[:end].lower()


@dataclass(frozen=True)
class Template:
    """One compiled-on-demand message template."""

    source: str
    kind: int
    parts: tuple[tuple[str, bool], ...] = field(repr=False)

    @classmethod
    def of(cls, source: str, kind: int) -> Template:
        """Parse a template for event number ``kind``."""
        return cls(source, kind, tuple(split_template(source)))

    @cached_property
    def guard(self) -> str:
        """The longest literal part: if it is not in the text, the template cannot match."""
        return max((text for text, placeholder in self.parts if not placeholder), key=len, default="")

    @cached_property
    def key(self) -> str:
        """Dispatch key: the first word after an optional leading member id; empty when not literal."""
        parts = list(self.parts)
        if parts and parts[0] == ("member", True):
            parts.pop(0)
        if not parts or parts[0][1]:
            return ""
        return first_word(parts[0][0].lstrip(" "))

    @cached_property
    def pattern(self) -> Any:
        """The compiled pattern, anchored at the start of the message."""
        import regex

        seen: set[str] = set()
        out = []
        for text, placeholder in self.parts:
            if not placeholder:
                out.append(regex.escape(text, special_only=True))
            elif text in CAPTURED and text not in seen:
                seen.add(text)
                out.append(f"(?P<{text}>{PLACEHOLDERS[text]})")
            else:
                out.append(f"(?:{PLACEHOLDERS[text]})")
        return regex.compile("".join(out))

    def match(self, text: str) -> dict[str, str] | None:
        """Captured groups when the text begins with this template, else None."""
        if self.guard not in text:
            return None
        try:
            found = self.pattern.match(text[:MAX_TEXT], timeout=MATCH_TIMEOUT_S)
        except TimeoutError:
            return None
        return found.groupdict() if found else None
