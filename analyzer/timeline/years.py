"""The year of stamps that carry none (syslog, klog): one anchor, and December before January."""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from analyzer.parsers.etcd_log.stamps import NO_YEAR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECOND = 1_000_000_000
DAY = 86_400
HALF_YEAR = 183 * DAY
FUTURE = 31 * DAY
"""Seconds a log may reach beyond its anchor (a file copied between zones, a bundle packed late)."""
_START = int(datetime(NO_YEAR, 1, 1, tzinfo=UTC).timestamp())
_MARCH = int(datetime(NO_YEAR, 3, 1, tzinfo=UTC).timestamp())
YEARLESS_END_NS = int(datetime(NO_YEAR + 1, 1, 1, tzinfo=UTC).timestamp()) * SECOND


class Years(NamedTuple):
    """The year of each year-less stamp of one file."""

    newest: int
    boundary_ns: int | None
    """Stamps from here to the end of the stand-in year are of the year before; None when all are of one year."""

    def move(self, ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Year-less nanoseconds, shape (n,), moved to their year."""
        import numpy as np

        if self.boundary_ns is None:
            return ns + _shift(ns, self.newest)
        old = ns >= self.boundary_ns
        return np.where(old, ns + _shift(ns, self.newest - 1), ns + _shift(ns, self.newest))


def _shift(ns: NDArray[np.int64], year: int) -> NDArray[np.int64]:
    """What brings stamps of the stand-in leap year into ``year``, 29 February falling on 1 March."""
    import numpy as np

    days = int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) - _START
    late = np.asarray(ns) >= _MARCH * SECOND
    return np.where(late, days if isleap(year) else days - DAY, days) * SECOND


def years_of(seconds: Iterable[int], anchor: int, fixed: bool) -> Years:
    """The years of a file's year-less seconds, given in the order its lines stand.

    ``anchor`` is a dated moment near the file's end, seconds; with ``fixed`` its year is the newest line's year as
    the user says. A jump of more than half a year against the direction of the file is a new year.
    """
    order = list(seconds)
    steps = [b - a for a, b in pairwise(order) if abs(b - a) < HALF_YEAR]
    if sum(step < 0 for step in steps) > len(steps) / 2:
        order.reverse()
    turn = next((i for i in range(1, len(order)) if order[i] - order[i - 1] < -HALF_YEAR), None)
    boundary = None
    newest = max(order)
    if turn is not None and max(order[turn:]) < min(order[:turn]):
        boundary, newest = min(order[:turn]) * SECOND, max(order[turn:])
    year = datetime.fromtimestamp(anchor, UTC).year
    if not fixed:
        import numpy as np

        moved = Years(year, None).move(np.array([newest * SECOND], dtype=np.int64))
        year -= int(moved[0]) // SECOND > anchor + FUTURE
    return Years(year, boundary)
