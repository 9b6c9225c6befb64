"""Feeds text to a line parser the way the segmenter does, and checks what every parser promises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.model.line import Document, DocumentParser, Line, LineParser, Parsed
from analyzer.model.series import METRICS, Series

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "fixtures" / "snippets"
FORMAT_CASES = ROOT.parent / "shared" / "cases" / "formats"
needs_format_cases = pytest.mark.skipif(
    not FORMAT_CASES.is_dir(), reason=f"public format cases are not beside the checkout ({FORMAT_CASES})"
)


def lines_of(text: str) -> list[Line]:
    return [Line(number, part) for number, part in enumerate(text.splitlines(), start=1)]


def segments(parser: type[LineParser], text: str) -> list[Parsed]:
    """All segments of one format in a text; foreign lines are passed over."""
    found: list[Parsed] = []
    current: LineParser | None = None
    for line in lines_of(text):
        if current is not None:
            if current.feed(line):
                continue
            found.append(current.finish())
            current = None
        if parser.starts(line.text):
            current = parser()
            if not current.feed(line):
                current = None
    if current is not None:
        found.append(current.finish())
    return [parsed for parsed in found if parsed.understood]


def only(parser: type[LineParser], text: str) -> Parsed:
    (parsed,) = segments(parser, text)
    return parsed


def document(parser: type[DocumentParser], text: str, *, closing: str = "") -> Parsed:
    """A JSON document, with the brackets a repair would have closed."""
    value = json.loads(text.rstrip() + closing)
    assert parser.accepts(value)
    return parser.parse(Document(value, tuple(lines_of(text)), complete=not closing))


def snippet(relative: str) -> str:
    return (SNIPPETS / relative).read_text(encoding="utf-8")


def case_text(name: str, file: str = "iostat.txt") -> str:
    return (FORMAT_CASES / name / file).read_text(encoding="utf-8")


def one_series(parsed: Parsed, metric: str, subject: str) -> Series:
    (found,) = [s for s in parsed.series if s.metric == metric and s.subject == subject]
    return found


def assert_sound(parsed: Sequence[Parsed], line_count: int) -> None:
    """What must hold for any input, however damaged."""
    assert sum(p.understood + p.rejected for p in parsed) <= line_count
    for p in parsed:
        json.dumps(p.facts, allow_nan=False)
        for series in p.series:
            assert_sound_series(series, line_count)


def assert_sound_series(series: Series, line_count: int) -> None:
    assert series.metric in METRICS
    assert len(series.ts_ns) == len(series.values) == len(series.covers_from_ns) == len(series.lines) > 0
    assert np.isfinite(series.values).all()
    assert (series.values >= 0).all()
    assert (series.covers_from_ns < series.ts_ns).all()
    assert (series.lines >= 1).all()
    assert (series.lines <= line_count).all()


def damaged(text: str, cut: int, drop: Sequence[int], double: Sequence[int]) -> str:
    """The text cut at a position, with some lines dropped and some doubled (indices wrap around)."""
    parts = text[: cut % (len(text) + 1)].splitlines()
    count = max(len(parts), 1)
    dropped, doubled = {i % count for i in drop}, {i % count for i in double}
    kept: list[Any] = []
    for index, part in enumerate(parts):
        if index not in dropped:
            kept += [part, part] if index in doubled else [part]
    return "\n".join(kept)
