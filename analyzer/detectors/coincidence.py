"""Do incidents coincide with spikes of a disk series more often than chance allows?

Two views of one question. Event coincidence analysis (Donges et al. 2016, arXiv:1508.03534) gives
the counts a reader understands: "11 of 12 incidents have a spike, 0.4 expected by chance".
Superposed epoch analysis, the mean rank of the series at the events, is more sensitive to spikes
diluted by coarse samples. Both are judged against the same circular-shift null, and are one
evidence item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import BoolArray, FloatArray, IntArray, is_time
from analyzer.detectors.circular import (
    Cells,
    allowed_shifts,
    count_tail,
    cut_cells,
    shifted_sums,
    student_tail,
    upper_p_value,
)
from analyzer.detectors.spikes import (
    GRID_STEP_S,
    Samples,
    clean_samples,
    flag_spikes,
    limit_coverage,
    to_grid,
)

TOLERANCE_S: Final = 10.0
FEWEST_EVENTS: Final = 3
FEWEST_SAMPLES: Final = 20
#: In a capture of minutes tolerance and averaging step shrink with it.
TOLERANCE_SHARE: Final = 1.0 / 60.0
STEP_SHARE: Final = 1.0 / 120.0
FINEST_TOLERANCE_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Counts and significance of events against a series. Times in seconds.

    `hits` of `events_total` events (those inside the sampled time) touch a spike within the
    tolerance; `expected_by_chance` is the mean over all shifts. `lag_s` is the median of spike
    centre minus event centre over the hits; below `resolution_s` it means nothing. `coverage` is
    the share of all events inside the sampled time, `spike_share` the share of the sampled time
    within tolerance of a spike. `p_value` combines both tests (twice the smaller), and is bounded
    below by one phase out of a period when both sides share one.
    """

    hits: int
    events_total: int
    spikes_with_event: int
    spikes_total: int
    expected_by_chance: float
    lag_s: float
    resolution_s: float
    tolerance_s: float
    eca_p: float
    sea_z: float
    sea_p: float
    p_value: float
    coverage: float
    spike_share: float
    method: str
    usable: bool
    reason: str


@dataclass(frozen=True, slots=True)
class _Events:
    """Event intervals inside the sampled time, as positions among compact cells."""

    starts: FloatArray
    ends: FloatArray
    first: IntArray
    width: IntArray


def coincidence(
    event_starts: npt.ArrayLike, event_ends: npt.ArrayLike, sample_ts: npt.ArrayLike,
    covers_from: npt.ArrayLike, values: npt.ArrayLike, tolerance_s: float = TOLERANCE_S,
    stalled: npt.ArrayLike | None = None, common_period_s: float | None = None,
) -> Coincidence:  # fmt: skip
    """Test event intervals [start, end] against a series of samples covering (covers_from, ts].

    `values` is a rate, best the time spent writing per second. `stalled` marks, per input sample,
    a device that was busy and finished nothing (`spikes.stalled_samples`): those count as spikes.
    `common_period_s` must be given when both sides recur with one period: then one phase is one
    observation and `cycle_table` is the real test. Never raises; see `usable` and `reason`.
    """
    samples = clean_samples(covers_from, sample_ts, values)
    begin, finish, lost = _intervals(event_starts, event_ends)
    empty = _unusable(begin.size, "")
    if len(samples) < FEWEST_SAMPLES:
        return replace(empty, reason=f"only {len(samples)} samples, {FEWEST_SAMPLES} needed")
    span = float(samples.ts[-1] - samples.covers_from[0])
    tolerance = min(tolerance_s, max(span * TOLERANCE_SHARE, FINEST_TOLERANCE_S))
    coarse = to_grid(samples, min(GRID_STEP_S, max(span * STEP_SHARE, 1.0)))
    cells = cut_cells(coarse.covers_from, coarse.ts)
    events = _place(begin, finish, cells, coarse)
    coverage = events.starts.size / max(1, begin.size + lost)
    if events.starts.size < FEWEST_EVENTS:
        why = f"{events.starts.size} of {begin.size} events fall inside the sampled time, 3 needed"
        return replace(empty, events_total=int(events.starts.size), coverage=coverage, reason=why)
    if float(np.ptp(coarse.values)) <= 0:
        return replace(empty, events_total=int(events.starts.size), coverage=coverage,
                       reason="the series is constant")  # fmt: skip
    mask = limit_coverage(coarse, flag_spikes(coarse.ts, coarse.values), tolerance)
    mask = mask | _stalled_on(coarse, covers_from, sample_ts, stalled)
    return _judge(events, coarse, cells, mask, tolerance, coverage, common_period_s)


def _intervals(starts: npt.ArrayLike, ends: npt.ArrayLike) -> tuple[FloatArray, FloatArray, int]:
    """Return sorted finite intervals and the number of inputs dropped."""
    begin = np.asarray(starts, dtype=np.float64).ravel()
    finish = np.asarray(ends, dtype=np.float64).ravel()
    size = min(begin.size, finish.size)
    begin, finish = begin[:size], np.maximum(finish[:size], begin[:size])
    valid = is_time(begin) & is_time(finish)
    order = np.argsort(begin[valid], kind="stable")
    return begin[valid][order], finish[valid][order], int(size - valid.sum())


def _place(begin: FloatArray, finish: FloatArray, cells: Cells, samples: Samples) -> _Events:
    """Return the events that overlap sampled time, clamped to it."""
    inside = (finish >= samples.covers_from[0]) & (begin <= samples.ts[-1])
    begin, finish = begin[inside], finish[inside]
    first_full, last_full = cells.index(begin), cells.index(finish)
    reached = cells.compact[last_full] + cells.sampled[last_full]
    width = reached - cells.compact[first_full]
    seen = width > 0
    return _Events(begin[seen], finish[seen], cells.compact[first_full][seen], width[seen])


def _stalled_on(
    coarse: Samples, covers_from: npt.ArrayLike, ts: npt.ArrayLike, stalled: npt.ArrayLike | None
) -> BoolArray:
    """Return the mask of coarse samples that hold the end of a stalled input sample."""
    mask = np.zeros(len(coarse), dtype=np.bool_)
    if stalled is None:
        return mask
    flags = np.asarray(stalled, dtype=np.bool_).ravel()
    ends = np.asarray(ts, dtype=np.float64).ravel()
    size = min(flags.size, ends.size)
    ends = ends[:size][flags[:size] & is_time(ends[:size])]
    owner = np.searchsorted(coarse.ts, ends, side="left")
    owner = owner[owner < len(coarse)]
    mask[owner[coarse.covers_from[owner] < coarse.ts[owner]]] = True
    return mask


def _judge(
    events: _Events, samples: Samples, cells: Cells, mask: BoolArray, tolerance: float,
    coverage: float, common_period_s: float | None,
) -> Coincidence:  # fmt: skip
    """Run both tests on the cells and assemble the result."""
    near = _near_spikes(samples, cells, mask, tolerance)
    shifts = allowed_shifts(cells.count, cells.width_s)
    counts = np.rint(shifted_sums(near, events.first, events.width))
    null = counts[shifts]
    resolution = float(np.median(samples.ts - samples.covers_from))
    eca_p = 1.0
    if mask.any() and null.size:
        eca_p = max(upper_p_value(float(counts[0]), null), count_tail(float(counts[0]), null))
    sea_z, sea_p = _superposed_epochs(samples, cells, events, shifts, tolerance + resolution)
    p_value = min(1.0, 2.0 * min(eca_p, sea_p))
    method = "circular shift"
    if common_period_s is not None and common_period_s > 0:
        length = float(np.median(events.ends - events.starts))
        floor = min(1.0, (2.0 * tolerance + resolution + length) / common_period_s)
        p_value, method = max(p_value, floor), "circular shift, one phase of a common period"
    hits, lag, matched, groups = _count_hits(events, samples, mask, tolerance)
    return Coincidence(
        hits, int(events.starts.size), matched, groups, float(null.mean()) if null.size else nan,
        lag, resolution, tolerance, eca_p, sea_z, sea_p, p_value, coverage,
        float(near.mean()), method, True, "" if mask.any() else "the series has no spike",
    )  # fmt: skip


def _near_spikes(samples: Samples, cells: Cells, mask: BoolArray, tolerance: float) -> FloatArray:
    """Return 1.0 for the compact cells within tolerance of a flagged sample, else 0.0."""
    change = np.zeros(cells.sampled.size + 1, dtype=np.int64)
    np.add.at(change, cells.index(samples.covers_from[mask] - tolerance), 1)
    np.add.at(change, cells.index(samples.ts[mask] + tolerance - 1e-9) + 1, -1)
    return (np.cumsum(change[:-1]) > 0)[cells.sampled].astype(np.float64)


def _superposed_epochs(
    samples: Samples, cells: Cells, events: _Events, shifts: slice, memory_s: float
) -> tuple[float, float]:
    """Return (z, p) of the mean rank of the series over the event intervals.

    Shifts closer than `memory_s` are not independent of each other.
    """
    order = np.argsort(np.argsort(samples.values, kind="stable"), kind="stable")
    _, inverse, size = np.unique(samples.values, return_inverse=True, return_counts=True)
    rank = np.bincount(inverse, weights=order)[inverse] / size[inverse] / max(1, len(samples) - 1)
    sums = shifted_sums(rank[cells.sample], events.first, events.width)
    null = sums[shifts]
    spread = float(null.std()) if null.size else 0.0
    if spread <= 0:
        return nan, 1.0
    z_score = float((sums[0] - null.mean()) / spread)
    independent = null.size * cells.width_s / memory_s
    return z_score, max(upper_p_value(float(sums[0]), null), student_tail(z_score, independent))


def _count_hits(events: _Events, samples: Samples, mask: BoolArray, tolerance: float) -> tuple[int, float, int, int]:
    """Return (events with a spike, median lag, spikes with an event, spikes) in plain intervals."""
    flagged = np.flatnonzero(mask)
    if flagged.size == 0:
        return 0, nan, 0, 0
    joint = samples.covers_from[flagged][1:] > samples.ts[flagged][:-1] + 1e-6
    first = flagged[np.concatenate(([True], joint))]
    last = flagged[np.concatenate((joint, [True]))]
    begin, end = samples.covers_from[first] - tolerance, samples.ts[last] + tolerance
    # Groups are sorted and disjoint, dilated bounds stay sorted: the touching ones are a range.
    low = np.searchsorted(end, events.starts, side="left")
    high = np.searchsorted(begin, events.ends, side="right") - 1
    hit = low <= high
    centre, middle = 0.5 * (begin + end), 0.5 * (events.starts + events.ends)
    above = np.clip(np.searchsorted(centre, middle), 1, max(1, centre.size - 1))
    pick = above - (middle - centre[above - 1] < centre[np.minimum(above, centre.size - 1)] - middle)
    nearest = np.clip(pick, low, high)[hit]
    lag = float(np.median(centre[nearest] - middle[hit])) if nearest.size else nan
    ends_before = np.searchsorted(np.maximum.accumulate(events.ends), begin, side="left")
    starts_until = np.searchsorted(events.starts, end, side="right")
    return int(hit.sum()), lag, int((starts_until > ends_before).sum()), int(begin.size)


def _unusable(events: int, reason: str) -> Coincidence:
    """Return the result that carries nothing but the reason."""
    return Coincidence(0, events, 0, 0, nan, nan, nan, nan, 1.0, nan, 1.0, 1.0, 0.0, 0.0, "none", False, reason)
