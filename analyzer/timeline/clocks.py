"""Every time stamp to UTC. The rules, in order, for stamps without an offset:

1. the stamp's own offset (nothing to do);
2. a wrapper that knows UTC around the same lines (CRI, docker), rounded to the quarter hour;
3. ``--tz FILE=ZONE``;
4. UTC is assumed, and the report says so.

Stamps without a year (syslog, klog) take it from dated lines of the same file, then of the bundle, then
``--year`` (the year of the newest line), then from the file's modification time; December before January is
the year before.
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
from analyzer.timeline.years import YEARLESS_END_NS, Years, years_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

SECOND = 1_000_000_000
MAX_OFFSET = timedelta(hours=18)
"""The real ones end at +14:00 (Kiribati) and -12:00; more is a typing error."""


def zone_of(text: str) -> ZoneInfo | timedelta:
    """A ``--tz`` value: an IANA name or an offset such as ``+08:00``.

    Raises:
        UsageError: when it is neither.
    """
    digits = text[1:].replace(":", "")
    if text[:1] in ("+", "-") and digits.isdecimal() and len(digits) in (2, 4):
        size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
        if size <= MAX_OFFSET:
            return -size if text[0] == "-" else size
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = "use a name like Europe/Paris or an offset like +08:00"
        raise UsageError(f"--tz: {text!r} is no time zone; {hint}") from error


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
        self.years: dict[int, Years] = {}
        self._reference = self._bundle_reference()

    def settle(self) -> None:
        """Decide every artifact's clock and set its first and last time in UTC.

        Raises:
            UsageError: when a ``--tz`` names a file that is not there, or no time zone.
        """
        for key, value in self.tz.items():
            zone_of(value)
            if not any(override_for(artifact.path, {key: value}) for artifact in self.artifacts):
                raise UsageError(f"--tz: no file of the bundle is called {key!r}; `etcd-doctor inspect` lists them")
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
            self._settle_year(artifact)
        if naive:
            self.shifts[artifact.index], artifact.clock = self._zone(artifact, first)
        else:
            names = sum(part.first_ns is not None for part in segments) and log is None
            how = "stamps carry an offset or an epoch" if names else "explicit in every stamp"
            artifact.clock = Clock("UTC", how)
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

    def _settle_year(self, artifact: Artifact) -> None:
        log = artifact.log
        yearless = [second for second in (log.seconds if log else ()) if second * SECOND < YEARLESS_END_NS]
        if not yearless:
            return
        anchor, source = self._year_anchor(artifact)
        years = self.years[artifact.index] = years_of(yearless, int(anchor.timestamp()), self.year is not None)
        told = f"{years.newest - 1} and {years.newest}" if years.boundary_ns is not None else f"{years.newest}"
        artifact.problems.append(f"stamps carry no year: {told} taken from {source}")

    def _year_anchor(self, artifact: Artifact) -> tuple[datetime, str]:
        if self.year is not None:
            return datetime(self.year, 12, 31, tzinfo=UTC), "--year"
        log = artifact.log
        own = [second for second in (log.seconds if log else ()) if second * SECOND >= YEARLESS_END_NS]
        if own:
            return datetime.fromtimestamp(max(own), UTC), "dated lines of the same file"
        if self._reference:
            return datetime.fromtimestamp(self._reference / SECOND, UTC), "other files of the bundle"
        modified = self.mtimes.get(artifact.index)
        if modified:
            moment = datetime.fromtimestamp(modified / SECOND, UTC)
            return moment, "the file's modification time (set --year to be sure)"
        return datetime(1970, 12, 31, tzinfo=UTC), "nothing (set --year)"

    def _bundle_reference(self) -> int:
        """Latest dated moment of the bundle, 0 when there is none."""
        known = [part.last_ns or 0 for parts in self.timed.values() for part in parts]
        known += [artifact.last_ns or 0 for artifact in self.artifacts]
        return max((ns for ns in known if ns >= YEARLESS_END_NS), default=0)

    def _span(self, artifact: Artifact, segments: list[Parsed]) -> None:
        shift = self.shifts.get(artifact.index, 0)
        spans = [
            (ns + (shift if part.naive_time else 0))
            for part in segments
            for ns in (part.first_ns, part.last_ns)
            if ns is not None
        ]
        if artifact.log is not None and artifact.first_ns is not None and artifact.last_ns is not None:
            busy = self.log_seconds(artifact)
            spans += [int(busy[0]) * SECOND, int(busy[-1]) * SECOND]
            if artifact.index not in self.years:  # the exact ends, not their seconds
                moved = shift if self._mostly_naive(artifact) else 0
                spans[-2:] = [artifact.first_ns + moved, artifact.last_ns + moved]
        if spans:
            artifact.first_ns, artifact.last_ns = min(spans), max(spans)

    def shift_events(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The event rows in UTC (a new frame)."""
        frame = frame.copy()
        timed = frame["ts_ns"] != NO_TIME
        yearless = timed & (frame["ts_ns"] < YEARLESS_END_NS)
        for index, years in self.years.items() if yearless.any() else ():
            mine = yearless & (frame["artifact"] == index)
            frame.loc[mine, "ts_ns"] = years.move(frame.loc[mine, "ts_ns"].to_numpy())
        moved = timed & frame["naive"]
        if moved.any():
            frame.loc[moved, "ts_ns"] += frame.loc[moved, "artifact"].map(self.shifts).fillna(0).astype("int64")
        return frame

    def log_seconds(self, artifact: Artifact) -> NDArray[np.int64]:
        """The UTC seconds in which the artifact's log has lines, ascending."""
        import numpy as np

        log = artifact.log
        seconds = np.array(sorted(log.seconds) if log else [], dtype=np.int64)
        yearless = seconds < YEARLESS_END_NS // SECOND
        years = self.years.get(artifact.index)
        if years is not None:
            seconds[yearless] = years.move(seconds[yearless] * SECOND) // SECOND
        shift = self.shifts.get(artifact.index, 0) // SECOND
        seconds[yearless] += shift
        if self._mostly_naive(artifact):
            seconds[~yearless] += shift
        return np.unique(seconds)

    def _mostly_naive(self, artifact: Artifact) -> bool:
        """Whether the dated stamps of a log lack a zone: JSON and klog lines of one file differ in it."""
        log = artifact.log
        if log is None:
            return False
        dated = sum(log.seconds.values()) - log.yearless_lines
        return 2 * (log.naive_lines - log.yearless_lines) > dated

    def series_shift(self, artifact: int) -> int:
        """Nanoseconds to add to the samples of an artifact."""
        naive = any(part.naive_time for part in self.timed.get(artifact, []))
        return self.shifts.get(artifact, 0) if naive else 0


def _offset_name(offset_seconds: int) -> str:
    sign = "-" if offset_seconds < 0 else "+"
    hours, rest = divmod(abs(offset_seconds), 3600)
    return f"{sign}{hours:02d}:{rest // 60:02d}" if offset_seconds else "UTC"
