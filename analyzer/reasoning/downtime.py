"""When members were not running: told by their logs, by what their logs lack, and by /metrics."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from analyzer.model.facts import MetricScrape
from analyzer.model.timeline import Timeline

DOWN_S = 30.0
"""Peers complain of a stopped member until it is back and its streams are up: probes run every 30 s
(rafthttp ConnReadTimeout/probing interval, server/etcdserver/api/rafthttp/probing_status.go:26@v3.5.9)."""


def down_windows(timeline: Timeline) -> NDArray[np.float64]:
    """(n, 2) seconds in which some member was not running, padded."""
    stops = timeline.of("signal-received", "server-stopping", "server-panic", "oom-killed", "go-fatal")
    starts = timeline.of("server-started")
    begin = stops.loc[stops["timed"], "ts_ns"].to_numpy() / 1e9
    back = np.sort(starts.loc[starts["timed"], "ts_ns"].to_numpy() / 1e9)
    windows = []
    for stop in begin:
        later = back[back > stop]
        windows.append((stop - 2.0, (float(later[0]) if len(later) else stop + 3600.0) + DOWN_S))
    for start in back:
        windows.append((_silence_before(timeline, float(start)), start + DOWN_S))
    windows.extend((start - DOWN_S, start + DOWN_S) for start in _scraped_starts(timeline))
    return np.array(windows).reshape(-1, 2)


def _scraped_starts(timeline: Timeline) -> list[float]:
    """When /metrics says that a process started between two of its scrapes: its log need not be in the bundle."""
    scrapes: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for artifact in timeline.artifacts:
        for scrape in artifact.records:
            if not isinstance(scrape, MetricScrape) or scrape.at_ns is None or scrape.process_start_s is None:
                continue
            if artifact.member:
                scrapes[artifact.member].append((scrape.at_ns, scrape.process_start_s))
    found = []
    for known in scrapes.values():
        for (before_ns, one), (after_ns, two) in pairwise(sorted(known)):
            if two - one > 1.0 and before_ns / 1e9 - 1.0 <= two <= after_ns / 1e9 + 1.0:
                found.append(two)
    return found


def _silence_before(timeline: Timeline, start: float) -> float:
    """When the member that starts here was last heard: a killed member writes no last words."""
    rows = timeline.of("server-started")
    at = rows[(rows["ts_ns"] / 1e9 - start).abs() < 0.001]
    if at.empty:
        return start - 2.0
    span = next((s for s in timeline.logs if s.artifact == int(at["artifact"].iloc[0])), None)
    if span is None:
        return start - 2.0
    earlier = span.seconds[span.seconds < start - 1.0]
    return (float(earlier[-1]) if len(earlier) else start) - 2.0
