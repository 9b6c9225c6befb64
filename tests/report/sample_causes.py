"""Candidates and checklist of the two-hour story."""

from __future__ import annotations

from analyzer.model.diagnosis import (
    Hypothesis,
    Remedy,
    Step,
)
from analyzer.model.finding import Cite
from analyzer.model.ids import (
    CauseId,
    Confidence,
    RemedyId,
)

from .sample_evidence import (
    DISK,
    FIO_P99,
    IOSTAT,
    IOSTAT_TEXT,
    LATE,
    LEADER,
    LOG,
    MOUNT,
    PING,
    STALL,
    STALL_AGAIN,
    STALL_TEXT,
    STEAL,
    clue,
)

MOVE_STEPS = (
    Step(
        step="Confirm that Prometheus writes to etcd's disk: stop it on etcd-2 across the next odd hour",
        command="kubectl -n monitoring scale statefulset prometheus-k8s --replicas=0",
        why="If no stall comes at the next odd hour, Prometheus is the writer.",
        risk="no metrics or alerts while it is stopped",
        rollback="kubectl -n monitoring scale statefulset prometheus-k8s --replicas=2",
        verify="grep -c 'slow fdatasync' in etcd-2's log does not grow across the odd hour",
        source="https://etcd.io/docs/v3.5/op-guide/hardware/#disks",
    ),
    Step(
        step="Move Prometheus' data directory off vdb to a volume of its own",
        command=(
            "kubectl -n monitoring edit prometheus k8s\n"
            "# spec.storage.volumeClaimTemplate.spec.storageClassName: <other disk>"
        ),
        why="etcd needs a device nobody else can queue on.",
        risk="Prometheus restarts and replays its WAL",
        rollback="put the old storage class back",
        verify="iostat -xt 1 vdb: w_await below 10 ms across an odd hour",
        source="https://etcd.io/docs/v3.5/op-guide/hardware/#disks",
    ),
    Step(
        step="Until then: give etcd's writes precedence over other processes on this disk",
        command="ionice -c2 -n0 -p $(pgrep -x etcd)",
        why="Works only with an I/O scheduler that honours priorities (bfq).",
        risk="none known; does nothing with the scheduler none or mq-deadline",
        rollback="ionice -c2 -n4 -p $(pgrep -x etcd)",
        verify="cat /sys/block/vdb/queue/scheduler shows [bfq]; stalls get shorter",
        source="https://etcd.io/docs/v3.5/tuning/#disk",
    ),
    Step(
        step="Check the result after six hours",
        command="etcd-doctor compare before.json after.json",
        why="Three odd hours without a stall.",
        risk="none",
        rollback="",
        verify="0 slow fdatasync, 0 leader changes",
        source="",
    ),
)

PERIODIC = Hypothesis(
    cause=CauseId("disk-contention-periodic"),
    title="A scheduled job saturates the disk under etcd's WAL",
    probability=0.93,
    confidence=Confidence.HIGH,
    mechanism=(
        "Prometheus writes its head block to disk every 2 h; on a shared device etcd's fdatasync waits "
        "behind it, the leader sends no heartbeat and the followers elect another one."
    ),
    ledger=(
        clue(
            "stall-meets-device-saturation",
            2.9,
            "58 of 63 fdatasync stalls on etcd-2 fall into seconds in which vdb is saturated "
            "(f_await up to 1.83 s, 99.8 % busy); 3.1 expected by chance",
            STALL,
            DISK,
        ),
        clue(
            "stall-periodic",
            2.6,
            "The stalls come every 2 h, within 1 min of the odd UTC hours: 13 of 13 cycles",
            STALL,
            Cite(LOG, 24107, STALL_TEXT.replace("10T01", "10T03")),
        ),
        clue(
            "fsync-stall",
            1.8,
            "63 fdatasync calls of etcd-2 took 1.02 s to 2.14 s (etcd warns at 1 s)",
            STALL,
            STALL_AGAIN,
        ),
        clue("other-writer-on-wal-device", 1.6, "vdb carries /var/lib/etcd and /var/lib/prometheus", MOUNT),
        clue(
            "election-after-stall",
            0.9,
            "12 leader changes, each 1.1 s to 3.4 s after a stall of the leader began",
            LEADER,
        ),
        clue("heartbeat-late", 0.4, "104 late-heartbeat warnings, all inside the 13 bursts", LATE),
        clue(
            "fio-p99-high",
            -0.8,
            "fio on the same disk reads p99 fdatasync 2.41 ms (limit 10 ms), "
            "but was run 6 h after the last burst on an idle disk",
            FIO_P99,
        ),
        clue(
            "writer-process-seen",
            0.0,
            "Which process writes at the odd hours (pidstat -d or iotop was not collected)",
            missing=True,
        ),
        clue(
            "cpu-steal-high",
            0.0,
            "CPU steal during the bursts (vmstat covers only 10:00 to 10:05)",
            STEAL,
            missing=True,
        ),
    ),
    remedies=(Remedy(RemedyId("move-the-neighbour"), "Give etcd a disk of its own", MOVE_STEPS),),
    member="etcd-2",
    device="vdb",
)

SUSTAINED = Hypothesis(
    cause=CauseId("slow-disk-sustained"),
    title="The disk under the WAL is too slow all the time",
    probability=0.08,
    confidence=Confidence.NONE,
    mechanism="Every fdatasync is slow, with or without a neighbour.",
    ledger=(
        clue(
            "fsync-stall",
            1.8,
            "63 fdatasync calls of etcd-2 took 1.02 s to 2.14 s (etcd warns at 1 s)",
            STALL,
        ),
        clue(
            "await-high-between-bursts",
            -2.4,
            "Between the bursts vdb's median w_await is 1.1 ms",
            Cite(IOSTAT, 402, IOSTAT_TEXT.replace("1184.20", "1.10")),
        ),
    ),
    remedies=(Remedy(RemedyId("faster-disk"), "Move the WAL to a faster disk", ()),),
    member="etcd-2",
    device="vdb",
)

NETWORK = Hypothesis(
    cause=CauseId("network-latency"),
    title="The network between members is slow",
    probability=0.02,
    confidence=Confidence.NONE,
    mechanism="Heartbeats arrive late.",
    ledger=(
        clue("heartbeat-late", 0.4, "104 late-heartbeat warnings, all inside the 13 bursts", LATE),
        clue(
            "peer-rtt-high",
            -1.7,
            "Round trip etcd-2 to etcd-0 is 0.241 ms on average, 0.903 ms at most",
            PING,
        ),
    ),
    remedies=(),
)
