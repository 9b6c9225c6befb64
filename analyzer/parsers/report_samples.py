"""Samples gathered report by report, turned into columnar series at the end."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyzer.model.series import Series

SECOND_NS = 1_000_000_000


def _int_array() -> array[int]:
    return array("q")


def _float_array() -> array[float]:
    return array("d")


@dataclass(slots=True)
class _Column:
    reports: array[int] = field(default_factory=_int_array)
    values: array[float] = field(default_factory=_float_array)
    lines: array[int] = field(default_factory=_int_array)


@dataclass(frozen=True, slots=True)
class ReportTimes:
    """When each report of a capture ends and what it covers, in nanoseconds."""

    end_ns: Sequence[int]
    from_ns: Sequence[int]
    timed: bool
    """False when the capture has no time stamps: the times only order the reports, one second apart."""
    step_ns: int
    """Median distance of two reports."""


class ReportSamples:
    """Columnar store of (metric, subject) -> samples, addressed by report number until times are known."""

    def __init__(self) -> None:
        self._columns: dict[tuple[str, str], _Column] = {}

    def add(self, metric: str, subject: str, report: int, value: float, line: int) -> None:
        """Append one sample of one report; reports must come in order."""
        column = self._columns.get((metric, subject))
        if column is None:
            column = self._columns[(metric, subject)] = _Column()
        column.reports.append(report)
        column.values.append(value)
        column.lines.append(line)

    def series(self, times: ReportTimes, skip_reports: int = 0) -> tuple[Series, ...]:
        """One series per metric and subject, without the first ``skip_reports`` reports; none is empty."""
        import numpy as np

        ends = np.asarray(times.end_ns, dtype=np.int64)
        starts = np.asarray(times.from_ns, dtype=np.int64)
        made: list[Series] = []
        for (metric, subject), column in sorted(self._columns.items()):
            reports = np.array(column.reports, dtype=np.int64)
            keep = reports >= skip_reports
            if not keep.any():
                continue
            index = reports[keep]
            made.append(
                Series(
                    metric=metric,
                    subject=subject,
                    ts_ns=ends[index],
                    values=np.array(column.values, dtype=np.float64)[keep],
                    covers_from_ns=starts[index],
                    lines=np.array(column.lines, dtype=np.int64)[keep],
                    timed=times.timed,
                )
            )
        return tuple(made)


def report_times(stamps: Sequence[int | None]) -> ReportTimes:
    """Turn the time stamps of the reports (None where missing or unreadable) into ends and starts.

    A report covers the time since the report before it. A missing stamp between known ones is placed one
    median step after its predecessor. With no stamp at all (or one stamp for several reports) the reports
    are only ordered, one second apart.
    """
    known = [(i, t) for i, t in enumerate(stamps) if t is not None]
    count = len(stamps)
    if not known or (len(known) == 1 and count > 1):
        order = [i * SECOND_NS for i in range(count)]
        return ReportTimes(order, [end - SECOND_NS for end in order], False, SECOND_NS)
    steps = sorted((t1 - t0) // (i1 - i0) for (i0, t0), (i1, t1) in pairwise(known) if t1 > t0)
    step = max(steps[len(steps) // 2], 1) if steps else SECOND_NS
    ends: list[int] = []
    for i, stamp in enumerate(stamps):
        if stamp is not None:
            ends.append(stamp)
        elif ends:
            ends.append(ends[-1] + step)
        else:
            ends.append(known[0][1] - (known[0][0] - i) * step)
    starts = [end - step for end in ends]
    for i in range(1, count):
        # A report that does not come after the one before it (clock set back) keeps the usual length.
        if ends[i] > ends[i - 1]:
            starts[i] = ends[i - 1]
    return ReportTimes(ends, starts, True, step)
