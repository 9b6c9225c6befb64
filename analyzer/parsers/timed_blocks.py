"""Snapshots of a small kernel file taken again and again: a time stamp line, then the file, and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analyzer.model.line import Line
from analyzer.parsers.report_samples import ReportTimes, report_times
from analyzer.parsers.stamps import Resolved, Stamp, read_stamp, resolve

_FRAME = re.compile(r"^(?:[#=\-\s]*)(?:TS\s+)?(.*?)(?:[=\-#\s]*)$")


@dataclass(slots=True)
class Snapshot:
    """One reading of the file: number by key, the line it starts at."""

    line: int
    stamp: Stamp | None
    values: dict[str, float] = field(default_factory=dict)


class TimedBlocks:
    """Splits lines into snapshots: at every stamp, and where a key comes again."""

    def __init__(self) -> None:
        self.snapshots: list[Snapshot] = []
        self._pending: Stamp | None = None
        self._stamped = False

    def stamp(self, text: str) -> bool:
        """Take a line that is a time stamp, framed or not; False when it is none."""
        stamp = stamp_of(text)
        if stamp is None:
            return False
        self._pending = stamp
        self._stamped = True
        return True

    def put(self, line: Line, key: str, value: float) -> None:
        """Take one number of the current snapshot."""
        if not self.snapshots or self._stamped or key in self.snapshots[-1].values:
            stamp = self._pending
            if stamp is None and line.when_ns is not None:
                stamp = Stamp(None, "ymd", line.when_ns, 0, is_epoch=True)
            self.snapshots.append(Snapshot(line.number, stamp))
            self._pending, self._stamped = None, False
        self.snapshots[-1].values[key] = value

    def times(self) -> tuple[ReportTimes, Resolved]:
        """When the snapshots were taken."""
        resolved = resolve([snapshot.stamp for snapshot in self.snapshots])
        return report_times(resolved.times_ns), resolved


def stamp_of(text: str) -> Stamp | None:
    """The time stamp a line holds: bare, ``TS <epoch> <iso>``, ``=== ... ===``; None without one."""
    found = _FRAME.match(text) if len(text) < 120 else None
    if not found or not found[1]:
        return None
    inner = found[1]
    return read_stamp(inner) or read_stamp(inner.split()[0])
