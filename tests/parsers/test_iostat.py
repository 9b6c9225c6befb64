from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.line import Line
from analyzer.parsers.iostat import IostatParser

from .disk_feeding import (
    SNIPPETS,
    assert_sound,
    case_text,
    damaged,
    lines_of,
    needs_format_cases,
    one_series,
    only,
    segments,
    snippet,
)

SECOND = 1_000_000_000
TEXT_SNIPPETS = sorted(p.name for p in (SNIPPETS / "iostat").glob("*.txt"))


def test_time_stamped_extended_report() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-xt.txt"))
    facts = parsed.facts
    assert facts["hostname"] == "vm"
    assert facts["number_of_cpus"] == 2
    assert facts["date_as_printed"] == "11/20/26"
    assert facts["date"] == "2026-11-20"
    assert facts["reports"] == 4
    assert facts["first_is_since_boot"] is True
    assert facts["timestamped"] is True
    assert facts["timestamps"][0] == "11/20/26 18:59:19"
    assert facts["devices"]["vda"]["first"]["w_await_ms"] == 0.38
    assert parsed.rejected == 0
    assert parsed.naive_time and parsed.timed
    assert parsed.first_ns == 1_795_201_159 * SECOND


@pytest.mark.parametrize(
    ("name", "zone_known"),
    [("iostat-xt-iso.txt", True), ("iostat-xt-en-us.txt", False), ("iostat-xt-de-de.txt", False)],
)
def test_time_lines_of_locales(name: str, zone_known: bool) -> None:
    parsed = only(IostatParser, snippet(f"iostat/{name}"))
    assert parsed.timed
    assert parsed.naive_time is not zone_known
    # 2026-11-20, 18:59:19 (ISO) or 19:02:15 (the two others), as printed
    assert parsed.first_ns == (1_795_201_159 if zone_known else 1_795_201_335) * SECOND
    assert parsed.rejected == 0
    assert not any("month/day" in problem for problem in parsed.problems)


def test_decimal_comma() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-xt-de-de.txt"))
    assert parsed.facts["devices"]["vda"]["first"]["w_per_s"] == 989.27
    assert parsed.facts["cpu"]["first"]["idle_percent"] == 74.30


def test_stacked_tables_are_joined_and_human_units_scaled() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-xh.txt"))
    first = parsed.facts["devices"]["vda"]["first"]
    assert parsed.facts["reports"] == 3
    assert first["r_per_s"] == 102.85
    assert first["wkB_per_s"] == pytest.approx(1.7 * 1024)
    assert first["rareq_sz_kB"] == 24.4
    assert first["rrqm_percent"] == 12.7
    assert first["w_await_ms"] == 0.38
    assert {"f_await_ms", "util_percent", "aqu_sz", "d_await_ms"} <= first.keys()


@pytest.mark.parametrize("name", ["iostat-xt-pretty.txt", "iostat-xt-compact.txt"])
def test_layouts_give_the_same_metrics(name: str) -> None:
    parsed = only(IostatParser, snippet(f"iostat/{name}"))
    metrics = {s.metric for s in parsed.series if s.subject == "vda"}
    assert {
        "read_iops",
        "write_iops",
        "flush_iops",
        "write_await_s",
        "flush_await_s",
        "queue_length",
        "util_ratio",
        "write_time_ratio",
        "write_bytes_s",
    } <= metrics


def test_megabyte_columns_and_units() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-dxmtz.txt"))
    assert one_series(parsed, "write_bytes_s", "vda").values[0] == pytest.approx(33.32 * 1024**2)
    assert one_series(parsed, "util_ratio", "vda").values[0] == pytest.approx(0.628)
    assert one_series(parsed, "write_await_s", "vda").values[0] == pytest.approx(0.05e-3)
    assert one_series(parsed, "write_time_ratio", "vda").values[0] == pytest.approx(10659 * 0.05e-3)


def test_short_form_gives_await_without_split() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-xs.txt"))
    assert parsed.facts["devices"]["vda"]["first"]["await_ms"] == 0.16
    assert one_series(parsed, "await_s", "vda").values.size == 2
    assert not any(s.metric == "write_await_s" for s in parsed.series)


def test_plain_iostat_says_that_it_shows_no_latency() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-plain-t.txt"))
    assert parsed.facts["has_latency"] is False
    assert any("without -x" in problem for problem in parsed.problems)
    assert parsed.facts["devices"]["vda"]["first"]["tps"] == 205.19


def test_without_time_stamps_the_order_is_kept_and_said() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-x.txt"))
    series = one_series(parsed, "write_iops", "vda")
    assert not series.timed and not parsed.timed
    assert parsed.first_ns is None
    assert np.diff(series.ts_ns).tolist() == [SECOND, SECOND]
    assert any("no time stamps" in problem for problem in parsed.problems)


def test_time_of_a_log_wrapper_is_used_when_iostat_printed_none() -> None:
    parser = IostatParser()
    for line in lines_of(snippet("iostat/iostat-x.txt")):
        assert parser.feed(Line(line.number, line.text, 1_700_000_000 * SECOND + line.number * SECOND))
    parsed = parser.finish()
    assert parsed.timed and not parsed.naive_time
    assert one_series(parsed, "write_iops", "vda").ts_ns[0] > 1_700_000_000 * SECOND


OLD_REPORT = """\
Device:  rrqm/s  wrqm/s   r/s   w/s  rsec/s  wsec/s avgrq-sz avgqu-sz   await  svctm  %util
cciss/c0d0 0.00    3.00  1.00  4.00    8.00   56.00    12.80     0.40   80.00  20.00  10.00
"""


def test_sysstat_9_columns_and_a_device_with_a_slash() -> None:
    parsed = only(IostatParser, OLD_REPORT)
    assert parsed.facts["first_is_since_boot"] is False
    assert one_series(parsed, "write_bytes_s", "cciss/c0d0").values.tolist() == [56.0 * 512]
    assert one_series(parsed, "await_s", "cciss/c0d0").values.tolist() == [0.08]
    assert one_series(parsed, "queue_length", "cciss/c0d0").values.tolist() == [0.4]
    assert parsed.facts["devices"]["cciss/c0d0"]["first"]["avgrq_sz_sectors"] == 12.8


def test_old_human_layout_puts_the_name_on_its_own_line() -> None:
    text = OLD_REPORT.replace("cciss/c0d0 0.00", "cciss/c0d0\n           0.00")
    parsed = only(IostatParser, text)
    assert parsed.facts["devices"]["cciss/c0d0"]["first"]["await_ms"] == 80.0
    assert (parsed.understood, parsed.rejected) == (3, 0)


def test_rows_and_header_wrapped_by_a_narrow_terminal() -> None:
    text = OLD_REPORT.replace(" avgrq-sz", "\navgrq-sz").replace("   12.80", "\n   12.80")
    parsed = only(IostatParser, text)
    assert parsed.facts["devices"]["cciss/c0d0"]["first"]["util_percent"] == 10.0
    assert (parsed.understood, parsed.rejected) == (4, 0)


def test_impossible_values_are_left_out_and_said() -> None:
    head = "Device: r/s w/s await %util"
    parsed = only(IostatParser, f"{head}\nsda 1.00 98765432109876.00 -3.00 21474836.00\n")
    assert parsed.facts["devices"]["sda"]["first"] == {"r_per_s": 1.0}
    assert any("line 2: 3 impossible" in problem for problem in parsed.problems)


def test_day_and_month_are_decided_by_the_whole_capture() -> None:
    def first_ns(*stamps: str) -> tuple[int | None, tuple[str, ...]]:
        report = "Device: r/s w/s await %util\nsda 1.00 2.00 3.00 4.00\n\n"
        parsed = only(IostatParser, "".join(f"{stamp}\n{report}" for stamp in stamps))
        return parsed.first_ns, parsed.problems

    june_first, january_sixth = 1_590_969_600 * SECOND, 1_578_268_800 * SECOND
    at = 86_399 * SECOND
    assert first_ns("06/01/20 23:59:59", "06/02/20 00:00:00")[0] == june_first + at
    assert first_ns("06/01/20 23:59:59", "07/01/20 00:00:00")[0] == january_sixth + at
    assert first_ns("06/01/20 23:59:59", "13/01/20 00:00:00")[0] == january_sixth + at
    same_day, problems = first_ns("06/01/20 23:59:58", "06/01/20 23:59:59")
    assert same_day == june_first + at - SECOND
    assert any("month/day" in problem for problem in problems)


def test_bare_times_of_day_take_the_banner_date_over_midnight() -> None:
    report = "avg-cpu:  %user   %nice    %sys %iowait   %idle\n 1.00 0.00 1.00 0.00 98.00\n\n"
    text = "Linux 2.6.18-8.el5 (old) \t05/31/2020\n\n"
    text += f"Time: 11:59:59 PM\n{report}Time: 12:00:00 AM\n{report}"
    parsed = only(IostatParser, text)
    assert parsed.first_ns == 1_590_969_599 * SECOND
    assert parsed.last_ns == 1_590_969_600 * SECOND


def test_second_banner_begins_a_second_segment() -> None:
    text = snippet("iostat/iostat-xt.txt")
    both = segments(IostatParser, text.rstrip("\n") + "\n" + text)
    assert [p.facts["reports"] for p in both] == [4, 4]
    assert [p.rejected for p in both] == [0, 0]


def test_other_tools_and_prose_are_not_claimed() -> None:
    assert not IostatParser.starts("10:52:38      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command")
    assert not IostatParser.starts("The Device was slow")
    assert not IostatParser.starts("2026-11-20T17:44:13Z")
    assert not IostatParser.starts("Linux version 6.1 (gcc) booted")
    parser = IostatParser()
    for line in lines_of(OLD_REPORT):
        assert parser.feed(line)
    assert not parser.feed(Line(9, '{"level":"warn","msg":"slow fdatasync"}'))
    assert not parser.feed(Line(9, "then the cluster lost its leader"))
    assert not segments(IostatParser, "Linux 6.1.0 (vm) \t11/20/26 \t_x86_64_\t(2 CPU)\n\nsomething else\n")


@needs_format_cases
@pytest.mark.parametrize(
    ("case", "device", "report", "key", "value"),
    [
        ("jc-centos-7-7-iostat-1", "sda", "first", "tps", 0.24),
        ("jc-centos-7-7-iostat-x", "sda", "first", "w_await_ms", 1.29),
        ("jc-centos-7-7-iostat-x", "sda", "max", "util_percent", 0.01),
        ("jc-ubuntu-18-04-iostat-mx", "sda", "first", "w_await_ms", 3.00),
        ("jc-ubuntu-20-10-iostat-m", "sda", "first", "MB_wrtn", 679),
        ("sysstat-iostat-compact", "sda", "first", "w_await_ms", 9.61),
        ("sysstat-iostat-dec", "sda", "first", "tps", 8.6),
        ("sysstat-iostat-pretty", "sda", "first", "tps", 8.59),
        ("sysstat-iostat-s", "sdq", "first", "kB_w_plus_d_per_s", 25.21),
        ("sysstat-iostat-x", "sdr", "first", "w_await_ms", 39.57),
        ("sysstat-iostat-x", "sdr", "second", "util_percent", 6.42),
        ("sysstat-iostat-x-ALL-flush", "sdd", "second", "f_await_ms", 60.31),
        ("sysstat-iostat-x-pretty", "sda", "first", "r_await_ms", 12.58),
        ("sysstat-iostat-xs", "sdr", "second", "await_ms", 15.33),
        ("suite-iostat-dxm", "nvme0n1", "max", "util_percent", 3.20),
        ("suite-iostat-dxm", "mmcblk0", "first", "r_await_ms", 1133.0),
    ],
)
def test_public_captures(case: str, device: str, report: str, key: str, value: float) -> None:
    parsed = only(IostatParser, case_text(case))
    assert parsed.facts["devices"][device][report][key] == value
    assert parsed.rejected == 0


@needs_format_cases
def test_idle_slot_with_a_slow_average_since_boot_gives_no_samples() -> None:
    parsed = only(IostatParser, case_text("suite-iostat-dxm"))
    assert parsed.facts["reports"] == 20
    assert "read_await_s" not in {s.metric for s in parsed.series if s.subject == "mmcblk0"}
    assert parsed.facts["devices"]["mmcblk0"]["interval_max"]["r_await_ms"] == 0.0


@settings(max_examples=120, deadline=None)
@given(
    name=st.sampled_from(TEXT_SNIPPETS),
    cut=st.integers(0, 20_000),
    drop=st.lists(st.integers(0, 60), max_size=6),
    double=st.lists(st.integers(0, 60), max_size=6),
)
def test_damaged_text_never_raises(name: str, cut: int, drop: list[int], double: list[int]) -> None:
    text = damaged(snippet(f"iostat/{name}"), cut, drop, double)
    assert_sound(segments(IostatParser, text), len(text.splitlines()))


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from("Device: avg-cpu%uti lsdr/w0123.\n\t,-eE+k"), max_size=200))
def test_any_lines_after_a_header_never_raise(text: str) -> None:
    text = OLD_REPORT + text
    assert_sound(segments(IostatParser, text), len(text.splitlines()))
