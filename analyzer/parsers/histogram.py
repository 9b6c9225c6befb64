"""Cumulative Prometheus histograms: put together from buckets in any order, and read honestly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from analyzer.model.facts import Histogram


@dataclass(slots=True)
class HistogramParts:
    """Buckets, sum and count of one histogram as their lines come."""

    name: str
    labels: tuple[tuple[str, str], ...]
    buckets: dict[float, tuple[float, int]] = field(default_factory=dict)
    """Upper bound -> (cumulative count, line)."""
    sum: float | None = None
    count: float | None = None
    line: int = 0

    def build(self) -> tuple[Histogram | None, str | None]:
        """The histogram, and a sentence when it is damaged; (None, None) when it has no bucket.

        A falling count at the very end is a number cut off with the file: that bucket alone is dropped.
        """
        edges = sorted(self.buckets)
        counts = [self.buckets[edge][0] for edge in edges]
        problem = None
        if len(counts) > 1 and counts[-1] < counts[-2]:
            cut = self.buckets[edges[-1]][1]
            problem = f"line {cut}: {self.name}: the last bucket is cut off and left out"
            edges.pop()
            counts.pop()
        if any(later < earlier for earlier, later in pairwise(counts)):
            line = min(self.buckets[edge][1] for edge in edges)
            return None, f"line {line}: {self.name}: bucket counts fall: damaged, left out"
        if not edges:
            return None, problem
        total = counts[-1] if math.isinf(edges[-1]) else self.count
        if total is not None and total < counts[-1]:
            total = None
        built = Histogram(
            line=self.line or min(line for _, line in self.buckets.values()),
            name=self.name,
            labels=self.labels,
            bounds=tuple(edges),
            counts=tuple(counts),
            total=total,
            sum=self.sum,
        )
        return built, problem


def observations(histogram: Histogram) -> float:
    """How many observations there are; the last bucket's count when the total was cut off (a lower bound)."""
    return histogram.total if histogram.total is not None else (histogram.counts or (0.0,))[-1]


def quantile_bracket(histogram: Histogram, quantile: float) -> tuple[float, float] | None:
    """The bucket (low, high] in seconds that holds the quantile; None without observations.

    Never a point: etcd's buckets double, so a quantile is known within a factor of two. ``high`` is infinite
    when the rank lies beyond the last finite bound. ``low`` is 0 for the first bucket there is.
    """
    total = observations(histogram)
    if total <= 0:
        return None
    rank = quantile * total
    low = 0.0
    for bound, count in zip(histogram.bounds, histogram.counts, strict=True):
        if count >= rank:
            return low, bound
        low = bound
    return low, math.inf


def histogram_facts(histogram: Histogram) -> dict[str, Any]:
    """Count, p99 bracket and mean of one histogram, JSON-ready (an unbounded bracket ends in None)."""
    total = observations(histogram)
    bracket = quantile_bracket(histogram, 0.99)
    facts: dict[str, Any] = {
        "count": int(total) if total == int(total) else total,
        "p99_bracket_s": [None if math.isinf(edge) else edge for edge in bracket] if bracket else None,
        "line": histogram.line,
    }
    if histogram.sum is not None and total > 0:
        facts["mean_s"] = histogram.sum / total
    if histogram.total is None:
        facts["plus_inf_missing"] = True
    return facts
