"""The measuring functions rules/symptoms name as ``detector``. One explicit table; adding one is a line here.

Each takes the Case and the rule's parameters and returns Readings: none = nothing to judge from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from analyzer.reasoning.case import Case
from analyzer.reasoning.observers import (
    capacity,
    checks,
    clock,
    disk,
    disk_against_log,
    fio_runs,
    host,
    log_events,
    maintenance,
    network,
    pauses,
    period,
    raft,
    requests,
    scrapes,
    settings,
)
from analyzer.reasoning.reading import Reading

Observer = Callable[[Case, Mapping[str, Any]], list[Reading]]

OBSERVERS: dict[str, Observer] = {
    "events": log_events.events,
    "unplanned-elections": raft.unplanned_elections,
    "planned-changes": raft.planned_changes,
    "leader-flapping": raft.leader_flapping,
    "unclean-restarts": raft.unclean_restarts,
    "members-stall-together": raft.members_stall_together,
    "process-pause": pauses.process_pause,
    "late-heartbeats-without-fsync": pauses.late_heartbeats_without_fsync,
    "late-heartbeats": pauses.late_heartbeats,
    "period": period.trouble_period,
    "known-phase": period.known_phase,
    "write-period": period.write_period,
    "coincidence": disk_against_log.coincidence_with_writes,
    "disk-quiet-in-trouble": disk_against_log.disk_quiet_in_trouble,
    "foreign-writes": disk_against_log.foreign_writes,
    "write-latency": disk.write_latency,
    "saturation": disk.saturation,
    "plateau": disk.plateau,
    "fio-fsync": disk.fio_fsync,
    "network-storage": disk.network_storage,
    "latency-bound": disk.always_one_request,
    "fio-one-writer": fio_runs.one_writer,
    "fio-not-comparable": fio_runs.not_comparable,
    "check-perf": checks.check_perf,
    "endpoint-health": checks.endpoint_health,
    "neighbour": disk_against_log.neighbour,
    "histogram-quantile": scrapes.histogram_quantile,
    "time-in-syncs": scrapes.time_in_syncs,
    "writes-stop": pauses.writes_stop,
    "histogram-above": scrapes.histogram_above,
    "gauge-above": scrapes.gauge_above,
    "no-space": capacity.no_space,
    "near-quota": capacity.near_quota,
    "large-database": capacity.large_database,
    "corrupt-alarm": capacity.corrupt_alarm,
    "array-freelist": capacity.array_freelist,
    "trouble-in-maintenance": maintenance.trouble_in_maintenance,
    "slow-compaction": maintenance.slow_compaction,
    "expensive-requests": requests.expensive_requests,
    "victims-of-a-stall": requests.victims_of_a_stall,
    "cpu-throttled": host.cpu_throttled,
    "cpu-starved-process": host.cpu_starved_process,
    "cpu-steal": host.cpu_steal,
    "small-memory": host.small_memory,
    "peer-errors": network.peer_errors,
    "one-peer": network.one_peer,
    "constant-drift": clock.constant_drift,
    "varying-drift": clock.varying_drift,
    "timeouts": settings.timeouts,
}

__all__ = ["OBSERVERS", "Observer"]
