"""Pressure stall information: ``/proc/pressure/{io,cpu,memory}``, once or again and again.

``total`` is microseconds of stall since boot, ``avg10/60/300`` are percent over the last 10, 60, 300 s
(Documentation/accounting/psi.rst, Linux). The text does not say which resource it is about: the file's name
or a line naming it does.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, ClassVar

from analyzer.model.line import Line, Parsed
from analyzer.model.series import Series
from analyzer.parsers.report_samples import ReportSamples, ReportTimes
from analyzer.parsers.timed_blocks import TimedBlocks

_ROW = re.compile(
    r"^\s*(?:/proc/pressure/)?(?:(io|cpu|memory)(?:\.pressure)?:\s*)?"
    r"(some|full) avg10=(\d+\.\d+) avg60=(\d+\.\d+) avg300=(\d+\.\d+) total=(\d{1,20})\s*$"
)
_NAME = re.compile(
    r"^\s*(?:(?:==>|#|=+|-+)\s*)?(?:\S*/)?(?:pressure/(io|cpu|memory)|(io|cpu|memory)\.pressure)\b[\s=:<-]*$"
)
_MICRO = 1e-6
_UNNAMED = "the text does not say which resource this pressure is of (io, cpu or memory)"


class Psi:
    """Pressure of one or several resources."""

    format: ClassVar[str] = "psi"
    takes_lead: ClassVar[bool] = True
    """The line right before the first one may be fed first: it holds the time and belongs to nobody else."""

    def __init__(self) -> None:
        self._resource = ""
        self._blocks: dict[str, TimedBlocks] = {}
        self._stamp_text: str | None = None
        self._averages: dict[str, dict[str, dict[str, float]]] = {}
        self._understood = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is a row of pressure or names such a file."""
        return bool(_ROW.match(text) if "avg10=" in text else "pressure" in text and _NAME.match(text))

    def feed(self, line: Line) -> bool:
        """Consume one line; a time stamp line right before the first row is taken too."""
        text = line.text
        if not text.strip():
            return True
        if row := _ROW.match(text):
            self._row(line, row)
        elif name := _NAME.match(text):
            self._resource = name[1] or name[2]
        elif TimedBlocks().stamp(text):
            self._stamp_text = text
            for blocks in self._blocks.values():
                blocks.stamp(text)
        else:
            return False
        self._understood += 1
        return True

    def _row(self, line: Line, row: re.Match[str]) -> None:
        resource = row[1] or self._resource
        blocks = self._blocks.get(resource)
        if blocks is None:
            blocks = self._blocks[resource] = TimedBlocks()
            if self._stamp_text is not None:
                blocks.stamp(self._stamp_text)
        blocks.put(line, row[2], float(row[6]))
        self._averages.setdefault(resource, {})[row[2]] = {
            "avg10_percent": float(row[3]),
            "avg60_percent": float(row[4]),
            "avg300_percent": float(row[5]),
            "total_s": float(row[6]) * _MICRO,
        }

    def finish(self) -> Parsed:
        """Everything understood so far; the last averages of each resource as facts."""
        series: list[Series] = []
        ends: list[int] = []
        naive = False
        for resource, blocks in sorted(self._blocks.items()):
            times, resolved = blocks.times()
            if times.timed:
                series.extend(_shares(resource, blocks, times))
                ends.extend(times.end_ns)
                naive = naive or resolved.naive
        facts: dict[str, Any] = {name or "unnamed": rows for name, rows in sorted(self._averages.items())}
        problems = [_UNNAMED] if "" in self._blocks else []
        return Parsed(
            format=self.format,
            understood=self._understood if self._blocks else 0,
            facts={"pressure": facts},
            series=tuple(series),
            first_ns=min(ends, default=None),
            last_ns=max(ends, default=None),
            naive_time=naive,
            timed=bool(ends),
            problems=tuple(problems),
        )


def _shares(resource: str, blocks: TimedBlocks, times: ReportTimes) -> tuple[Series, ...]:
    """Share of each interval in which some task stalled; none where the counter fell (a reboot)."""
    table = ReportSamples()
    for report, (before, after) in enumerate(pairwise(blocks.snapshots), start=1):
        seconds = (times.end_ns[report] - times.end_ns[report - 1]) * 1e-9
        earlier, later = before.values.get("some"), after.values.get("some")
        if not resource or seconds <= 0 or earlier is None or later is None or later < earlier:
            continue
        share = min(1.0, (later - earlier) * _MICRO / seconds)
        table.add(f"psi_{resource}_some_ratio", "", report, share, after.line)
    return table.series(times)
