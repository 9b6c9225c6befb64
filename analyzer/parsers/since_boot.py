"""Whether the first report of an iostat capture is an average since boot or a real interval.

iostat prints averages since boot first unless it is given ``-y`` (iostat(1)), and nothing in the report
says which. An interval report counts whole operations: at one report per second ``0.13`` writes per
second cannot happen, 0, 1 or (in a 0.99 s interval) 1.01 can. Averages since boot almost always break
that rule for some idle device.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_COUNTABLE: Final = 10.0
"""Only small counts can be told from fractions: timer jitter of 3 % moves 33 by one."""
_JITTER: Final = 0.03
_ROUNDING: Final = 0.0051
"""Rates are printed with two decimals."""
_USUAL_INTERVALS_S: Final = (1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0)
_MAY_BREAK: Final = 0.1
"""Share of countable rates an interval report may break the rule with (long or shortened intervals)."""


def countable_conflicts(rates: Iterable[float], interval_s: float) -> tuple[int, int]:
    """How many of the small positive rates cannot be a whole count per interval, and how many there are."""
    conflicts = informative = 0
    for rate in rates:
        if not 0 < rate * interval_s < _COUNTABLE:
            continue
        informative += 1
        count = max(round(rate * interval_s), 1)
        low = count / (interval_s * (1 + _JITTER)) - _ROUNDING
        high = count / (interval_s * (1 - _JITTER)) + _ROUNDING
        conflicts += not low <= rate <= high
    return conflicts, informative


def is_interval_report(rates: Sequence[float], interval_s: float) -> bool:
    """Whether the rates of one report can be those of an interval of about this length."""
    conflicts, informative = countable_conflicts(rates, interval_s)
    return conflicts <= _MAY_BREAK * informative


def guess_interval_s(later_rates: Sequence[float]) -> float | None:
    """The shortest usual interval the reports after the first can have been taken at; None when none fits."""
    for interval_s in _USUAL_INTERVALS_S:
        if is_interval_report(later_rates, interval_s):
            return interval_s
    return None
