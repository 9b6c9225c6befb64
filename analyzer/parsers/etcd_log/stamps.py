"""Time stamps of all log dialects -> nanoseconds since the epoch.

A stamp without an offset is returned as if it were UTC and marked naive: the timeline decides its zone.
A stamp without a year is returned in ``NO_YEAR`` and marked so.
"""

from __future__ import annotations

import re
from calendar import timegm
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_YEAR = 1972
"""Stand-in year of stamps that carry none (a leap year, so 29 February parses); far from any real log."""
SECOND = 1_000_000_000

_ISO = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?"
)
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
            return round(value * scale)
    return None


def of_json(value: object) -> Stamp | None:
    """Parse the ``ts`` of a zap record: a string in any layout, or an epoch number."""
    if isinstance(value, str):
        return iso(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        ns = epoch(float(value))
        return None if ns is None else Stamp(ns, False, False, 0)
    return None


def of_json_column(values: list[object]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Vectorised :func:`of_json`: (nanoseconds, valid) of n values; naive strings count as valid UTC.

    zap always writes an offset, so a naive stamp cannot appear here unless somebody edited the log;
    :mod:`zap_block` sends such blocks down the line-by-line path.
    """
    import numpy as np

    result = np.zeros(len(values), dtype=np.int64)
    valid = np.zeros(len(values), dtype=bool)
    groups: dict[int, list[int]] = {}
    for index, value in enumerate(values):
        groups.setdefault(len(value) if isinstance(value, str) else -1, []).append(index)
    for length, indexes in groups.items():
        where = np.array(indexes)
        ns, good = _parse_group([values[i] for i in indexes], length)
        result[where], valid[where] = ns, good
    return result, valid


def _parse_group(values: list[object], length: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    import numpy as np

    if length >= 20:
        joined = "".join(values)  # type: ignore[arg-type]
        if joined.isascii():
            grid = np.frombuffer(joined.encode(), dtype=np.uint8).reshape(len(values), length)
            parsed = _parse_grid(grid)
            if parsed is not None:
                return parsed
    stamps = [of_json(value) for value in values]
    ns = np.array([stamp.ns if stamp else 0 for stamp in stamps], dtype=np.int64)
    good = np.array([stamp is not None and not stamp.naive for stamp in stamps], dtype=bool)
    return ns, good


def _parse_grid(grid: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
    """Fixed-width stamps, one row each; None when the layout differs between the rows."""
    import numpy as np

    length = grid.shape[1]
    tail = 1 if (grid[:, -1] == ord("Z")).all() else 5
    sign = grid[:, -tail]
    if tail == 5 and not ((sign == ord("+")) | (sign == ord("-"))).all():
        return None
    end = length - tail
    if end < 19 or (end > 19 and not (grid[:, 19] == ord(".")).all()) or end == 20:
        return None
    digits = grid.astype(np.int64) - 48
    columns = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, *range(20, end), *range(length - tail + 1, length)]
    good = ((digits[:, columns] >= 0) & (digits[:, columns] <= 9)).all(axis=1)

    def number(*places: int) -> NDArray[np.int64]:
        total = np.zeros(len(grid), dtype=np.int64)
        for place in places:
            total = total * 10 + digits[:, place]
        return total

    days = _days(number(0, 1, 2, 3), number(5, 6), number(8, 9))
    seconds = ((days * 24 + number(11, 12)) * 60 + number(14, 15)) * 60 + number(17, 18)
    if tail == 5:
        offset = number(end + 1, end + 2) * 3600 + number(end + 3, end + 4) * 60
        seconds = seconds - np.where(sign == ord("-"), -offset, offset)
    nanos = number(*range(20, end)) * 10 ** (9 - (end - 20)) if end > 20 else 0
    return seconds * SECOND + nanos, good


def _days(year: NDArray[np.int64], month: NDArray[np.int64], day: NDArray[np.int64]) -> NDArray[np.int64]:
    """Days since the epoch of a proleptic Gregorian date (Hinnant's civil-date algorithm)."""
    year = year - (month <= 2)
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
