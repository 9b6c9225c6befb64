"""--since, --until, --member: the part of a timeline the user asks about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyzer.errors import UsageError
from analyzer.model.series import Series
from analyzer.model.timeline import LogSpan, Timeline


def narrow(timeline: Timeline, since_ns: int | None, until_ns: int | None, member: str | None) -> Timeline:
    """The timeline cut to a window and to one member; undated records stay, they cannot be placed.

    Raises:
        UsageError: when the member is not in the bundle, naming those that are.
    """
    if since_ns is None and until_ns is None and member is None:
        return timeline
    names = [entry.name for entry in timeline.members]
    if member is not None and member not in names:
        raise UsageError(f"--member: {member!r} is not in the bundle; it has {', '.join(names) or 'no named member'}")
    low = since_ns if since_ns is not None else -(2**62)
    high = until_ns if until_ns is not None else 2**62
    frame = timeline.events.frame
    keep = ~frame["timed"] | ((frame["ts_ns"] >= low) & (frame["start_ns"] <= high))
    if member is not None:
        keep &= frame["who"].isin([member, ""])
    events = replace(timeline.events, frame=frame[keep].reset_index(drop=True))
    series = tuple(part for s in timeline.series if (part := _cut(s, low, high, member)) is not None)
    logs = tuple(cut for span in timeline.logs if (cut := _cut_span(span, low, high, member)) is not None)
    members = tuple(m for m in timeline.members if member is None or m.name == member)
    return replace(timeline, events=events, series=series, logs=logs, members=members)


def _cut(series: Series, low: int, high: int, member: str | None) -> Series | None:
    if member is not None and series.member not in (member, None):
        return None
    if not series.timed:
        return series
    keep = (series.ts_ns >= low) & (series.covers_from_ns <= high)
    if not bool(np.any(keep)):
        return None
    return replace(
        series,
        ts_ns=series.ts_ns[keep],
        values=series.values[keep],
        covers_from_ns=series.covers_from_ns[keep],
        lines=series.lines[keep],
    )


def _cut_span(span: LogSpan, low: int, high: int, member: str | None) -> LogSpan | None:
    if member is not None and span.member not in (member, None):
        return None
    start, end = max(span.start_ns, low), min(span.end_ns, high)
    return replace(span, start_ns=start, end_ns=end) if end > start else None
