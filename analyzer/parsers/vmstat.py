"""``vmstat`` text (plain, -w, -t): run queue, blocked tasks, swapping, CPU shares.

Columns by header name (``st`` since procps 3.x, ``gu`` since procps-ng 4). The first row is the mean since
boot and is left out. Memory and swap columns are in kB unless -S says otherwise, which the output does not
show (vmstat(8), FIELD DESCRIPTION). Stamps of ``-t`` carry the zone's abbreviation in the header.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from analyzer.model.line import Line, Parsed
from analyzer.parsers.quantities import number
from analyzer.parsers.report_samples import ReportSamples, report_times
from analyzer.parsers.stamps import Stamp, read_stamp, resolve

_KB = 1024.0
_COLUMNS = {
    "r": ("run_queue", 1.0),
    "b": ("blocked_tasks", 1.0),
    "free": ("mem_free_bytes", _KB),
    "si": ("swap_in_bytes_s", _KB),
    "so": ("swap_out_bytes_s", _KB),
    "us": ("cpu_user_ratio", 0.01),
    "sy": ("cpu_system_ratio", 0.01),
    "id": ("cpu_idle_ratio", 0.01),
    "wa": ("cpu_iowait_ratio", 0.01),
    "st": ("cpu_steal_ratio", 0.01),
}
_TITLE = re.compile(r"^\s*-*procs-*\s+-+memory-+")
_NAMES = re.compile(r"^\s*r\s+b\s+swpd\s+free\s")
_ZONE = re.compile(r"[A-Z]{1,6}|[+-]\d\d(?:\d\d)?")
_UTC = frozenset({"UTC", "GMT", "UCT", "Z"})


class Vmstat:
    """Text output of vmstat."""

    format: ClassVar[str] = "vmstat"

    def __init__(self) -> None:
        self._names: list[str] = []
        self._zone: str | None = None
        self._stamps: list[Stamp | None] = []
        self._table = ReportSamples()
        self._maxima: dict[str, float] = {}
        self._sums: dict[str, float] = {}
        self._understood = 0
        self._rejected = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is one of the two header lines."""
        return bool(_NAMES.match(text) if "swpd" in text else "memory" in text and _TITLE.match(text))

    def feed(self, line: Line) -> bool:
        """Consume one line."""
        text = line.text
        if not text.strip():
            return True
        if _TITLE.match(text):
            self._understood += 1
            return True
        if _NAMES.match(text):
            self._header(text.split())
            return True
        cells = text.split()
        if not self._names or not cells[0].isdigit():
            return False
        self._row(line, cells)
        return True

    def _header(self, names: list[str]) -> None:
        self._understood += 1
        if len(names) > 4 and _ZONE.fullmatch(names[-1]):
            self._zone = names.pop()
        self._names = names

    def _row(self, line: Line, cells: list[str]) -> None:
        width = len(self._names)
        stamp = read_stamp(" ".join(cells[width:])) if len(cells) > width else None
        row = {name: number(cell) for name, cell in zip(self._names, cells, strict=False)}
        if len(cells) < width or (len(cells) > width and stamp is None) or None in row.values():
            self._rejected += 1
            return
        self._understood += 1
        report = len(self._stamps)
        if stamp is None and line.when_ns is not None:
            stamp = Stamp(None, "ymd", line.when_ns, 0, is_epoch=True)
        self._stamps.append(stamp)
        for name, (metric, factor) in _COLUMNS.items():
            value = row.get(name)
            if value is None:
                continue
            self._table.add(metric, "", report, value * factor, line.number)
            if report:
                self._maxima[metric] = max(self._maxima.get(metric, 0.0), value * factor)
                self._sums[metric] = self._sums.get(metric, 0.0) + value * factor

    def finish(self) -> Parsed:
        """Everything understood so far."""
        resolved = resolve(self._stamps)
        times = report_times(resolved.times_ns)
        reports = len(self._stamps)
        timed = times.timed and reports > 0
        return Parsed(
            format=self.format,
            understood=self._understood,
            rejected=self._rejected,
            facts=self._facts(reports, timed),
            series=self._table.series(times, skip_reports=1),
            first_ns=times.end_ns[0] if timed else None,
            last_ns=times.end_ns[-1] if timed else None,
            naive_time=timed and resolved.naive and (self._zone or "") not in _UTC,
            timed=timed,
        )

    def _facts(self, reports: int, timed: bool) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "reports": reports,
            "first_is_since_boot": True,
            "timestamped": timed,
            "zone": self._zone,
            "columns": self._names,
            "max": self._maxima,
        }
        if reports > 1:
            facts["mean"] = {metric: total / (reports - 1) for metric, total in self._sums.items()}
        return facts
