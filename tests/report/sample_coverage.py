"""Files, findings and members of the two-hour story."""

from __future__ import annotations

from typing import Any

from analyzer.model.diagnosis import (
    ArtifactView,
    MemberView,
    NextEvidence,
)
from analyzer.model.finding import Finding, Window
from analyzer.model.ids import (
    CaptureId,
    CauseId,
    Severity,
    State,
    SymptomId,
)

from .sample_evidence import (
    BURSTS,
    DISK,
    END,
    FIO,
    FIO_P99,
    IOSTAT,
    LEADER,
    LOG,
    PING,
    ROOT,
    STALL,
    STALL_AGAIN,
    START,
)


def artifact(path: str, kind: str, member: str | None, lines: int, understood: int, **facts: Any) -> ArtifactView:
    timed = kind not in ("fio-json", "lsblk")
    return ArtifactView(
        path=path,
        format=kind,
        wrapper="cri" if kind == "etcd-log" else "",
        member=member,
        lines=lines,
        understood=understood,
        rejected=27 if member == "etcd-1" else 0,
        not_relevant=lines - understood - (27 if member == "etcd-1" else 0),
        first_ns=START if timed else None,
        last_ns=END if timed else None,
        zone="UTC",
        zone_source="explicit" if kind == "etcd-log" else "assumed",
        facts=facts,
    )


def event_facts(**counts: int) -> dict[str, Any]:
    names = {name.replace("_", "-"): {"count": number, "max_took_s": 2.14025} for name, number in counts.items()}
    return {"events": names, "level_counts": {"warn": 9120, "info": 171223}}


ARTIFACTS = (
    artifact(f"{ROOT}/etcd-0/etcd.log", "etcd-log", "etcd-0", 168_201, 912, **event_facts(leader_changed=12)),
    artifact(f"{ROOT}/etcd-1/etcd.log", "etcd-log", "etcd-1", 166_940, 871, **event_facts(leader_changed=12)),
    artifact(LOG, "etcd-log", "etcd-2", 180_343, 1_604, **event_facts(slow_fdatasync=63, heartbeat_late=104)),
    artifact(
        IOSTAT,
        "iostat",
        "etcd-2",
        93_120,
        93_120,
        hostname="node-c",
        reports=15520,
        first_is_since_boot=True,
        timestamped=True,
        devices={
            "vdb": {
                "columns": ["w_await"],
                "max": {"util_percent": 99.8, "w_await_ms": 1184.2, "aqu_sz": 487.9},
            }
        },
    ),
    artifact(
        FIO,
        "fio-json",
        "etcd-2",
        402,
        402,
        fio_version="3.36",
        jobs=[{"p99_fdatasync_ms": 2.408, "iops": 909.2, "gradeable": True, "verdict_10ms": "pass"}],
        disks=[{"device": "vdb", "util_percent": 92.2}],
    ),
    artifact(f"{ROOT}/etcd-2/lsblk.txt", "lsblk", "etcd-2", 9, 9),
    artifact(f"{ROOT}/etcd-2/vmstat.txt", "vmstat", "etcd-2", 302, 300),
)

FINDINGS = (
    Finding(
        SymptomId("fsync-stall"),
        State.FAIL,
        Severity.CRITICAL,
        "63 fdatasync calls took 1.02 s to 2.14 s",
        "etcd-2",
        "vdb",
        2.14025,
        "s",
        "1 s, etcd's own warning limit (server/storage/wal/wal.go@v3.5.9)",
        Window(BURSTS[0], BURSTS[-1]),
        (STALL, STALL_AGAIN),
    ),
    Finding(
        SymptomId("device-saturated"),
        State.FAIL,
        Severity.CRITICAL,
        "vdb 99.8 % busy with f_await 1.83 s",
        "etcd-2",
        "vdb",
        1.83,
        "s",
        "10 ms (https://etcd.io/docs/v3.5/faq/)",
        Window(BURSTS[0], BURSTS[-1]),
        (DISK,),
    ),
    Finding(
        SymptomId("leader-flapping"),
        State.WARN,
        Severity.WARNING,
        "12 leader changes in 25 h 45 min",
        None,
        None,
        12.0,
        None,
        None,
        None,
        (LEADER,),
    ),
    Finding(
        SymptomId("fio-p99-high"),
        State.PASS,
        Severity.INFO,
        "fio p99 fdatasync 2.41 ms",
        "etcd-2",
        "vdb",
        0.00241,
        "s",
        "10 ms (https://etcd.io/docs/v3.5/faq/)",
        None,
        (FIO_P99,),
    ),
    Finding(
        SymptomId("peer-rtt-high"),
        State.PASS,
        Severity.INFO,
        "Round trip etcd-2 to etcd-0 0.241 ms",
        "etcd-2",
        None,
        0.000241,
        "s",
        None,
        None,
        (PING,),
    ),
    Finding(
        SymptomId("cpu-steal-high"),
        State.NO_EVIDENCE,
        Severity.INFO,
        "No CPU figures inside the bursts",
        "etcd-2",
        None,
        None,
        None,
        None,
        None,
        (),
        "host-cpu",
    ),
)

NEXT_EVIDENCE = (
    NextEvidence(
        CaptureId("writers-by-process"),
        "pidstat -dl 1 7200 > pidstat.txt   # start before the next odd hour, on etcd-2",
        "Names the process that writes to vdb at the odd hours",
        (CauseId("disk-contention-periodic"), CauseId("shared-network-storage")),
    ),
    NextEvidence(
        CaptureId("host-cpu"),
        "vmstat -wt 1 7200 > vmstat.txt",
        "Shows whether the CPU is stolen in the same seconds",
        (CauseId("disk-contention-periodic"), CauseId("cpu-starvation")),
    ),
)

MEMBERS = tuple(
    MemberView(name, member_id, "3.5.9", 100.0, 1000.0, "vdb", skew, 0.02)
    for name, member_id, skew in (
        ("etcd-0", "1de1eaa8fb268f49", 0.0),
        ("etcd-1", "7c1b94cd01fa2e33", 0.011),
        ("etcd-2", "255a2e4092d561fb", -0.138),
    )
)
