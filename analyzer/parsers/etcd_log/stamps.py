"""Time stamps of all log dialects -> nanoseconds since the epoch.

A stamp without an offset is returned as if it were UTC and marked naive: the timeline decides its zone.
A stamp without a year is returned in ``NO_YEAR`` and marked so.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_YEAR = 1972
"""Stand-in year of stamps that carry none (a leap year, so 29 February parses); far from any real log."""
SECOND = 1_000_000_000
FIRST_YEAR, LAST_YEAR = 1970, 2261
"""Years whose nanoseconds fit 64 bits; Go's zero time (year 1) and other defaults are no time at all."""
_SHORTEST_DATED = 20
_SECONDS_END = 19
_FRACTION = 20
"""Column of the first fractional digit."""
_END_OF_TIME = 2**63 - 1
_LARGEST = (23, 59, 60, 999_999_999, 99, 99)

_ISO = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan janv januar enero ene gen genn янв",
            "feb févr fév fevr februar fev febr фев",
            "mar mars mär mrz märz maa мар",
            "apr avr april abr avril апр",
            "may mai maj mag май мая",
            "jun juin juni giu июн",
            "jul juil juli lug июл",
            "aug août aout ago авг",
            "sep sept set сен",
            "oct okt oct ott out окт",
            "nov нояб ноя",
            "dec déc dez dic des дек",
        ),
        start=1,
    )
    for name in names.split()
}
_SHORT = re.compile(r"([^\W\d]{3,6})\.? +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?")


class Stamp(NamedTuple):
    """A parsed time stamp."""

    ns: int
    naive: bool
    yearless: bool
    end: int
    """Where in the text the stamp ended."""


def _nanoseconds(fraction: str | None) -> int:
    return int(fraction.ljust(9, "0")) if fraction else 0


def _offset_seconds(zone: str) -> int:
    if zone == "Z":
        return 0
    digits = zone[1:].replace(":", "")
    size = int(digits[:2]) * 3600 + int(digits[2:4]) * 60
    return -size if zone[0] == "-" else size


def iso(text: str, position: int = 0) -> Stamp | None:
    """Parse an ISO-like stamp (``-`` or ``/`` dates, ``T`` or blank, optional fraction and offset)."""
    found = _ISO.match(text, position)
    if not found:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    if not FIRST_YEAR <= int(year) <= LAST_YEAR:
        return None
    if not ("01" <= month <= "12" and "01" <= day <= "31" and hour < "24" and minute < "60" and second < "61"):
        return None
    base = timegm((int(year), int(month), int(day), int(hour), int(minute), int(second)))
    shift = _offset_seconds(zone) if zone else 0
    return Stamp((base - shift) * SECOND + _nanoseconds(fraction), zone is None, False, found.end())


def short(text: str, position: int = 0) -> Stamp | None:
    """Parse a syslog stamp (``Jan 25 06:42:36``), month names of the common locales."""
    found = _SHORT.match(text, position)
    if not found:
        return None
    month = _MONTHS.get(found[1].lower())
    day = int(found[2])
    if month is None or not 1 <= day <= 31 or found[3] >= "24":
        return None
    base = timegm((NO_YEAR, month, day, int(found[3]), int(found[4]), int(found[5])))
    return Stamp(base * SECOND + _nanoseconds(found[6]), True, True, found.end())


def month_number(name: str) -> int | None:
    """1..12 of a month's name or abbreviation in a common locale."""
    return _MONTHS.get(name.lower().rstrip("."))


def epoch(value: float) -> int | None:
    """Nanoseconds of an epoch number in s, ms, us or ns, told by its size; None when implausible."""
    for limit, scale in ((1e11, 1e9), (1e14, 1e6), (1e17, 1e3), (1e20, 1.0)):
        if 1e8 * (1e9 / scale) <= value < limit:
            ns = round(value * scale)
            return ns if ns < _END_OF_TIME else None
    return None


def of_json(value: object) -> Stamp | None:
    """Parse the ``ts`` of a zap record: a string in any layout, or an epoch number."""
    if isinstance(value, str):
        return iso(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        ns = epoch(float(value))
        return None if ns is None else Stamp(ns, False, False, 0)
    return None


def of_json_column(values: Sequence[object]) -> NDArray[np.int64] | None:
    """:func:`of_json` of n values at once, shape (n,); None unless every one is a stamp with an offset or an epoch.

    zap always writes an offset; what was edited or damaged is left to the line-by-line path, which knows more.
    """
    import numpy as np

    try:
        widths = set(map(len, values))  # type: ignore[arg-type]
        if len(widths) == 1:
            return _column_of_width(values, widths.pop())
        # a layout that trims zeros (RFC 3339 nano) has a handful of widths
        width_of = np.array(list(map(len, values)))  # type: ignore[arg-type]
    except TypeError:
        return _one_by_one(values)
    result = np.zeros(len(values), dtype=np.int64)
    for width in widths:
        where = np.flatnonzero(width_of == width)
        part = _column_of_width([values[index] for index in where.tolist()], width)
        if part is None:
            return None
        result[where] = part
    return result


def _column_of_width(values: Sequence[Any], width: int) -> NDArray[np.int64] | None:
    import numpy as np

    if width >= _SHORTEST_DATED:
        try:
            joined = "".join(values)
        except TypeError:
            return None
        if joined.isascii():
            grid = np.frombuffer(joined.encode(), dtype=np.uint8).reshape(len(values), width)
            parsed = _of_grid(grid)
            if parsed is not None:
                return parsed
    return _one_by_one(values)


def _one_by_one(values: Sequence[object]) -> NDArray[np.int64] | None:
    import numpy as np

    stamps = [of_json(value) for value in values]
    if any(stamp is None or stamp.naive for stamp in stamps):
        return None
    return np.array([stamp.ns for stamp in stamps if stamp is not None], dtype=np.int64)


def _of_grid(grid: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Stamps of one width, one row of ASCII each; None when a row is in another layout or out of range."""
    import numpy as np

    tail = _tail(grid)
    width = grid.shape[1]
    places = width - tail - _FRACTION
    if tail == 0 or places < -1 or places == 0 or places > 9:
        return None
    low, high = _bounds(width, tail)
    if not ((grid >= low) & (grid <= high)).all():
        return None
    # one product turns the digit grid into (hour, minute, second, fraction, zone hour, zone minute); exact below 2**53
    parts = ((grid - np.uint8(48)).astype(np.float64) @ _weights(width, tail)).astype(np.int64)
    if (parts[:, :6] > _LARGEST).any():
        return None
    days = _days_of(grid[:, :10])
    if days is None:
        return None
    hour, minute, second, fraction, zone_hour, zone_minute = parts.T
    clock = ((days * 24 + hour) * 60 + minute) * 60 + second
    if tail > 1:
        shift = zone_hour * 3600 + zone_minute * 60
        clock = clock - np.where(grid[:, width - tail] == ord("-"), -shift, shift)
    result: NDArray[np.int64] = clock * SECOND + fraction
    return result


def _tail(grid: NDArray[np.uint8]) -> int:
    """Width of the offset all rows end in: ``Z`` 1, ``+0800`` 5, ``+08:00`` 6; 0 when they differ."""
    last = grid[:, -1]
    if (last == ord("Z")).all():
        return 1
    for tail in (5, 6):
        sign = grid[:, -tail]
        if ((sign == ord("+")) | (sign == ord("-"))).all() and (tail == 5 or (grid[:, -3] == ord(":")).all()):
            return tail
    return 0


@cache
def _bounds(width: int, tail: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Smallest and largest character of every column."""
    import numpy as np

    zone = {1: "Z", 5: "+0000", 6: "+00:00"}[tail]
    fraction = "." + "0" * (width - tail - _FRACTION) if width - tail > _SECONDS_END else ""
    low = np.frombuffer(f"0000-00-00T00:00:00{fraction}{zone}".encode(), dtype=np.uint8)
    high = np.where(low == ord("0"), ord("9"), low).astype(np.uint8)
    high[high == ord("+")] = ord("-")
    return low, high


@cache
def _weights(width: int, tail: int) -> NDArray[np.float64]:
    """(width, 6) matrix that sums digits to hour, minute, second, nanoseconds, zone hour and zone minute."""
    import numpy as np

    weights = np.zeros((width, 6))
    for number, column in ((0, 11), (1, 14), (2, 17)):
        weights[column : column + 2, number] = (10, 1)
    for place, column in enumerate(range(_FRACTION, width - tail)):
        weights[column, 3] = 10 ** (8 - place)
    if tail > 1:
        weights[width - tail + 1 : width - tail + 3, 4] = (10, 1)
        weights[width - 2 :, 5] = (10, 1)
    return weights


def _days_of(dates: NDArray[np.uint8]) -> NDArray[np.int64] | int | None:
    """Days since the epoch of ``YYYY-MM-DD`` rows: a scalar when all are one day, as within most blocks."""
    import numpy as np

    if (dates == dates[0]).all():
        return _day(dates[0].tobytes())
    distinct, inverse = np.unique(np.ascontiguousarray(dates).view("S10").ravel(), return_inverse=True)
    days = [_day(bytes(date)) for date in distinct.tolist()]
    return None if None in days else np.array(days, dtype=np.int64)[inverse]


def _day(date: bytes) -> int | None:
    stamp = iso(f"{date.decode()}T00:00:00Z")
    return stamp.ns // (86400 * SECOND) if stamp else None
