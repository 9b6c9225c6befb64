import pytest

from analyzer.parsers.cgroup import CgroupCpuStat

from .feeding import case, one, segments, values

S = 1_000_000_000


def snapshot(periods: int, throttled: int, field: str, amount: int) -> str:
    return f"nr_periods {periods}\nnr_throttled {throttled}\n{field} {amount}\n"


def test_version_1_series() -> None:
    text = (
        "2026-11-20T18:17:00Z\n" + snapshot(100, 10, "throttled_time", 5 * S)
        + "2026-11-20T18:17:10Z\n" + snapshot(200, 60, "throttled_time", 9 * S)
        + "2026-11-20T18:17:20Z\n" + snapshot(300, 60, "throttled_time", 9 * S)
    )  # fmt: skip
    parsed = one(text, CgroupCpuStat, lead=True)
    assert values(parsed, "cpu_throttled_ratio") == pytest.approx([0.4, 0.0])
    assert values(parsed, "cpu_throttled_periods_ratio") == pytest.approx([0.5, 0.0])
    assert (parsed.timed, parsed.naive_time) == (True, False)
    assert parsed.facts["captured"] == {"periods": 200, "throttled_periods": 50, "throttled_s": 4.0}
    assert parsed.facts["cgroup_version"] == 1


def test_version_2_in_microseconds() -> None:
    text = (
        "=== 2026-11-20 18:17:00 ===\nusage_usec 10\n" + snapshot(100, 10, "throttled_usec", 5_000_000)
        + "=== 2026-11-20 18:17:10 ===\nusage_usec 20\n" + snapshot(200, 60, "throttled_usec", 9_000_000)
    )  # fmt: skip
    parsed = one(text, CgroupCpuStat, lead=True)
    assert values(parsed, "cpu_throttled_ratio") == pytest.approx([0.4])
    assert parsed.naive_time
    assert parsed.facts["cgroup_version"] == 2


def test_single_snapshot_is_a_lifetime_average() -> None:
    parsed = one(snapshot(200, 50, "throttled_time", 3 * S), CgroupCpuStat)
    assert parsed.series == ()
    assert parsed.facts["throttled_periods_ratio_lifetime"] == 0.25
    assert not parsed.timed


def test_a_counter_that_falls_gives_no_rate() -> None:
    text = (
        "1700000000\n" + snapshot(100, 10, "throttled_time", 5 * S) + "1700000010\n"
        + snapshot(1, 0, "throttled_time", 0) + "1700000020\n" + snapshot(11, 5, "throttled_time", S)
    )  # fmt: skip
    parsed = one(text, CgroupCpuStat, lead=True)
    assert values(parsed, "cpu_throttled_periods_ratio") == [0.5]


def test_throttled_leader_and_free_follower() -> None:
    bundle = "lab/cpu_quota_severe_leader/bundle"
    leader = one(case(f"{bundle}/etcd-1/cgroup_cpu_stat.txt"), CgroupCpuStat, lead=True)
    assert leader.facts["captured"]["throttled_periods"] == 999
    assert leader.facts["throttled_s"] == pytest.approx(157.022194756)
    assert max(values(leader, "cpu_throttled_periods_ratio")) == 1.0
    free = one(case(f"{bundle}/etcd-0/cgroup_cpu_stat.txt"), CgroupCpuStat, lead=True)
    assert set(values(free, "cpu_throttled_ratio")) == {0.0}


def test_two_cgroups_in_one_file_are_two_segments() -> None:
    one_group = "==> /sys/fs/cgroup/%s/cpu.stat <==\n" + snapshot(1, 1, "throttled_usec", 1)
    found = segments(one_group % "a" + one_group % "b", CgroupCpuStat)
    assert [parsed.facts["cgroup"] for parsed in found] == [
        "/sys/fs/cgroup/a/cpu.stat",
        "/sys/fs/cgroup/b/cpu.stat",
    ]
