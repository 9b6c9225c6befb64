"""Time stamps as shell tools and sysstat print them, in any locale -> nanoseconds.

A single stamp such as ``06/01/20 12:53:20`` cannot be understood alone: it is June 1st in the C locale and
January 6th in en_GB (glibc ``d_fmt``). So reading is split in two: ``read_stamp`` takes the text apart,
``resolve`` decides for all stamps of one capture together and says what it assumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Final, Literal

SECOND_NS: Final = 1_000_000_000
DAY_NS: Final = 86_400 * SECOND_NS
_EARLIEST_S: Final = 946_684_800  # 2000-01-01: nothing this program reads is older
_LATEST_S: Final = 4_102_444_800  # 2100-01-01

Order = Literal["ymd", "mdy", "dmy", "?"]

_DATES: Final[tuple[tuple[re.Pattern[str], Order], ...]] = (
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})"), "ymd"),
    (re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})"), "?"),
    (re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})"), "dmy"),
    (re.compile(r"(\d{1,2})-(\d{1,2})-(\d{4}|\d{2})"), "dmy"),
    (re.compile(r"(\d{4})[/.]\s?(\d{1,2})[/.]\s?(\d{1,2})\.?"), "ymd"),
    (re.compile(r"(\d{4})年\s?(\d{1,2})月\s?(\d{1,2})日"), "ymd"),
)
_TIME: Final = re.compile(
    r"(?:(?P<before>上午|下午)\s*)?(?P<h>\d{1,2})[:.时時](?P<m>\d\d)[:.分](?P<s>\d\d)秒?(?:[.,](?P<frac>\d{1,9}))?"
    r"\s*(?P<half>[AaPp]\.?[Mm]\.?|上午|下午)?\s*(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?"
)
_WORDS: Final = re.compile(
    r"(?:[A-Za-z]{3},?\s+)?(?:(?P<mon1>[A-Za-z]{3})\s+(?P<day1>\d{1,2})|(?P<day2>\d{1,2})\s+(?P<mon2>[A-Za-z]{3}))"
    r"(?:,?\s+(?P<year1>\d{4}))?\s+(?P<h>\d{1,2}):(?P<m>\d\d):(?P<s>\d\d)(?:\s+(?P<half>[AP]M))?"
    r"(?:\s+(?P<zone>[A-Z]{2,5}|[+-]\d\d(?::?\d\d)?))?(?:\s+(?P<year2>\d{4}))?"
)
_MONTH_NAMES: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS: Final = {name: i + 1 for i, name in enumerate(_MONTH_NAMES)}
_EPOCH: Final = re.compile(r"(\d{9,10})(?:[.,](\d{1,9}))?|(\d{13})|(\d{19})")
_OFFSET: Final = re.compile(r"([+-])(\d\d):?(\d\d)?")


@dataclass(frozen=True, slots=True)
class Stamp:
    """One time stamp taken apart."""

    parts: tuple[int, int, int] | None
    """The three numbers of the date as printed; None for a time of day alone."""
    order: Order
    """What the three numbers are; ``?`` when only the rest of the capture can tell."""
    day_ns: int
    """Nanoseconds since midnight; since the epoch for an epoch stamp (``parts`` None, ``offset_s`` 0)."""
    offset_s: int | None
    """Seconds east of UTC when the stamp says so."""
    is_epoch: bool = False


@dataclass(frozen=True, slots=True)
class Resolved:
    """The stamps of one capture, understood together."""

    times_ns: tuple[int | None, ...]
    """Nanoseconds since the epoch; as if UTC where ``naive``."""
    naive: bool
    assumption: str | None
    """A sentence when the order of day and month had to be assumed."""


def read_stamp(text: str) -> Stamp | None:
    """Take one whole time stamp apart: date and time, time alone, ``date`` output or epoch; None if none."""
    text = text.strip()
    if len(text) > 60 or not any(c.isdigit() for c in text):
        return None
    return _epoch_stamp(text) or _numeric_stamp(text) or _word_stamp(text)


def read_date(text: str) -> tuple[tuple[int, int, int], Order] | None:
    """The three numbers of a bare date and their order, or None."""
    text = text.strip()
    for pattern, order in _DATES:
        found = pattern.match(text)
        if found and not text[found.end() :].strip(" .") and _possible(_ints(found), order):
            return _ints(found), order
    return None


def iso_date(parts: tuple[int, int, int], order: Order) -> str | None:
    """``2021-11-30`` for date numbers; month first where the order is open (the C locale's ``%m/%d/%y``)."""
    made = _as_date(parts, "mdy" if order == "?" else order) or _as_date(parts, "dmy")
    return made.isoformat() if made else None


PrintedDate = tuple[tuple[int, int, int], Order]


def resolve(stamps: Sequence[Stamp | None], banner: PrintedDate | None = None) -> Resolved:
    """Decide day/month order, add the banner's date to bare times of day (stepping over midnight)."""
    dates = [(s.parts, s.order) for s in stamps if s and s.parts]
    if banner is not None:
        dates.append(banner)
    order, assumption = _slash_order(dates)
    day = _day_ns(_as_date(banner[0], order if banner[1] == "?" else banner[1])) if banner else None
    times: list[int | None] = []
    for stamp in stamps:
        if stamp is not None and not stamp.is_epoch and stamp.parts is None and day is not None:
            previous = times[-1] if times else None
            if previous is not None and day + stamp.day_ns < previous - DAY_NS // 2:
                day += DAY_NS
        times.append(_time_ns(stamp, order, day))
    naive = any(t is not None and s is not None and s.offset_s is None for t, s in zip(times, stamps, strict=True))
    dated = any(s is not None and s.order == "?" for s in stamps)
    return Resolved(tuple(times), naive, assumption if dated else None)


def _time_ns(stamp: Stamp | None, order: Order, banner_day: int | None) -> int | None:
    if stamp is None:
        return None
    if stamp.is_epoch:
        return stamp.day_ns
    day = banner_day
    if stamp.parts is not None:
        day = _day_ns(_as_date(stamp.parts, order if stamp.order == "?" else stamp.order))
    return None if day is None else day + stamp.day_ns - (stamp.offset_s or 0) * SECOND_NS


def _slash_order(dates: Sequence[tuple[tuple[int, int, int], Order]]) -> tuple[Order, str | None]:
    """Day first or month first, for dates written with slashes, from all of them together."""
    open_dates = [parts for parts, order in dates if order == "?"]
    if not open_dates:
        return "mdy", None
    month_first = all(_as_date(p, "mdy") for p in open_dates)
    day_first = all(_as_date(p, "dmy") for p in open_dates)
    if month_first != day_first:
        return ("mdy" if month_first else "dmy"), None
    spans = {o: _span(open_dates, o) for o in ("mdy", "dmy")}
    if spans["mdy"] != spans["dmy"] and min(spans.values()) >= 0:
        # A capture that crosses midnight: the reading in which the days follow each other is the right one.
        return ("mdy" if spans["mdy"] < spans["dmy"] else "dmy"), None
    if all(a == b for a, b, _ in open_dates):
        return "mdy", None
    a, b, c = open_dates[0]
    return "mdy", (
        f"the date {a:02d}/{b:02d}/{c:02d} can be month/day or day/month; read as month/day, the order of "
        "the C locale: capture with S_TIME_FORMAT=ISO to be sure"
    )


def _span(dates: Sequence[tuple[int, int, int]], order: str) -> int:
    """Days between first and last date when they ascend in this reading, -1 when a date is impossible."""
    days = [_as_date(p, "mdy" if order == "mdy" else "dmy") for p in dates]
    known = [d.toordinal() for d in days if d]
    return -1 if len(known) != len(days) else sum(abs(b - a) for a, b in pairwise(known))


def _ints(found: re.Match[str]) -> tuple[int, int, int]:
    return int(found[1]), int(found[2]), int(found[3])


def _possible(parts: tuple[int, int, int], order: Order) -> bool:
    if order == "?":
        return _as_date(parts, "mdy") is not None or _as_date(parts, "dmy") is not None
    return _as_date(parts, order) is not None


def _as_date(parts: tuple[int, int, int], order: Order) -> date | None:
    a, b, c = parts
    year, month, day = (a, b, c) if order == "ymd" else (c, a, b) if order == "mdy" else (c, b, a)
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return None


def _day_ns(day: date | None) -> int | None:
    if day is None or not 2000 <= day.year < 2100:
        return None
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * SECOND_NS


def _epoch_stamp(text: str) -> Stamp | None:
    found = _EPOCH.fullmatch(text)
    if not found:
        return None
    seconds, fraction, millis, nanos = found.groups()
    if seconds:
        value = int(seconds) * SECOND_NS + int((fraction or "").ljust(9, "0") or 0)
    else:
        value = int(millis) * 1_000_000 if millis else int(nanos)
    if not _EARLIEST_S <= value // SECOND_NS < _LATEST_S:
        return None
    return Stamp(None, "ymd", value, 0, is_epoch=True)


def _numeric_stamp(text: str) -> Stamp | None:
    if text.startswith("Time:"):
        text = text[5:].lstrip()
    for pattern, order in _DATES:
        found = pattern.match(text)
        if found:
            parts = _ints(found)
            time = _TIME.fullmatch(text[found.end() :].lstrip(" T,"))
            if time and _possible(parts, order):
                return _with_time(parts, order, time)
            return None
    time = _TIME.fullmatch(text)
    return _with_time(None, "ymd", time) if time else None


def _with_time(parts: tuple[int, int, int] | None, order: Order, time: re.Match[str]) -> Stamp | None:
    half = time["before"] or time["half"]
    day_ns = _clock_ns(time["h"], time["m"], time["s"], half)
    if day_ns is None:
        return None
    day_ns += int((time["frac"] or "").ljust(9, "0") or 0)
    return Stamp(parts, order, day_ns, _offset_s(time["zone"]))


def _word_stamp(text: str) -> Stamp | None:
    found = _WORDS.fullmatch(text)
    if not found:
        return None
    month = _MONTHS.get((found["mon1"] or found["mon2"]).lower())
    year = found["year1"] or found["year2"]
    day_ns = _clock_ns(found["h"], found["m"], found["s"], found["half"])
    if not month or not year or day_ns is None:
        return None
    parts = (int(year), month, int(found["day1"] or found["day2"]))
    return Stamp(parts, "ymd", day_ns, _offset_s(found["zone"])) if _as_date(parts, "ymd") else None


def _clock_ns(hour: str, minute: str, second: str, half: str | None) -> int | None:
    h, m, s = int(hour), int(minute), int(second)
    if half:
        afternoon = half[0] in "Pp下"
        if not 1 <= h <= 12:
            return None
        h = h % 12 + (12 if afternoon else 0)
    return ((h * 60 + m) * 60 + s) * SECOND_NS if h < 24 and m < 60 and s <= 60 else None


def _offset_s(zone: str | None) -> int | None:
    """Seconds east of UTC; None for no zone and for abbreviations, which name several zones each."""
    if not zone:
        return None
    if zone in ("Z", "UTC", "GMT"):
        return 0
    found = _OFFSET.fullmatch(zone)
    if not found:
        return None
    seconds = int(found[2]) * 3600 + int(found[3] or 0) * 60
    return -seconds if found[1] == "-" else seconds
