"""Find one lasting change of level in a series, and rank series by how far they moved.

Disk series are strongly autocorrelated: a white-noise change-point penalty false-alarms on half of
the unchanged ones. The standard error here is inflated by (1 + r1) / (1 - r1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import FloatArray, is_reading

FEWEST_PER_SIDE: Final = 60
LEAST_RATIO: Final = 1.5
LEAST_SIGMAS: Final = 4.0


@dataclass(frozen=True, slots=True)
class RegimeShift:
    """The best split of a series and whether it is a change of level.

    `index` is the first sample of the later side among the finite ones (-1: too short), `sigmas`
    the difference of means over its autocorrelation-aware standard error, `ratio` the larger median
    over the smaller (inf when one is 0), `direction` "up", "down" or "".
    """

    claim: bool
    index: int
    before: float
    after: float
    ratio: float
    sigmas: float
    autocorrelation: float
    direction: str


@dataclass(frozen=True, slots=True)
class LevelShift:
    """How far a series moved inside the incident windows.

    `score` = |median inside - median outside| / IQR outside (the robust screen of BARO, Pham et al.
    2024, arXiv:2405.09330); `ratio` = median inside / median outside.
    """

    inside: float
    outside: float
    spread: float
    score: float
    ratio: float
    usable: bool


def best_split(values: FloatArray, fewest: int) -> int | None:
    """Return the index that maximises the CUSUM contrast with `fewest` samples on either side."""
    size = values.size
    if size < 2 * fewest:
        return None
    left = np.arange(1, size, dtype=np.float64)
    sums = np.cumsum(values)[:-1]
    total = float(values.sum())
    gap = sums / left - (total - sums) / (size - left)
    contrast = np.abs(gap) * np.sqrt(left * (size - left) / size)
    allowed = contrast[fewest - 1 : size - fewest]
    return int(np.argmax(allowed)) + fewest


def regime_shift(values: npt.ArrayLike) -> RegimeShift:
    """Test a series, in time order, for one lasting change of level (non-finite samples skipped)."""
    series = np.asarray(values, dtype=np.float64).ravel()
    series = series[is_reading(series)]
    index = best_split(series, FEWEST_PER_SIDE)
    if index is None:
        return RegimeShift(False, -1, nan, nan, nan, 0.0, nan, "")
    left, right = series[:index], series[index:]
    rest = np.concatenate((left - left.mean(), right - right.mean()))
    variance = float((rest**2).mean())
    lag = float((rest[1:] * rest[:-1]).mean() / variance) if variance > 0 else 0.0
    # The split itself flatters the fit: the residual autocorrelation is biased down by about
    # (1 + 3 r1) / n per fitted mean (Kendall 1954, for a mean and two of them here).
    lag = min(max(lag + 2.0 * (1.0 + 3.0 * lag) / series.size, 0.0), 0.995)
    error = sqrt(variance * (1.0 + lag) / (1.0 - lag) * (1.0 / left.size + 1.0 / right.size))
    delta = float(right.mean() - left.mean())
    sigmas = abs(delta) / error if error > 0 else (inf if delta else 0.0)
    before, after = float(np.median(left)), float(np.median(right))
    ratio = _ratio(max(before, after), min(before, after))
    claim = ratio >= LEAST_RATIO and sigmas >= _needed_sigmas(series.size * (1.0 - lag) / (1.0 + lag))
    direction = "" if after == before else ("up" if after > before else "down")
    return RegimeShift(claim, index, before, after, ratio, sigmas, lag, direction)


def _needed_sigmas(effective: float) -> float:
    """Return the Student quantile as rare as four sigmas, for `effective` independent samples.

    An hour of 10-s samples with autocorrelation 0.97 holds six of them: four sigmas are then
    exceeded by nothing happening in 9 % of the cases.
    """
    from scipy.special import ndtr, stdtrit

    freedom = effective - 2.0
    return float(stdtrit(freedom, float(ndtr(LEAST_SIGMAS)))) if freedom >= 1.0 else inf


def compare_levels(inside: npt.ArrayLike, outside: npt.ArrayLike) -> LevelShift:
    """Compare samples inside incident windows with those outside; 3 and 10 samples are needed."""
    near = np.asarray(inside, dtype=np.float64).ravel()
    far = np.asarray(outside, dtype=np.float64).ravel()
    near, far = near[is_reading(near)], far[is_reading(far)]
    if near.size < 3 or far.size < 10:
        return LevelShift(nan, nan, nan, 0.0, nan, False)
    level, base = float(np.median(near)), float(np.median(far))
    low, high = np.quantile(far, (0.25, 0.75))
    spread = float(high - low)
    # A quiet series has no spread; a percent of its level keeps the score finite and honest.
    floor = max(spread, 0.01 * abs(base), 1e-12)
    return LevelShift(level, base, spread, abs(level - base) / floor, _ratio(level, base), True)


def _ratio(above: float, below: float) -> float:
    """Return above / below, inf over zero, 1 for two zeros."""
    if below == 0:
        return 1.0 if above == 0 else inf
    return above / below
