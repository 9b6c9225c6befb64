"""The short way of reading a scrape takes nothing it should not, and reads the same as the long way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.model.line import Line, Parsed
from analyzer.parsers.metrics import Metrics

from .feeding import snippet


def read(text: str, quick: bool) -> tuple[Parsed, int]:
    parser, taken = Metrics(), 0
    for number, content in enumerate(text.split("\n"), start=1):
        line = Line(number, content)
        if quick and parser.quick(line):
            taken += 1
        else:
            parser.feed(line)
    return parser.finish(), taken


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_whole_scrapes(version: str) -> None:
    text = snippet(f"metrics/etcd-{version}.prom.gz")
    parsed, taken = read(text, quick=True)
    assert parsed == read(text, quick=False)[0]
    assert taken > 0.95 * len(text.split("\n"))


ODD = [
    'etcd_a{le="0.1"} 5',
    'etcd_a{le="0.1"} 5 1767225600000',
    'etcd_a{le="0.1"} 5 # {trace_id="x"} 0.67',
    "etcd_a 1_0",
    "etcd_a 0x1",
    "etcd_a 1e999",
    "etcd_a +Inf",
    "etcd_a NaN",
    "etcd_a ٣",
    "etcd_a  5",
    " etcd_a 5",
    "etcd_a 5 ",
    "etcd_a | 5",
    "etcd_a: 5",
    "etcd_a{} 5",
    'etcd_a{le="0.1" 5',
    "up 1",
    "Total 12",
    "exit status 2",
    "# HELP etcd_a help",
    "# TYPE",
    "# HELP",
    "",
]


@given(st.lists(st.sampled_from(ODD), max_size=6))
def test_odd_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert repr(read(text, quick=True)[0]) == repr(read(text, quick=False)[0])
