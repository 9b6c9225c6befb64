"""cgroup ``cpu.stat``: CPU bandwidth throttling, version 1 (nanoseconds) and 2 (microseconds).

Fields: Documentation/scheduler/sched-bwc.rst and Documentation/admin-guide/cgroup-v2.rst (Linux). All are
counters since the cgroup was made: one snapshot is a lifetime average, two give a rate. ``throttled_time``
is summed over CPUs, so a cgroup on several CPUs can be throttled for more than one second per second.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any, ClassVar

from analyzer.model.line import Line, Parsed
from analyzer.parsers.report_samples import ReportSamples, ReportTimes
from analyzer.parsers.timed_blocks import Snapshot, TimedBlocks

_FIELD = re.compile(
    r"^\s*(nr_periods|nr_throttled|throttled_time|throttled_usec|nr_bursts|burst_time|burst_usec"
    r"|usage_usec|user_usec|system_usec|nice_usec|core_sched\.force_idle_usec|wait_sum) (\d{1,20})\s*$"
)
_START = re.compile(r"^\s*(?:nr_periods|nr_throttled|throttled_time|throttled_usec|usage_usec) \d{1,20}\s*$")
_PATH = re.compile(r"^\s*(?:(?:==>|#|=+)\s*)?(/sys/fs/cgroup/\S*cpu\.stat)\b")


class CgroupCpuStat:
    """One cpu.stat, or a series of them with a time stamp before each."""

    format: ClassVar[str] = "cgroup-cpu-stat"
    takes_lead: ClassVar[bool] = True
    """The line right before the first one may be fed first: it holds the time and belongs to nobody else."""

    def __init__(self) -> None:
        self._blocks = TimedBlocks()
        self._path: str | None = None
        self._understood = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is a field of cpu.stat or names the file."""
        return bool(_START.match(text) or ("cpu.stat" in text and _PATH.match(text)))

    def feed(self, line: Line) -> bool:
        """Consume one line; a time stamp line right before the first field is taken too."""
        text = line.text
        if not text.strip():
            return True
        found = _FIELD.match(text)
        if found:
            self._blocks.put(line, found[1], float(found[2]))
        elif path := _PATH.match(text):
            if self._path not in (None, path[1]):
                return False
            self._path = path[1]
        elif not self._blocks.stamp(text):
            return False
        self._understood += 1
        return True

    def finish(self) -> Parsed:
        """Everything understood so far."""
        snapshots = self._blocks.snapshots
        times, resolved = self._blocks.times()
        table = ReportSamples()
        for report, (before, after) in enumerate(pairwise(snapshots), start=1):
            _rates(table, report, before, after, times)
        timed = times.timed and bool(snapshots)
        return Parsed(
            format=self.format,
            understood=self._understood if snapshots else 0,
            facts=self._facts(),
            series=table.series(times) if timed else (),
            first_ns=times.end_ns[0] if timed else None,
            last_ns=times.end_ns[-1] if timed else None,
            naive_time=timed and resolved.naive,
            timed=timed,
            problems=() if resolved.assumption is None else (resolved.assumption,),
        )

    def _facts(self) -> dict[str, Any]:
        snapshots = self._blocks.snapshots
        if not snapshots:
            return {}
        first, last = snapshots[0].values, snapshots[-1].values
        periods, throttled = last.get("nr_periods"), last.get("nr_throttled")
        facts: dict[str, Any] = {
            "cgroup": self._path,
            "cgroup_version": 2 if "usage_usec" in last or "throttled_usec" in last else 1,
            "snapshots": len(snapshots),
            "periods": periods,
            "throttled_periods": throttled,
            "throttled_s": _throttled_s(last),
            "throttled_periods_ratio_lifetime": throttled / periods if periods and throttled else None,
        }
        if len(snapshots) > 1:
            facts["captured"] = {
                "periods": (periods or 0) - first.get("nr_periods", 0),
                "throttled_periods": (throttled or 0) - first.get("nr_throttled", 0),
                "throttled_s": (_throttled_s(last) or 0.0) - (_throttled_s(first) or 0.0),
            }
        return facts


def _throttled_s(values: dict[str, float]) -> float | None:
    if "throttled_usec" in values:
        return values["throttled_usec"] * 1e-6
    return values["throttled_time"] * 1e-9 if "throttled_time" in values else None


def _rates(table: ReportSamples, report: int, before: Snapshot, after: Snapshot, times: ReportTimes) -> None:
    """Rates between two snapshots; none when a counter fell (the container was made anew)."""
    seconds = (times.end_ns[report] - times.end_ns[report - 1]) * 1e-9
    periods = after.values.get("nr_periods", 0.0) - before.values.get("nr_periods", 0.0)
    throttled = after.values.get("nr_throttled", 0.0) - before.values.get("nr_throttled", 0.0)
    earlier, later = _throttled_s(before.values), _throttled_s(after.values)
    if seconds <= 0 or periods < 0 or throttled < 0 or earlier is None or later is None or later < earlier:
        return
    table.add("cpu_throttled_ratio", "", report, (later - earlier) / seconds, after.line)
    if periods > 0:
        table.add("cpu_throttled_periods_ratio", "", report, min(1.0, throttled / periods), after.line)
