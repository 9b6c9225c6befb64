"""Compaction and defragmentation: were they slow, and did trouble fall into them?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import SECOND, Case, each
from analyzer.reasoning.observers.log_events import absent, summarise
from analyzer.reasoning.reading import Reading, seen

AFTER_S = 5.0
"""A defrag locks the backend (server/storage/backend/backend.go Defrag@v3.5.9); what queued drains in seconds."""


def defrag_windows(case: Case) -> NDArray[np.float64]:
    """(n, 2) seconds of every defrag: from its start line to its end line, or ts - took where only the end is there."""
    begun, done = case.rows(("defrag-started",)), case.rows(("defrag-finished",))
    windows = []
    for row in each(done[done["timed"]]):
        earlier = begun[(begun["who"] == row.who) & begun["timed"] & (begun["ts_ns"] <= row.ts_ns)]
        start = earlier["ts_ns"].iloc[-1] if len(earlier) else row.start_ns
        windows.append((start / SECOND, row.ts_ns / SECOND + AFTER_S))
    orphans = begun[begun["timed"]] if done.empty else begun.iloc[0:0]
    windows += [(ts / SECOND, ts / SECOND + 60.0) for ts in orphans["ts_ns"]]
    return np.array(windows).reshape(-1, 2)


def compaction_windows(case: Case, least_s: float) -> NDArray[np.float64]:
    """(n, 2) seconds of every compaction that took at least ``least_s``."""
    rows = case.rows(("compaction-finished",))
    rows = rows[rows["timed"] & (rows["took_s"] >= least_s)]
    return np.column_stack([rows["start_ns"] / SECOND, rows["ts_ns"] / SECOND + 1.0]).reshape(-1, 2)


def trouble_in_maintenance(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Most trouble falls into the windows of compactions or defrags, far more than their share of the time."""
    defrag, compaction = defrag_windows(case), compaction_windows(case, params["compaction_s"])
    windows = np.concatenate([defrag, compaction])
    if len(windows) == 0:
        return absent(case, params)
    rows = case.rows(params["trouble_events"])
    rows = rows[rows["timed"]]
    serious = rows[~(rows["took_s"] < params["serious_s"])]
    if len(serious) >= params["least"]:  # where there are long waits, the many short ones are background
        rows = serious
    times = rows["ts_ns"].to_numpy() / SECOND
    inside = case.inside(times, windows)
    if len(times) < params["least"]:
        return []
    share = float(inside.mean())
    span = case.span_s
    coverage = _length(windows) / max(1.0, span[1] - span[0]) if span else 1.0
    words = {
        "share": wording.percent(share),
        "n": f"{int(inside.sum()):,}",
        "total": f"{len(times):,}",
        "coverage": wording.percent(coverage),
        "what": "defragmentation" if len(defrag) else "compaction",
    }
    state = seen(share >= params["fail_share"]) if share >= params["share"] and coverage < 0.5 * share else State.PASS
    markers = case.rows(("defrag-started", "defrag-finished")) if len(defrag) else case.rows(("compaction-finished",))
    spots = case.spots(markers, 2) + case.spots(rows[inside] if state.seen else rows, 2)
    member = str(markers["who"].mode().iloc[0]) or None if len(markers) else None
    return [Reading(state, member, None, share, "ratio", at=spots, words=words)]


def _length(windows: NDArray[np.float64]) -> float:
    merged = Case.merge(windows[:, 0], windows[:, 1], 0.0)
    return float((merged.ends - merged.starts).sum())


def slow_compaction(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Scheduled compactions that take long."""
    rows = case.rows(("compaction-finished",))
    slow = rows[rows["took_s"] >= params["warn_s"]]
    if len(slow):
        return [summarise(case, slow, seen(bool((slow["took_s"] >= params["fail_s"]).any())))]
    if len(rows):
        return [
            Reading(
                State.PASS,
                value=float(rows["took_s"].max()),
                unit="s",
                at=case.spots(rows),
                words={"n": f"{len(rows)}"},
            )
        ]
    return []
