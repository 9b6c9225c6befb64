"""JSON documents in text: alone in a file, after prose, or cut off by a killed writer."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

import msgspec

from analyzer.model.line import Document, Line

MAX_DOCUMENT = 256 << 20
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_OPEN_STRING = re.compile(r'"(?:[^"\\]|\\.)*$')
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\],]', re.DOTALL)
_OPENING = re.compile(r"\s*[\[{]\s*(?:$|[\"{}\[\]\d-]|true\b|false\b|null\b)")
TRIED_ENDS = 5
"""Places before the break where closing the brackets is tried."""
MAX_NESTING = 200


def opens_document(text: str) -> bool:
    """Whether a line can be the first of a JSON document: ``[root@host ~]#`` and ``[note]`` cannot."""
    return _OPENING.match(text) is not None


class Capture:
    """Collects the lines of one document until its brackets balance."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.size = 0
        self._depth = 0

    def add(self, line: Line) -> bool:
        """Take a line; True when the document is complete (or too large to go on)."""
        self.lines.append(line)
        self.size += len(line.text)
        bare = _STRINGS.sub("", line.text)
        bare = _OPEN_STRING.sub("", bare)
        self._depth += bare.count("{") + bare.count("[") - bare.count("}") - bare.count("]")
        return self._depth <= 0 or self.size > MAX_DOCUMENT

    def document(self) -> Document | None:
        """The decoded document, repaired when cut off; None when it is no JSON."""
        text = "\n".join(line.text for line in self.lines)
        value = _decode(text)
        if value is not None:
            return Document(value, tuple(self.lines), complete=True)
        repaired = repair(text)
        value = _decode(repaired) if repaired else None
        return Document(value, tuple(self.lines), complete=False) if value is not None else None


def _decode(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        return None


def repair(text: str) -> str | None:
    """Close the brackets of a document that was cut off, dropping its unfinished last element.

    iostat before 12.1 and any killed writer leave such text. Returns None when nothing can be saved.
    """
    stack: list[str] = []
    safe: deque[tuple[int, str]] = deque(maxlen=TRIED_ENDS)
    for token in _TOKENS.finditer(text):
        char = token[0]
        if char in "{[":
            stack.append("}" if char == "{" else "]")
            if len(stack) > MAX_NESTING:
                return None
        elif char in "}]":
            if not stack or stack.pop() != char:
                return None
            safe.append((token.end(), "".join(reversed(stack))))
        elif char == "," and stack:
            safe.append((token.start(), "".join(reversed(stack))))
    for end, closing in reversed(safe):
        candidate = text[:end] + closing
        if _decode(candidate) is not None:
            return candidate
    return None
