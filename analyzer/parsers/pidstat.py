"""``pidstat`` text (-d, -u, -r, -w and their combinations, with and without -h): who writes, who burns CPU.

Columns by header name. Without ``-h`` the reports of one second come as stacked tables and the header's own
clock is the START of the interval; lines are stamped with its END. Old ``-h`` prints epoch seconds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any, ClassVar

from analyzer.model.line import Line, Parsed
from analyzer.parsers.quantities import number
from analyzer.parsers.report_samples import ReportSamples, report_times
from analyzer.parsers.stamps import PrintedDate, read_date, read_stamp, resolve

KEPT_PROCESSES = 40
"""Kept by mean writes and by mean CPU; etcd always."""
_COLUMNS = {
    # sysstat's kB is 1024 bytes (sysstat rd_stats.h: sectors / 2).
    "kB_wr/s": ("proc_write_bytes_s", 1024.0),
    "kB_rd/s": ("proc_read_bytes_s", 1024.0),
    "%CPU": ("proc_cpu_ratio", 0.01),
    "%wait": ("proc_wait_ratio", 0.01),
}
_BANNER = re.compile(r"^Linux \S{1,80} \((?P<host>[^)]{0,200})\)\s+(?P<date>\S+(?: \S+){0,2}?)\s+_")
_HEADER = re.compile(r"^(?:#\s*Time|\d{1,2}:\d\d:\d\d(?: [AP]M)?|#)\s.*\bPID\b.*\bCommand\s*$")
_ROW_CLOCK = re.compile(r"^(\d{1,2}:\d\d:\d\d(?: [AaPp][Mm])?|\d{9,11})\s+(.*)$")
_MOST_PROCESSES = 100_000


class Pidstat:
    """Text output of pidstat."""

    format: ClassVar[str] = "pidstat"
    takes_lead: ClassVar[bool] = True
    """The line right before the first one may be fed first: it holds the time and belongs to nobody else."""

    def __init__(self) -> None:
        self._columns: list[str] = []
        self._host: str | None = None
        self._date: PrintedDate | None = None
        self._clocks: list[str] = []
        self._values: dict[tuple[str, str], list[tuple[int, float, int]]] = defaultdict(list)
        self._understood = 0
        self._rejected = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is a header of pidstat (the banner alone is shared with iostat and sar)."""
        return "Command" in text and bool(_HEADER.match(text))

    def feed(self, line: Line) -> bool:
        """Consume one line. Also takes the ``Linux ...`` banner, for its date."""
        text = line.text.rstrip()
        if not text.strip() or text.startswith("Average:"):
            return True
        head = _BANNER.match(text)
        if head:
            if self._columns:
                return False
            self._host, self._date = head["host"], read_date(head["date"])
            self._understood += 1
            return True
        if _HEADER.match(text):
            self._columns = _names(text)
            self._understood += 1
            return True
        return bool(self._columns) and self._row(line, text)

    def _row(self, line: Line, text: str) -> bool:
        found = _ROW_CLOCK.match(text)
        if not found:
            return False
        width = len(self._columns)
        cells = found[2].split(None, width - 1)
        if len(cells) != width or read_stamp(found[1]) is None:
            self._rejected += 1
            return True
        row = dict(zip(self._columns, cells, strict=True))
        if not row["PID"].isdigit() or row["Command"].startswith("|__"):
            self._rejected += 0 if row["Command"].startswith("|__") or row["PID"] == "-" else 1
            return True
        self._understood += 1
        self._keep(row, self._report(found[1]), line.number)
        return True

    def _report(self, clock: str) -> int:
        if not self._clocks or self._clocks[-1] != clock:
            self._clocks.append(clock)
        return len(self._clocks) - 1

    def _keep(self, row: dict[str, str], report: int, line: int) -> None:
        subject = f"{row['Command'].split()[0].rsplit('/', 1)[-1][:60]}[{row['PID']}]"
        if len(self._values) > _MOST_PROCESSES:
            return
        for column, (metric, factor) in _COLUMNS.items():
            value = number(row[column].rstrip("%")) if column in row else None
            if value is None or value < 0:
                # -1.00 means "may not read": the process belongs to another user.
                continue
            self._values[metric, subject].append((report, value * factor, line))

    def _kept(self) -> set[str]:
        kept: set[str] = set()
        for metric in ("proc_write_bytes_s", "proc_cpu_ratio"):
            sums = {
                who: sum(value for _, value, _ in rows) for (what, who), rows in self._values.items() if what == metric
            }
            busiest = sorted(sums, key=lambda who: (-sums[who], who))[:KEPT_PROCESSES]
            kept.update(who for who in busiest if sums[who] > 0)
        return kept | {who for _, who in self._values if who.startswith("etcd[")}

    def finish(self) -> Parsed:
        """Everything understood so far."""
        resolved = resolve([read_stamp(clock) for clock in self._clocks], self._date)
        times = report_times(resolved.times_ns)
        kept = self._kept()
        table = ReportSamples()
        for (metric, who), rows in self._values.items():
            for report, value, line in rows if who in kept else ():
                table.add(metric, who, report, value, line)
        timed = times.timed and bool(self._clocks)
        problems = [resolved.assumption] if resolved.assumption else []
        if self._clocks and not timed:
            problems.append("pidstat without its banner line has no date: its samples have no place in time")
        return Parsed(
            format=self.format,
            understood=self._understood,
            rejected=self._rejected,
            facts=self._facts(kept, timed),
            series=table.series(times),
            first_ns=min(times.from_ns) if timed else None,
            last_ns=max(times.end_ns) if timed else None,
            naive_time=timed and resolved.naive,
            timed=timed,
            problems=tuple(problems),
        )

    def _facts(self, kept: set[str], timed: bool) -> dict[str, Any]:
        reports = max(1, len(self._clocks))
        processes: dict[str, dict[str, Any]] = {}
        for (metric, who), rows in sorted(self._values.items()):
            if who in kept:
                values = [value for _, value, _ in rows]
                # The mean is over the capture: pidstat leaves idle processes out of a report.
                processes.setdefault(who, {})[metric] = {"mean": sum(values) / reports, "max": max(values)}
        seen = {who for _, who in self._values}
        return {
            "hostname": self._host,
            "reports": len(self._clocks),
            "processes_seen": len(seen),
            "timestamped": timed,
            "processes": processes,
        }


def _names(text: str) -> list[str]:
    """Column names after the clock: ``# Time`` or the clock of the interval's start."""
    return re.sub(r"^(?:#\s*Time|\d{1,2}:\d\d:\d\d(?: [AP]M)?|#)\s+", "", text).split()
