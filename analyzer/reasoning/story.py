"""Incidents with their causal chains, the impact in numbers, and the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.detectors.ordering import StageStart, order_edge, start_in_sample, start_of_event
from analyzer.model.diagnosis import ChainLink, Impact, Incident, TimelineEntry
from analyzer.model.finding import Cite, Window
from analyzer.reasoning import wording
from analyzer.reasoning.case import SECOND, Case, each
from analyzer.reasoning.judge import cites

if TYPE_CHECKING:
    import pandas as pd

STAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("fsync", ("slow-fdatasync",)),
    ("heartbeat", ("heartbeat-late",)),
    ("election", ("became-pre-candidate", "became-candidate", "election-started")),
    ("leader-change", ("leader-changed", "became-leader", "leader-elected")),
    (
        "client-error",
        ("request-timeout", "leader-changed-error", "no-leader-error", "readindex-timeout", "context-deadline"),
    ),
)
SLACK_S = 5.0
MAX_INCIDENTS = 200
MAX_TIMELINE = 400
LEAST_SPIKE = 0.4
"""Seconds of write time per second below which a device is not held up, whatever it usually does."""
SPIKE_SHARE = 0.5
"""A sample belongs to the disk stage when its write time is at least this share of the incident's peak."""

TIMELINE_EVENTS = (
    "server-started", "signal-received", "server-panic", "oom-killed", "data-corrupt", "alarm-raised", "alarm-cleared",
    "quota-exceeded", "slow-fdatasync", "became-leader", "leader-changed", "leader-lost", "leadership-transferred",
    "defrag-started", "defrag-finished", "peer-inactive", "peer-active", "readindex-timeout", "request-timeout",
    "leader-changed-error", "clock-drift", "cluster-id-mismatch",
)  # fmt: skip


def incidents(case: Case) -> tuple[Incident, ...]:
    """Every episode of trouble with its chain, in time order."""
    episodes = case.trouble
    found = []
    for begin, finish in list(zip(episodes.starts, episodes.ends, strict=True))[:MAX_INCIDENTS]:
        found.append(_incident(case, float(begin), float(finish)))
    return tuple(found)


def _incident(case: Case, begin: float, finish: float) -> Incident:
    links: list[ChainLink] = []
    starts: list[StageStart | None] = []
    members: set[str] = set()
    for stage, rows, start, spots in _stages(case, begin, finish):
        order = "unobserved" if start is None else _order(starts, start)
        starts.append(start)
        if rows is not None:
            members.update(w for w in rows["who"] if w)
        first = int(start.earliest * SECOND) if start else None
        last = (
            int(rows["ts_ns"].max())
            if rows is not None and len(rows)
            else (int(start.latest * SECOND) if start else None)
        )
        links.append(ChainLink(stage, first, last, order, cites(case, spots)))
    return Incident(
        Window(int(begin * SECOND), int(finish * SECOND)),
        tuple(sorted(members)),
        tuple(links),
        _summary(case, begin, finish),
    )


def _order(starts: list[StageStart | None], start: StageStart) -> str:
    """Against the latest stage before it that was observed."""
    previous = next((s for s in reversed(starts) if s is not None), None)
    return "ok" if previous is None else order_edge(previous, start)


def _stages(case: Case, begin: float, finish: float) -> list[tuple[str, Any, StageStart | None, Any]]:
    start, spots = _disk_stage(case, begin, finish)
    found: list[tuple[str, Any, StageStart | None, Any]] = [("disk", None, start, spots)]
    for stage, kinds in STAGES:
        rows = _within(case.rows(kinds), begin, finish)
        if stage == "leader-change":
            terms = {change.term for change in case.unplanned}
            rows = rows[rows["term"].isin(terms)]
        found.append((stage, rows, _first_start(case, stage, rows), case.spots(rows, 2)))
    return found


def _within(rows: pd.DataFrame, begin: float, finish: float) -> pd.DataFrame:
    end, start = rows["ts_ns"] / SECOND, rows["start_ns"] / SECOND
    return rows[rows["timed"] & (start <= finish + SLACK_S) & (end >= begin - SLACK_S)]


def _first_start(case: Case, stage: str, rows: pd.DataFrame) -> StageStart | None:
    """When the stage began, on the reference clock, as far as skew is known."""
    if not len(rows):
        return None
    best: StageStart | None = None
    for row in each(rows.head(200)):
        member = case.timeline.member(row.who)
        skew, half = (member.skew_s or 0.0, member.skew_half_width_s or 0.0) if member else (0.0, 0.0)
        took = row.took_s if row.took_s == row.took_s else 0.0
        if stage == "heartbeat" and row.value == row.value:
            took = row.value
        one = start_of_event(row.ts_ns / SECOND - skew, took if stage in ("fsync", "heartbeat") else 0.0, half)
        if best is None or one.earliest < best.earliest:
            best = one
    return best


def _disk_stage(case: Case, begin: float, finish: float) -> tuple[StageStart | None, tuple[tuple[int, int], ...]]:
    """The first sample of the incident in which a WAL device spent unusually long on writes."""
    best: tuple[float, StageStart, tuple[int, int]] | None = None
    for series in case.wal_series("write_time_ratio"):
        if not series.timed:
            continue
        ts, covers = series.ts_ns / SECOND, series.covers_from_ns / SECOND
        inside = np.flatnonzero((ts >= begin - SLACK_S) & (covers <= finish + SLACK_S) & np.isfinite(series.values))
        if not len(inside):
            continue
        usual = float(np.nanmedian(series.values))
        peak = float(series.values[inside].max())
        if peak < max(4.0 * usual, LEAST_SPIKE):
            continue
        first = next(i for i in inside.tolist() if series.values[i] >= SPIKE_SHARE * peak)
        start = start_in_sample(float(covers[first]), float(ts[first]))
        if best is None or start.earliest < best[0]:
            best = (start.earliest, start, (series.artifact, int(series.lines[first])))
    return (best[1], (best[2],)) if best else (None, ())


def _summary(case: Case, begin: float, finish: float) -> str:
    stalls = _within(case.stalls, begin, finish)
    late = _within(case.rows(("heartbeat-late",)), begin, finish)
    changes = [c for c in case.unplanned if c.at_s is not None and begin - SLACK_S <= c.at_s <= finish + SLACK_S]
    parts = []
    if len(stalls):
        parts.append(
            f"{wording.plural(len(stalls), 'fdatasync stall')} up to {wording.duration(float(stalls['took_s'].max()))}"
        )
    if len(late):
        parts.append(wording.plural(int(late["count"].sum()), "late heartbeat"))
    if changes:
        parts.append(wording.plural(len(changes), "leader change"))
    errors = _within(case.rows(STAGES[-1][1]), begin, finish)
    if len(errors):
        parts.append(wording.plural(int(errors["count"].sum()), "failed request"))
    return ", ".join(parts) or "trouble"


def impact(case: Case) -> Impact:
    """What the trouble cost, counted over the whole bundle."""
    stalls = case.stalls
    slow = case.rows(("apply-slow", "request-slow"))
    errors = case.rows(("request-timeout", "leader-changed-error", "no-leader-error", "health-check-failed"))
    sampled = any(caveat.code in ("sampled",) for caveat in case.timeline.caveats)
    elections = case.rows(("became-leader",))
    return Impact(
        leader_changes=len(case.unplanned),
        elections=len(elections),
        slow_fdatasync=int(stalls["count"].sum()),
        longest_fdatasync_s=_top(stalls),
        heartbeat_warnings=int(case.rows(("heartbeat-late",))["count"].sum()),
        slow_requests=int(slow["count"].sum()),
        slowest_request_s=_top(slow),
        client_errors=int(errors["count"].sum()),
        counts_are_lower_bounds=sampled,
    )


def _top(rows: pd.DataFrame) -> float | None:
    value = rows["took_s"].max() if len(rows) else float("nan")
    return float(value) if value == value else None


def timeline_entries(case: Case, titles: dict[str, str]) -> tuple[TimelineEntry, ...]:
    """The story in lines: rare events all, frequent ones thinned evenly to MAX_TIMELINE."""
    rows = case.rows(TIMELINE_EVENTS)
    rows = rows[rows["timed"]]
    if len(rows) > MAX_TIMELINE:
        per_kind = MAX_TIMELINE // max(1, rows["kind"].nunique())
        rank = rows.groupby("kind").cumcount()
        size = rows.groupby("kind")["kind"].transform("size")
        keep = (rank * per_kind) % size < per_kind
        rows = rows[keep | (size <= per_kind)]
    kinds = case.timeline.events.kinds
    entries = []
    for row in each(rows):
        kind = kinds[row.kind]
        text = titles.get(kind, kind)
        if row.took_s == row.took_s:
            text = f"{text}: {wording.duration(row.took_s)}"
        elif row.term >= 0:
            text = f"{text} (term {row.term})"
        path = case.timeline.artifacts[row.artifact].path
        entries.append(TimelineEntry(row.ts_ns, row.who or None, kind, text, Cite(path, row.line)))
    return tuple(entries)
