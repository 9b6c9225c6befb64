"""The inspect table: every file with how it was read and what it says."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from analyzer.report.facts_text import facts_line
from analyzer.report.inspect_view import render_inspect
from analyzer.report.options import RenderOptions

from .sample import two_hours
from .sample_coverage import ARTIFACTS
from .sample_hostile import HOSTILE
from .test_hostile import acting


def test_every_file_is_a_row_with_its_key_facts() -> None:
    text = render_inspect(ARTIFACTS, two_hours().not_understood, RenderOptions())
    rows = {row.path: next(line for line in text.splitlines() if row.path in line) for row in ARTIFACTS}
    log = rows["support.tar.gz!/etcd-2/etcd.log"]
    assert "etcd-log" in log
    assert "180,343" in log
    assert "UTC (explicit)" in log
    assert "heartbeat-late 104 (max 2.14 s), slow-fdatasync 63" in log
    assert "p99 fdatasync 2.41 ms, pass" in rows["support.tar.gz!/etcd-2/fio.json"]
    assert "vdb: max util 99.8 %, w_await 1,184 ms" in rows["support.tar.gz!/etcd-2/iostat-xt.txt"]
    assert "notes.docx: a Word document" in text


def test_nothing_found_says_so() -> None:
    assert "No file could be read as evidence." in render_inspect((), (), RenderOptions())


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"members": [{"version": "3.5.9"}, {"version": "3.5.9"}, {}]}, "3 members, etcd 3.5.9"),
        ({"runs": [{"load": "s", "pass": True}, {"load": "l", "pass": False}]}, "load s: pass, load l: fail"),
        ({"jobs": [{"verdict_10ms": "ungradeable"}]}, "no fdatasync percentiles, ungradeable"),
        ({"wal_fsync": {"count": 41210, "p99_bracket_s": [1.024, 2.048]}}, "wal_fsync: count 41,210"),
        ({"series": 812, "version": "3.5.9"}, "series 812; version 3.5.9"),
        ({"events": {f"e{n}": {"count": n} for n in range(1, 8)}}, "e7 7, e6 6, e5 5, e4 4, +3 more"),
    ],
)
def test_facts_in_words(facts: dict[str, Any], words: str) -> None:
    assert facts_line(facts) == words


@pytest.mark.parametrize("key", ["events", "jobs", "devices", "members", "runs", "disks", "other"])
@pytest.mark.parametrize("value", [None, 3, "text", [], {}, [1], {"a": 1}, {"a": {"max": 3}}, [{"a": None}]])
def test_facts_of_an_unexpected_shape_do_not_raise(key: str, value: Any) -> None:
    assert isinstance(facts_line({key: value}), str)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_facts_are_inert(text: str) -> None:
    facts = {"devices": {text: {"max": {}}}, text: text, "events": {text: {"count": 1}}}
    row = dataclasses.replace(ARTIFACTS[0], facts=facts, path=text)
    report = render_inspect((row,), (), RenderOptions())
    assert not acting(report)
    assert len(report.splitlines()) == len(render_inspect(ARTIFACTS[:1], (), RenderOptions()).splitlines())
