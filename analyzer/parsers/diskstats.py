"""Series of /proc/diskstats snapshots, with any of the usual separators between them, or one snapshot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

from analyzer.model.line import Line, Parsed
from analyzer.parsers.device_facts import DeviceFacts
from analyzer.parsers.disk_counters import IN_FLIGHT, NAMES, History, is_damaged_row, read_row
from analyzer.parsers.report_samples import SECOND_NS, ReportTimes, report_times
from analyzer.parsers.stamps import Stamp, read_stamp, resolve

if TYPE_CHECKING:
    from analyzer.model.series import Series

_SEPARATORS: Final = (
    re.compile(r"#{1,6}\s*(?P<stamp>\S.*)"),
    re.compile(r"TS\s+\d+(?:\.\d+)?\s+(?P<stamp>\d{4}-\S+(?:\s\S+)?)"),
    re.compile(r"TS\s+(?P<stamp>\d+(?:\.\d+)?)(?:\s+\S+){0,2}"),
    re.compile(r"zzz\s*\*{3}\s*(?P<stamp>\S.*)"),
    re.compile(r"={2,}\s*(?P<stamp>\S.*?)\s*={2,}"),
    re.compile(r"-{2,}\s*(?P<stamp>[^-\s].*?)\s*-{2,}"),
)
_LONGEST_STAMP_LINE: Final = 80
_RESTARTS_SAID: Final = 5
CAPTURE_COMMAND: Final = "for i in $(seq 60); do date -u '+### %FT%T.%3NZ'; cat /proc/diskstats; sleep 1; done"


class DiskstatsParser:
    """Line parser of /proc/diskstats, one snapshot or many.

    Series: every disk metric two snapshots can give, per device that did any I/O. Counter decreases that
    are no wrap-around (device replaced, host rebooted) leave a gap. Facts: ``devices`` as for iostat.
    """

    format: ClassVar[str] = "diskstats"

    def __init__(self) -> None:
        self._devices: dict[str, History] = {}
        self._in_snapshot: set[str] = set()
        self._stamps: list[Stamp | None] = []
        self._when: list[int | None] = []
        self._next_stamp: Stamp | None = None
        self._new_snapshot = True
        self._understood = 0
        self._rejected = 0

    @staticmethod
    def starts(text: str) -> bool:
        """A row of counters (not the seven-column one), or a separator that holds a whole time stamp."""
        lead = text.lstrip()[:4]
        if lead[:1].isdigit():
            row = read_row(text)
            return row is not None and len(row[1]) > IN_FLIGHT
        if lead[:2] in ("##", "# ", "TS", "zz", "==") or lead[:3] == "---":
            return _read_separator(text) is not None
        return False

    @staticmethod
    def leads_in(text: str) -> bool:
        """Whether this line may stand before a segment and belong to it: a separator or a bare time stamp."""
        return _read_separator(text) is not None or _bare_stamp(text) is not None

    def feed(self, line: Line) -> bool:
        """Consume one line; False when it is neither a row, a separator nor blank."""
        text = line.text
        if not text.strip():
            self._new_snapshot = True
            return True
        row = read_row(text)
        if row is not None:
            self._put(*row, line)
            return True
        stamp = _read_separator(text) or _bare_stamp(text)
        if stamp is not None:
            self._next_stamp, self._new_snapshot = stamp, True
            self._understood += 1
            return True
        if self._devices and is_damaged_row(text):
            self._rejected += 1
            return True
        return False

    def finish(self) -> Parsed:
        """Everything understood so far."""
        if not self._devices:
            return Parsed(format=self.format, facts=self._facts({}, None))
        resolved = resolve(self._stamps)
        stamps, naive = resolved.times_ns, resolved.naive
        if not any(t is not None for t in stamps) and any(t is not None for t in self._when):
            stamps, naive = tuple(self._when), False
        times = report_times(stamps)
        problems = [resolved.assumption] if resolved.assumption and times.timed else []
        series, devices, restarts = self._difference(times)
        problems += self._explain(times, restarts)
        return Parsed(
            format=self.format,
            understood=self._understood,
            rejected=self._rejected,
            facts=self._facts(devices, times),
            series=series,
            first_ns=times.end_ns[0] if times.timed else None,
            last_ns=times.end_ns[-1] if times.timed else None,
            naive_time=times.timed and naive,
            timed=times.timed,
            problems=tuple(problems),
        )

    def _put(self, name: str, counters: tuple[int, ...], line: Line) -> None:
        if self._new_snapshot or name in self._in_snapshot:
            self._in_snapshot.clear()
            self._stamps.append(self._next_stamp)
            self._when.append(line.when_ns)
            self._next_stamp, self._new_snapshot = None, False
        self._in_snapshot.add(name)
        history = self._devices.get(name)
        if history is None:
            history = self._devices[name] = History(len(counters))
        if history.add(len(self._stamps) - 1, line.number, counters):
            self._understood += 1
        else:
            self._rejected += 1

    def _difference(
        self, times: ReportTimes
    ) -> tuple[tuple[Series, ...], dict[str, DeviceFacts], list[tuple[int, str]]]:
        """Series and facts of all devices, and (line, device) of every restart."""
        from analyzer.parsers.disk_intervals import device_intervals, lifetime_means

        series: list[Series] = []
        devices: dict[str, DeviceFacts] = {}
        restarts: list[tuple[int, str]] = []
        for name, history in self._devices.items():
            found = device_intervals(name, history, times)
            series += found.series
            restarts += [(line, name) for line in found.restarts]
            facts = devices[name] = DeviceFacts()
            if history.snapshots[0] == 0:
                facts.add(0, lifetime_means(history))
            facts.add(1, found.second)
            facts.add(2, found.highest)
        series.sort(key=lambda s: (s.metric, s.subject))
        return tuple(series), devices, sorted(restarts)

    def _explain(self, times: ReportTimes, restarts: list[tuple[int, str]]) -> list[str]:
        said = [
            f"line {line}: counters of {name} went backwards (device or host restarted): interval left out"
            for line, name in restarts[:_RESTARTS_SAID]
        ]
        if len(restarts) > len(said):
            said.append(f"{len(restarts) - len(said)} more intervals left out for the same reason")
        if len(self._stamps) == 1:
            said.append(
                "one snapshot holds only totals since boot, which cannot show an incident; "
                f"capture a series with `{CAPTURE_COMMAND}`"
            )
        elif not times.timed:
            said.append(
                "no time stamps between the snapshots: taken as one second apart, so rates may be wrong by a "
                f"constant factor and cannot be aligned with logs; capture with `{CAPTURE_COMMAND}`"
            )
        return said

    def _facts(self, devices: dict[str, DeviceFacts], times: ReportTimes | None) -> dict[str, Any]:
        count = len(self._stamps)
        widths = {name: history.width for name, history in self._devices.items()}
        facts: dict[str, Any] = {
            "hostname": None,
            "snapshots": count,
            "reports": max(count - 1, 0),
            "first_is_since_boot": True,
            "only_since_boot": count == 1,
            "timestamped": times is not None and times.timed,
            "has_latency": any(width > IN_FLIGHT for width in widths.values()),
            "has_flush": any(width == len(NAMES) for width in widths.values()),
            "devices": {},
        }
        if times is not None and times.timed and count > 1:
            facts["interval_s"] = times.step_ns / SECOND_NS
        for name, device in devices.items():
            shown = device.facts(first_is_since_boot=True)
            # Unlike iostat the file prints no averages: the lifetime means are no maximum of anything.
            shown["max"] = shown["interval_max"] or shown["max"]
            facts["devices"][name] = shown | {"columns": list(NAMES[: widths[name]])}
        return facts


def _read_separator(text: str) -> Stamp | None:
    if len(text) > _LONGEST_STAMP_LINE:
        return None
    for pattern in _SEPARATORS:
        found = pattern.fullmatch(text.strip())
        stamp = read_stamp(found["stamp"]) if found else None
        if stamp is not None and (stamp.parts is not None or stamp.is_epoch):
            return stamp
    return None


def _bare_stamp(text: str) -> Stamp | None:
    """A line that is nothing but a date with time, or an epoch."""
    stamp = read_stamp(text) if len(text) <= _LONGEST_STAMP_LINE else None
    return stamp if stamp is not None and (stamp.parts is not None or stamp.is_epoch) else None
