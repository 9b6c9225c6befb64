"""Every time stamp to UTC. The rules, in order, for stamps without an offset:

1. the stamp's own offset (nothing to do);
2. a wrapper that knows UTC around the same lines (CRI, docker), rounded to the quarter hour;
3. ``--tz FILE=ZONE``;
4. UTC is assumed, and the report says so.

Stamps without a year (syslog, klog) take it from dated lines of the same file, then of the bundle, then
``--year``, then from the file's modification time; December lines before January ones get the year before.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from analyzer.errors import UsageError
from analyzer.model.artifact import Artifact
from analyzer.model.events import NO_TIME
from analyzer.model.line import Clock, Parsed
from analyzer.parsers.etcd_log.stamps import NO_YEAR

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

SECOND = 1_000_000_000
_YEARLESS_END = int(datetime(NO_YEAR + 1, 1, 1, tzinfo=UTC).timestamp()) * SECOND


def zone_of(text: str) -> ZoneInfo | timedelta:
    """A ``--tz`` value: an IANA name or an offset such as ``+08:00``.

    Raises:
        UsageError: when it is neither.
    """
    if text[:1] in "+-" and len(text) in (5, 6):
        digits = text[1:].replace(":", "")
        if digits.isdigit() and len(digits) == 4:
            size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
            return -size if text[0] == "-" else size
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"--tz: {text!r} is no time zone; use a name like Europe/Paris or an offset like +08:00") from error


def offset_ns(zone: ZoneInfo | timedelta, at_ns: int) -> int:
    """What to subtract from a local stamp (given as if UTC) to get UTC."""
    if isinstance(zone, timedelta):
        return int(zone.total_seconds()) * SECOND
    local = datetime.fromtimestamp(at_ns / SECOND, UTC).replace(tzinfo=zone)
    offset = local.utcoffset() or timedelta(0)
    return int(offset.total_seconds()) * SECOND


def override_for(path: str, overrides: Mapping[str, str]) -> str | None:
    """The value of the first override whose key is the path, its base name, or a glob of it."""
    for key, value in overrides.items():
        if path == key or path.rsplit("/", 1)[-1] == key or fnmatch.fnmatch(path, key):
            return value
    return None


class Clocks:
    """Decides the clock of every artifact, once, and shifts what is naive."""

    def __init__(self, artifacts: Sequence[Artifact], timed: Mapping[int, list[Parsed]], tz: Mapping[str, str],
                 year: int | None, mtimes: Mapping[int, int]) -> None:  # fmt: skip
        self.artifacts = artifacts
        self.timed = timed
        self.tz = tz
        self.mtimes = mtimes
        self.year = year
        self.shifts: dict[int, int] = {}
        """Nanoseconds to add to the naive stamps of an artifact."""
        self.year_shifts: dict[int, int] = {}
        self._reference = self._bundle_reference()

    def settle(self) -> None:
        """Decide every artifact's clock and set its first and last time in UTC."""
        for artifact in self.artifacts:
            self._settle(artifact)

    def _settle(self, artifact: Artifact) -> None:
        log = artifact.log
        segments = self.timed.get(artifact.index, [])
        naive = bool(log and log.naive_lines) or any(part.naive_time for part in segments)
        dated = (log is not None and bool(log.seconds)) or any(part.first_ns is not None for part in segments)
        if not dated:
            return
        first = self._first(artifact, segments)
        if log is not None and log.yearless_lines:
            self._settle_year(artifact, first)
        if naive:
            self.shifts[artifact.index], artifact.clock = self._zone(artifact, first)
        else:
            names = sum(part.first_ns is not None for part in segments) and log is None
            artifact.clock = Clock("UTC", "explicit in every stamp" if not names else "stamps carry an offset or an epoch")
        self._span(artifact, segments)

    def _first(self, artifact: Artifact, segments: list[Parsed]) -> int:
        known = [part.first_ns for part in segments if part.first_ns is not None]
        if artifact.first_ns is not None:
            known.append(artifact.first_ns)
        return min(known, default=0)

    def _zone(self, artifact: Artifact, first: int) -> tuple[int, Clock]:
        stated = override_for(artifact.path, self.tz)
        if stated is not None:
            return -offset_ns(zone_of(stated), first), Clock(stated, "--tz")
        log = artifact.log
        if log is not None and log.offset_seconds is not None:
            return -log.offset_seconds * SECOND, Clock(_offset_name(log.offset_seconds), log.offset_source or "wrapper")
        return 0, Clock("UTC", "assumed: the stamps carry no zone", assumed=True)

    def _settle_year(self, artifact: Artifact, first: int) -> None:
        anchor, source = self._year_anchor(artifact)
        stamp = datetime.fromtimestamp(first / SECOND, UTC)
        year = anchor.year
        if self.year is None and stamp.replace(year=_leap_safe(stamp, year)) > anchor + timedelta(days=31):
            year -= 1
        moved = stamp.replace(year=_leap_safe(stamp, year))
        self.year_shifts[artifact.index] = int((moved - stamp).total_seconds()) * SECOND
        artifact.problems.append(f"stamps carry no year: {year} taken from {source}")

    def _year_anchor(self, artifact: Artifact) -> tuple[datetime, str]:
        if self.year is not None:
            return datetime(self.year, 12, 31, tzinfo=UTC), "--year"
        log = artifact.log
        own = [second for second in (log.seconds if log else ()) if second * SECOND >= _YEARLESS_END]
        if own:
            return datetime.fromtimestamp(max(own), UTC), "dated lines of the same file"
        if self._reference:
            return datetime.fromtimestamp(self._reference / SECOND, UTC), "other files of the bundle"
        modified = self.mtimes.get(artifact.index)
        if modified:
            return datetime.fromtimestamp(modified / SECOND, UTC), "the file's modification time (set --year to be sure)"
        return datetime(1970, 12, 31, tzinfo=UTC), "nothing (set --year)"

    def _bundle_reference(self) -> int:
        """Latest dated moment of the bundle, 0 when there is none."""
        known = [part.last_ns or 0 for parts in self.timed.values() for part in parts]
        known += [artifact.last_ns or 0 for artifact in self.artifacts]
        return max((ns for ns in known if ns >= _YEARLESS_END), default=0)

    def _span(self, artifact: Artifact, segments: list[Parsed]) -> None:
        shift = self.shifts.get(artifact.index, 0)
        spans = [
            (ns + (shift if part.naive_time else 0))
            for part in segments
            for ns in (part.first_ns, part.last_ns)
            if ns is not None
        ]
        if artifact.log is not None and artifact.first_ns is not None and artifact.last_ns is not None:
            for ns in (artifact.first_ns, artifact.last_ns):
                moved = ns + (self.year_shifts.get(artifact.index, 0) if ns < _YEARLESS_END else 0)
                spans.append(moved + (shift if artifact.log.naive_lines else 0))
        if spans:
            artifact.first_ns, artifact.last_ns = min(spans), max(spans)

    def shift_events(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The event rows in UTC (a new frame)."""
        frame = frame.copy()
        timed = frame["ts_ns"] != NO_TIME
        yearless = timed & (frame["ts_ns"] < _YEARLESS_END)
        if yearless.any():
            frame.loc[yearless, "ts_ns"] += frame.loc[yearless, "artifact"].map(self.year_shifts).fillna(0).astype("int64")
        moved = timed & frame["naive"]
        if moved.any():
            frame.loc[moved, "ts_ns"] += frame.loc[moved, "artifact"].map(self.shifts).fillna(0).astype("int64")
        return frame

    def log_seconds(self, artifact: Artifact) -> NDArray[np.int64]:
        """The UTC seconds in which the artifact's log has lines, ascending."""
        import numpy as np

        log = artifact.log
        seconds = np.array(sorted(log.seconds) if log else [], dtype=np.int64)
        yearless = seconds < _YEARLESS_END // SECOND
        seconds[yearless] += self.year_shifts.get(artifact.index, 0) // SECOND
        if log is not None and log.naive_lines:
            seconds += self.shifts.get(artifact.index, 0) // SECOND
        return np.unique(seconds)

    def series_shift(self, artifact: int) -> int:
        """Nanoseconds to add to the samples of an artifact."""
        naive = any(part.naive_time for part in self.timed.get(artifact, []))
        return self.shifts.get(artifact, 0) if naive else 0


def _leap_safe(stamp: datetime, year: int) -> int:
    """A year in which the stamp's date exists (29 February falls back to the leap year before)."""
    if (stamp.month, stamp.day) == (2, 29):
        while year % 4 or (year % 100 == 0 and year % 400):
            year -= 1
    return year


def _offset_name(offset_seconds: int) -> str:
    sign = "-" if offset_seconds < 0 else "+"
    hours, rest = divmod(abs(offset_seconds), 3600)
    return f"{sign}{hours:02d}:{rest // 60:02d}" if offset_seconds else "UTC"
