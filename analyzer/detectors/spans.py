"""Turn raw event times into episodes and episode onsets.

A stall of one disk leaves a burst of log lines on several members. Every statistic downstream
counts incidents, not lines, so the lines are joined first. A fixed joining gap is unsafe: with
60 s a nominal 1 % periodicity false-alarm rate becomes 99 % on bursty data, because the members of
one burst are counted as independent episodes. `adaptive_onsets` therefore widens the gap until
what is left no longer looks clustered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import FloatArray, IntArray, finite_sorted, is_time

#: Whole incidents are recovered best at 30-60 s (10 s splits 29 % of them, 120 s merges 7-9 %).
EPISODE_GAP_S: Final = 45.0
#: Candidate silences, seconds, that separate two episodes.
GAP_CANDIDATES_S: Final = (2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0)
#: A candidate gap is never finer than capture length / 360 (60 s from 6 h up, 2 s below 12 min).
#: Without this floor an even retry loop inside one incident of a long capture is read as many
#: episodes. False alarms of a claim stay at or below 1 % on ten nulls with it, from five minutes
#: to four days, except for cooldowns (see test_periodicity.py).
FINEST_GAP_SHARE: Final = 1.0 / 360.0
COARSEST_FLOOR_S: Final = 60.0
#: Exponential gaps have CV 1; above 1.1 the onsets are still clustered at this gap.
ACCEPTED_CV: Final = 1.1
#: Above this the series stays clustered at every gap: no periodicity statement is safe.
UNUSABLE_CV: Final = 1.3
#: Fewer onsets than this give no meaningful gap CV (two gaps).
FEWEST_ONSETS: Final = 3


@dataclass(frozen=True, slots=True)
class Episodes:
    """Merged intervals. `label[i]` is the episode of input i (-1: not a finite interval)."""

    starts: FloatArray
    ends: FloatArray
    first_index: IntArray
    label: IntArray

    def __len__(self) -> int:
        """Return the number of episodes."""
        return int(self.starts.size)


@dataclass(frozen=True, slots=True)
class Onsets:
    """Episode onsets after adaptive declustering.

    `gap_s` is the silence used, `floor_s` the finest one allowed for this capture length,
    `gap_cv` the coefficient of variation of the onset gaps (nan with fewer than three onsets),
    `usable` whether a periodicity test may be run on them.
    """

    times: FloatArray
    gap_s: float
    floor_s: float
    gap_cv: float
    usable: bool


def merge_intervals(starts: npt.ArrayLike, ends: npt.ArrayLike, gap_s: float = EPISODE_GAP_S) -> Episodes:
    """Join intervals [start, end] (seconds) into episodes by single linkage.

    Two intervals belong together when the silence between them is at most `gap_s`. An end before
    its start is read as a point. `first_index` is the input index of each episode's first interval.
    """
    begin = np.asarray(starts, dtype=np.float64).ravel()
    finish = np.asarray(ends, dtype=np.float64).ravel()
    size = min(begin.size, finish.size)
    begin = begin[:size]
    finish = np.maximum(finish[:size], begin)
    label = np.full(size, -1, dtype=np.int64)
    valid = np.flatnonzero(is_time(begin) & is_time(finish))
    order = valid[np.lexsort((finish[valid], begin[valid]))]
    if order.size == 0:
        empty = np.empty(0, dtype=np.float64)
        return Episodes(empty, empty, np.empty(0, dtype=np.int64), label)
    reach = np.maximum.accumulate(finish[order])
    opens = np.concatenate(([True], begin[order][1:] > reach[:-1] + gap_s))
    first = np.flatnonzero(opens)
    last = np.append(first[1:], order.size) - 1
    label[order] = np.cumsum(opens) - 1
    return Episodes(begin[order][first], reach[last], order[first].astype(np.int64), label)


def gap_floor(span_s: float) -> float:
    """Return the finest declustering gap, seconds, allowed for a capture of `span_s`."""
    wanted = min(max(span_s, 0.0) * FINEST_GAP_SHARE, COARSEST_FLOOR_S)
    return next(gap for gap in GAP_CANDIDATES_S if gap >= wanted)


def gap_variation(times: FloatArray) -> float:
    """Return the coefficient of variation of the gaps of sorted `times` (nan below three)."""
    if times.size < FEWEST_ONSETS:
        return float("nan")
    gaps = np.diff(times)
    mean = float(gaps.mean())
    return float(gaps.std(ddof=1)) / mean if mean > 0 else float("inf")


def onsets_after_silence(times: FloatArray, gap_s: float, reach: FloatArray | None = None) -> FloatArray:
    """Return the sorted times that follow a silence longer than `gap_s`.

    `reach[i]` is when everything up to event i had ended; by default events are points.
    """
    if times.size == 0:
        return times
    quiet_since = times if reach is None else reach
    return times[np.concatenate(([True], times[1:] - quiet_since[:-1] > gap_s))]


def _ordered_with_reach(times: npt.ArrayLike, ends: npt.ArrayLike | None) -> tuple[FloatArray, FloatArray | None]:
    """Return sorted start times and, with `ends`, the running maximum of the end times."""
    if ends is None:
        return finite_sorted(times), None
    points = merge_intervals(times, ends, 0.0)
    return points.starts, points.ends


def adaptive_onsets(times: npt.ArrayLike, span_s: float | None = None, ends: npt.ArrayLike | None = None) -> Onsets:
    """Decluster event times with the smallest gap whose onsets are not clustered any more.

    `span_s` is the capture length, not the spread of the events; it sets the finest gap and
    defaults to the spread. With `ends` (same shape as `times`) events are intervals and silence is
    measured from the end of the last one: stalls that follow on each other are one episode, however
    evenly they follow. With no acceptable gap the one with the least variation is returned,
    marked unusable above `UNUSABLE_CV`.
    """
    ordered, reach = _ordered_with_reach(times, ends)
    spread = float(ordered[-1] - ordered[0]) if ordered.size else 0.0
    span = spread if span_s is None or not np.isfinite(span_s) else max(span_s, spread)
    floor = gap_floor(span)
    best: tuple[float, float, FloatArray] | None = None
    for gap in (candidate for candidate in GAP_CANDIDATES_S if candidate >= floor):
        kept = onsets_after_silence(ordered, gap, reach)
        variation = gap_variation(kept)
        if not np.isfinite(variation):
            break
        if best is None or variation < best[1]:
            best = (gap, variation, kept)
        if variation <= ACCEPTED_CV:
            return Onsets(kept, gap, floor, variation, True)
    if best is None:
        return Onsets(onsets_after_silence(ordered, floor, reach), floor, floor, float("nan"), False)
    gap, variation, kept = best
    return Onsets(kept, gap, floor, variation, variation <= UNUSABLE_CV)
