"""Elections, one per raft term, told apart: bootstrap, planned, unplanned.

A restarted member that merely learns who leads is not an election; the first election of a starting cluster is no
trouble; a change right after an operator's move-leader or a graceful stop is planned.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from analyzer.model.timeline import Timeline

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["bootstrap", "planned", "unplanned"]

LEADER_EVENTS = ("leader-changed", "leader-elected", "leader-lost", "became-leader")
PLANNED_EVENTS = (
    "signal-received",
    "server-stopping",
    "leadership-transfer-started",
    "leadership-transferred",
    "timeout-now",
)
BEFORE_S, AFTER_S = 2.0, 10.0
"""A planned move shows its election within seconds: transfer waits at most one election timeout
(etcdserver/server.go TransferLeadership@v3.5.9), then peers need one to notice a closed connection."""
UNDATED_LINES = 3
START_S = 15.0
"""A starting member elects or finds a leader within a few election timeouts; generous for slow starts."""


@dataclass(frozen=True, slots=True)
class LeaderChange:
    """One term with a new leader, or a leader lost and found again."""

    term: int
    at_s: float | None
    """First moment any member saw it, seconds; None when the lines carry no time."""
    kind: Kind
    leader: str | None
    spots: tuple[tuple[int, int], ...]
    members: tuple[str, ...]


def planned_windows(timeline: Timeline) -> NDArray[np.float64]:
    """(n, 2) seconds around every operator action the logs show."""
    return _windows(timeline.of(*PLANNED_EVENTS), BEFORE_S, AFTER_S)


def start_windows(timeline: Timeline) -> NDArray[np.float64]:
    """(n, 2) seconds after every server start."""
    return _windows(timeline.of("server-started"), 1.0, START_S)


def in_plan(timeline: Timeline, rows: pd.DataFrame, planned: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows fall into an operator's action.

    Undated rows (pastes that lost their dates) count when the same file shows an undated action at or above them.
    """
    dated = rows["timed"].to_numpy()
    inside = dated & _within(rows["ts_ns"].to_numpy() / 1e9, planned)
    if dated.all():
        return inside
    actions = timeline.of(*PLANNED_EVENTS)
    first = actions[~actions["timed"]].groupby("artifact")["line"].min()
    below = rows["line"].to_numpy() >= rows["artifact"].map(first).fillna(2**62).to_numpy() - UNDATED_LINES
    return inside | (~dated & below)


def _windows(rows: pd.DataFrame, before: float, after: float) -> NDArray[np.float64]:
    times = rows.loc[rows["timed"], "ts_ns"].to_numpy() / 1e9
    return np.column_stack([times - before, times + after])


def leader_changes(
    timeline: Timeline, planned: NDArray[np.float64], starting: NDArray[np.float64]
) -> tuple[LeaderChange, ...]:
    """All leader changes in time order; undated ones (bare pasted lines) come first and count as unplanned."""
    rows = timeline.of(*LEADER_EVENTS)
    by_term: dict[int, list[int]] = defaultdict(list)
    for position, term in enumerate(rows["term"].tolist()):
        by_term[term].append(position)
    kinds = timeline.events.kinds
    changes = []
    first = True
    for term in sorted(by_term):
        group = rows.iloc[by_term[term]]
        seen = {kinds[code] for code in group["kind"]}
        if term < 0 or not _is_change(seen, group, starting):
            continue
        changes.append(_change(timeline, term, group, planned, starting, first))
        first = False
    return tuple(sorted(changes, key=lambda c: (c.at_s is not None, c.at_s or 0.0, c.term)))


def _is_change(seen: set[str], group: pd.DataFrame, starting: NDArray[np.float64]) -> bool:
    """Whether the term's lines show a change, not a newcomer learning who leads."""
    if seen & {"leader-changed", "became-leader", "leader-lost"}:
        return True
    times = group.loc[group["timed"], "ts_ns"].to_numpy() / 1e9
    return not (len(times) and len(starting) and bool(_within(times, starting).all()))


def _within(times: NDArray[np.float64], windows: NDArray[np.float64]) -> NDArray[np.bool_]:
    if len(windows) == 0:
        return np.zeros(len(times), dtype=bool)
    hits = (times[:, None] >= windows[None, :, 0]) & (times[:, None] <= windows[None, :, 1])
    return np.asarray(hits.any(axis=1))


def _change(
    timeline: Timeline, term: int, group: pd.DataFrame, planned: NDArray[np.float64],
    starting: NDArray[np.float64], first: bool,
) -> LeaderChange:  # fmt: skip
    dated = group[group["timed"]]
    at_s = float(dated["ts_ns"].iloc[0]) / 1e9 if len(dated) else None
    kind: Kind = "unplanned"
    if at_s is not None:
        moment = np.array([at_s])
        if bool(_within(moment, planned)[0]):
            kind = "planned"
        elif first and bool(_within(moment, starting)[0]):
            kind = "bootstrap"
    elif bool(in_plan(timeline, group, planned).all()):
        kind = "planned"
    names = timeline.events.names
    leaders = [names[p] for p in group["peer"].tolist() if p >= 0]
    head = group.head(3)
    return LeaderChange(
        term,
        at_s,
        kind,
        leaders[-1] if leaders else None,
        tuple(zip(head["artifact"].tolist(), head["line"].tolist(), strict=True)),
        tuple(sorted({w for w in group["who"] if w})),
    )
