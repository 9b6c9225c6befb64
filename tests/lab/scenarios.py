"""The catalogue: every scenario with its story, its truth and the script of what is done to the cluster."""

from __future__ import annotations

from tests.lab import actions
from tests.lab.incident import Scenario
from tests.lab.scenarios_more import MORE

_ALL = (
    Scenario(
        name="healthy-3.6",
        line="3.6",
        story=(
            "Nothing is wrong: three members serve a modest put and get load on private volumes for a "
            "minute and a half. Then the operator runs the documented fio test once beside each running "
            "member, to be sure."
        ),
        root_cause="healthy-no-problem",
        must_not_say=("slow-disk-sustained", "network-latency", "cpu-starvation"),
        act=actions.healthy,
        sysstat_dialect="iso",
    ),
    Scenario(
        name="slow-disk-leader-3.5",
        line="3.5",
        story=(
            "In two windows every fdatasync of one member, the leader when the first began, returns 1.5 s "
            "late. The delay is injected at the system call with strace, that is above the block layer: "
            "the log says slow fdatasync and the WAL histogram moves to the top buckets while iostat "
            "shows an almost idle device."
        ),
        root_cause="slow-disk-sustained",
        also_acceptable=("shared-network-storage",),
        must_not_say=(
            "network-latency",
            "network-partition-or-loss",
            "clock-skew",
            "disk-contention-periodic",
        ),
        act=actions.slow_fdatasync_on_leader,
    ),
    Scenario(
        name="slow-disk-3.4-capnslog",
        line="3.4",
        story=(
            "The volume of the member that leads drops to six writes a second and stays there, under etcd "
            "3.4 with its default logger. It is a truly slow device, which iostat shows as await and "
            "%util; fio on it, run afterwards with etcd still up, confirms it, and the same test on a "
            "healthy member passes."
        ),
        root_cause="slow-disk-sustained",
        also_acceptable=("storage-iops-cap",),
        must_not_say=("network-latency", "network-partition-or-loss", "clock-skew"),
        act=actions.slow_volume_on_leader,
        sysstat_dialect="en_US",
    ),
    Scenario(
        name="frozen-leader-3.6",
        line="3.6",
        story=(
            "The member that leads at first is frozen whole (SIGSTOP, SIGCONT) four times, for 2.5 to 6 "
            "s, as a hypervisor pauses a virtual machine. Disks and network are fine; a freeze that hits "
            "a fdatasync makes etcd log it as slow, and late heartbeats are blamed on the disk by etcd's "
            "own hint."
        ),
        root_cause="cpu-starvation",
        must_not_say=("slow-disk-sustained", "disk-contention-periodic", "disk-contention-colocated"),
        act=actions.freeze_leader,
    ),
    Scenario(
        name="killed-member-3.5",
        line="3.5",
        story=(
            "The leader is killed with SIGKILL and started again after 12 s; later a follower is killed "
            "and comes back after 8 s. No last words in their logs: the log simply begins anew."
        ),
        root_cause="member-restart-or-crash",
        also_acceptable=("memory-pressure-oom",),
        must_not_say=(
            "slow-disk-sustained",
            "network-partition-or-loss",
            "planned-leader-transfer-or-maintenance",
        ),
        act=actions.kill_members,
        sysstat_dialect="iso",
    ),
    Scenario(
        name="nospace-3.5",
        line="3.5",
        story=(
            "The database reaches its quota of 24 MiB, as nobody compacts. The NOSPACE alarm is raised "
            "and every further put is refused. The server logs hold a line or a few at that moment and "
            "nothing afterwards; the refusals are seen by clients only."
        ),
        root_cause="db-space-exceeded",
        must_not_say=("slow-disk-sustained", "network-latency", "cpu-starvation"),
        act=actions.run_out_of_space,
        flags=("--quota-backend-bytes", "25165824"),
        load={"value_bytes": 4096},
    ),
    Scenario(
        name="planned-restart-3.5",
        line="3.5",
        story=(
            "Maintenance: the leader hands over with move-leader, then all members are restarted one "
            "after the other with SIGTERM, the leader last. Elections, lost streams and inactive peers "
            "are what was asked for."
        ),
        root_cause="planned-leader-transfer-or-maintenance",
        must_not_say=(
            "slow-disk-sustained",
            "network-partition-or-loss",
            "cpu-starvation",
            "memory-pressure-oom",
        ),
        act=actions.rolling_restart,
    ),
    Scenario(
        name="compaction-defrag-3.5",
        line="3.5",
        story=(
            "Bulk writes of 32 KiB values grow the database to over 200 megabytes; then the history "
            "is compacted and every member defragmented, twice. A member that defragments serves nothing "
            "meanwhile."
        ),
        root_cause="db-size-or-compaction-stall",
        also_acceptable=("planned-leader-transfer-or-maintenance",),
        must_not_say=("network-latency", "network-partition-or-loss", "clock-skew"),
        act=actions.compact_and_defragment,
        flags=("--quota-backend-bytes", "4294967296"),
        load={"workers": 3, "rate": 25.0, "value_bytes": 32768},
    ),
    Scenario(
        name="peer-tls-3.6",
        line="3.6",
        story=(
            "At a certificate rotation etcd-2 is restarted with a peer certificate of another authority. "
            "The two others go on without it, and all three fill their logs with handshake errors."
        ),
        root_cause="misconfiguration-peer-or-tls",
        must_not_say=("network-latency", "network-partition-or-loss", "slow-disk-sustained"),
        act=actions.rotate_to_foreign_certificate,
        certificates=actions.peer_certificates,
        sysstat_dialect="iso",
    ),
    Scenario(
        name="periodic-neighbour-3.5",
        line="3.5",
        story=(
            "Every 60 s a neighbour (fio) writes and syncs a 90 MB block on each member's own volume, "
            "which is capped at 12 MB/s, as a co-located Prometheus does at its two-hourly compaction; "
            "seven cycles, all members together. The writes and the stalls are real and visible on the "
            "device; only the period is compressed. Few fdatasyncs are slow, so the p99 of the whole "
            "capture looks fine."
        ),
        root_cause="disk-contention-periodic",
        also_acceptable=("disk-contention-colocated",),
        must_not_say=("network-latency", "network-partition-or-loss", "clock-skew", "slow-disk-sustained"),
        period_s=60.0,
        act=actions.periodic_neighbour,
    ),
    Scenario(
        name="expensive-ranges-3.5",
        line="3.5",
        story=(
            "In two windows three clients read the whole keyspace, about 70 MB, over and over through one "
            "member. That member is slow to answer anybody, also those who ask for a few bytes."
        ),
        root_cause="large-requests-or-expensive-ranges",
        also_acceptable=("too-many-clients-or-watch-load",),
        must_not_say=("slow-disk-sustained", "network-latency", "clock-skew"),
        act=actions.expensive_ranges,
    ),
    Scenario(
        name="cpu-quota-3.6",
        line="3.6",
        story=(
            "The member that leads gets a CPU quota of 3 % of one CPU (cgroup v1 cpu.cfs_quota) for a "
            "minute, far less than its load needs. Heartbeats go out late and etcd's hint blames the "
            "disk, which is idle; cpu.stat and pidstat tell the truth."
        ),
        root_cause="cpu-starvation",
        must_not_say=("slow-disk-sustained", "disk-contention-periodic", "network-latency"),
        act=actions.cpu_quota_on_leader,
    ),
    Scenario(
        name="iops-cap-3.6",
        line="3.6",
        story=(
            "All volumes are capped at 40 writes a second, as small cloud disks are, and the load wants "
            "more. The writes per second run flat along the ceiling; fdatasync takes 0.1 to 0.3 s and "
            "never a whole second, so no slow-fdatasync line is logged."
        ),
        root_cause="storage-iops-cap",
        also_acceptable=("slow-disk-sustained", "shared-network-storage"),
        must_not_say=("network-latency", "network-partition-or-loss", "clock-skew", "cpu-starvation"),
        act=actions.cap_all_volumes,
    ),
)

SCENARIOS: dict[str, Scenario] = {scenario.name: scenario for scenario in (*_ALL, *MORE)}
