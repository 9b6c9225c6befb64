"""Synthetic event trains and series with known truth, all driven by a seeded RandomState.

Times are epoch seconds starting at EPOCH, which is midnight UTC.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analyzer.detectors.arrays import FloatArray

#: 2024-03-04T00:00:00Z.
EPOCH: Final = 1_709_510_400.0
HOUR: Final = 3600.0

Random = np.random.RandomState
Train = Callable[[Random, float], FloatArray]


def periodic(
    random: Random, period: float, cycles: int, jitter: float, missing: float, noise: float,
    phase: float | None = None,
) -> FloatArray:  # fmt: skip
    """Return onsets locked to a clock: jitter, missing and noise are shares (of P, of cycles)."""
    offset = random.uniform(0, period) if phase is None else phase
    grid = offset + period * np.arange(-1, cycles + 2) + random.normal(0, jitter * period, cycles + 3)
    grid = grid[(grid >= 0) & (grid < period * cycles)]
    kept = grid[random.uniform(size=grid.size) >= missing]
    stray = random.uniform(0, period * cycles, random.poisson(noise * cycles))
    return np.sort(np.concatenate((kept, stray))) + EPOCH


def free_running(random: Random, period: float, cycles: int, error: float, missing: float, noise: float) -> FloatArray:
    """Return onsets of a timer whose error accumulates (`error` is a share of P per cycle)."""
    steps = np.maximum(random.normal(period, error * period, cycles + 1), 0.0)
    steps[0] = random.uniform(0, period)
    grid = np.cumsum(steps)
    grid = grid[(grid < period * cycles) & (random.uniform(size=grid.size) >= missing)]
    stray = random.uniform(0, period * cycles, random.poisson(noise * cycles))
    return np.sort(np.concatenate((grid, stray))) + EPOCH


def poisson(random: Random, span: float) -> FloatArray:
    """Return 8 to 45 uniform events."""
    return np.sort(random.uniform(0, span, random.randint(8, 46))) + EPOCH


def clusters(step: float) -> Train:
    """Return a generator of bursts of 4-5 events, `step` apart at most, relative to 48 h."""

    def draw(random: Random, span: float) -> FloatArray:
        scale = step * span / (48 * HOUR)
        parts = []
        for centre in random.uniform(0, span, random.randint(3, 12)):
            size = random.randint(4, 6)
            parts.append(centre + np.cumsum(random.uniform(0, scale, size)))
        times = np.concatenate(parts)
        return np.sort(times[times < span]) + EPOCH

    return draw


def diurnal(random: Random, span: float) -> FloatArray:
    """Return events with a day rate ten times the night rate (a day = half of a 48-h span)."""
    day = span / 2.0
    times = random.uniform(0, span, 60)
    keep = (np.mod(times, day) < day / 2) | (random.uniform(size=60) < 0.1)
    return np.sort(times[keep]) + EPOCH


def renewal(random: Random, span: float) -> FloatArray:
    """Return a quasi-regular gamma(8) renewal train."""
    count = random.randint(8, 46)
    gaps = random.gamma(8.0, span / count / 8.0, 3 * count)
    times = random.uniform(0, span / count) + np.cumsum(gaps)
    return times[times < span] + EPOCH


def pareto(random: Random, span: float) -> FloatArray:
    """Return a renewal train with Pareto(1.5) gaps."""
    count = random.randint(8, 46)
    gaps = (random.pareto(1.5, 4 * count) + 1.0) * span / count / 3.0
    times = np.cumsum(gaps)
    return times[times < span] + EPOCH


def hawkes(random: Random, span: float) -> FloatArray:
    """Return a self-exciting train: branching ratio 0.7, children within an hour per 48 h."""
    decay = HOUR * span / (48 * HOUR)
    queue = list(random.uniform(0, span, random.randint(4, 14)))
    times: list[float] = []
    while queue and len(times) < 400:
        parent = queue.pop()
        times.append(parent)
        queue += [parent + gap for gap in random.exponential(decay, random.poisson(0.7))]
    array = np.sort(np.array(times))
    return array[array < span] + EPOCH


def outage(random: Random, span: float) -> FloatArray:
    """Return one dense outage of span/24 with a handful of strays."""
    begin = random.uniform(0, span * 0.95)
    dense = begin + random.uniform(0, span / 24.0, random.randint(15, 60))
    stray = random.uniform(0, span, random.randint(3, 8))
    return np.sort(np.concatenate((dense[dense < span], stray))) + EPOCH


def cooldown(variation: float) -> Train:
    """Return a generator of gaps D + exponential whose coefficient of variation is `variation`."""

    def draw(random: Random, span: float) -> FloatArray:
        count = random.randint(8, 46)
        mean = span / count
        gaps = mean * (1.0 - variation) + random.exponential(mean * variation, 3 * count)
        times = random.uniform(0, mean) + np.cumsum(gaps)
        return times[times < span] + EPOCH

    return draw


def retry_bursts(random: Random, span: float) -> FloatArray:
    """Return a few incidents, each an even train of retries (constant gap inside a burst)."""
    parts = []
    for centre in random.uniform(0, span, random.randint(2, 7)):
        size = random.randint(5, 30)
        parts.append(centre + random.uniform(0.5, 8.0) * np.arange(size))
    times = np.concatenate(parts)
    return np.sort(times[times < span]) + EPOCH
