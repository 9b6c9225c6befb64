"""What each symptom is seen in, and what looks like it and is not."""

from __future__ import annotations

from analyzer.model.ids import State
from tests.reasoning.conftest import JudgeFiles, MakeCase
from tests.reasoning.log_text import (
    IDS,
    became_leader,
    changed,
    chatter,
    elected,
    late,
    line,
    log,
    stall,
    start,
)  # fmt: skip


def test_the_first_election_of_a_starting_cluster_is_no_trouble(make_case: MakeCase) -> None:
    case = make_case(
        {
            "etcd-0.log": log(
                start(0, "etcd-0"),
                became_leader(2, "etcd-0", 2),
                elected(2.1, "etcd-0", "etcd-0", 2),
                chatter("etcd-0", 3, 120),
            )
        }
    )
    assert [change.kind for change in case.changes] == ["bootstrap"]


def test_an_operators_move_is_planned_and_a_later_change_is_not(make_case: MakeCase) -> None:
    text = log(
        start(0, "etcd-0"), became_leader(2, "etcd-0", 2), chatter("etcd-0", 3, 300),
        line(100, "leadership transfer starting", local_member_id=IDS["etcd-0"]),
        changed(100.2, "etcd-0", "etcd-0", "etcd-1", 3), changed(200, "etcd-0", "etcd-1", "etcd-2", 4),
    )  # fmt: skip
    case = make_case({"etcd-0.log": text})
    assert [(change.term, change.kind) for change in case.changes] == [
        (2, "bootstrap"),
        (3, "planned"),
        (4, "unplanned"),
    ]


def test_a_restarted_member_that_learns_who_leads_is_no_election(make_case: MakeCase) -> None:
    text = log(start(0, "etcd-1"), elected(1, "etcd-1", "etcd-0", 7), chatter("etcd-1", 2, 120))
    assert make_case({"etcd-1.log": text}).unplanned == ()


def test_a_silent_member_was_paused_when_its_peers_noticed(judge_files: JudgeFiles) -> None:
    files = {
        "etcd-0.log": log(start(0, "etcd-0"), chatter("etcd-0", 1, 300, without=(100, 105)), late(106, 5.2)),
        "etcd-1.log": log(start(0, "etcd-1"), chatter("etcd-1", 1, 300), changed(102, "etcd-1", "etcd-0", "etcd-1", 3)),
    }
    judged = judge_files(files)
    assert judged["process-paused"].observed is True
    assert judged["process-paused"].finding.member == "etcd-0"


def test_a_member_that_stalls_in_fdatasync_again_and_again_was_not_paused(judge_files: JudgeFiles) -> None:
    files = {
        "etcd-0.log": log(
            start(0, "etcd-0"), chatter("etcd-0", 1, 300, without=(100, 105)), late(106, 5.2),
            stall(102.9, 2.8), stall(105.9, 2.9),
        ),
        "etcd-1.log": log(start(0, "etcd-1"), chatter("etcd-1", 1, 300), changed(102, "etcd-1", "etcd-0", "etcd-1", 3)),
    }  # fmt: skip
    judged = judge_files(files)
    assert judged["process-paused"].observed is not True
    assert judged["fsync-stall"].observed is True


def test_late_heartbeats_next_to_fdatasync_stalls_do_not_speak_for_the_cpu(judge_files: JudgeFiles) -> None:
    beats = [(float(s), late(s, 2.4)) for s in range(50, 110, 5)]  # under 2 s the log alone cannot tell
    quiet = log(start(0, "etcd-0"), chatter("etcd-0", 1, 200), beats)
    stalling = log(start(0, "etcd-0"), chatter("etcd-0", 1, 200), beats, [(s, stall(s, 2.6)) for s, _ in beats])
    assert judge_files({"etcd-0.log": quiet})["heartbeats-late-without-fsync"].observed is True
    assert judge_files({"etcd-0.log": stalling})["heartbeats-late-without-fsync"].observed is False


def test_a_few_late_heartbeats_in_a_full_log_are_noise_and_in_an_excerpt_are_not(judge_files: JudgeFiles) -> None:
    few = [(float(s), late(s, 0.05)) for s in range(50, 54)]
    full = judge_files({"etcd-0.log": log(start(0, "etcd-0"), chatter("etcd-0", 1, 200), few)})
    assert full["heartbeats-late"].observed is False
    assert judge_files({"paste.log": log(few), "etcd-0.log": ""})["heartbeats-late"].observed is not False


def test_between_noise_and_limit_nothing_is_claimed(judge_files: JudgeFiles) -> None:
    some = [(float(s), late(s, 0.05)) for s in range(50, 62)]
    judged = judge_files({"etcd-0.log": log(start(0, "etcd-0"), chatter("etcd-0", 1, 200), some)})
    assert judged["heartbeats-late"].observed is None


def lost(second: float, error: str) -> str:
    return line(
        second, "lost TCP streaming connection with remote peer", "warn", stream_reader_type="stream Message",
        local_member_id=IDS["etcd-0"], remote_peer_id=IDS["etcd-1"], error=error,
    )  # fmt: skip


def test_peers_lost_while_one_was_stopped_are_no_network_fault(judge_files: JudgeFiles) -> None:
    errors = [(float(s), lost(s, "read tcp 10.0.0.1:2380->10.0.0.2:1: i/o timeout")) for s in range(100, 110)]
    healthy_peer = log(start(0, "etcd-1"), chatter("etcd-1", 1, 300))
    stopped_peer = log(
        start(0, "etcd-1"), chatter("etcd-1", 1, 98), line(98.5, "received signal; shutting down", signal="terminated"),
        start(112, "etcd-1"), chatter("etcd-1", 113, 300),
    )  # fmt: skip
    mine = log(start(0, "etcd-0"), chatter("etcd-0", 1, 300), errors)
    assert judge_files({"etcd-0.log": mine, "etcd-1.log": healthy_peer})["peer-timeouts"].observed is True
    assert judge_files({"etcd-0.log": mine, "etcd-1.log": stopped_peer})["peer-timeouts"].observed is not True


def drift(second: float, value: str) -> str:
    return line(
        second, "prober found high clock drift", "warn", round_tripper_name="ROUND_TRIPPER_RAFT_MESSAGE",
        remote_peer_id=IDS["etcd-1"], clock_drift=value, rtt="1.2ms", local_member_id=IDS["etcd-0"],
    )  # fmt: skip


def test_real_drift_repeats_its_value_and_late_probes_do_not(judge_files: JudgeFiles) -> None:
    steady = log(
        start(0, "etcd-0"),
        chatter("etcd-0", 1, 200),
        [(float(s), drift(s, f"12.40{s % 10}s")) for s in range(30, 180, 30)],
    )
    jumping = log(
        start(0, "etcd-0"), chatter("etcd-0", 1, 200), drift(40, "1.2s"), drift(70, "9.8s"), drift(100, "3.3s")
    )
    assert judge_files({"etcd-0.log": steady})["clock-drift-constant"].observed is True
    judged = judge_files({"etcd-0.log": jumping})
    assert judged["clock-drift-constant"].observed is False
    assert judged["clock-drift-varying"].observed is True


def slow(second: float, took: float, count: int, size: int) -> str:
    return line(
        second, "apply request took too long", "warn", took=f"{took}s", expected_duration="100ms",
        prefix="read-only range ", request='key:"/registry/pods/" range_end:"/registry/pods0" ',
        response=f"range_response_count:{count} size:{size}",
    )  # fmt: skip


def test_an_expensive_range_is_told_from_its_victims(judge_files: JudgeFiles) -> None:
    culprits = [(float(s), slow(s, 2.0, 12000, 40_000_000)) for s in range(50, 110, 10)]
    victims = [(float(s), slow(s + 0.1, 1.9, 1, 300)) for s in range(50, 110, 2)]
    base = (start(0, "etcd-0"), chatter("etcd-0", 1, 200))
    assert judge_files({"etcd-0.log": log(*base, culprits, victims)})["expensive-requests"].observed is True
    assert judge_files({"etcd-0.log": log(*base, victims)})["expensive-requests"].observed is False


def status(size: str, version: str = "3.5.9") -> str:
    """What ``etcdctl endpoint status -w table`` prints."""
    names = ("ENDPOINT", "ID", "VERSION", "DB SIZE", "IS LEADER", "IS LEARNER", "RAFT TERM", "RAFT INDEX")
    values = ("127.0.0.1:2379", "8e9e05c52164694d", version, size, "true", "false", "2", "10")
    row = {**dict(zip(names, values, strict=True)), "RAFT APPLIED INDEX": "10", "ERRORS": ""}
    widths = [max(len(name), len(value)) for name, value in row.items()]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
    lines = [
        "|" + "|".join(f" {v:>{w}} " for v, w in zip(vs, widths, strict=True)) + "|\n" for vs in (row, row.values())
    ]
    return rule + lines[0] + rule + lines[1] + rule


def test_a_database_at_the_default_quota_is_suspicious_and_a_larger_one_proves_another_quota(
    judge_files: JudgeFiles,
) -> None:
    assert judge_files({"status.txt": status("2.1 GB ")})["near-quota"].observed is True
    assert judge_files({"status.txt": status("120 MB ")})["near-quota"].observed is False
    assert judge_files({"status.txt": status("6.4 GB ")})["near-quota"].observed is not True


FIO = """mytest: (g=0): rw=write, bs=(R) 2300B-2300B, (W) 2300B-2300B, (T) 2300B-2300B, ioengine=sync, iodepth=1
fio-3.33
mytest: (groupid=0, jobs=1): err= 0: pid=1: Wed Mar 11 10:00:00 2026
  write: IOPS=862, BW=1938KiB/s (1985kB/s)(22.0MiB/11622msec); 0 zone resets
  fsync/fdatasync/sync_file_range:
    sync (usec): min=33, max=984669, avg=1146.01, stdev=3686.97
    sync percentiles (usec):
     |  1.00th=[   36],  5.00th=[   39], 50.00th=[{p50:>5}], 90.00th=[ 9802],
     | 99.00th=[{p99:>5}], 99.50th=[45560], 99.90th=[95876], 99.95th=[98837],
     | 99.99th=[99828]
"""


def test_fio_grades_a_slow_disk_and_stays_silent_on_a_token_bucket(judge_files: JudgeFiles) -> None:
    assert judge_files({"fio.txt": FIO.format(p50=9000, p99=42000)})["fio-fsync-slow"].observed is True
    assert judge_files({"fio.txt": FIO.format(p50=900, p99=2400)})["fio-fsync-slow"].observed is False
    assert judge_files({"fio.txt": FIO.format(p50=100, p99=42000)})["fio-fsync-slow"].observed is None


def test_a_member_that_starts_again_without_a_shutdown_crashed(judge_files: JudgeFiles) -> None:
    crashed = log(start(0, "etcd-0"), chatter("etcd-0", 1, 90), start(100, "etcd-0"), chatter("etcd-0", 101, 200))
    told = log(
        start(0, "etcd-0"), chatter("etcd-0", 1, 90), line(91, "received signal; shutting down", signal="terminated"),
        start(100, "etcd-0"), chatter("etcd-0", 101, 200),
    )  # fmt: skip
    assert judge_files({"etcd-0.log": crashed})["members-restart"].observed is True
    assert judge_files({"etcd-0.log": told})["members-restart"].observed is False


def test_a_finding_always_cites_a_line_and_what_is_missing_cites_none(judge_files: JudgeFiles) -> None:
    judged = judge_files({"etcd-0.log": log(start(0, "etcd-0"), chatter("etcd-0", 1, 200), stall(50, 1.4))})
    for item in judged.values():
        for finding in item.findings:
            assert bool(finding.cites) == (finding.state is not State.NO_EVIDENCE), finding
