from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.facts import FioRun
from analyzer.model.line import Document, Parsed
from analyzer.parsers.fio_json import FioJsonParser

from .disk_feeding import assert_sound, case_text, document, lines_of, needs_format_cases, snippet


def run_of(parsed: Parsed) -> FioRun:
    (run,) = parsed.records
    assert isinstance(run, FioRun)
    return run


def test_json() -> None:
    text = snippet("fio/etcd-recipe.json")
    parsed = document(FioJsonParser, text)
    run = run_of(parsed)
    assert run.p99_fdatasync_s == pytest.approx(0.001712128)
    assert '"99.000000" : 1712128' in text.splitlines()[run.line - 1]
    assert run.p999_fdatasync_s == pytest.approx(0.004079616)
    assert run.mean_write_s == pytest.approx(37033e-9, rel=1e-4)
    assert (run.rw, run.block_size_bytes, run.ioengine, run.fdatasync) == ("write", 2300, "sync", 1)
    assert run.iops == pytest.approx(5489.326765)
    assert (run.device, run.issued_writes) == ("vda", 10029)
    assert run.gradeable
    assert run.finished_ns == parsed.last_ns == 1_795_201_210_729_000_000
    assert parsed.timed and not parsed.naive_time
    job = parsed.facts["jobs"][0]
    assert (job["percentile_unit_read"], job["verdict_10ms"]) == ("nsec", "pass")


def test_zero_total_ios_does_not_hide_the_percentiles() -> None:
    job = document(FioJsonParser, snippet("fio/etcd-recipe-slow.json")).facts["jobs"][0]
    assert job["sync_total_ios"] == 0
    assert (job["p99_fdatasync_ms"], job["verdict_10ms"]) == (200.278016, "fail")


def test_json_plus_bins_are_ignored() -> None:
    text = snippet("fio/etcd-recipe.json-plus.json")
    run = run_of(document(FioJsonParser, text))
    assert run.p99_fdatasync_s == pytest.approx(0.000847872)
    assert '"99.000000" : 847872' in text.splitlines()[run.line - 1]


def test_grouped_jobs_are_refused() -> None:
    run = run_of(document(FioJsonParser, snippet("fio/two-jobs-grouped.json")))
    assert run.numjobs == 2
    assert "2 jobs wrote at the same time" in (run.not_gradeable_because or "")


def test_throttled_run_is_graded_with_a_remark() -> None:
    job = document(FioJsonParser, snippet("fio/rate-limited.json")).facts["jobs"][0]
    assert job["verdict_10ms"] == "pass"
    assert any("slowly" in remark for remark in job["remarks"])


def test_without_sync_latency_there_is_no_verdict() -> None:
    value = json.loads(snippet("fio/etcd-recipe.json"))
    value["jobs"][0]["sync"] = {"total_ios": 0, "lat_ns": {"min": 0, "max": 0, "mean": 0.0, "N": 0}}
    job = FioJsonParser.parse(Document(value, (), True)).facts["jobs"][0]
    assert job["p99_fdatasync_ms"] is None
    assert job["verdict_10ms"] == "ungradeable"


def test_no_jobs_is_no_verdict() -> None:
    value = {"fio version": "fio-3.28", "jobs": []}
    assert FioJsonParser.accepts(value)
    parsed = FioJsonParser.parse(Document(value, tuple(lines_of("{}")), True))
    assert parsed.records == ()
    assert (parsed.facts["fio_version"], parsed.facts["jobs"]) == ("fio-3.28", [])
    assert any("no job" in problem for problem in parsed.problems)


def test_other_documents_are_not_accepted() -> None:
    assert not FioJsonParser.accepts({"jobs": [{"name": "build"}]})
    assert not FioJsonParser.accepts({"sysstat": {}})
    assert not FioJsonParser.accepts(["fio version"])


@needs_format_cases
@pytest.mark.parametrize(("case", "p99_ms"), [("fio-json-fio328-p99-099us", 0.099), ("fio-json-fio328-p99-9ms", 9.0)])
def test_public_documents(case: str, p99_ms: float) -> None:
    facts = document(FioJsonParser, case_text(case, "fio.json")).facts
    (job,) = facts["jobs"]
    assert facts["fio_version"] == "fio-3.28"
    assert (job["p99_fdatasync_ms"], job["verdict_10ms"]) == (p99_ms, "pass")


def _values() -> st.SearchStrategy[object]:
    scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6))
    names = [
        "jobname",
        "sync",
        "lat_ns",
        "percentile",
        "99.000000",
        "write",
        "job options",
        "bs",
        "error",
        "mean",
    ]
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(names), inner, max_size=5)
        ),
        max_leaves=15,
    )


@settings(max_examples=100, deadline=None)
@given(jobs=_values(), options=_values(), disks=_values())
def test_any_document_never_raises(jobs: object, options: object, disks: object) -> None:
    value = {"fio version": "fio-3.33", "jobs": [jobs], "global options": options, "disk_util": [disks]}
    parsed = FioJsonParser.parse(Document(value, tuple(lines_of('{"jobs":\n"99.000000": 1')), False))
    assert_sound([parsed], 2)
