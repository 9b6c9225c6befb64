"""Decide whether sparse, bursty events recur with a period, and say how sure that is.

Order: decluster (`spans.adaptive_onsets`), search blindly and in a catalogue of everyday periods
with the H statistic (`h_test`), test known schedules by their phase (`templates`), choose the
harmonic by a folded scan and refine it by least squares (`folding`), then apply the claim policy.

Policy: a claim needs a significant search (1 % divided by the tiers and series tested), at least
five distinct cycles met, and at least 40 % of the cycles met. Anything less is "suspected" and
comes with the capture length that could settle it. A cooldown, a retry timer or a log rate limit
with a gap CV of 0.2 or less is near-regular and passes these tests, so a scheduler may be named
only with a known-phase hit or evidence from the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, nan
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import LATEST_S, FloatArray, finite_sorted
from analyzer.detectors.folding import Fold, best_window, choose_harmonic, cycles_near, fold
from analyzer.detectors.h_test import (
    TABLE_LIMIT,
    h_statistic,
    leakage_window,
    polish_frequency,
    strongest_frequency,
)
from analyzer.detectors.phase import CATALOGUE_S, clock_period, middle_phase, phase_label
from analyzer.detectors.significance import blind_p_value, single_p_value
from analyzer.detectors.spans import Onsets, adaptive_onsets
from analyzer.detectors.templates import TemplateFit, best_template

Claim = Literal["claim", "suspected", "none"]
Method = Literal["blind", "catalogue", "known-phase", "regular-gaps", "none"]

LEVEL: Final = 0.01
FEWEST_CYCLES: Final = 5
LEAST_OCCUPANCY: Final = 0.4
#: Beyond the null tables' hundred onsets a third of them must be explained as well.
LEAST_EXPLAINED_OF_MANY: Final = 1.0 / 3.0
#: Spacing this even is called near-regular.
NEAR_REGULAR_CV: Final = 0.3
#: Below this no cycle was skipped: one skipped in twelve already makes it 0.28.
EVEN_CV: Final = 0.2


@dataclass(frozen=True, slots=True)
class PeriodResult:
    """What the event times say about a period. All times in seconds.

    `anchor_s` is the first expected onset of the capture (epoch seconds): onsets are expected at
    anchor_s + k period_s. `aligned` says whether the period agrees with an everyday one, so that a
    phase on the wall clock is meaningful (None without a period); `phase_s` is that phase, seconds
    UTC modulo the everyday period, None when free-running. `phase_error_s` and `period_error_s` are
    one standard error (they cover the truth less often than they promise: print "about").
    `p_value` is corrected for tiers and series tested.
    `neighbours` lists (period, cycles hit, onsets explained) at half, twice and thrice the period.
    `hours_needed` is the capture length for five met cycles, None once they are met.
    """

    period_s: float | None
    phase_s: float | None
    phase_label: str
    cycles: int
    cycles_hit: int
    episodes: int
    explained: int
    p_value: float
    method: Method
    claim: Claim
    near_regular: bool
    gap_cv: float
    template: str | None
    template_p: float | None
    template_hits: int
    neighbours: tuple[tuple[float, int, int], ...]
    hours_needed: float | None
    gaps_s: tuple[float, ...]
    period_error_s: float
    phase_error_s: float
    aligned: bool | None
    anchor_s: float | None
    decluster_gap_s: float


@dataclass(frozen=True, slots=True)
class _Search:
    """Outcome of the blind and catalogue searches: candidate periods and the better p value."""

    candidates: tuple[float, ...]
    p_value: float
    method: Method
    significant: bool


def analyse_period(
    times: npt.ArrayLike,
    start: float,
    end: float,
    tiers: int = 1,
    series_tested: int = 1,
    ends: npt.ArrayLike | None = None,
) -> PeriodResult:
    """Analyse event `times` (starts, epoch seconds, any order) of a capture [start, end].

    Give `ends` whenever the events have durations: a sustained slow disk logs one stall right after
    the other, and their even spacing is the length of a stall, not a period.

    Call it once per severity tier (all slow lines, stalls beyond the election timeout, leader
    changes) with `tiers` set to their number: two superposed periods in one stream hide each other.
    `start` and `end` are widened to the events when they are unusable.
    """
    ordered = finite_sorted(times)
    if ordered.size == 0:
        return _nothing(adaptive_onsets(ordered), ordered)
    start = min(start, float(ordered[0])) if abs(start) <= LATEST_S else float(ordered[0])
    end = max(end, float(ordered[-1])) if abs(end) <= LATEST_S else float(ordered[-1])
    span = end - start
    onsets = adaptive_onsets(times if ends is not None else ordered, span, ends)
    if onsets.times.size < 3 or not onsets.usable or span <= 0:
        return _nothing(onsets, onsets.times)
    trials = max(1, tiers) * max(1, series_tested)
    relative = onsets.times - start
    search = _search(relative, span, onsets, trials)
    template = best_template(onsets.times, start, end, onsets.gap_s, trials)
    if template is not None and not _skips_allow(template.template.period_s, onsets):
        template = None
    found = _locate(relative, span, onsets, search, template)
    if found is None:
        return _nothing(onsets, onsets.times, search.p_value)
    return _conclude(found, onsets, search, template, start, span)


def _search(times: FloatArray, span: float, onsets: Onsets, trials: int) -> _Search:
    """Run the blind and the catalogue search; candidates are the significant ones."""
    count = int(times.size)
    frequency, height = strongest_frequency(times, span, 1.0 / (2.0 * onsets.floor_s))
    blind_p = min(1.0, blind_p_value(height, count) * trials)
    shortest = max(0.4 * span / count, 2.0 * onsets.floor_s)
    listed = [period for period in CATALOGUE_S if shortest <= period <= span / 3.0]
    catalogue_p, catalogue_period = 1.0, 0.0
    if listed:
        heights = h_statistic(times, 1.0 / np.array(listed), leakage_window(count, span))
        best = int(np.argmax(heights))
        catalogue_period = listed[best]
        single = single_p_value(float(heights[best]), count)
        catalogue_p = min(1.0, single * len(listed) * trials)
    candidates = []
    if blind_p <= LEVEL:
        candidates.append(1.0 / polish_frequency(times, span, frequency))
    if catalogue_p <= LEVEL:
        candidates.append(catalogue_period)
    method: Method = "blind" if blind_p <= catalogue_p else "catalogue"
    return _Search(tuple(candidates), min(blind_p, catalogue_p), method, bool(candidates))


def _locate(
    times: FloatArray, span: float, onsets: Onsets, search: _Search, template: TemplateFit | None
) -> tuple[Fold, Method] | None:
    """Return the folded best period and the method that found it, or None."""
    if search.significant:
        candidates = list(search.candidates)
        if template is not None:
            candidates.append(template.template.period_s)
        shortest = max(0.4 * span / times.size, 1.2 * onsets.gap_s, 2.0 * onsets.floor_s)
        period = choose_harmonic(times, candidates, shortest, span / 2.5)
        period = _prefer_schedule(times, period, template)
        if period > 0:
            return fold(times, period, span), search.method
    if template is not None:
        return fold(times, template.template.period_s, span), "known-phase"
    period = _even_catalogue_gaps(times)
    if period > 0:
        return fold(times, period, span), "regular-gaps"
    return None


def _prefer_schedule(times: FloatArray, period: float, template: TemplateFit | None) -> float:
    """Return the schedule's period where the scan chose a harmonic of it by a small margin.

    With noise, a half or a third of the true period often scans slightly better because its windows
    are twice or thrice as many. A schedule hit in phase outweighs that; a true hourly pattern scans
    more than three times better at one hour than at two, so it is not overruled.
    """
    if template is None or period <= 0 or _compatible(period, template.template.period_s):
        return period
    ratio = template.template.period_s / period
    if round(ratio) not in (2, 3, 4) or abs(ratio / round(ratio) - 1.0) > 0.03:
        return period
    scheduled = best_window(times, template.template.period_s)[0]
    return template.template.period_s if scheduled >= 0.7 * best_window(times, period)[0] else period


def _even_catalogue_gaps(times: FloatArray) -> float:
    """Return the catalogue period that exactly three onsets are spaced by, else 0.

    Three onsets are below every table; two equal gaps of an everyday length are worth a hint.
    """
    if times.size != 3:
        return 0.0
    gaps = np.diff(times)
    mean = float(gaps.mean())
    if abs(float(gaps[0] - gaps[1])) > 0.05 * mean:
        return 0.0
    return next((period for period in CATALOGUE_S if abs(mean / period - 1.0) <= 0.03), 0.0)


def _conclude(
    found: tuple[Fold, Method], onsets: Onsets, search: _Search,
    template: TemplateFit | None, start: float, span: float,
) -> PeriodResult:  # fmt: skip
    """Apply the claim policy and fill in the result."""
    folded, method = found
    searched = search.significant and method in ("blind", "catalogue")
    met = folded.cycles_hit >= FEWEST_CYCLES
    dense = folded.cycles_hit >= LEAST_OCCUPANCY * folded.cycles
    # Thousands of onsets meet every cycle of any slow change of rate: there, hits prove nothing.
    few = onsets.times.size <= TABLE_LIMIT
    explains = few or folded.explained >= LEAST_EXPLAINED_OF_MANY * onsets.times.size
    honest = explains and _agrees_with_gaps(folded.period_s, onsets)
    claim: Claim = "claim" if searched and met and dense and honest else "suspected"
    if template is not None and not _compatible(folded.period_s, template.template.period_s):
        template = None
    anchor = start + folded.anchor_s
    clock = clock_period(folded, span)
    phase = None if clock is None else middle_phase(folded, anchor, span, clock)
    period = folded.period_s
    relative = onsets.times - start
    neighbours = tuple(cycles_near(relative, period * ratio, span) for ratio in (0.5, 2.0, 3.0))
    return PeriodResult(
        period, phase, phase_label(folded, anchor, span), folded.cycles, folded.cycles_hit,
        int(onsets.times.size), folded.explained, search.p_value, method, claim,
        onsets.gap_cv <= NEAR_REGULAR_CV, onsets.gap_cv,
        template.template.name if template else None,
        template.p_value if template else None, template.hits if template else 0,
        neighbours, None if met else _hours_needed(folded), _gaps(onsets.times),
        folded.period_error_s, folded.anchor_error_s, clock is not None, anchor, onsets.gap_s,
    )  # fmt: skip


def _agrees_with_gaps(period: float, onsets: Onsets) -> bool:
    """Return whether a period is no longer than the gaps, where the gaps are even.

    A search that locks on to two or three near-regular gaps at a time has found a beat of a jittery
    timer, or of stalls that queue up behind each other. A shorter period is fine: cycles skip.
    """
    if not onsets.gap_cv <= NEAR_REGULAR_CV:
        return True
    return period <= 1.2 * float(np.diff(onsets.times).mean())


def _skips_allow(schedule: float, onsets: Onsets) -> bool:
    """Return whether a schedule can have left these gaps: even ones must be its own length.

    A cooldown of 31 minutes that drifts through the schedule's window now and then is not it.
    """
    if not onsets.gap_cv <= EVEN_CV:
        return True
    return _compatible(float(np.diff(onsets.times).mean()), schedule, 0.1)


def _compatible(period: float, schedule: float, tolerance: float = 0.03) -> bool:
    """Return whether a period is the schedule's or up to three times it (skipped cycles)."""
    ratio = period / schedule
    return round(ratio) in (1, 2, 3) and abs(ratio / round(ratio) - 1.0) <= tolerance


def _hours_needed(folded: Fold) -> float:
    """Return the capture length, hours, that would hold five met cycles at the present hit rate."""
    rate = min(1.0, max(folded.cycles_hit / max(folded.cycles, 1), LEAST_OCCUPANCY))
    return ceil(FEWEST_CYCLES / rate) * folded.period_s / 3600.0


def _gaps(times: FloatArray) -> tuple[float, ...]:
    """Return the first 100 gaps between onsets, seconds."""
    return tuple(float(gap) for gap in np.diff(times)[:100])


def _nothing(onsets: Onsets, times: FloatArray, p_value: float = 1.0) -> PeriodResult:
    """Return the result for event times without a detectable period."""
    regular = bool(onsets.gap_cv <= NEAR_REGULAR_CV)
    return PeriodResult(
        None, None, "", 0, 0, int(times.size), 0, p_value, "none", "none", regular, onsets.gap_cv,
        None, None, 0, (), None, _gaps(times), nan, nan, None, None, onsets.gap_s,
    )  # fmt: skip
