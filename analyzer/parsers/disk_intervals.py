"""What the rows of one device say of the time between them. Imports numpy: import this module lazily.

The kernel prints times and I/Os in flight as 32-bit numbers (block/genhd.c, ``diskstats_show``; sectors
and counts too on 32-bit hosts), so counters wrap. Any other decrease means the device or the host was
restarted: that interval says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyzer.model.series import Series
from analyzer.parsers.columns import SECTOR
from analyzer.parsers.disk_counters import IN_FLIGHT, NAMES, History
from analyzer.parsers.report_samples import SECOND_NS, ReportTimes

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_COLUMN: Final = {name: index for index, name in enumerate(NAMES)}
_HALF_32: Final = np.uint64(1 << 31)
_WRAP_32: Final = np.uint64(1 << 32)
_HALF_64: Final = np.uint64(1 << 63)
_MS: Final = 1000.0

_PER_SECOND: Final = (
    ("read_iops", "reads", 1.0),
    ("write_iops", "writes", 1.0),
    ("read_bytes_s", "sectors_read", SECTOR),
    ("write_bytes_s", "sectors_written", SECTOR),
    ("read_time_ratio", "read_ms", 1 / _MS),
    ("write_time_ratio", "write_ms", 1 / _MS),
    ("queue_length", "weighted_io_ms", 1 / _MS),
    ("util_ratio", "io_ms", 1 / _MS),
    ("discard_iops", "discards", 1.0),
    ("flush_iops", "flushes", 1.0),
)
_AWAITS: Final = (
    ("read_await_s", "read_ms", "reads"),
    ("write_await_s", "write_ms", "writes"),
    ("flush_await_s", "flush_ms", "flushes"),
)
_IOSTAT_NAMES: Final = {
    "read_iops": ("r/s", 1.0),
    "write_iops": ("w/s", 1.0),
    "flush_iops": ("f/s", 1.0),
    "discard_iops": ("d/s", 1.0),
    "read_bytes_s": ("rkB/s", 1 / 1024),
    "write_bytes_s": ("wkB/s", 1 / 1024),
    "read_await_s": ("r_await", _MS),
    "write_await_s": ("w_await", _MS),
    "flush_await_s": ("f_await", _MS),
    "queue_length": ("aqu-sz", 1.0),
    "util_ratio": ("%util", 100.0),
    "in_flight": ("in_flight", 1.0),
    "write_time_ratio": ("write_ms/s", _MS),
    "read_time_ratio": ("read_ms/s", _MS),
}


class DeviceIntervals(NamedTuple):
    """Everything the intervals of one device give."""

    series: tuple[Series, ...]
    second: dict[str, float]
    """The first interval, in iostat's column names and units."""
    highest: dict[str, float]
    """The maximum over all intervals, likewise."""
    restarts: tuple[int, ...]
    """Lines of the rows whose counters went backwards."""


def device_intervals(device: str, history: History, times: ReportTimes) -> DeviceIntervals:
    """Difference neighbouring snapshots of one device; a device that never did any I/O gives no series."""
    counters = np.array(history.counters, dtype=np.uint64).reshape(-1, history.width)
    snapshots = np.array(history.snapshots, dtype=np.int64)
    lines = np.array(history.lines, dtype=np.int64)[1:]
    ends = np.asarray(times.end_ns, dtype=np.int64)[snapshots]
    neighbours = (np.diff(snapshots) == 1) & (np.diff(ends) > 0)
    grown, restarted = _growth(counters)
    usable = neighbours & ~restarted
    dt_s = np.where(neighbours, np.diff(ends) / SECOND_NS, np.nan)

    found: list[Series] = []
    second: dict[str, float] = {}
    highest: dict[str, float] = {}
    for metric, values, defined in _metrics(grown, counters[1:], dt_s):
        keep = usable & defined
        if not keep.any():
            continue
        column, factor = _IOSTAT_NAMES[metric]
        highest[column] = float(values[keep].max()) * factor
        if keep[0] and snapshots[1] == 1:
            second[column] = float(values[0]) * factor
        if counters.any():
            found.append(
                Series(
                    metric=metric,
                    subject=device,
                    ts_ns=ends[1:][keep],
                    values=values[keep],
                    covers_from_ns=ends[:-1][keep],
                    lines=lines[keep],
                    timed=times.timed,
                )
            )
    return DeviceIntervals(tuple(found), second, highest, tuple(int(n) for n in lines[neighbours & restarted]))


def _growth(counters: NDArray[np.uint64]) -> tuple[Floats, Flags]:
    """Growth per interval and counter, wrap-around included, and which intervals saw a restart.

    A wrap is only believed when the old value was in the upper half of its range and the new one is in
    the lower half. Unsigned subtraction is already right for 64-bit counters.
    """
    before, after = counters[:-1], counters[1:]
    fell = after < before
    wrap_32 = fell & (before >= _HALF_32) & (before < _WRAP_32) & (after < _HALF_32)
    wrap_64 = fell & (before >= _HALF_64) & (after < _HALF_64)
    grown = np.where(wrap_32, after + (_WRAP_32 - before), after - before)
    unexplained = fell & ~wrap_32 & ~wrap_64
    if unexplained.shape[1] > IN_FLIGHT:
        unexplained[:, IN_FLIGHT] = False
    return grown.astype(np.float64), np.asarray(unexplained.any(axis=1), dtype=np.bool_)


def _metrics(grown: Floats, after: NDArray[np.uint64], dt_s: Floats) -> Iterator[tuple[str, Floats, Flags]]:
    """Metric, its values, and where it is defined.

    A device that completed nothing has no await: it is undefined there, while util, queue and in-flight
    still are defined (a stalled device looks exactly like that).
    """
    width = grown.shape[1]
    always = np.ones(len(grown), dtype=np.bool_)
    for metric, name, factor in _PER_SECOND:
        # Old partition rows hold no times; their read_ms column is only a placeholder.
        if _COLUMN[name] >= width or (name == "read_ms" and width <= IN_FLIGHT):
            continue
        values = grown[:, _COLUMN[name]] * factor / dt_s
        yield metric, (np.minimum(values, 1.0) if metric == "util_ratio" else values), always
    if width <= IN_FLIGHT:
        return
    in_flight = after[:, IN_FLIGHT]
    yield "in_flight", in_flight.astype(np.float64), in_flight < _HALF_32
    for metric, time_name, count_name in _AWAITS:
        if _COLUMN[time_name] >= width:
            continue
        count = grown[:, _COLUMN[count_name]]
        completed = count > 0
        yield metric, grown[:, _COLUMN[time_name]] / _MS / np.where(completed, count, 1.0), completed


def lifetime_means(history: History) -> dict[str, float]:
    """What the first row alone tells: mean times since boot (ms) and I/Os in flight, in iostat's columns."""
    row = history.counters[: history.width]
    if history.width <= IN_FLIGHT:
        return {}
    means: dict[str, float] = {}
    for metric, time_name, count_name in _AWAITS:
        if _COLUMN[time_name] < history.width and row[_COLUMN[count_name]] > 0:
            means[_IOSTAT_NAMES[metric][0]] = row[_COLUMN[time_name]] / row[_COLUMN[count_name]]
    if row[IN_FLIGHT] < int(_HALF_32):
        means["in_flight"] = float(row[IN_FLIGHT])
    return means
