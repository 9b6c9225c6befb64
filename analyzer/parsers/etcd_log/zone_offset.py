"""The zone of stamps without one, told by other stamps of the same line that know UTC."""

from __future__ import annotations

import re
from calendar import timegm
from time import gmtime

from analyzer.parsers.etcd_log.stamps import SECOND, Stamp

QUARTER_HOUR = 900
"""Every zone in use is a multiple of it away from UTC (IANA tz, since 1972 but for Liberia)."""
MAX_OFFSET = 14 * 3600
MAX_DELAY = 120
"""Seconds between a program writing a line and its wrapper stamping it."""
_STATED = re.compile(r".*?\d(Z|([+-])(\d\d):?(\d\d))$")


def stated_offset(text: object) -> int | None:
    """The offset a stamp is written with: etcd 3.4 mixes JSON and naive lines of one process, in one local time."""
    found = _STATED.match(text) if isinstance(text, str) and len(text) < 64 else None
    if not found:
        return None
    if found[1] == "Z":
        return 0
    size = int(found[3]) * 3600 + int(found[4]) * 60
    return -size if found[2] == "-" else size


def offset_seconds(inner: Stamp, outer_ns: int, outer_naive: bool, outer_yearless: bool) -> int | None:
    """Local time minus UTC of whichever of the two stamps of one line has no zone, to the quarter hour.

    None when both or neither know UTC, or when they are not the same moment.
    """
    if inner.naive == outer_naive:
        return None
    outer = _in_year_of(outer_ns, inner.ns) if outer_yearless else outer_ns
    difference = (inner.ns - outer if inner.naive else outer - inner.ns) / SECOND
    offset = round(difference / QUARTER_HOUR) * QUARTER_HOUR
    return offset if abs(difference - offset) < MAX_DELAY and abs(offset) <= MAX_OFFSET else None


def _in_year_of(yearless_ns: int, other_ns: int) -> int:
    """A stamp without a year, in the year that brings it next to another stamp."""
    seconds, rest = divmod(yearless_ns, SECOND)
    stamp = gmtime(seconds)
    year = gmtime(other_ns // SECOND).tm_year
    moved = [timegm((y, *stamp[1:6])) * SECOND + rest for y in (year - 1, year, year + 1)]
    return min(moved, key=lambda ns: abs(ns - other_ns))
