import numpy as np
import pytest

from analyzer.parsers.pidstat import KEPT_PROCESSES, Pidstat

from .feeding import case, one, snippet, values

DAY = 1_795_132_800_000_000_000  # 2026-11-20T00:00:00Z
S = 1_000_000_000


def test_io_columns() -> None:
    parsed = one(snippet("pidstat/pidstat-d-iso.txt"), Pidstat, lead=True)
    assert values(parsed, "proc_write_bytes_s", "fio[9880]") == [
        pytest.approx(kb * 1024) for kb in (23156.86, 34376.00, 24536.00)
    ]
    series = parsed.series[0]
    start = DAY + (19 * 3600 + 2 * 60 + 16) * S
    assert list(series.ts_ns) == [start, start + S, start + 2 * S]
    assert list(series.covers_from_ns) == [start - S, start, start + S]
    assert list(series.lines) == [4, 7, 10]
    assert (parsed.timed, parsed.naive_time, parsed.rejected) == (True, True, 0)


def test_stacked_tables_of_one_second_are_one_report() -> None:
    parsed = one(snippet("pidstat/pidstat-du.txt"), Pidstat, lead=True)
    assert parsed.facts["reports"] == 3
    assert values(parsed, "proc_cpu_ratio", "fio[9880]") == pytest.approx([0.2475, 0.38, 0.26])
    assert values(parsed, "proc_wait_ratio", "fio[9880]") == pytest.approx([0.297, 0.06, 0.24])
    assert len(values(parsed, "proc_write_bytes_s", "fio[9880]")) == 3


def test_one_line_per_process() -> None:
    parsed = one(snippet("pidstat/pidstat-durh.txt"), Pidstat, lead=True)
    assert values(parsed, "proc_write_bytes_s", "fio[9880]")[1] == pytest.approx(34508 * 1024)


def test_twelve_hour_clock() -> None:
    parsed = one(snippet("pidstat/pidstat-u-en-us.txt"), Pidstat, lead=True)
    assert parsed.series[0].ts_ns[0] == DAY + (19 * 3600 + 2 * 60 + 16) * S


def test_without_the_banner_there_is_no_date() -> None:
    parsed = one(snippet("pidstat/pidstat-d-iso.txt"), Pidstat)
    assert not parsed.timed
    assert "no date" in parsed.problems[0]
    assert all(not series.timed for series in parsed.series)


def test_midnight_and_commands_with_spaces_and_users() -> None:
    text = (
        "Linux 6.1.0 (n1) \t11/20/2026 \t_x86_64_\t(4 CPU)\n"
        "23:59:59 USER PID kB_rd/s kB_wr/s kB_ccwr/s iodelay Command\n"
        "23:59:59 prom 812 0.00 100.00 0.00 5 /usr/bin/prometheus --config x\n"
        "00:00:01 prom 812 -1.00 -1.00 -1.00 5 /usr/bin/prometheus --config x\n"
        "00:00:03 prom 812 1.00 200.00 0.00 5 /usr/bin/prometheus --config x\n"
    )
    parsed = one(text, Pidstat, lead=True)
    assert values(parsed, "proc_write_bytes_s", "prometheus[812]") == [102400.0, 204800.0]
    (series,) = [s for s in parsed.series if s.metric == "proc_write_bytes_s"]
    assert np.diff(series.ts_ns).tolist() == [4 * S]


def test_epoch_times_of_old_versions_need_no_banner() -> None:
    text = "#      Time   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s  Command\n"
    text += "1700000000 0 7 0.0 4.0 0.0 etcd\n"
    parsed = one(text, Pidstat)
    assert parsed.series[0].ts_ns[0] == 1_700_000_000 * S
    assert not parsed.naive_time


def test_only_busy_processes_are_kept_but_etcd_always() -> None:
    rows = [f"10:00:01 0 {pid} 0.00 {pid}.00 0.00 0 writer" for pid in range(1, 201)]
    text = "\n".join(
        [
            "10:00:00 UID PID kB_rd/s kB_wr/s kB_ccwr/s iodelay Command",
            *rows,
            "10:00:01 0 900 0.00 0.00 0.00 0 etcd",
        ]
    )
    parsed = one(text, Pidstat)
    kept = set(parsed.facts["processes"])
    assert len(kept) == KEPT_PROCESSES + 1
    assert {"etcd[900]", "writer[200]", "writer[161]"} <= kept
    assert "writer[160]" not in kept
    assert parsed.facts["processes_seen"] == 201


def test_three_members_on_one_host() -> None:
    parsed = one(case("lab/cpu_quota_severe_leader/bundle/pidstat.txt"), Pidstat, lead=True)
    assert parsed.facts["hostname"] == "vm"
    assert set(parsed.facts["processes"]) == {"etcd[1179]", "etcd[1180]", "etcd[1185]"}
    assert values(parsed, "proc_wait_ratio", "etcd[1179]")[0] == pytest.approx(0.0639)
    assert parsed.first_ns == DAY + (18 * 3600 + 16 * 60 + 29) * S
