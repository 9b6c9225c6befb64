"""Peers that cannot reach each other, and whether one member is at one end of every broken link."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyzer.model.facts import MetricScrape
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
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
DOWN_S = 30.0
"""Peers complain of a stopped member until it is back and its streams are up: probes run every 30 s
(rafthttp ConnReadTimeout/probing interval, server/etcdserver/api/rafthttp/probing_status.go:26@v3.5.9)."""


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
    windows = np.concatenate([down_windows(case), _refused_windows(case)])
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


def down_windows(case: Case) -> Any:
    """(n, 2) seconds in which some member was not running, padded."""
    stops = case.rows(("signal-received", "server-stopping", "server-panic", "oom-killed", "go-fatal"))
    starts = case.rows(("server-started",))
    begin = stops.loc[stops["timed"], "ts_ns"].to_numpy() / 1e9
    back = np.sort(starts.loc[starts["timed"], "ts_ns"].to_numpy() / 1e9)
    windows = []
    for stop in begin:
        later = back[back > stop]
        windows.append((stop - 2.0, (float(later[0]) if len(later) else stop + 3600.0) + DOWN_S))
    for start in back:
        windows.append((_silence_before(case, float(start)), start + DOWN_S))
    windows.extend((start - DOWN_S, start + DOWN_S) for start in _scraped_starts(case))
    return np.array(windows).reshape(-1, 2)


def _scraped_starts(case: Case) -> list[float]:
    """When /metrics says that a process started between two of its scrapes: its log need not be in the bundle."""
    scrapes: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for artifact, scrape in case.records(MetricScrape):
        if artifact.member and scrape.at_ns is not None and scrape.process_start_s is not None:
            scrapes[artifact.member].append((scrape.at_ns, scrape.process_start_s))
    found = []
    for known in scrapes.values():
        for (before_ns, one), (after_ns, two) in pairwise(sorted(known)):
            if two - one > 1.0 and before_ns / 1e9 - 1.0 <= two <= after_ns / 1e9 + 1.0:
                found.append(two)
    return found


def _silence_before(case: Case, start: float) -> float:
    """When the member that starts here was last heard: a killed member writes no last words."""
    rows = case.rows(("server-started",))
    at = rows[(rows["ts_ns"] / 1e9 - start).abs() < 0.001]
    if at.empty:
        return start - 2.0
    span = next((s for s in case.timeline.logs if s.artifact == int(at["artifact"].iloc[0])), None)
    if span is None:
        return start - 2.0
    earlier = span.seconds[span.seconds < start - 1.0]
    return (float(earlier[-1]) if len(earlier) else start) - 2.0


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
