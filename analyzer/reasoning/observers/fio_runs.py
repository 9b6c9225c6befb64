"""fio runs beyond their p99: what one synchronous writer can reach, and whether two runs may be compared."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from analyzer.detectors import fio_budget as budgets
from analyzer.model.facts import FioRun
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.reading import Reading, seen


def _budget(run: FioRun) -> budgets.FioBudget | None:
    if run.iops is None:
        return None
    return budgets.fio_budget(
        budgets.FioRun(
            run.iops,
            run.mean_fdatasync_s,
            run.mean_write_s,
            run.runtime_s,
            run.issued_writes,
            run.device_writes,
            run.device_reads,
            run.device_in_queue_s,
        )
    )


def one_writer(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A gradeable run whose whole time is one request after another: latency, not operations per second, limits it."""
    readings = []
    for artifact, run in case.records(FioRun):
        budget = _budget(run) if run.gradeable else None
        if budget is None or run.mean_fdatasync_s is None or budget.queue is None:
            continue
        share = budget.sync_share or 0.0
        alone = budget.queue <= params["queue"] and share >= params["share"]
        words = {
            "share": wording.percent(min(share, 1.0)),
            "sync": wording.duration(run.mean_fdatasync_s),
            "bound": wording.number(1.0 / run.mean_fdatasync_s),
            "queue": f"{budget.queue:.2f}",
            "device": run.device or "the tested device",
        }
        state = seen(False) if alone else State.PASS
        spot = ((artifact.index, run.line),)
        readings.append(Reading(state, artifact.member, run.device, share, "ratio", at=spot, words=words))
    return readings


def not_comparable(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Two runs that did different work per write (an overwritten file, bursts): their IOPS must not be compared."""
    runs = [(artifact, run, budget) for artifact, run in case.records(FioRun) if (budget := _budget(run)) is not None]
    runs = [entry for entry in runs if entry[2].writes_per_operation is not None]
    readings = []
    for (before, first, one), (artifact, second, two) in pairwise(runs):
        if before.index != artifact.index:  # the same run saved twice, or another day's
            continue
        verdict = budgets.comparable(one, two)
        words = {"first": f"line {first.line}", "second": f"line {second.line}", "why": "; ".join(verdict.reasons)}
        state = State.PASS if verdict.comparable else State.WARN
        spots = ((artifact.index, first.line), (artifact.index, second.line))
        readings.append(Reading(state, artifact.member, second.device, at=spots, words=words))
    return readings
