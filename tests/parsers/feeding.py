"""Feeds text and JSON to parsers the way the segmenter does."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from analyzer.model.line import Document, DocumentParser, Line, LineParser, Parsed

SNIPPETS = Path(__file__).parents[2] / "fixtures" / "snippets"
CASES = Path(__file__).parents[3] / "shared" / "cases"


def snippet(name: str) -> str:
    path = SNIPPETS / name
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()


def case(name: str) -> str:
    """A file of the reference cases; the test is skipped where they are not at hand."""
    path = CASES / name
    if not path.is_file():
        pytest.skip("the reference cases are not beside the repository")
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()


def segments(text: str, *parsers: type[LineParser], lead: bool = False) -> list[Parsed]:
    """What the parsers make of a text; ``lead`` gives a line nobody owned to the parser that starts next."""
    found: list[Parsed] = []
    current: LineParser | None = None
    before: Line | None = None
    for number, content in enumerate(text.split("\n"), start=1):
        line = Line(number, content)
        if current is not None and current.feed(line):
            continue
        if current is not None:
            found.append(current.finish())
            current = None
        owner = next((parser for parser in parsers if parser.starts(content)), None)
        if owner is None:
            before = line if content.strip() else before
            continue
        current = owner()
        if lead and before is not None and getattr(owner, "takes_lead", False):
            current.feed(before)
        assert current.feed(line), f"{owner.__name__} starts at a line it does not take: {content!r}"
    if current is not None:
        found.append(current.finish())
    return found


def one(text: str, *parsers: type[LineParser], lead: bool = False) -> Parsed:
    found = segments(text, *parsers, lead=lead)
    assert len(found) == 1, [parsed.format for parsed in found]
    return found[0]


def document(text: str) -> Document:
    """The first JSON document of a text, with the lines before it left out."""
    lines = text.split("\n")
    for index, content in enumerate(lines):
        if content[:1] in ("{", "["):
            rest = "\n".join(lines[index:])
            value, end = json.JSONDecoder().raw_decode(rest)
            if isinstance(value, dict) and "level" in value and "ts" in value:
                continue
            used = rest[:end].count("\n") + 1
            taken = tuple(Line(index + 1 + offset, lines[index + offset]) for offset in range(used))
            return Document(value, taken, True)
    raise AssertionError("no JSON document in the text")


def parse_json(text: str, parsers: Sequence[type[DocumentParser]]) -> Parsed:
    found = document(text)
    willing = [parser for parser in parsers if parser.accepts(found.value)]
    assert len(willing) == 1, [parser.__name__ for parser in willing]
    return willing[0].parse(found)


def members(parsed: Parsed) -> list[dict[str, Any]]:
    found = parsed.facts["members"]
    assert isinstance(found, list)
    return found


def values(parsed: Parsed, metric: str, subject: str = "") -> list[float]:
    hits = [series for series in parsed.series if (series.metric, series.subject) == (metric, subject)]
    assert len(hits) == 1, [(series.metric, series.subject) for series in parsed.series]
    return [float(value) for value in hits[0].values]


def damaged(text: str, cut: int, drop: int, double: int) -> list[str]:
    """The lines of a text cut at a character, one line left out and one doubled."""
    lines = text[: cut % (len(text) + 1)].split("\n")
    if len(lines) > 1:
        lines.pop(drop % len(lines))
    at = double % len(lines)
    return [*lines[: at + 1], lines[at], *lines[at + 1 :]]
