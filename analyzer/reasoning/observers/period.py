"""Repeating trouble: found blind, in the catalogue of common schedules, or by a known phase."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.detectors.periodicity import analyse_period
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.patterns import TroublePeriod, best_period, periods, within_logs, write_spikes
from analyzer.reasoning.reading import Reading, Spot, seen

PERIOD_TOLERANCE = 0.03
"""Two periods found apart agree when they differ by less: fitted periods are off by up to 1-2 % at 6 cycles."""


def period_words(period: TroublePeriod) -> dict[str, str]:
    """Sentence parts of a period."""
    result = period.result
    every = wording.duration(result.period_s) if result.period_s else "unknown"
    return {
        "subject": period.subject,
        "period": every,
        "phase": result.phase_label or "no fixed phase",
        "hit": f"{result.cycles_hit}",
        "cycles": f"{result.cycles}",
        "explained": f"{result.explained}",
        "episodes": f"{result.episodes}",
        "hours": wording.duration(result.hours_needed * 3600.0) if result.hours_needed else "a longer time",
    }


def trouble_period(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Seen on a claim; a mere suspicion is no evidence; PASS only when enough episodes follow no period."""
    best = best_period(case)
    if best is None:
        return []
    words = period_words(best)
    result = best.result
    if result.claim == "claim":
        return [
            Reading(
                State.FAIL, value=result.period_s, unit="s", at=_spots(case, best), words=words, strength=result.p_value
            )
        ]
    enough = any(p.result.episodes >= params["least_episodes"] and p.result.claim == "none" for p in periods(case))
    if enough and result.claim == "none":
        return [Reading(State.PASS, at=_spots(case, best), words=words)]
    return []


def known_phase(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Trouble at the known hours of a scheduler (Prometheus cuts its head block at odd UTC hours)."""
    for period in periods(case):
        result = period.result
        if result.template is None or not result.template.startswith(params["template"]):
            continue
        if result.template_p is not None and result.template_p <= params["p"]:
            words = {**period_words(period), "template": result.template, "n": f"{result.template_hits}"}
            return [
                Reading(
                    seen(result.claim == "claim"),
                    value=result.period_s,
                    unit="s",
                    at=_spots(case, period),
                    words=words,
                    strength=result.template_p,
                )
            ]
    best = best_period(case)
    if best is not None and best.result.claim == "claim":
        return [Reading(State.PASS, at=_spots(case, best), words={**period_words(best), "n": "0"})]
    return []


def write_period(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The device's own write bursts repeat, with the trouble's period where that has one."""
    best = best_period(case)
    wanted = best.result.period_s if best and best.result.claim != "none" else None
    readings = []
    for series in case.wal_series("write_time_ratio"):
        if not series.timed:
            continue
        mask, covers, ts = within_logs(case, series)
        spikes = write_spikes(case, series)
        if len(spikes) < params["least"] or not mask.any():
            continue
        result = analyse_period(spikes, float(covers[mask][0]), float(ts[mask][-1]), series_tested=4)
        if result.claim != "claim" or result.period_s is None:
            continue
        if wanted is not None and abs(result.period_s / wanted - 1.0) > PERIOD_TOLERANCE:
            continue
        spots = _sample_spots(series, spikes)
        words = {
            "device": series.subject,
            "period": wording.duration(result.period_s),
            "hit": f"{result.cycles_hit}",
            "cycles": f"{result.cycles}",
        }
        readings.append(
            Reading(
                State.FAIL,
                series.member,
                series.subject,
                result.period_s,
                "s",
                at=spots,
                words=words,
                strength=result.p_value,
            )
        )
    return readings


def _sample_spots(series: Any, spikes: Any) -> tuple[Spot, ...]:
    rows = np.searchsorted(series.covers_from_ns / 1e9, spikes[:3])
    return tuple((series.artifact, int(series.lines[min(row, len(series.lines) - 1)])) for row in rows)


def _spots(case: Case, period: TroublePeriod) -> tuple[Spot, ...]:
    if period.rows is not None:
        return case.spots(period.rows)
    return tuple(spot for change in case.unplanned[:3] for spot in change.spots[:1])
