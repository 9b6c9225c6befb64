"""The strip chart: when things happened, one character per time bin, readable without colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzer.model.diagnosis import ArtifactView, TimelineEntry
from analyzer.report.view_types import LaneView, StripView
from analyzer.report.wording import NS_PER_S, duration, moment, span

MAX_BINS = 64
"""Fits beside the lane labels in 100 columns."""

_BIN_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)

_MARK_WIDTHS = tuple(seconds * NS_PER_S for seconds in _BIN_SECONDS if seconds >= 15)

_LANES: tuple[tuple[str, frozenset[str]], ...] = (
    ("fsync stalls", frozenset({"slow-fdatasync"})),
    ("late heartbeats", frozenset({"heartbeat-late", "server-overloaded", "tick-missed"})),
    (
        "elections",
        frozenset(
            {
                "election-started",
                "became-pre-candidate",
                "became-candidate",
                "became-leader",
                "leader-elected",
                "leader-changed",
                "leader-lost",
                "leader-stepped-down",
                "leadership-transferred",
            }
        ),
    ),
    (
        "slow requests",
        frozenset({"apply-slow", "request-slow", "trace-slow", "readindex-slow"}),
    ),
    ("client errors", frozenset({"client-error", "readindex-timeout", "too-many-requests"})),
    (
        "peer trouble",
        frozenset(
            {
                "peer-inactive",
                "peer-stream-lost",
                "peer-unhealthy",
                "raft-message-dropped",
                "rejected-connection",
                "cluster-id-mismatch",
            }
        ),
    ),
    ("starts, stops", frozenset({"server-started", "server-stopping", "server-panic"})),
    (
        "maintenance",
        frozenset({"compaction-finished", "defrag-started", "defrag-finished", "snapshot-saved"}),
    ),
    ("alarms, damage", frozenset({"quota-exceeded", "alarm-raised", "data-corrupt", "wal-damaged"})),
)


def build_strip(timeline: Sequence[TimelineEntry], artifacts: Iterable[ArtifactView]) -> StripView | None:
    """Count the story's lines per lane and bin; None when the story holds nothing a lane shows.

    A bin no log covers is blank: silence because nobody wrote is not silence because nothing happened.
    """
    of_lane = {kind: number for number, (_, kinds) in enumerate(_LANES) for kind in kinds}
    marks = [(entry.at_ns, of_lane[entry.kind]) for entry in timeline if entry.kind in of_lane]
    if not marks:
        return None
    covered = _log_spans(artifacts)
    start_ns, end_ns = _extent([at for at, _ in marks], covered)
    bin_ns = _bin_width(start_ns, end_ns)
    origin = start_ns - start_ns % bin_ns
    bins = (end_ns - origin) // bin_ns + 1
    silent = _silence(covered, origin, bin_ns, bins)
    lanes = tuple(
        _lane(label, [(at - origin) // bin_ns for at, lane in marks if lane == number], silent)
        for number, (label, _) in enumerate(_LANES)
        if any(lane == number for _, lane in marks)
    )
    return StripView(lanes, _axis(origin, bin_ns, bins), span(start_ns, end_ns), _legend(bin_ns, silent))


def _log_spans(artifacts: Iterable[ArtifactView]) -> list[tuple[int, int]]:
    """Spans of the files that tell events (those whose facts count events)."""
    return sorted(
        (row.first_ns, row.last_ns)
        for row in artifacts
        if "events" in row.facts and row.first_ns is not None and row.last_ns is not None
    )


def _extent(marks: list[int], covered: list[tuple[int, int]]) -> tuple[int, int]:
    """From the first to the last mark, plus a margin of quiet time where logs reach that far.

    A margin shows that the trouble began and ended; whole quiet weeks would only squeeze it.
    """
    first, last = min(marks), max(marks)
    margin = max((last - first) // 10, 60 * NS_PER_S)
    start_ns = min([first] + [max(begin, first - margin) for begin, end in covered if end >= first - margin])
    end_ns = max([last] + [min(end, last + margin) for begin, end in covered if begin <= last + margin])
    return start_ns, end_ns


def _bin_width(start_ns: int, end_ns: int) -> int:
    """The narrowest round bin with which the whole span fits; days are doubled beyond the table."""
    widths = [seconds * NS_PER_S for seconds in _BIN_SECONDS]
    for width in widths:
        if (end_ns // width) - (start_ns // width) < MAX_BINS:
            return width
    width = widths[-1]
    while (end_ns // width) - (start_ns // width) >= MAX_BINS:
        width *= 2
    return width


def _silence(covered: list[tuple[int, int]], origin: int, bin_ns: int, bins: int) -> str:
    """One character per bin: ``.`` where a log covers any part of it, blank where none does."""
    if not covered:
        return "." * bins
    cells = [" "] * bins
    for first, last in covered:
        for number in range(max(0, (first - origin) // bin_ns), min(bins, (last - origin) // bin_ns + 1)):
            cells[number] = "."
    return "".join(cells)


def _lane(label: str, hits: list[int], silent: str) -> LaneView:
    cells = list(silent)
    for number in sorted(set(hits)):
        times = hits.count(number)
        cells[number] = str(times) if times < 10 else "#"
    return LaneView(label, "".join(cells), len(hits))


def _axis(origin: int, bin_ns: int, bins: int) -> str:
    """Marks such as ``|01:00Z`` at round times, far enough apart not to touch."""
    fitting = (width for width in _MARK_WIDTHS if width >= 11 * bin_ns and width % bin_ns == 0)
    mark_ns = next(fitting, 16 * bin_ns)
    axis = ""
    for number in range(bins):
        at = origin + number * bin_ns
        if at % mark_ns == 0:
            axis = axis.ljust(number) + f"|{_mark(at, mark_ns)}"
    return axis


def _mark(at_ns: int, mark_ns: int) -> str:
    at = moment(at_ns)
    if at is None:
        return ""
    if mark_ns < 60 * NS_PER_S:
        return f"{at:%H:%M:%S}Z"
    return f"{at:%H:%M}Z" if mark_ns < 43_200 * NS_PER_S else f"{at:%m-%d %H}Z"


def _legend(bin_ns: int, silent: str) -> str:
    blank = ", blank = no log covers it" if " " in silent else ""
    return f"1 column = {duration(bin_ns / NS_PER_S)}; digit = log lines, # = 10 or more, . = none{blank}"
