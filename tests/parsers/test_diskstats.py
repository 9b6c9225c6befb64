from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.line import Line
from analyzer.parsers.diskstats import DiskstatsParser

from .disk_feeding import assert_sound, damaged, lines_of, one_series, only, segments, snippet

SECOND = 1_000_000_000
START = 1_795_201_167 * SECOND  # 2026-11-20T18:59:27Z


def row(
    name: str = "vdb",
    *,
    writes: int = 0,
    write_ms: int = 0,
    in_flight: int = 0,
    io_ms: int = 0,
    flush: int = 0,
) -> str:
    """An 20-column row; two flushes of 5 ms per ``flush``."""
    return (
        f" 254 16 {name} 10 0 80 5 {writes} 0 {writes * 8} {write_ms} {in_flight} {io_ms} {write_ms + 5} "
        f"0 0 0 0 {2 * flush} {10 * flush}"
    )


def test_real_series() -> None:
    parsed = only(DiskstatsParser, snippet("diskstats/diskstats-series.txt"))
    facts = parsed.facts
    assert (facts["snapshots"], facts["timestamped"], facts["has_flush"]) == (6, True, True)
    assert parsed.timed and not parsed.naive_time
    assert parsed.first_ns == START + 617_000_000
    rows = [
        [int(word) for word in line.split()[3:]]
        for line in snippet("diskstats/diskstats-series.txt").splitlines()
        if " vda " in line
    ]
    before, after = rows[0], rows[1]
    dt_s = 1.006  # 27.617 -> 28.623
    assert one_series(parsed, "write_iops", "vda").values[0] == pytest.approx((after[4] - before[4]) / dt_s)
    assert one_series(parsed, "write_await_s", "vda").values[0] == pytest.approx(
        (after[7] - before[7]) / (after[4] - before[4]) / 1000
    )
    assert one_series(parsed, "flush_iops", "vda").values[0] == pytest.approx((after[15] - before[15]) / dt_s)
    assert one_series(parsed, "write_bytes_s", "vda").values[0] == pytest.approx((after[6] - before[6]) * 512 / dt_s)
    assert one_series(parsed, "in_flight", "vda").values[0] == after[8]
    assert {s.subject for s in parsed.series} == {"vda"}, "idle loop devices are no series"
    assert parsed.rejected == 0


def test_one_snapshot_is_since_boot() -> None:
    parsed = only(DiskstatsParser, snippet("diskstats/diskstats-single.txt"))
    assert parsed.series == ()
    assert parsed.facts["only_since_boot"] is True
    assert parsed.facts["devices"]["vda"]["first"]["w_await_ms"] == pytest.approx(11425 / 157232, abs=1e-6)
    assert any("since boot" in problem for problem in parsed.problems)


@pytest.mark.parametrize(
    ("separator", "naive"),
    [
        ("### 2026-11-20T18:59:{s}Z", False),
        ("TS 17952011{e}.5 2026-11-20T18:59:{s}+00:00", False),
        ("TS 17952011{e} 2026-11-20 18:59:{s}", True),
        ("=== Fri Nov 20 18:59:{s} UTC 2026 ===", False),
        ("zzz ***Fri Nov 20 18:59:{s} CET 2026", True),
        ("17952011{e}", False),
        ("2026-11-20T18:59:{s}+0000", False),
        ("Fri 20 Nov 2026 06:59:{s} PM UTC", False),
    ],
)
def test_separators(separator: str, naive: bool) -> None:
    marks = [separator.format(s=27 + i, e=67 + i) for i in range(3)]
    text = "".join(f"{mark}\n{row(writes=10 * i, write_ms=i)}\n" for i, mark in enumerate(marks))
    # The first stamp may be one that only a replayed lead-in line can own.
    assert DiskstatsParser.leads_in(marks[0])
    parser = DiskstatsParser()
    for line in lines_of(text):
        assert parser.feed(line)
    parsed = parser.finish()
    assert parsed.naive_time is naive
    assert one_series(parsed, "write_iops", "vdb").ts_ns.tolist() == [START + SECOND, START + 2 * SECOND]
    assert one_series(parsed, "write_iops", "vdb").values.tolist() == [10.0, 10.0]
    assert parsed.understood == 6


def test_blank_lines_or_repeated_devices_separate_untimed_snapshots() -> None:
    rows = [row(writes=10 * i) for i in range(3)]
    for joiner in ("\n\n", "\n"):
        parsed = only(DiskstatsParser, joiner.join(rows))
        series = one_series(parsed, "write_iops", "vdb")
        assert series.values.tolist() == [10.0, 10.0]
        assert not series.timed and not parsed.timed
        assert any("one second apart" in problem for problem in parsed.problems)


def test_stalled_device_has_no_await_but_is_busy() -> None:
    text = "\n\n".join([row(writes=10, write_ms=20), row(writes=10, write_ms=20, in_flight=7, io_ms=1000)])
    parsed = only(DiskstatsParser, text)
    assert "write_await_s" not in {s.metric for s in parsed.series}
    assert one_series(parsed, "util_ratio", "vdb").values.tolist() == [1.0]
    assert one_series(parsed, "in_flight", "vdb").values.tolist() == [7.0]


def test_write_time_is_summed_over_parallel_writes() -> None:
    parsed = only(DiskstatsParser, "\n\n".join([row(), row(writes=100, write_ms=2500, flush=3)]))
    assert one_series(parsed, "write_time_ratio", "vdb").values.tolist() == [2.5]
    assert one_series(parsed, "write_await_s", "vdb").values.tolist() == [0.025]
    assert one_series(parsed, "flush_iops", "vdb").values.tolist() == [6.0]
    assert one_series(parsed, "flush_await_s", "vdb").values.tolist() == [0.005]
    assert parsed.facts["devices"]["vdb"]["max"]["w_await_ms"] == 25.0


@pytest.mark.parametrize("bits", [32, 64])
def test_counters_wrap_around(bits: int) -> None:
    def counters(writes: int, sectors: int, write_ms: int) -> str:
        return f"8 0 sda 1 0 8 1 {writes} 0 {sectors} {write_ms} 0 5 {write_ms} 0 0 0 0 0 0"

    # 5 writes, 80 sectors and 50 ms later the counters of sectors and time have begun again
    text = f"{counters(7, 2**bits - 60, 2**bits - 20)}\n\n{counters(12, 20, 30)}"
    parsed = only(DiskstatsParser, text)
    assert one_series(parsed, "write_bytes_s", "sda").values.tolist() == [80 * 512]
    assert one_series(parsed, "write_await_s", "sda").values.tolist() == [0.010]
    assert one_series(parsed, "write_time_ratio", "sda").values.tolist() == [0.050]


def test_a_restart_is_a_gap_and_never_negative() -> None:
    text = "\n\n".join([row(writes=5000), row(writes=5100), row(writes=40), row(writes=50)])
    parsed = only(DiskstatsParser, text)
    assert one_series(parsed, "write_iops", "vdb").values.tolist() == [100.0, 10.0]
    assert [p for p in parsed.problems if "backwards" in p and "line 5" in p]


@pytest.mark.parametrize("columns", [11, 15, 17, 21])
def test_kernel_generations(columns: int) -> None:
    def counters(base: int) -> str:
        return f" 8 0 sda {' '.join(str(base + i) for i in range(columns))}"

    parsed = only(DiskstatsParser, f"{counters(10)}\n\n{counters(30)}")
    metrics = {s.metric for s in parsed.series}
    assert {"read_iops", "write_await_s", "util_ratio"} <= metrics
    assert ("discard_iops" in metrics) is (columns >= 15)
    assert ("flush_iops" in metrics) is (columns >= 17)


def test_old_partition_rows_have_no_times() -> None:
    text = f"{row()}\n 254 17 vdb1 1 8 2 16\n\n{row(writes=1)}\n 254 17 vdb1 3 24 7 56\n"
    parsed = only(DiskstatsParser, text)
    assert {s.metric for s in parsed.series if s.subject == "vdb1"} == {
        "read_iops",
        "write_iops",
        "read_bytes_s",
        "write_bytes_s",
    }
    assert one_series(parsed, "write_bytes_s", "vdb1").values.tolist() == [40 * 512]


def test_damaged_rows_are_counted() -> None:
    text = f"{row()}\n\n 254 16 vdb 10 0 80\n{row(name='vdc')}\n"
    parsed = only(DiskstatsParser, text)
    assert (parsed.understood, parsed.rejected) == (2, 1)
    parser = DiskstatsParser()
    assert parser.feed(Line(1, row()))
    assert not parser.feed(Line(2, "some avg10=0.00 avg60=0.00 avg300=0.00 total=5"))


def test_prose_is_not_claimed() -> None:
    assert not DiskstatsParser.starts("## Results of the 20 Nov run")
    assert not DiskstatsParser.starts("1 2 three 4 5 6")
    assert not DiskstatsParser.starts("=== iostat ===")
    assert not segments(DiskstatsParser, "### 2026-11-20T18:59:27Z\nsome avg10=0.00\n")


@settings(max_examples=150, deadline=None)
@given(
    cut=st.integers(0, 9_000),
    drop=st.lists(st.integers(0, 70), max_size=6),
    double=st.lists(st.integers(0, 70), max_size=6),
)
def test_damaged_text_never_raises(cut: int, drop: list[int], double: list[int]) -> None:
    text = damaged(snippet("diskstats/diskstats-series.txt"), cut, drop, double)
    assert_sound(segments(DiskstatsParser, text), len(text.splitlines()))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(st.integers(-2, 2**66), min_size=4, max_size=18), max_size=6))
def test_any_counters_never_raise(rows: list[list[int]]) -> None:
    text = "\n\n".join([row(), *(f"8 0 sda {' '.join(map(str, numbers))}" for numbers in rows), row(writes=3)])
    assert_sound(segments(DiskstatsParser, text), len(text.splitlines()))
