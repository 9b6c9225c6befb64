"""Peers that cannot reach each other, and whether one member is at one end of every broken link."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.downtime import DOWN_S
from analyzer.reasoning.observers.log_events import absent, chosen, summarise
from analyzer.reasoning.reading import Reading, seen

if TYPE_CHECKING:
    import pandas as pd

LINK_EVENTS = (
    "rejected-connection",
    "peer-stream-lost",
    "peer-unhealthy",
    "peer-dial-failed",
    "peer-url-unreachable",
    "cluster-id-mismatch",
)


def peer_errors(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Link errors between peers that are not explained by a member that was stopped or restarting."""
    asked = _unexplained(case, chosen(case, params))
    rows = asked[~_maybe_down(case, asked)]
    count = int(rows["count"].sum())
    if count == 0 and len(asked):
        return []
    needed = params["least_complete"] if case.complete_logs else params["least"]
    if count < needed:
        return absent(case, params, count)
    return [summarise(case, rows, seen(count >= params["fail"]))]


def _unexplained(case: Case, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows outside the time any member was down: from its stop (or last line) to a while after its start."""
    windows = np.concatenate([case.down, _refused_windows(case)])
    times = rows["ts_ns"].to_numpy() / 1e9
    return rows[~(rows["timed"].to_numpy() & case.inside(times, windows))]


def _maybe_down(case: Case, rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Rows about a peer whose own log is missing and whose error does not say 'network': it may just have been down."""
    told = {span.member for span in case.timeline.logs if span.member}
    if rows.empty or not (case.complete_logs or len(told) >= 2):  # of one excerpt every peer's log is missing
        return np.zeros(len(rows), dtype=bool)
    names = case.timeline.events.names
    known = {member.id: member.name for member in case.timeline.members if member.id}
    silent = [code >= 0 and known.get(names[code], names[code]) not in told for code in rows["peer"].tolist()]
    network = rows.index.isin(case.with_error(rows, ("timeout", "unreachable", "dns")).index)
    return np.array(silent, dtype=bool) & ~network


def _refused_windows(case: Case) -> NDArray[np.float64]:
    """(n, 2) seconds around links refused for a stated reason: a certificate, a foreign cluster, a removed member.

    The streams that break there were broken by that, not by the network.
    """
    rows = case.with_error(case.rows(LINK_EVENTS), ("tls", "cert-expired", "cluster-id", "not-member"))
    times = np.unique(rows.loc[rows["timed"], "ts_ns"].to_numpy() // 10**10 * 10.0)
    return np.column_stack([times - DOWN_S, times + 10.0 + DOWN_S])


def one_peer(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """One member stands at one end of nearly every link error: its host or its link, not the whole network."""
    rows = _unexplained(case, chosen(case, params))
    rows = rows[(rows["peer"] >= 0) & (rows["who"] != "")]
    if len(rows) < params["least"] or rows["who"].nunique() < 2:
        return []
    names = case.timeline.events.names
    known = {member.id: member.name for member in case.timeline.members if member.id}
    touched: Counter[str] = Counter()
    for who, peer, count in zip(rows["who"], rows["peer"], rows["count"], strict=True):
        for name in {str(who), known.get(names[peer], names[peer])}:
            touched[name] += int(count)
    total = int(rows["count"].sum())
    best, hits = sorted(touched.items(), key=lambda item: (-item[1], item[0]))[0]
    if hits < params["share"] * total or sum(1 for value in touched.values() if value == hits) > 1:
        return []
    words = {"member": best, "n": f"{hits:,}", "total": f"{total:,}", "share": wording.percent(hits / total)}
    return [Reading(seen(False), best, None, hits / total, "ratio", at=case.spots(rows), words=words)]
