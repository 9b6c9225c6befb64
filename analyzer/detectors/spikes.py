"""Mark the samples of a disk time series that stand out from their surroundings.

Feed it the RATE of time spent writing (delta of msec_write per second), not the average wait: the
wait is diluted by many small I/Os, so a stall behind a busy device looks normal there.
A sample stamped ts covers (covers_from, ts]: iostat and diskstats deltas describe the interval
that has just ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import BoolArray, FloatArray, is_reading, is_time

WINDOW: Final = 61
#: Scale of the median absolute deviation of a normal sample.
MAD_TO_SIGMA: Final = 1.4826
SIGMAS: Final = 4.0
FLAGGED_SHARE: Final = 0.05
#: Short series: let at least this many samples stand out (capped by SHORT_SHARE).
FLAGGED_AT_LEAST: Final = 6
SHORT_SHARE: Final = 0.15
#: Finer samples are averaged to this step: 1-s noise dilated by 10 s covers a tenth of the time.
GRID_STEP_S: Final = 10.0
MAX_COVERAGE: Final = 0.05
#: In a capture of minutes one dilated spike exceeds 5 %, so the cap widens as 180 s / span.
SHORT_COVERAGE_S: Final = 180.0
WIDEST_COVERAGE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Samples:
    """A series of interval samples: value[i] describes (covers_from[i], ts[i]], in order of ts."""

    covers_from: FloatArray
    ts: FloatArray
    values: FloatArray

    def __len__(self) -> int:
        """Return the number of samples."""
        return int(self.ts.size)


def clean_samples(covers_from: npt.ArrayLike, ts: npt.ArrayLike, values: npt.ArrayLike) -> Samples:
    """Drop non-finite or empty samples, sort by end time, cut overlaps with the sample before."""
    begin = np.asarray(covers_from, dtype=np.float64).ravel()
    end = np.asarray(ts, dtype=np.float64).ravel()
    level = np.asarray(values, dtype=np.float64).ravel()
    size = min(begin.size, end.size, level.size)
    begin, end, level = begin[:size], end[:size], level[:size]
    keep = is_time(begin) & is_time(end) & is_reading(level)
    keep[keep] &= end[keep] > begin[keep]
    order = np.argsort(end[keep], kind="stable")
    begin, end, level = begin[keep][order], end[keep][order], level[keep][order]
    if end.size:
        begin[1:] = np.maximum(begin[1:], end[:-1])
        longer = end > begin
        begin, end, level = begin[longer], end[longer], level[longer]
    return Samples(begin, end, level)


def to_grid(samples: Samples, step_s: float = GRID_STEP_S) -> Samples:
    """Average samples finer than `step_s` into cells of it, weighted by the time each covers.

    Series already as coarse as the step are returned unchanged. Cells without a sample stay out:
    a gap in a capture is not a zero.
    """
    if len(samples) == 0:
        return samples
    width = samples.ts - samples.covers_from
    if float(np.median(width)) >= 0.75 * step_s:
        return samples
    origin = np.floor(samples.covers_from[0] / step_s) * step_s
    middle = 0.5 * (samples.covers_from + samples.ts)
    cell = np.floor((middle - origin) / step_s).astype(np.int64)
    _, first, inverse = np.unique(cell, return_index=True, return_inverse=True)
    weight = np.bincount(inverse, weights=width)
    total = np.bincount(inverse, weights=width * samples.values)
    last = np.append(first[1:], cell.size) - 1
    return Samples(samples.covers_from[first], samples.ts[last], total / weight)


def rolling_median(values: FloatArray, window: int = WINDOW) -> FloatArray:
    """Return the centred rolling median; at the edges the window is reflected into the series."""
    if values.size == 0:
        return values
    odd = min(window, values.size) | 1
    if odd > values.size:
        return np.full(values.size, float(np.median(values)))
    padded = np.pad(values, odd // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, odd)
    return np.asarray(np.median(frames, axis=1), dtype=np.float64)


def residuals(values: FloatArray, window: int = WINDOW) -> FloatArray:
    """Return values minus their rolling median. A plateau longer than half the window vanishes."""
    return np.asarray(values - rolling_median(values, window), dtype=np.float64)


def flag_spikes(ts: npt.ArrayLike, values: npt.ArrayLike, window: int = WINDOW) -> BoolArray:
    """Return a mask of the samples above max(4 robust sigmas, the 95 % quantile) of the residual.

    The mask has the shape of `values`; samples with a non-finite time or value are never flagged.
    On a mostly-zero series the robust sigma is 0 and the quantile alone decides; a constant series
    and a sustained plateau (longer than half the window) flag nothing. Below 120 samples the
    quantile is relaxed so that six samples, at most 15 %, may stand out.
    """
    level = np.asarray(values, dtype=np.float64).ravel()
    when = np.asarray(ts, dtype=np.float64).ravel()
    mask = np.zeros(level.size, dtype=np.bool_)
    size = min(level.size, when.size)
    usable = np.flatnonzero(is_reading(level[:size]) & is_time(when[:size]))
    if usable.size < 5:
        return mask
    rest = residuals(level[usable], window)
    # The tiny relative term keeps rounding noise of a constant series from being a spike.
    mask[usable] = rest > max(spike_threshold(rest), 1e-9 * float(np.max(np.abs(level[usable]))))
    return mask


def spike_threshold(rest: FloatArray) -> float:
    """Return the residual above which a sample is a spike (same unit as the series)."""
    share = min(max(FLAGGED_SHARE, FLAGGED_AT_LEAST / rest.size), SHORT_SHARE)
    mad = float(np.median(np.abs(rest - np.median(rest))))
    quantile = float(np.quantile(rest, 1.0 - share, method="lower"))
    return max(SIGMAS * MAD_TO_SIGMA * mad, quantile, 0.0)


def coverage_cap(span_s: float) -> float:
    """Return the largest share of the capture the dilated spikes may cover."""
    if span_s <= 0:
        return WIDEST_COVERAGE
    return min(max(MAX_COVERAGE, SHORT_COVERAGE_S / span_s), WIDEST_COVERAGE)


def dilated_length(begin: FloatArray, end: FloatArray, by_s: float) -> float:
    """Return the length, seconds, of the union of sorted intervals widened by `by_s` each way."""
    if begin.size == 0:
        return 0.0
    reach = np.maximum.accumulate(end + by_s)
    fresh = np.concatenate(([begin[0] - by_s], np.maximum(begin[1:] - by_s, reach[:-1])))
    return float(np.maximum(reach - fresh, 0.0).sum())


def limit_coverage(samples: Samples, mask: BoolArray, tolerance_s: float) -> BoolArray:
    """Keep the strongest flagged samples while their dilated union stays within `coverage_cap`.

    At least the strongest spike always stays.
    """
    flagged = np.flatnonzero(mask)
    if flagged.size == 0:
        return mask
    sampled = float((samples.ts - samples.covers_from).sum())
    allowed = coverage_cap(sampled) * sampled
    strength = residuals(samples.values)[flagged]
    ranked = flagged[np.argsort(-strength, kind="stable")]
    low, high = 1, int(ranked.size)
    while low < high:
        middle = (low + high + 1) // 2
        chosen = np.sort(ranked[:middle])
        length = dilated_length(samples.covers_from[chosen], samples.ts[chosen], tolerance_s)
        low, high = (middle, high) if length <= allowed else (low, middle - 1)
    kept = np.zeros(mask.size, dtype=np.bool_)
    kept[ranked[:low]] = True
    return kept


def stalled_samples(util_percent: npt.ArrayLike, completed_per_s: npt.ArrayLike) -> BoolArray:
    """Return a mask of samples in which the device was busy and finished nothing.

    A dead device looks idle: while it is stalled iostat prints w/s 0, w_await 0, %util 100; the
    huge write time is booked in the sample in which the I/O completes.
    """
    busy = np.asarray(util_percent, dtype=np.float64).ravel()
    done = np.asarray(completed_per_s, dtype=np.float64).ravel()
    size = min(busy.size, done.size)
    return np.asarray((busy[:size] >= 99.0) & (done[:size] <= 0.0), dtype=np.bool_)
