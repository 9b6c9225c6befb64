"""Escaping for Markdown: the one place that knows which characters could act in a ticket."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

# Bare links, addresses, mentions and issue numbers act in a ticket without any markup
# (GFM 0.29 section 6.9, and GitHub's own references): they go into code spans.
# The bounded runs keep a line without any of them linear.
_REFERENCE = re.compile(r"(?<!\w)\w{1,30}://[^\s|]+|\bwww\.[^\s|]+|[\w.+-]{0,64}@\w[\w./-]*|#\d+")
# Characters that could start markup inside a paragraph (CommonMark 0.31 section 6; GFM tables).
_ACTIVE = re.compile(r"[\\`*\[\]|~#]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# What makes a list, a quote, a heading underline or a rule of a paragraph's first characters.
_BLOCK_START = re.compile(r"^(\d{1,9})?(?:(?<=\d)([.)])(?=\s|$)|(?<!\d)([-+](?=[\s+-]|$)|[>=]))")
_BACKTICKS = re.compile(r"`+")


def prose(text: str) -> str:
    """Text as a paragraph shows it: no markup, no HTML, no mention, no live link."""
    parts: list[str] = []
    end = 0
    for match in _REFERENCE.finditer(text):
        parts += [_escaped(text[end : match.start()]), code(match.group())]
        end = match.end()
    parts.append(_escaped(text[end:]))
    return _BLOCK_START.sub(r"\1\\\2\3", "".join(parts))


def _escaped(text: str) -> str:
    entities = text.replace("&", "&amp;").replace("<", "&lt;")
    return _ACTIVE.sub(r"\\\g<0>", entities)


def bold(text: str) -> str:
    """A paragraph in bold."""
    return f"**{prose(text)}**"


def code(text: str, in_table: bool = False) -> str:
    """An inline code span no backtick in the text can end; table cells escape their pipes even there."""
    if not text:
        return ""
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if "`" in (text[0], text[-1]) else ""
    shown = text.replace("|", "\\|") if in_table else text
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(lines: Sequence[str], indent: str, language: str = "text") -> Iterator[str]:
    """A fenced block longer than any run of backticks inside it."""
    if not lines:
        return
    ticks = "`" * max(3, max(_longest_run(line) for line in lines) + 1)
    yield f"{indent}{ticks}{language}"
    for line in lines:
        yield f"{indent}{line}"
    yield f"{indent}{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def table_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A GFM table; cells come escaped, empty columns are dropped."""
    body = [list(row) for row in rows]
    keep = [number for number in range(len(header)) if any(row[number] for row in body)]
    yield _row([header[number] for number in keep])
    yield _row(["---"] * len(keep))
    for row in body:
        yield _row([row[number] for number in keep])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
