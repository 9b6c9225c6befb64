from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.facts import FioRun
from analyzer.model.line import Line, Parsed
from analyzer.parsers.fio import FioParser

from .disk_feeding import (
    ROOT,
    SNIPPETS,
    assert_sound,
    case_text,
    damaged,
    lines_of,
    needs_format_cases,
    only,
    segments,
    snippet,
)

TEXT_SNIPPETS = sorted(p.name for p in (SNIPPETS / "fio").glob("*.txt"))
SEEDS = ROOT.parent / "shared" / "seeds"
needs_tickets = pytest.mark.skipif(not SEEDS.is_dir(), reason=f"public articles are not there ({SEEDS})")


def runs(parsed: list[Parsed]) -> list[FioRun]:
    return [record for p in parsed for record in p.records]


def test_normal_output() -> None:
    parsed = only(FioParser, snippet("fio/etcd-recipe.txt"))
    (run,) = runs([parsed])
    assert run.line == 27
    assert run.job == "mytest"
    assert run.fio_version == (3, 33)
    assert run.p99_fdatasync_s == pytest.approx(0.003752)
    assert run.p999_fdatasync_s == pytest.approx(0.00698)
    assert run.p50_fdatasync_s == pytest.approx(0.000153)
    assert run.max_fdatasync_s == pytest.approx(0.015689)
    assert run.mean_fdatasync_s == pytest.approx(245.70e-6)
    assert run.mean_write_s == pytest.approx(6674.05e-9)
    assert (run.iops, run.bandwidth_bytes_s) == (3943, 8858 * 1024)
    assert (run.rw, run.block_size_bytes, run.ioengine, run.iodepth) == ("write", 2300, "sync", 1)
    assert (run.runtime_s, run.issued_writes) == (2.543, 10029)
    assert (run.device, run.device_reads, run.device_writes) == ("vda", 3, 24400)
    assert run.device_util_ratio == pytest.approx(0.4851)
    assert run.device_in_queue_s == pytest.approx(1.762)
    assert run.gradeable and run.not_gradeable_because is None
    assert run.finished_ns == 1_795_201_208_000_000_000
    assert parsed.naive_time and parsed.rejected == 0
    job = parsed.facts["jobs"][0]
    assert job["row_read"] == "99.00th=[3752] usec"
    assert (job["verdict_10ms"], job["percentile_unit_read"]) == ("pass", "usec")
    assert job["not_shown"] == ["fdatasync"]
    assert parsed.facts["fio_version"] == "fio-3.33"
    assert parsed.facts["disks"] == [{"device": "vda", "util_percent": 48.51, "line": 40}]


def test_every_percentile_block_has_its_own_unit() -> None:
    (run,) = runs(segments(FioParser, snippet("fio/etcd-recipe.txt").replace("(usec)", "(msec)")))
    assert run.p99_fdatasync_s == pytest.approx(3.752)
    (run,) = runs(segments(FioParser, snippet("fio/tmpfs-nsec.txt")))
    assert run.p99_fdatasync_s == pytest.approx(330e-9)


def test_slow_and_token_bucket_disks_fail() -> None:
    for name, p99_ms in (("etcd-recipe-slow.txt", 200.279), ("token-bucket-tail.txt", 101.188)):
        job = only(FioParser, snippet(f"fio/{name}")).facts["jobs"][0]
        assert (job["p99_fdatasync_ms"], job["verdict_10ms"]) == (p99_ms, "fail")


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("no-fdatasync.txt", "no fsync/fdatasync latency was measured"),
        ("randwrite-libaio.txt", "rw=randwrite"),
        ("randwrite-libaio.txt", "ioengine=libaio"),
        ("randwrite-libaio.txt", "iodepth=64"),
        ("two-jobs.txt", "2 jobs wrote at the same time"),
        ("tmpfs-nsec.txt", "no disk was reached"),
        ("etcd-recipe.terse.txt", "terse output contains no sync latency at all"),
    ],
)
def test_what_is_not_like_etcd_is_refused_with_the_right_command(name: str, because: str) -> None:
    parsed = only(FioParser, snippet(f"fio/{name}"))
    for run in runs([parsed]):
        assert not run.gradeable
        assert run.not_gradeable_because is not None
        assert because in run.not_gradeable_because
        assert "fio --rw=write --ioengine=sync --fdatasync=1 --directory=" in run.not_gradeable_because
    assert {job["verdict_10ms"] for job in parsed.facts["jobs"]} == {"ungradeable"}
    assert parsed.problems


def test_two_jobs_are_two_records_with_their_own_lines() -> None:
    first, second = runs(segments(FioParser, snippet("fio/two-jobs.txt")))
    assert (first.line, second.line) == (29, 57)
    assert (first.p99_fdatasync_s, second.p99_fdatasync_s) == (0.003884, 0.005735)
    assert first.numjobs == second.numjobs == 2
    assert first.device == second.device == "vda"


def test_terse_line_is_read_as_far_as_it_goes() -> None:
    (run,) = runs(segments(FioParser, snippet("fio/etcd-recipe.terse.txt")))
    assert (run.job, run.fio_version, run.iops, run.runtime_s) == ("mytest", (3, 33), 3045, 3.293)
    assert run.bandwidth_bytes_s == 6840 * 1024
    assert (run.device, run.device_util_ratio) == ("vda", pytest.approx(0.4835))


def test_a_command_alone_is_no_run() -> None:
    parsed = only(FioParser, snippet("fio/etcd-recipe.cmdline.txt"))
    assert parsed.records == () and parsed.facts["jobs"] == []
    assert parsed.facts["commands"][0].startswith("fio --rw=write")


def test_command_gives_what_the_header_does_not_show() -> None:
    text = (
        "root@master-2:~# fio --rw=write --ioengine=psync --bs=4k \\\n"
        "  --fsync=1 --name=x\n" + snippet("fio/etcd-recipe.txt").split("Starting", 1)[1]
    )
    parsed = only(FioParser, text)
    (run,) = runs([parsed])
    assert (run.rw, run.ioengine, run.block_size_bytes) == ("write", "psync", 4096)
    assert run.gradeable
    remarks = " ".join(parsed.facts["jobs"][0]["remarks"])
    assert "fsync instead of fdatasync" in remarks and "psync" in remarks


@pytest.mark.parametrize(
    ("options", "because"),
    [
        ("--fdatasync=32", "one sync per 32 writes"),
        ("--fdatasync=0", "fdatasync=0"),
        ("--direct=1 --fdatasync=1", "direct=1"),
        ("--bs=64k --fdatasync=1", "bs=65536"),
    ],
)
def test_options_that_refuse(options: str, because: str) -> None:
    body = snippet("fio/etcd-recipe.txt").split("Starting", 1)[1]
    (run,) = runs(segments(FioParser, f"fio --rw=write --name=x {options}\n{body}"))
    assert because in (run.not_gradeable_because or "")


def test_old_fio_is_refused() -> None:
    text = snippet("fio/no-fdatasync.txt").replace("fio-3.33", "fio-3.1")
    (run,) = runs(segments(FioParser, text))
    assert "fio 3.1 is too old" in (run.not_gradeable_because or "")


def test_lost_indentation_elisions_and_line_numbers() -> None:
    kept = [
        line.strip()
        for line in snippet("fio/etcd-recipe.txt").splitlines()
        if "clat" not in line and "iops" not in line
    ]
    text = "\n".join(["1", "2", "3", *kept[:5], "...", *kept[5:]])
    (run,) = runs(segments(FioParser, text))
    assert run.p99_fdatasync_s == pytest.approx(0.003752)


def test_a_p99_row_cut_in_half_is_not_read() -> None:
    text = snippet("fio/etcd-recipe.txt")
    cut = text[: text.index("99.00th=[ 3752") + len("99.00th=[ 37")]
    (run,) = runs(segments(FioParser, cut))
    assert run.p99_fdatasync_s is None
    assert "cut off" in (run.not_gradeable_because or "")


def test_percentiles_without_their_unit_line_are_rejected() -> None:
    text = snippet("fio/etcd-recipe.txt").replace("    sync percentiles (usec):\n", "")
    parsed = only(FioParser, text)
    assert parsed.records[0].p99_fdatasync_s is None
    assert parsed.rejected == 5


def test_prose_between_a_command_and_its_output_is_tolerated_but_not_other_machines() -> None:
    parser = FioParser()
    assert parser.feed(Line(1, "$ fio --rw=write --fdatasync=1 --name=x"))
    assert parser.feed(Line(2, "and this is what we got:"))
    assert not parser.feed(Line(3, '{"level":"warn","msg":"slow fdatasync"}'))
    assert not parser.feed(Line(3, "2020-10-20 12:15:22.088482 W | etcdserver: read-only range request"))
    complete = FioParser()
    for line in lines_of(snippet("fio/etcd-recipe.txt")):
        assert complete.feed(line)
    assert not complete.feed(Line(99, "So the disk is fast enough."))
    tolerated = sum(parser.feed(Line(10 + i, "more prose")) for i in range(100))
    assert 30 <= tolerated <= 40


def test_two_runs_in_one_file_stay_apart() -> None:
    text = snippet("fio/etcd-recipe.txt") + snippet("fio/token-bucket-tail.txt")
    fast, slow = runs(segments(FioParser, text))
    assert (fast.device, slow.device) == ("vda", "loop7")
    assert (fast.p99_fdatasync_s, slow.p99_fdatasync_s) == (0.003752, 0.101188)


def test_prose_is_not_claimed() -> None:
    assert not FioParser.starts("we used fio to measure the disk")
    assert not FioParser.starts("fio - flexible I/O tester")
    assert not FioParser.starts("fsync took 3 s")


@needs_tickets
@pytest.mark.parametrize(
    ("article", "p99_ms", "iops"),
    [
        ("000_*", [2.671, 1.450, 0.963, 2.376], [709, 1105, 1129, None]),
        ("001_*", [1.205], [909]),
        ("004_*", [2.245], [1196]),
    ],
)
def test_runs_pasted_into_articles(article: str, p99_ms: list[float], iops: list[float | None]) -> None:
    (path,) = list(Path(SEEDS).glob(article))
    parsed = segments(FioParser, path.read_text(encoding="utf-8"))
    jobs = [job for p in parsed for job in p.facts["jobs"]]
    assert [job["p99_fdatasync_ms"] for job in jobs] == p99_ms
    assert [job["iops"] for job in jobs] == iops
    assert {job["verdict_10ms"] for job in jobs} == {"pass"}


@needs_format_cases
@pytest.mark.parametrize(
    ("case", "version", "unit", "p99_ms", "verdict", "util"),
    [
        ("fio-nvme-consumer-tforce", "fio-3.25", "usec", 11.731, "fail", 99.97),
        ("fio-nvme-samsung-970evo", "fio-3.35", "usec", 1.975, "pass", None),
        ("fio-optane-raw-device", "fio-3.25", "usec", 0.068, "pass", 57.63),
        ("fio-sata-plextor", "fio-3.35", "usec", 2.606, "pass", None),
        ("fio-zfs-raidz2-no-slog-msec", "fio-3.25", "msec", 62.0, "fail", None),
        ("fio-zfs-raidz2-no-slog-msec-vm", "fio-3.28", "msec", 59.0, "fail", None),
        ("fio-zfs-raidz2-slog-optane", "fio-3.25", "usec", 0.26, "pass", None),
    ],
)
def test_public_runs(case: str, version: str, unit: str, p99_ms: float, verdict: str, util: float | None) -> None:
    facts = only(FioParser, case_text(case, "fio.txt")).facts
    (job,) = facts["jobs"]
    assert (facts["fio_version"], job["percentile_unit_read"]) == (version, unit)
    assert (job["p99_fdatasync_ms"], job["verdict_10ms"]) == (p99_ms, verdict)
    assert [disk["util_percent"] for disk in facts["disks"]] == ([] if util is None else [util])


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(TEXT_SNIPPETS),
    cut=st.integers(0, 20_000),
    drop=st.lists(st.integers(0, 90), max_size=8),
    double=st.lists(st.integers(0, 90), max_size=8),
)
def test_damaged_text_never_raises(name: str, cut: int, drop: list[int], double: list[int]) -> None:
    text = damaged(snippet(f"fio/{name}"), cut, drop, double)
    parsed = segments(FioParser, text)
    assert_sound(parsed, len(text.splitlines()))
    for run in runs(parsed):
        assert run.gradeable is (run.not_gradeable_because is None)
        assert not (run.gradeable and run.p99_fdatasync_s is None)
