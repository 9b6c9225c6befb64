"""Tail probabilities of the H statistic from the shipped Monte Carlo tables.

The asymptotic tail exp(-0.4 H) (de Jager & Buesching 2010, arXiv:1005.4867) is too optimistic for
fewer than eight events and knows nothing of the search over frequencies, hence the tables.
"""

from __future__ import annotations

from math import exp, inf, isfinite, log
from typing import Final

import numpy as np

from analyzer.detectors import null_table

#: Decay of the tail of H beyond the table, per unit of H.
TAIL_SLOPE: Final = 0.4


def _quantiles(table: tuple[tuple[float, ...], ...], count: int) -> list[float]:
    """Return the table row for `count` onsets, interpolated in log N."""
    axis = np.log(np.array(null_table.COUNTS, dtype=np.float64))
    where = log(max(count, null_table.COUNTS[0]))
    columns = np.array(table, dtype=np.float64).T
    return [float(np.interp(where, axis, column)) for column in columns]


def _tail(levels: tuple[float, ...], thresholds: list[float], value: float) -> float:
    """Return the upper tail probability of `value`, log-linear between and beyond the levels."""
    if value <= thresholds[0]:
        return min(1.0, levels[0] * exp(min(TAIL_SLOPE * (thresholds[0] - value), 50.0)))
    if value >= thresholds[-1]:
        return levels[-1] * exp(-TAIL_SLOPE * (value - thresholds[-1]))
    return float(np.exp(np.interp(value, thresholds, np.log(levels))))


def blind_p_value(h_value: float, count: int) -> float:
    """Return P(max H over the blind grid >= h_value) for `count` onsets; 1 below four onsets.

    Beyond the table the maximum grows as log(N) / 0.4, because the trials grow with N.
    """
    if count < null_table.COUNTS[0] or not isfinite(h_value):
        return 1.0
    thresholds = _quantiles(null_table.BLIND, count)
    excess = max(0.0, log(count / null_table.COUNTS[-1])) / TAIL_SLOPE
    return _tail(null_table.BLIND_LEVELS, [limit + excess for limit in thresholds], h_value)


def single_p_value(h_value: float, count: int) -> float:
    """Return P(H >= h_value) at one fixed frequency for `count` onsets; 1 below four onsets."""
    if count < null_table.COUNTS[0] or not isfinite(h_value):
        return 1.0
    return _tail(null_table.SINGLE_LEVELS, _quantiles(null_table.SINGLE, count), h_value)


def binomial_tail(hits: int, trials: int, share: float) -> float:
    """Return P(Bin(trials, share) >= hits), exact."""
    if hits <= 0:
        return 1.0
    if hits > trials or share <= 0.0:
        return 0.0
    from scipy.special import betainc

    return float(betainc(hits, trials - hits + 1, share))


def scan_gain(inside: int, total: int, share: float) -> float:
    """Return N KL(n/N || w) in nats, 0 unless more fall inside a window of share w than expected."""
    if total <= 0 or not 0.0 < share < 1.0 or inside <= share * total:
        return 0.0
    fraction = inside / total
    gain = fraction * log(fraction / share)
    if fraction < 1.0:
        gain += (1.0 - fraction) * log((1.0 - fraction) / (1.0 - share))
    return total * gain if gain > -inf else 0.0
