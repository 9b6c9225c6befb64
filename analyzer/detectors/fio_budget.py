"""Split the time of a one-job fio fdatasync run, and refuse to compare runs that are not alike.

For one job B = IOPS (mean latency + mean sync) is the share of each second accounted for. B near 1
is an identity of a closed loop: it validates the reading and splits the time, it does not prove
that more provisioned IOPS would not help.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal

BudgetVerdict = Literal["latency-bound", "closed-loop", "queueing", "incomplete", "inconsistent"]

BUDGET_LOW: Final = 0.95
BUDGET_HIGH: Final = 1.05
ONE_REQUEST_QUEUE: Final = 1.3
CAP_HEADROOM: Final = 0.8
COMPARABLE_SHARE: Final = 0.3


@dataclass(frozen=True, slots=True)
class FioRun:
    """What the budget needs from one fio run, SI units; None where the output does not say.

    Disk counters are from the "Disk stats" line: I/Os and merged requests are counts,
    `in_queue_s` the time-weighted queue (fio prints ms). `operations` counts fio writes.
    """

    iops: float
    mean_sync_s: float | None = None
    mean_latency_s: float | None = None
    runtime_s: float | None = None
    operations: float | None = None
    disk_writes: float | None = None
    disk_reads: float | None = None
    in_queue_s: float | None = None
    declared_iops: float | None = None


@dataclass(frozen=True, slots=True)
class FioBudget:
    """Time budget of one run. Shares are of wall time; None where an input is missing.

    `sync_share` alone is a lower bound of the budget when the write latency is not in the listing.
    `bound_per_s` = 1 / (mean latency + mean sync): what one synchronous writer can reach.
    "latency-bound": queue <= 1.3, the device below 80 % of its declared cap, and B within 0.95-1.05
    (or its sync part alone at most that, where the listing cuts the rest): more IOPS would not help;
    "closed-loop": B holds, but a cap is not excluded; "queueing": more than one request in flight;
    "incomplete": latency or sync missing; "inconsistent": B off by over 5 %.
    """

    budget: float | None
    sync_share: float | None
    bound_per_s: float | None
    queue: float | None
    device_writes_per_s: float | None
    device_reads_per_s: float | None
    writes_per_operation: float | None
    reads_per_operation: float | None
    verdict: BudgetVerdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two runs may be compared, and why not."""

    comparable: bool
    reasons: tuple[str, ...]


def fio_budget(run: FioRun) -> FioBudget:
    """Compute the time budget of a single-job run."""
    runtime = _positive(run.runtime_s)
    operations = _positive(run.operations)
    if runtime is None and operations is not None:
        runtime = _divide(operations, run.iops)
    if operations is None and runtime is not None:
        operations = run.iops * runtime
    sync, latency = _positive(run.mean_sync_s), _positive(run.mean_latency_s)
    each = sync + latency if sync is not None and latency is not None else None
    writes = _divide(run.disk_writes, runtime)
    reads = _divide(run.disk_reads, runtime)
    budget = run.iops * each if each is not None else None
    queue = _divide(run.in_queue_s, runtime)
    device = None if writes is None else writes + (reads or 0.0)
    sync_share = run.iops * sync if sync is not None else None
    return FioBudget(
        budget, sync_share, _divide(1.0, each), queue, writes,
        reads, _divide(run.disk_writes, operations), _divide(run.disk_reads, operations),
        _verdict(budget, sync_share, queue, _below_cap(device, run.declared_iops)),
    )  # fmt: skip


def _below_cap(device_per_s: float | None, declared: float | None) -> bool:
    """Return whether a declared cap is known to be out of reach."""
    return declared is not None and device_per_s is not None and device_per_s < CAP_HEADROOM * declared


def _verdict(budget: float | None, sync_share: float | None, queue: float | None, below_cap: bool) -> BudgetVerdict:
    """Return the strongest statement the numbers allow."""
    if budget is not None and not BUDGET_LOW <= budget <= BUDGET_HIGH:
        return "inconsistent"
    if budget is None and (sync_share is None or sync_share > BUDGET_HIGH):
        return "incomplete" if sync_share is None else "inconsistent"
    if queue is not None and queue > ONE_REQUEST_QUEUE:
        return "queueing"
    if queue is not None and below_cap:
        return "latency-bound"
    return "closed-loop" if budget is not None else "incomplete"


def gained_from_provisioning(before: FioRun, after: FioRun) -> bool | None:
    """Return whether more declared IOPS (by 30 % at least) bought any IOPS (10 % at least).

    None when the declared limits are unknown or hardly differ. False speaks against an IOPS cap,
    whatever else differs between the runs.
    """
    if not before.declared_iops or not after.declared_iops or not before.iops > 0:
        return None
    if after.declared_iops < 1.3 * before.declared_iops:
        return None
    return after.iops >= 1.1 * before.iops


def comparable(first: FioBudget, second: FioBudget) -> Comparison:
    """Return whether two runs did the same work per fio write.

    A run over an existing file reads before it writes and changes no size: another workload, even
    with the same command line. Device writes or reads per fio write that differ by more than 30 %
    give it away. A run without disk counters cannot be compared either.
    """
    reasons = []
    pairs = (
        ("device writes per fio write", first.writes_per_operation, second.writes_per_operation),
        ("device reads per fio write", first.reads_per_operation, second.reads_per_operation),
    )
    for name, one, other in pairs:
        if one is None or other is None:
            reasons.append(f"{name} not shown")
        # Reads near zero on both sides are alike whatever their ratio.
        elif abs(one - other) > COMPARABLE_SHARE * max(min(one, other), 0.1):
            reasons.append(f"{name} {one:.2f} against {other:.2f}")
    return Comparison(not reasons, tuple(reasons))


def _positive(value: float | None) -> float | None:
    """Return a finite value above zero, else None."""
    return value if value is not None and isfinite(value) and value > 0 else None


def _divide(value: float | None, by: float | None) -> float | None:
    """Return value / by, None when either is missing or by is not positive."""
    if value is None or by is None or not by > 0 or not isfinite(value):
        return None
    return value / by
