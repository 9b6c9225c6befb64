"""Statistical results several observers and the report share: periods of trouble, coincidence with disk writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analyzer.detectors.coincidence import Coincidence, coincidence
from analyzer.detectors.periodicity import PeriodResult, analyse_period
from analyzer.detectors.spikes import flag_spikes, stalled_samples
from analyzer.model.series import Series
from analyzer.reasoning.case import SECOND, Case, Episodes

if TYPE_CHECKING:
    import pandas as pd

TIERS = (
    ("fdatasync stalls", ("slow-fdatasync",)),
    ("leader changes", ()),
    ("late heartbeats", ("heartbeat-late",)),
)
"""Tested apart: two periods in one stream hide each other (5-min compaction under a 2-h flush)."""
FEWEST_EVENTS = 3
MIN_SPAN_S = 60.0


@dataclass(frozen=True, slots=True)
class TroublePeriod:
    """The period of one kind of trouble."""

    subject: str
    result: PeriodResult
    rows: pd.DataFrame | None


@dataclass(frozen=True, slots=True)
class Met:
    """Coincidence of one member's trouble with one device's writes."""

    subject: str
    member: str | None
    series: Series
    result: Coincidence
    episodes: Episodes
    tested: int
    """How many devices of the member were tried: the p-value to trust is p * tested."""

    @property
    def p_value(self) -> float:
        """p corrected for the number of series tested."""
        return min(1.0, self.result.p_value * self.tested)


def periods(case: Case) -> tuple[TroublePeriod, ...]:
    """Every tier of trouble tested for a period, in the order of TIERS."""
    if "periods" not in case.memo:
        case.memo["periods"] = tuple(_periods(case))
    found: tuple[TroublePeriod, ...] = case.memo["periods"]
    return found


def _periods(case: Case) -> list[TroublePeriod]:
    span = case.span_s
    if span is None or span[1] - span[0] < MIN_SPAN_S:
        return []
    found = []
    for subject, kinds in TIERS:
        if kinds:
            rows = case.rows(kinds)
            rows = rows[rows["timed"]]
            rows = rows[~case.inside(rows["ts_ns"].to_numpy() / SECOND, case.planned)]
            times, ends = rows["start_ns"].to_numpy() / SECOND, rows["ts_ns"].to_numpy() / SECOND
        else:
            rows, ends = None, None
            times = np.array([c.at_s for c in case.unplanned if c.at_s is not None])
        if len(times) >= FEWEST_EVENTS:
            found.append(
                TroublePeriod(subject, analyse_period(times, span[0], span[1], tiers=len(TIERS), ends=ends), rows)
            )
    return found


def best_period(case: Case) -> TroublePeriod | None:
    """The surest period: a claim before a suspicion, more cycles before fewer."""
    order = {"claim": 2, "suspected": 1, "none": 0}
    ranked = sorted(
        periods(case),
        key=lambda p: (order[p.result.claim], p.result.cycles_hit, -p.result.p_value),
        reverse=True,
    )
    return ranked[0] if ranked else None


def within_logs(case: Case, series: Series) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]:
    """(mask, covers_from, ts) of the samples inside the time the logs cover, seconds.

    What comes after the logs end is often the operator's own fio run: not the incident.
    """
    ts, covers = series.ts_ns / SECOND, series.covers_from_ns / SECOND
    span = case.span_s
    if span is None:
        return np.ones(len(ts), dtype=bool), covers, ts
    return (ts >= span[0] - 1.0) & (covers <= span[1] + 60.0), covers, ts


def coincidences(case: Case) -> tuple[Met, ...]:
    """Each member's trouble against the write time of its WAL device (or of every written device)."""
    if "coincidences" not in case.memo:
        case.memo["coincidences"] = tuple(_coincidences(case))
    found: tuple[Met, ...] = case.memo["coincidences"]
    return found


def _coincidences(case: Case) -> list[Met]:
    series = [s for s in case.wal_series("write_time_ratio") if s.timed and float(np.nansum(s.values)) > 0]
    found = []
    for one in series:
        episodes, subject = stall_episodes(case, one.member)
        if len(episodes) == 0:
            continue
        mask, covers, ts = within_logs(case, one)
        common = _common_period(case)
        result = coincidence(
            episodes.starts,
            episodes.ends,
            ts[mask],
            covers[mask],
            one.values[mask],
            stalled=_stalled(case, one, mask),
            common_period_s=common,
        )
        tested = sum(other.member == one.member for other in series)
        found.append(Met(subject, one.member, one, result, episodes, tested))
    return sorted(found, key=lambda met: (not met.result.usable, met.result.p_value, -met.result.hits))


def stall_episodes(case: Case, member: str | None) -> tuple[Episodes, str]:
    """The member's fdatasync stalls as episodes; its whole trouble when it logged none."""
    rows = case.stalls[case.stalls["timed"]]
    mine = rows[(rows["who"] == member) | (rows["who"] == "")] if member else rows
    subject = "fdatasync stalls"
    if len(mine) >= FEWEST_EVENTS:
        starts, ends = case.intervals(mine)
        return case.merge(starts, ends, _gap(case)), subject
    everyone = case.trouble_of(None)
    return everyone, "episodes of trouble"


def _gap(case: Case) -> float:
    """Episodes of a short capture lie closer together than those of a day."""
    span = case.span_s
    return 45.0 if span is None or span[1] - span[0] > 3600 else 10.0


def _stalled(case: Case, series: Series, mask: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    util, writes = case.aligned(series, "util_ratio"), case.aligned(series, "write_iops")
    if util is None or writes is None:
        return None
    return stalled_samples(util[mask] * 100.0, np.nan_to_num(writes[mask]))


def _common_period(case: Case) -> float | None:
    best = best_period(case)
    return best.result.period_s if best is not None and best.result.claim == "claim" else None


def write_spikes(case: Case, series: Series) -> NDArray[np.float64]:
    """Begin times of write-time spikes, seconds."""
    mask, covers, ts = within_logs(case, series)
    flags = flag_spikes(ts[mask], series.values[mask])
    return np.asarray(covers[mask][flags])
