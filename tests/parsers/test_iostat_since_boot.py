from __future__ import annotations

from analyzer.parsers.iostat import IostatParser
from analyzer.parsers.since_boot import guess_interval_s, is_interval_report

from .disk_feeding import one_series, only, snippet

SECOND = 1_000_000_000


def test_since_boot_report_is_never_a_sample() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-xt.txt"))
    writes = one_series(parsed, "write_iops", "vda")
    assert 21.98 not in writes.values
    assert writes.ts_ns.tolist() == [(1_795_201_160 + i) * SECOND for i in range(3)]
    assert (writes.ts_ns - writes.covers_from_ns == SECOND).all()
    assert writes.timed


def test_y_option_has_no_since_boot_report() -> None:
    parsed = only(IostatParser, snippet("iostat/iostat-xty.txt"))
    assert parsed.facts["first_is_since_boot"] is False
    writes = one_series(parsed, "write_iops", "vda")
    assert writes.values[0] == 10635.0
    assert len(writes.values) == parsed.facts["reports"] == 3


def test_y_signature_is_not_believed_against_the_figures() -> None:
    text = snippet("iostat/iostat-x.txt").replace("(2 CPU)\n", "(2 CPU)\n\n", 1)
    # 2.06 flushes per second cannot be counted in an interval of one second
    assert only(IostatParser, text).facts["first_is_since_boot"] is True


def test_paste_without_banner_decides_by_the_figures() -> None:
    rows = "sda 0.00 {w} 0.00 52.00 8.00 0.10 7.69 7.69 10.00"
    head = "Device: r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util"
    paste = "\n\n".join(f"{head}\n{rows.format(w=w)}" for w in ("0.13", "3.00", "20.00"))
    assert only(IostatParser, paste).facts["first_is_since_boot"] is True
    paste = paste.replace("0.13", "13.00")
    parsed = only(IostatParser, paste)
    assert parsed.facts["first_is_since_boot"] is False
    assert one_series(parsed, "write_iops", "sda").values.tolist() == [13.0, 3.0, 20.0]


def test_an_idle_interval_has_no_await() -> None:
    head = "Device: r/s w/s rkB/s wkB/s avgqu-sz r_await w_await %util"
    text = f"{head}\nsda 0.00 5.00 0.00 20.00 0.10 0.00 9.00 10.00\n\n{head}\n"
    parsed = only(IostatParser, text + "sda 0.00 0.00 0.00 0.00 0.00 0.00 0.00 100.00\n")
    assert one_series(parsed, "write_await_s", "sda").values.tolist() == [0.009]
    assert one_series(parsed, "util_ratio", "sda").values.tolist() == [0.1, 1.0]
    assert one_series(parsed, "write_time_ratio", "sda").values.tolist() == [0.045, 0.0]


def test_whole_counts_are_told_from_averages() -> None:
    assert is_interval_report([0.0, 1.0, 1.01, 0.99, 3.0, 2.97, 250.7], 1.0)
    assert is_interval_report([0.1, 0.2, 0.9], 10.0)
    assert not is_interval_report([0.13, 0.27, 1.0], 1.0)
    assert not is_interval_report([0.03], 10.0)


def test_the_interval_of_an_untimed_capture_is_found_from_its_counts() -> None:
    assert guess_interval_s([1.0, 2.0, 17.0]) == 1.0
    assert guess_interval_s([0.5, 2.5, 14.0, 0.5]) == 2.0
    assert guess_interval_s([0.2, 0.4, 1.6]) == 5.0
