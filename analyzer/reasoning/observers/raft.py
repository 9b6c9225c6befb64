"""Elections and restarts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.model.finding import Window
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.elections import LeaderChange
from analyzer.reasoning.observers.log_events import absent, summarise
from analyzer.reasoning.reading import Reading, Spot, seen


def unplanned_elections(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Leader changes nobody asked for, one per term."""
    changes = case.unplanned
    if not changes:
        return absent(case, params)
    return [_of_changes(changes, seen(len(changes) >= params.get("fail", 2)))]


def planned_changes(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Leader moves and stops an operator or a graceful shutdown made; seen only when they explain every change."""
    planned = [change for change in case.changes if change.kind == "planned"]
    signs = case.rows(params["events"])
    if len(signs) == 0:
        return absent(case, params)
    unplanned = len(case.unplanned)
    if unplanned > len(planned):
        return [Reading(State.PASS, value=0.0, at=case.spots(signs), words={"n": "0"})]
    reading = summarise(case, signs, State.WARN)
    return [reading]


def leader_flapping(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A member loses and finds the leader, or campaigns in vain, without a matching number of elections."""
    rows = case.rows(("leader-lost", "became-pre-candidate", "became-candidate"))
    outside = ~(case.in_plan(rows) | case.inside(rows["ts_ns"].to_numpy() / 1e9, case.starting))
    rows = rows[outside]
    per_member = rows.groupby("who").size()
    elections = len(case.unplanned)
    if len(per_member) == 0 or int(per_member.max()) < params["least"] + 2 * elections:
        return absent(case, params, len(rows))
    worst = str(per_member.idxmax())
    return [summarise(case, rows[rows["who"] == worst], seen(int(per_member.max()) >= params["fail"]))]


def unclean_restarts(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A member starts again inside its log without having been told to stop."""
    starts = case.rows(("server-started",))
    stops = case.rows(("signal-received", "server-stopping", "server-stopped"))
    readings = []
    for member in sorted({w for w in starts["who"] if w} | ({""} if (starts["who"] == "").any() else set())):
        mine = starts[(starts["who"] == member) & starts["timed"]]
        unclean = _unclean(case, mine["ts_ns"].to_numpy() / 1e9, stops, member)
        if unclean.any():
            chosen = mine[unclean]
            readings.append(summarise(case, chosen, seen(int(unclean.sum()) >= params.get("fail", 2))))
    return readings or absent(case, params)


def _unclean(case: Case, starts: Any, stops: Any, member: str) -> Any:
    """Which starts (distinct, more than 5 s apart) follow earlier lines of the member without a stop between."""
    first = _first_line_s(case, member)
    ends = stops.loc[(stops["who"] == member) & stops["timed"], "ts_ns"].to_numpy() / 1e9
    unclean = np.zeros(len(starts), dtype=bool)
    previous = first
    for index, start in enumerate(starts):
        if previous is not None and start - previous > 5.0:
            told = ((ends >= previous) & (ends <= start)).any()
            unclean[index] = not told and start - (first or start) > 5.0
        previous = start
    return unclean


def _first_line_s(case: Case, member: str) -> float | None:
    spans = [span.start_ns for span in case.timeline.logs if (span.member or "") == member]
    return min(spans) / 1e9 if spans else None


def members_stall_together(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Several members' fdatasync stalls overlap in time: storage they share, or the same job on every host."""
    stalls = case.stalls
    dated = stalls[stalls["timed"]]
    members = sorted({w for w in dated["who"] if w})
    if len(members) < 2:
        return []
    starts, ends = case.intervals(dated)
    episodes = case.merge(starts, ends, params.get("gap_s", 5.0))
    together = 0
    for begin, finish in zip(episodes.starts, episodes.ends, strict=True):
        inside = (starts <= finish) & (ends >= begin)
        together += len(set(dated["who"].to_numpy()[inside])) >= 2
    share = together / len(episodes)
    words = {"n": f"{together}", "total": f"{len(episodes)}", "members": wording.names(members)}
    state = seen(together >= params["fail"]) if together >= params["least"] and share >= 0.5 else State.PASS
    return [Reading(state, value=float(together), unit="episodes", at=case.spots(dated), words=words)]


def _of_changes(changes: tuple[LeaderChange, ...], state: State) -> Reading:
    dated = [change.at_s for change in changes if change.at_s is not None]
    window = Window(int(min(dated) * 1e9), int(max(dated) * 1e9)) if dated else None
    spots: list[Spot] = [spot for change in changes[:3] for spot in change.spots[:1]]
    words = {"n": f"{len(changes)}", "elections": wording.plural(len(changes), "unplanned leader change")}
    return Reading(state, value=float(len(changes)), unit="elections", window=window, at=tuple(spots), words=words)
