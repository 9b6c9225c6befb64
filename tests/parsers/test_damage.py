"""Cut, dropped and doubled lines never raise, and what is left is never more than was there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.line import Document, Line, LineParser, Parsed
from analyzer.parsers.registry import DOCUMENT_PARSERS, LINE_PARSERS

from .feeding import damaged, segments, snippet
from .test_flags import CONF, K3S, MANIFEST, PS_ROW, UNIT
from .test_host_facts import LISTINGS
from .test_psi import ROWS

SAMPLES = [
    snippet("etcdctl/endpoint-status-3.6-nospace-table.txt"),
    snippet("etcdctl/endpoint-status-3.6-simple.txt"),
    snippet("etcdctl/endpoint-status-3.5-fields.txt"),
    snippet("etcdctl/member-list-3.5-table.txt"),
    snippet("etcdctl/endpoint-health-3.5-one-dead.txt"),
    snippet("etcdctl/alarm-list-3.5-nospace.txt"),
    snippet("etcdctl/check-perf-small-3.5.txt")[-600:],
    snippet("metrics/etcd-3.5.prom.gz")[12_000:24_000],
    snippet("pidstat/pidstat-du.txt"),
    snippet("vmstat/vmstat-t.txt"),
    "2026-11-20T18:17:00Z\nnr_periods 5\nnr_throttled 3\nthrottled_time 700\n" * 4,
    "2026-11-20T18:17:00Z\n/proc/pressure/io\n" + ROWS % (7, 5),
    *(UNIT, CONF, K3S, PS_ROW, MANIFEST),
    *LISTINGS.values(),
    "               total        used\nMem: 3 4\nMemTotal: 1863668 kB\nmemory: 4000\n",
]


def check(found: list[Parsed], lines: int) -> None:
    for parsed in found:
        assert parsed.understood >= 0
        assert parsed.rejected >= 0
        assert parsed.understood + parsed.rejected <= lines + 1
        for record in parsed.records:
            assert 1 <= record.line <= lines
        for series in parsed.series:
            assert len(series.ts_ns) == len(series.values) == len(series.lines) == len(series.covers_from_ns)
            assert len(series.values)
            assert (series.covers_from_ns <= series.ts_ns).all()


@pytest.mark.parametrize("sample", SAMPLES, ids=range(len(SAMPLES)))
def test_every_sample_is_somebodys(sample: str) -> None:
    assert sum(parsed.understood for parsed in segments(sample, *LINE_PARSERS, lead=True)) > 0


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.integers(0, 20_000), st.integers(0, 400), st.integers(0, 400))
def test_damaged_samples(sample: str, cut: int, drop: int, double: int) -> None:
    lines = damaged(sample, cut, drop, double)
    check(segments("\n".join(lines), *LINE_PARSERS, lead=True), len(lines))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.integers(0, 20_000), st.text(max_size=6), st.integers(0, 3))
def test_foreign_characters_anywhere(sample: str, at: int, text: str, over: int) -> None:
    place = at % (len(sample) + 1)
    broken = sample[:place] + text.replace("\n", " ") + sample[place + over :]
    check(segments(broken, *LINE_PARSERS, lead=True), broken.count("\n") + 1)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.sampled_from(LINE_PARSERS))
def test_any_line_may_be_fed_first(text: str, parser: type[LineParser]) -> None:
    fresh = parser()
    parser.starts(text)
    fresh.feed(Line(1, text))
    fresh.finish()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "7", "ff", "true", "5ms"])
KEYS = st.sampled_from(
    [
        *(
            "Endpoint",
            "Status",
            "header",
            "member_id",
            "leader",
            "dbSize",
            "errors",
            "endpoint",
            "health",
            "took",
        ),
        *("members", "ID", "name", "peerURLs", "data_device", "alarms", "memberID", "alarm", "raftTerm"),
        *("data", "resultType", "result", "metric", "values", "value", "__name__", "le"),
    ]
)
DOCUMENTS = st.recursive(
    SCALARS | st.sampled_from(["matrix", "vector"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS)
def test_any_document(value: object) -> None:
    for parser in DOCUMENT_PARSERS:
        parser.accepts(value)
        parser.parse(Document(value, (Line(1, "{}"),), complete=False))
