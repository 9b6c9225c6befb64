"""Tell a provisioned ceiling of a device from one writer that is merely always busy.

A cap holds throughput flat at a maximum while requests queue up. A single synchronous writer also
shows ~100 % utilisation, but with at most one request in flight: it is bound by latency, and more
provisioned IOPS change nothing. Utilisation alone therefore never counts as saturation.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import BoolArray, FloatArray, is_reading
from analyzer.detectors.regime import best_split

SATURATED_UTIL_PERCENT: Final = 95.0
SATURATED_QUEUE: Final = 2.0
ONE_WRITER_QUEUE: Final = 1.5
FEWEST_SATURATED: Final = 20
MODE_HALF_WIDTH: Final = 0.03
LEAST_SHARE_AT_MODE: Final = 0.5
MOST_SHARE_ABOVE: Final = 0.05
ABOVE_FACTOR: Final = 1.06
#: Counts below this per sample are too coarse for a +-3 % window: one integer fills it.
FEWEST_PER_SAMPLE: Final = 33.0
DECLARED_TOLERANCE: Final = 0.03
#: Two plateaus further apart than this are two limits, one after the other.
LEVELS_DIFFER: Final = 0.1


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A plateau of throughput (unit of the input) and whether it may be called a cap.

    `share` is the share of the saturated samples (of the claimed side) within +-3 % of `plateau`,
    `width` the relative spread (1.4826 MAD / plateau) of those, `above_share` the share above
    1.06 plateau, `time_share` the share of ALL samples on the plateau. `split_index` is where the
    capture was cut in two (None: not cut), `side` which part the plateau holds on. `flat_top_share`
    and `flat_top` describe all samples near the top whatever the utilisation: weak evidence only.
    """

    claim: bool
    plateau: float
    share: float
    width: float
    above_share: float
    saturated: int
    samples: int
    time_share: float
    split_index: int | None
    side: str
    flat_top: float
    flat_top_share: float
    reason: str


@dataclass(frozen=True, slots=True)
class LatencyBound:
    """Whether a device is always busy with about one request at a time.

    `share` is the share of all samples with util >= 95 % and aqu-sz < 1.5; `busy` counts the
    samples with util >= 95 %, `median_queue` is their median queue (nan without any).
    """

    claim: bool
    share: float
    busy: int
    median_queue: float


@dataclass(frozen=True, slots=True)
class _Mode:
    """Densest +-3 % window of a set of samples."""

    value: float
    share: float
    width: float
    above: float

    @property
    def is_cap(self) -> bool:
        """Return whether the mode sits at the maximum and holds half of the samples."""
        return self.share >= LEAST_SHARE_AT_MODE and self.above <= MOST_SHARE_ABOVE


def cap_test(
    throughput: npt.ArrayLike, util_percent: npt.ArrayLike, queue: npt.ArrayLike, sample_s: float = 1.0
) -> Ceiling:
    """Test r/s + w/s (or bytes/s) of one device for a cap, samples of `sample_s` in time order.

    Add f/s where iostat shows it: flushes count against a volume's IOPS limit. Saturated samples
    have util >= 95 % and aqu-sz >= 2; at least 20 are needed. If no single mode holds, the capture
    is cut once at the best mean change and both sides are tested: burst credits run out. A plateau
    of fewer than 33 I/Os per sample is no claim: a bandwidth limit on large writes looks like
    11.0 w/s; test bytes/s for that.
    """
    level, util, depth = _aligned(throughput, util_percent, queue)
    flat_top, flat_share = flat_top_of(level)
    saturated = np.flatnonzero((util >= SATURATED_UTIL_PERCENT) & (depth >= SATURATED_QUEUE) & (level > 0))
    total = int(level.size)
    if saturated.size < FEWEST_SATURATED:
        why = f"{saturated.size} saturated samples, {FEWEST_SATURATED} needed"
        return Ceiling(False, nan, 0.0, nan, 0.0, int(saturated.size), total, 0.0, None, "whole",
                       flat_top, flat_share, why)  # fmt: skip
    chosen = level[saturated]
    mode, side, where = _best_mode(chosen)
    cut = None if where is None else int(saturated[where])
    on_plateau = _near(level, mode.value)
    reason = "" if mode.is_cap else _why_not(mode)
    if not reason and mode.value * sample_s < FEWEST_PER_SAMPLE:
        reason = f"{mode.value * sample_s:.0f} per sample are too few to tell 3 % apart"
    return Ceiling(
        not reason, mode.value, mode.share, mode.width, mode.above, int(saturated.size), total,
        float(on_plateau.mean()), cut, side, flat_top, flat_share, reason,
    )  # fmt: skip


def _best_mode(chosen: FloatArray) -> tuple[_Mode, str, int | None]:
    """Return (mode, side it holds on, split position) of the saturated throughput.

    A cut is taken where the whole has no cap but a side has, the later side first, and where two
    caps at different levels follow each other: the later one is what remains after the burst.
    """
    whole = densest_mode(chosen)
    where = best_split(chosen, FEWEST_SATURATED)
    if where is None:
        return whole, "whole", None
    before, after = densest_mode(chosen[:where]), densest_mode(chosen[where:])
    two_levels = before.is_cap and after.is_cap and abs(after.value / before.value - 1.0) > LEVELS_DIFFER
    if after.is_cap and (two_levels or not whole.is_cap):
        return after, "after", where
    if before.is_cap and not whole.is_cap:
        return before, "before", where
    return whole, "whole", None


def latency_bound(util_percent: npt.ArrayLike, queue: npt.ArrayLike) -> LatencyBound:
    """Test for one synchronous writer: >= 20 busy samples, nine in ten of them below queue 1.5."""
    util, depth, _ = _aligned(util_percent, queue, queue)
    busy = util >= SATURATED_UTIL_PERCENT
    count = int(busy.sum())
    if count == 0:
        return LatencyBound(False, 0.0, 0, nan)
    shallow = busy & (depth < ONE_WRITER_QUEUE)
    claim = count >= FEWEST_SATURATED and float(shallow.sum()) >= 0.9 * count
    return LatencyBound(claim, float(shallow.mean()), count, float(np.median(depth[busy])))


def within_declared(plateau: float, declared: float) -> bool:
    """Return whether a plateau is within 3 % of a declared limit of the same unit."""
    return declared > 0 and abs(plateau / declared - 1.0) <= DECLARED_TOLERANCE


def densest_mode(values: FloatArray) -> _Mode:
    """Return the densest +-3 % window of positive values (the highest among equals)."""
    ordered = np.sort(values)
    top = ordered * (1.0 + MODE_HALF_WIDTH) / (1.0 - MODE_HALF_WIDTH)
    inside = np.searchsorted(ordered, top, side="right") - np.arange(ordered.size)
    start = int(ordered.size - 1 - np.argmax(inside[::-1]))
    members = ordered[start : start + int(inside[start])]
    centre = float(np.median(members))
    spread = 1.4826 * float(np.median(np.abs(members - centre)))
    above = float((values > ABOVE_FACTOR * centre).mean())
    return _Mode(centre, members.size / values.size, spread / centre if centre else nan, above)


def flat_top_of(values: FloatArray) -> tuple[float, float]:
    """Return (95 % quantile, share of samples within 3 % of it) of positive samples.

    A container limit keeps %util and await low; only the flat top of w/s shows then. Idle and
    steady loads are flat too, so this is never a claim.
    """
    active = values[values > 0]
    if active.size < FEWEST_SATURATED:
        return nan, 0.0
    top = float(np.quantile(active, 0.95))
    return top, float(_near(active, top).mean())


def _near(values: FloatArray, centre: float) -> BoolArray:
    """Return the mask of values within 3 % of a centre."""
    return np.asarray(np.abs(values - centre) <= MODE_HALF_WIDTH * centre, dtype=np.bool_)


def _why_not(mode: _Mode) -> str:
    """Return the first failed condition in words."""
    if mode.share < LEAST_SHARE_AT_MODE:
        return f"only {mode.share:.0%} of the saturated samples share one level"
    return f"{mode.above:.0%} of the saturated samples are above the plateau"


def _aligned(*columns: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return three columns of equal length without the rows that hold a non-finite value."""
    arrays = [np.asarray(column, dtype=np.float64).ravel() for column in columns]
    size = min(array.size for array in arrays)
    table = np.stack([array[:size] for array in arrays])
    table = table[:, is_reading(table).all(axis=0)]
    return table[0], table[1], table[2]
