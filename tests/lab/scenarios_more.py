"""Scenarios about networks, neighbours, memory, data and settings."""

from __future__ import annotations

from tests.lab import actions_more
from tests.lab.incident import Scenario

MORE = (
    Scenario(
        name="clock-skew-3.6",
        line="3.6",
        story=(
            "The wall clock of one member runs 95 s ahead from the start (its etcd is built with a "
            "patched time.Now). Nothing else is wrong: elections do not depend on wall clocks, and the "
            "load is served. All its log lines are stamped 95 s late, while the iostat of its host is "
            "right."
        ),
        root_cause="clock-skew",
        must_not_say=("slow-disk-sustained", "network-partition-or-loss", "cpu-starvation"),
        act=actions_more.load_only,
        clock_offsets_s={"etcd-1": 95},
    ),
    Scenario(
        name="network-partition-3.5",
        line="3.5",
        story=(
            "The leader's cable is pulled for 9 s, then a follower's for 14 s and for 6 s. Each member "
            "has its own network namespace on a bridge: packets vanish, no connection is reset. Disks are "
            "idle and no process restarts."
        ),
        root_cause="network-partition-or-loss",
        also_acceptable=("network-latency",),
        must_not_say=("slow-disk-sustained", "cpu-starvation", "member-restart-or-crash", "clock-skew"),
        act=actions_more.pull_cable,
        own_networks=True,
    ),
    Scenario(
        name="congested-link-3.5",
        line="3.5",
        story=(
            "For a minute the link towards one follower carries only 400 kbit/s through a queue of up to "
            "1.5 s (a token bucket): what the leader sends arrives late, and what overflows the queue is "
            "dropped. The other follower keeps the quorum."
        ),
        root_cause="network-latency",
        also_acceptable=("network-partition-or-loss",),
        must_not_say=("slow-disk-sustained", "cpu-starvation", "member-restart-or-crash", "clock-skew"),
        act=actions_more.congest_link,
        load={"value_bytes": 1024},
        own_networks=True,
        sysstat_dialect="iso",
    ),
    Scenario(
        name="colocated-neighbour-3.6",
        line="3.6",
        story=(
            "On the volume of one member, the leader at first, capped at 12 MB/s, a neighbour writes and "
            "syncs 70 MB five times at uneven intervals. Each time the member's WAL waits behind the "
            "neighbour's blocks; there is no rhythm to be found."
        ),
        root_cause="disk-contention-colocated",
        also_acceptable=("disk-contention-periodic",),
        must_not_say=("network-latency", "network-partition-or-loss", "clock-skew", "cpu-starvation"),
        act=actions_more.uneven_neighbour,
    ),
    Scenario(
        name="mismatched-timeouts-3.5",
        line="3.5",
        story=(
            "Two members are tuned for a far link, the third was forgotten and has other timeouts. etcd-0 and "
            "etcd-1 run with a heartbeat interval of 500 ms and an election timeout of 5 s, etcd-2 with 40 ms "
            "and 200 ms: it waits less than the leader's heartbeat takes, and campaigns again and again "
            "whenever there are few writes. Disks, network and CPU are fine."
        ),
        root_cause="misconfiguration-timeouts",
        must_not_say=("slow-disk-sustained", "network-partition-or-loss", "cpu-starvation"),
        act=actions_more.leave_to_patient_leader,
        member_flags={
            "etcd-0": ("--heartbeat-interval", "500", "--election-timeout", "5000"),
            "etcd-1": ("--heartbeat-interval", "500", "--election-timeout", "5000"),
            "etcd-2": ("--heartbeat-interval", "40", "--election-timeout", "200"),
        },
        load={"workers": 3, "rate": 0.5},
    ),
    Scenario(
        name="corrupt-db-3.5",
        line="3.5",
        story=(
            "A follower is stopped, bytes of values in its database file are altered, and it is started "
            "again. The periodic corruption check finds that its hash differs, the CORRUPT alarm is "
            "raised, and from then on the cluster refuses writes."
        ),
        root_cause="data-corruption",
        must_not_say=("slow-disk-sustained", "network-latency", "cpu-starvation"),
        act=actions_more.corrupt_database,
        flags=("--experimental-corrupt-check-time", "10s"),
    ),
    Scenario(
        name="out-of-memory-3.6",
        line="3.6",
        story=(
            "A follower's memory is limited to little more than it uses (RLIMIT_DATA), and three clients "
            "read the whole keyspace through it. The Go runtime cannot allocate and the process dies in a "
            "goroutine dump with no shutdown line; it is started again 5 s later, and it happens once "
            "more."
        ),
        root_cause="memory-pressure-oom",
        also_acceptable=("member-restart-or-crash", "large-requests-or-expensive-ranges"),
        must_not_say=("slow-disk-sustained", "network-partition-or-loss"),
        act=actions_more.run_out_of_memory,
    ),
    Scenario(
        name="large-values-3.6",
        line="3.6",
        story=(
            "In two windows a client puts values of 1.2 MB besides the usual small ones. Appends and "
            "applies of everybody queue behind them; most of the requests that took too long are small."
        ),
        root_cause="large-requests-or-expensive-ranges",
        must_not_say=("network-latency", "clock-skew", "disk-contention-periodic"),
        act=actions_more.put_large_values,
        sysstat_dialect="en_US",
    ),
)
