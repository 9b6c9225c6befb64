"""What etcd's own checks said: `etcdctl check perf`, `endpoint health`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analyzer.model.facts import EndpointHealth, PerfCheck
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.reading import Reading, seen


def check_perf(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A performance check that failed, or whose slowest request took too long."""
    readings = []
    for artifact, check in case.records(PerfCheck):
        slow = check.slowest_s is not None and check.slowest_s >= params["slowest_s"]
        if check.passed is None and not slow:
            continue
        words = {
            "load": check.load or "an unknown",
            "throughput": wording.number(check.throughput) if check.throughput is not None else "unknown",
            "slowest": wording.duration(check.slowest_s) if check.slowest_s is not None else "unknown",
        }
        state = seen(check.passed is False) if slow or check.passed is False else State.PASS
        spot = ((artifact.index, check.line),)
        readings.append(Reading(state, None, None, check.throughput, "writes/s", at=spot, words=words))
    return readings


def endpoint_health(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Endpoints that did not commit a proposal, or took very long to."""
    readings = []
    for artifact, health in case.records(EndpointHealth):
        slow = health.took_s is not None and health.took_s >= params["took_s"]
        if health.error and "alarm" in health.error.lower():
            continue  # a member that names its alarm did answer
        words = {
            "endpoint": health.endpoint,
            "took": wording.duration(health.took_s) if health.took_s is not None else "no answer",
            "error": health.error or "slow",
        }
        state = seen(not health.healthy) if slow or not health.healthy else State.PASS
        spot = ((artifact.index, health.line),)
        readings.append(Reading(state, None, None, health.took_s, "s", at=spot, words=words))
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged[:5] or readings[:1]
