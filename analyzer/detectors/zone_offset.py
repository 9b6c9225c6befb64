"""Propose, never apply, a time-zone offset between a zone-less series and UTC events.

Freely maximising the overlap over +-12 h calls 95-100 % of UNRELATED pairs significant. Only the
UTC offsets in use anywhere are candidates, the maximum is judged against the maximum over shifted
masks, and nothing is proposed when either side is periodic: a period of one or two hours divides
the zone steps, so every offset fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import FloatArray, IntArray, finite_sorted
from analyzer.detectors.circular import Cells, cut_cells
from analyzer.detectors.coincidence import TOLERANCE_S
from analyzer.detectors.spikes import (
    Samples,
    clean_samples,
    dilated_length,
    flag_spikes,
    limit_coverage,
    to_grid,
)

#: UTC offsets in use, minutes (IANA time zone database, release 2024a).
OFFSETS_MIN: Final = (
    -720, -660, -600, -570, -540, -480, -420, -360, -300, -240, -210, -180, -150, -120, -60, 0, 60,
    120, 180, 210, 240, 270, 300, 330, 345, 360, 390, 420, 480, 525, 540, 570, 600, 630, 660, 720,
    765, 780, 825, 840,
)  # fmt: skip
FEWEST_EVENTS: Final = 5
LEVEL: Final = 0.01
MARGIN_Z: Final = 2.0
LEAST_HIT_SHARE: Final = 0.6
MOST_SELF_OVERLAP: Final = 0.25
_FEWEST_FOR_Z: Final = 6
#: Half the tolerance: forty transforms of finer cells only cost time.
CELL_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class ZoneProposal:
    """The best offset found. `offset_min` is what the series' zone is ahead of UTC (+480: +08:00).

    `proposed` is False unless every safeguard held; then `reason` says which one did not. Even a
    proposal is a question to the user, never a correction.
    """

    proposed: bool
    offset_min: int
    hits: int
    events: int
    p_value: float
    margin_z: float
    reason: str


def propose_zone(
    event_times: npt.ArrayLike, sample_ts: npt.ArrayLike, covers_from: npt.ArrayLike,
    values: npt.ArrayLike, either_periodic: bool, tolerance_s: float = TOLERANCE_S,
) -> ZoneProposal:  # fmt: skip
    """Look for the UTC offset at which spikes of a zone-less series meet the events.

    `sample_ts` and `covers_from` are local clock readings taken as if they were UTC;
    `either_periodic` is the caller's verdict about the events or the series.
    """
    events = finite_sorted(event_times)
    if either_periodic:
        return _refusal(events, "events or spikes are periodic: every zone fits a period")
    coarse = to_grid(clean_samples(covers_from, sample_ts, values))
    if events.size < FEWEST_EVENTS or len(coarse) < 20:
        return _refusal(events, f"{FEWEST_EVENTS} events and 20 samples are needed")
    mask = limit_coverage(coarse, flag_spikes(coarse.ts, coarse.values), tolerance_s)
    if not mask.any():
        return _refusal(events, "the series has no spike")
    chosen = Samples(coarse.covers_from[mask], coarse.ts[mask], coarse.values[mask])
    field = _field(coarse, chosen, tolerance_s)
    overlap = _self_overlap(chosen, coarse, tolerance_s)
    return _decide(events, field, overlap)


@dataclass(frozen=True, slots=True)
class _Field:
    """The dilated spike mask on cells of the local clock, and which cells were sampled."""

    cells: Cells
    near: FloatArray
    seen: FloatArray


def _field(samples: Samples, chosen: Samples, tolerance: float) -> _Field:
    """Return the mask field of the series."""
    cells = cut_cells(samples.covers_from, samples.ts, CELL_S)
    change = np.zeros(cells.sampled.size + 1, dtype=np.int64)
    np.add.at(change, cells.index(chosen.covers_from - tolerance), 1)
    np.add.at(change, cells.index(chosen.ts + tolerance) + 1, -1)
    near = (np.cumsum(change[:-1]) > 0) & cells.sampled
    return _Field(cells, near.astype(np.float64), cells.sampled.astype(np.float64))


def _scores(positions: list[IntArray], field: _Field) -> FloatArray:
    """Return z per candidate offset (rows) and circular mask shift (columns).

    Positions are full-cell indices of the events that fall inside the capture at that offset.
    Column 0 is the unshifted mask.
    """
    size = field.near.size
    share = float(field.near.sum() / max(1.0, field.seen.sum()))
    share = min(max(share, 1e-6), 1.0 - 1e-6)
    spectrum = np.fft.rfft(field.near)
    rows = np.full((len(positions), size), -np.inf)
    for row, where in enumerate(positions):
        if where.size < min(_FEWEST_FOR_Z, max(len(p) for p in positions)):
            continue
        train = np.bincount(where, minlength=size).astype(np.float64)
        hits = np.rint(np.fft.irfft(np.conj(np.fft.rfft(train)) * spectrum, n=size))
        rows[row] = (hits - where.size * share) / np.sqrt(where.size * share * (1.0 - share))
    return rows


def _decide(events: FloatArray, field: _Field, overlap: float) -> ZoneProposal:
    """Score all offsets against the null of shifted masks and apply the safeguards."""
    cells = field.cells
    positions = []
    for minutes in OFFSETS_MIN:
        local = events + 60.0 * minutes
        cell = np.floor((local - cells.origin_s) / cells.width_s).astype(np.int64)
        cell = cell[(cell >= 0) & (cell < cells.sampled.size)]
        positions.append(cell[cells.sampled[cell]])
    scores = _scores(positions, field)
    observed = scores[:, 0]
    if not np.isfinite(observed).any():
        return _refusal(events, "no offset brings enough events inside the capture")
    ranked = np.argsort(-observed, kind="stable")
    best, second = int(ranked[0]), int(ranked[1])
    lowest = int(1800.0 / cells.width_s)
    null = scores[:, lowest : max(lowest, scores.shape[1] - lowest)].max(axis=0)
    p_value = (1.0 + float((null >= observed[best] - 1e-9).sum())) / (1.0 + null.size)
    hits = int(field.near[positions[best]].sum())
    count = int(positions[best].size)
    margin = float(observed[best] - observed[second])
    checks = (
        (null.size < 1000, "the capture is too short"),
        (p_value > LEVEL, f"p = {p_value:.2g} over all offsets"),
        (margin < MARGIN_Z, f"the runner-up is only {margin:.1f} z behind"),
        (hits < LEAST_HIT_SHARE * count or count < FEWEST_EVENTS, f"only {hits} of {count} events fit"),
        (overlap > MOST_SELF_OVERLAP, "the spikes repeat at multiples of half an hour"),
    )
    reason = next((text for failed, text in checks if failed), "")
    return ZoneProposal(not reason, OFFSETS_MIN[best], hits, count, p_value, margin, reason)


def _self_overlap(chosen: Samples, samples: Samples, tolerance: float) -> float:
    """Return the largest excess overlap of the spikes with themselves at multiples of 30 min."""
    span = float(samples.ts[-1] - samples.covers_from[0])
    length = dilated_length(chosen.covers_from, chosen.ts, tolerance)
    expected = length / max(span, 1.0)
    worst = 0.0
    begin, end = chosen.covers_from - tolerance, chosen.ts + tolerance
    for lag in np.arange(1800.0, min(span / 2.0, 12 * 3600.0), 1800.0):
        inside = (begin + lag <= samples.ts[-1]) & (end + lag >= samples.covers_from[0])
        if inside.sum() < 3:
            continue
        moved_begin, moved_end = chosen.covers_from[inside] + lag, chosen.ts[inside] + lag
        low = np.searchsorted(end, moved_begin, side="left")
        high = np.searchsorted(begin, moved_end, side="right") - 1
        worst = max(worst, float((low <= high).mean()) - expected)
    return worst


def _refusal(events: FloatArray, reason: str) -> ZoneProposal:
    """Return a result that proposes nothing."""
    return ZoneProposal(False, 0, 0, int(events.size), 1.0, 0.0, reason)
