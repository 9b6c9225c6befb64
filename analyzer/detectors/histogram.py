"""Quantiles of Prometheus cumulative histograms, as brackets.

A bucket only says that an observation lies in (previous bound, bound]. Interpolating a point inside
it invents precision, so every answer here is a bracket. Buckets count observations at most `le`
(Prometheus exposition format: cumulative counters, the last bound is +Inf).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, nan

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Buckets:
    """Sorted upper bounds (last one inf) and cumulative counts of the same shape.

    `reset` marks a delta across a counter reset (the later snapshot taken as it is), `repaired`
    counts that had to be made monotone or bounds that had to be added.
    """

    bounds: FloatArray
    counts: FloatArray
    reset: bool = False
    repaired: bool = False

    @property
    def total(self) -> float:
        """Return the number of observations."""
        return float(self.counts[-1]) if self.counts.size else 0.0


@dataclass(frozen=True, slots=True)
class Bracket:
    """The quantile lies in (low, high]; `inside` observations share that bucket, of `total`.

    nan bounds when there is no observation. `high` is inf when it lies above the last finite bound.
    """

    quantile: float
    low: float
    high: float
    inside: float
    total: float


def make_buckets(bounds: npt.ArrayLike, counts: npt.ArrayLike) -> Buckets:
    """Build buckets from unordered (le, cumulative count) pairs; damage is repaired and marked.

    Repeated bounds keep the larger count, a missing +Inf bound is added with the largest count.
    """
    edge = np.asarray(bounds, dtype=np.float64).ravel()
    count = np.asarray(counts, dtype=np.float64).ravel()
    repaired = edge.size != count.size
    size = min(edge.size, count.size)
    edge, count = edge[:size], count[:size]
    valid = ~np.isnan(edge) & np.isfinite(count) & (count >= 0) & (edge > -inf)
    repaired |= not bool(valid.all())
    order = np.lexsort((count[valid], edge[valid]))
    edge, count = edge[valid][order], count[valid][order]
    last = np.append(edge[1:] != edge[:-1], True)[: edge.size]
    repaired |= not bool(last.all())
    edge, count = edge[last], count[last]
    if edge.size and edge[-1] != inf:
        edge, count, repaired = np.append(edge, inf), np.append(count, count.max()), True
    monotone = np.maximum.accumulate(count) if count.size else count
    repaired |= bool((monotone != count).any())
    return Buckets(edge, monotone, False, repaired)


def delta(before: Buckets, after: Buckets) -> Buckets:
    """Return the observations between two snapshots of one histogram.

    Any count that fell is a counter reset: the process restarted and `after` is the delta. So are
    different bounds (another version); both are marked.
    """
    same = before.bounds.shape == after.bounds.shape and bool((before.bounds == after.bounds).all())
    if not same or bool((after.counts < before.counts).any()):
        return Buckets(after.bounds, after.counts, True, after.repaired)
    change = after.counts - before.counts
    monotone = np.maximum.accumulate(change) if change.size else change
    repaired = bool((monotone != change).any()) or before.repaired or after.repaired
    return Buckets(after.bounds, monotone, False, repaired)


def quantile_bracket(buckets: Buckets, quantile: float) -> Bracket:
    """Return the bucket that holds the observation of rank ceil(q total), lowest rank 1."""
    total = buckets.total
    if total <= 0 or not 0.0 <= quantile <= 1.0:
        return Bracket(quantile, nan, nan, 0.0, max(total, 0.0))
    # 0.99 * 100 is 99.00000000000001 in floating point: without the nudge the rank is one too high.
    rank = max(1.0, float(ceil(quantile * total * (1.0 - 1e-12))))
    index = int(np.searchsorted(buckets.counts, rank, side="left"))
    below = float(buckets.counts[index - 1]) if index else 0.0
    # Latencies and sizes are not negative: the first bucket starts at 0.
    low = float(buckets.bounds[index - 1]) if index else min(0.0, float(buckets.bounds[0]))
    return Bracket(quantile, low, float(buckets.bounds[index]), float(buckets.counts[index]) - below, total)


def count_above(buckets: Buckets, bound: float) -> tuple[float, float]:
    """Return (surely, possibly) observations above `bound`; equal when it is a bucket bound."""
    if buckets.bounds.size == 0:
        return 0.0, 0.0
    at_or_above = int(np.searchsorted(buckets.bounds, bound, side="left"))
    if at_or_above >= buckets.bounds.size:
        return 0.0, 0.0
    surely = buckets.total - float(buckets.counts[at_or_above])
    if float(buckets.bounds[at_or_above]) == bound:
        return surely, surely
    below = float(buckets.counts[at_or_above - 1]) if at_or_above else 0.0
    return surely, buckets.total - below
