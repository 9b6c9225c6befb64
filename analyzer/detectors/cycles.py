"""Cycle-by-cycle table of two things that share one period.

When incidents and spikes both recur every two hours a shift test sees one alignment of two phases,
one observation, however many cycles there are. What does carry information is WHICH cycles were
skipped: if a cycle without a spike is a cycle without an incident, again and again, the two belong
together. Fisher's exact test, one-sided, on the 2 x 2 table of cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import finite_sorted

#: Beyond this many cycles exact binomials of big integers get slow.
_MOST_CYCLES = 5_000


@dataclass(frozen=True, slots=True)
class CycleTable:
    """How many cycles had both, only an event, only a spike, or neither.

    `p_value` is one-sided (association). `informative` is False when one side never skipped a
    cycle (or never hit one): then p is 1 and the table can decide nothing.
    """

    both: int
    event_only: int
    spike_only: int
    neither: int
    p_value: float
    informative: bool

    @property
    def cycles(self) -> int:
        """Return the number of cycles looked at."""
        return self.both + self.event_only + self.spike_only + self.neither


def fisher_greater(both: int, first_only: int, second_only: int, neither: int) -> float:
    """Return P(table at least this associated | margins), one-sided Fisher exact."""
    total = both + first_only + second_only + neither
    first, second = both + first_only, both + second_only
    ways = comb(total, second)
    tail = sum(comb(first, k) * comb(total - first, second - k) for k in range(both, min(first, second) + 1))
    return tail / ways


def cycle_table(
    period_s: float, anchor_s: float, events: npt.ArrayLike, spikes: npt.ArrayLike,
    start: float, end: float, window_s: float | None = None,
) -> CycleTable:  # fmt: skip
    """Tabulate the cycles anchor + k period inside [start, end] by what happened near them.

    `events` and `spikes` are epoch seconds inside the span in which BOTH were observed; `window_s`
    (default a tenth of the period) is how near to the expected instant counts.
    """
    if not (np.isfinite([period_s, anchor_s, start, end]).all() and period_s > 0 and end > start):
        return CycleTable(0, 0, 0, 0, 1.0, False)
    first, last = np.ceil((start - anchor_s) / period_s), np.floor((end - anchor_s) / period_s)
    count = int(last - first) + 1
    if not 0 < count <= _MOST_CYCLES:
        return CycleTable(0, 0, 0, 0, 1.0, False)
    window = 0.1 * period_s if window_s is None else window_s
    marks = []
    for times in (finite_sorted(events), finite_sorted(spikes)):
        cycle = np.rint((times - anchor_s) / period_s)
        near = np.abs(times - anchor_s - cycle * period_s) <= window
        near &= (cycle >= first) & (cycle <= last)
        mark = np.zeros(count, dtype=np.bool_)
        mark[(cycle[near] - first).astype(np.int64)] = True
        marks.append(mark)
    event, spike = marks
    both, neither = int((event & spike).sum()), int((~event & ~spike).sum())
    event_only, spike_only = int((event & ~spike).sum()), int((~event & spike).sum())
    informative = 0 < both + event_only < count and 0 < both + spike_only < count
    p_value = fisher_greater(both, event_only, spike_only, neither) if informative else 1.0
    return CycleTable(both, event_only, spike_only, neither, p_value, informative)
