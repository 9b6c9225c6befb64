import pytest

from analyzer.parsers.vmstat import Vmstat

from .feeding import case, one, snippet, values

S = 1_000_000_000


def test_columns_by_name_without_the_report_since_boot() -> None:
    parsed = one(snippet("vmstat/vmstat-t.txt"), Vmstat)
    assert values(parsed, "run_queue") == [6, 4, 7]
    assert values(parsed, "blocked_tasks") == [0, 1, 0]
    assert values(parsed, "cpu_steal_ratio") == pytest.approx([0.03, 0.13, 0.16])
    assert values(parsed, "mem_free_bytes")[0] == 23689824 * 1024
    assert parsed.facts["reports"] == 4
    assert parsed.facts["max"]["cpu_iowait_ratio"] == pytest.approx(0.18)
    series = parsed.series[0]
    assert series.ts_ns[0] - series.covers_from_ns[0] == S
    assert (parsed.timed, parsed.naive_time, parsed.facts["zone"]) == (True, False, "UTC")


def test_wide_output_with_guest_time() -> None:
    parsed = one(snippet("vmstat/vmstat-wt.txt"), Vmstat)
    assert values(parsed, "cpu_steal_ratio") == pytest.approx([0.12, 0.07])
    assert parsed.series[0].ts_ns[0] == 1_795_201_177 * S


def test_without_times() -> None:
    parsed = one(snippet("vmstat/vmstat-plain.txt"), Vmstat)
    assert not parsed.timed
    assert values(parsed, "run_queue") == [5, 4, 7]
    assert not any(series.timed for series in parsed.series)


def test_other_zones_are_left_to_the_reader() -> None:
    parsed = one(snippet("vmstat/vmstat-t.txt").replace("   UTC", "  CEST"), Vmstat)
    assert (parsed.facts["zone"], parsed.naive_time) == ("CEST", True)


def test_cut_row_is_counted() -> None:
    parsed = one(snippet("vmstat/vmstat-t.txt").rstrip()[:-22], Vmstat)
    assert (parsed.rejected, len(values(parsed, "run_queue"))) == (1, 2)


def test_headers_come_again_in_a_long_capture() -> None:
    parsed = one(case("lab/cpu_quota_severe_leader/bundle/vmstat.txt"), Vmstat)
    assert parsed.rejected == 0
    assert parsed.facts["reports"] == 49
    assert max(values(parsed, "run_queue")) == 99
