"""Fold onsets at a candidate period: best phase window, period refinement, cycles hit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analyzer.detectors.arrays import BoolArray, FloatArray
from analyzer.detectors.significance import scan_gain

WINDOW_SHARES: Final = (0.02, 0.05, 0.10, 0.20)
#: H peaks on a harmonic as often as on the fundamental: both neighbours are tried.
HARMONIC_RATIOS: Final = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1 / 2, 1 / 3, 1 / 4)
_WIDEST_HALF_WINDOW: Final = 0.1
#: Gains closer than this are a tie; a tie goes to the longer period.
_TIE_NATS: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Fold:
    """A period with its phase and what it explains.

    `anchor_s` is an expected onset (same origin as the times folded), `window_s` the half width
    that counts as a hit, `cycles` the expected onsets inside the capture, `cycles_hit` how many of
    them were met, `explained` the onsets inside a window, `gain` the scan log-likelihood gain in
    nats. Standard errors are nan with fewer than three hits.
    """

    period_s: float
    period_error_s: float
    anchor_s: float
    anchor_error_s: float
    window_s: float
    cycles: int
    cycles_hit: int
    explained: int
    gain: float


def best_window(times: FloatArray, period_s: float) -> tuple[float, float, float]:
    """Return (gain in nats, window centre as a phase 0..1, window share) of the folded scan."""
    phases = np.sort(np.mod(times / period_s, 1.0))
    doubled = np.concatenate((phases, phases + 1.0))
    best = (0.0, 0.0, WINDOW_SHARES[-1])
    for share in WINDOW_SHARES:
        inside = np.searchsorted(doubled, phases + share, side="right") - np.arange(phases.size)
        start = int(np.argmax(inside))
        count = int(min(inside[start], phases.size))
        gain = scan_gain(count, phases.size, share)
        if gain > best[0] + _TIE_NATS:
            members = doubled[start : start + count]
            centre = 0.5 * float(members[0] + members[-1])
            best = (gain, centre % 1.0, share)
    return best


def choose_harmonic(times: FloatArray, candidates: list[float], shortest_s: float, longest_s: float) -> float:
    """Return the period among the candidates' harmonics with the greatest folded scan gain."""
    best_period, best_gain = 0.0, -1.0
    periods = {round(base * ratio, 9) for base in candidates for ratio in HARMONIC_RATIOS}
    periods.update(round(base, 9) for base in candidates)
    for period in sorted(periods, reverse=True):
        if not shortest_s <= period <= longest_s:
            continue
        gain = best_window(times, period)[0]
        if gain > best_gain + _TIE_NATS:
            best_period, best_gain = period, gain
    return best_period


def _line_fit(cycle: FloatArray, times: FloatArray) -> tuple[float, float, float, float] | None:
    """Fit times = anchor + cycle * period; return anchor, period and their standard errors."""
    centred = cycle - cycle.mean()
    spread = float((centred**2).sum())
    if cycle.size < 3 or spread <= 0:
        return None
    period = float((centred * times).sum() / spread)
    anchor = float(times.mean() - period * cycle.mean())
    rest = times - anchor - period * cycle
    variance = float((rest**2).sum()) / (cycle.size - 2)
    anchor_error = np.sqrt(variance * (1.0 / cycle.size + cycle.mean() ** 2 / spread))
    return anchor, period, float(anchor_error), float(np.sqrt(variance / spread))


def fold(times: FloatArray, period_s: float, span_s: float, refine: bool = True) -> Fold:
    """Fold onset offsets (0..span_s) at a period, refine it by least squares, count cycles.

    Two rounds of fitting, each on the onsets inside the current window. A refined period that
    left the neighbourhood of the candidate (5 %) is rejected.
    """
    gain, centre, share = best_window(times, period_s)
    period, anchor = period_s, centre * period_s
    period_error = anchor_error = float("nan")
    half = 0.5 * share
    for _ in range(2):
        cycle = np.rint((times - anchor) / period)
        rest = times - anchor - cycle * period
        inside = np.abs(rest) <= half * period * (1.0 + 1e-9)
        fitted = _line_fit(cycle[inside], times[inside]) if refine else None
        if fitted is None or abs(fitted[1] / period_s - 1.0) > 0.05:
            break
        anchor, period, anchor_error, period_error = fitted
        half = _half_window(times[inside] - anchor - cycle[inside] * period, period, share)
    anchor = anchor - period * np.floor(anchor / period)
    cycles, hit, inside = _count(times, period, anchor, half * period, span_s)
    return Fold(
        period, period_error, float(anchor), anchor_error, half * period,
        cycles, hit, int(inside.sum()), gain,
    )  # fmt: skip


def _half_window(rest: FloatArray, period: float, share: float) -> float:
    """Return the half window, as a share of the period, that holds three sigmas of the hits."""
    if rest.size < 3:
        return 0.5 * share
    sigma = float(np.sqrt((rest**2).mean())) / period
    return min(max(0.5 * share, 3.0 * sigma), _WIDEST_HALF_WINDOW)


def _count(times: FloatArray, period: float, anchor: float, half_s: float, span_s: float) -> tuple[int, int, BoolArray]:
    """Return (expected cycles, distinct cycles hit, mask of onsets inside a window)."""
    cycle = np.rint((times - anchor) / period)
    inside = np.abs(times - anchor - cycle * period) <= half_s * (1.0 + 1e-9)
    hit = np.unique(cycle[inside])
    first, last = np.ceil((0.0 - anchor) / period), np.floor((span_s - anchor) / period)
    expected = max(0, int(last - first) + 1)
    # Jitter may carry the first or last hit across the capture edge: it still is a cycle.
    outside = int(((hit < first) | (hit > last)).sum())
    return expected + outside, int(hit.size), np.asarray(inside, dtype=np.bool_)


def cycles_near(times: FloatArray, period_s: float, span_s: float) -> tuple[float, int, int]:
    """Return (period, cycles hit, onsets explained) at a period taken as it is."""
    folded = fold(times, period_s, span_s, refine=False)
    return period_s, folded.cycles_hit, folded.explained
