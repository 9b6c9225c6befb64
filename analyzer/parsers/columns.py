"""What the columns of iostat mean, by name: fact keys, units and metrics.

Columns are read by header name only: between sysstat 9 and 12.7 the order changed four times and the
number of columns grew from 11 to 23 (sysstat CHANGES: 11.5.7, 12.1.2, 12.3.1).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

KB: Final = 1024.0
"""sysstat's kB and MB are binary: it divides 512-byte sectors by 2 and by 2048 (iostat.c, `fctr`)."""
SECTOR: Final = 512.0

_RATES: Final = {
    "r/s": "read_iops",
    "w/s": "write_iops",
    "f/s": "flush_iops",
    "d/s": "discard_iops",
}
_BYTES: Final = {
    "rsec/s": ("read_bytes_s", SECTOR),
    "wsec/s": ("write_bytes_s", SECTOR),
    "rkB/s": ("read_bytes_s", KB),
    "wkB/s": ("write_bytes_s", KB),
    "rMB/s": ("read_bytes_s", KB * KB),
    "wMB/s": ("write_bytes_s", KB * KB),
    "Blk_read/s": ("read_bytes_s", SECTOR),
    "Blk_wrtn/s": ("write_bytes_s", SECTOR),
    "kB_read/s": ("read_bytes_s", KB),
    "kB_wrtn/s": ("write_bytes_s", KB),
    "MB_read/s": ("read_bytes_s", KB * KB),
    "MB_wrtn/s": ("write_bytes_s", KB * KB),
}
_AWAITS: Final = {
    "r_await": ("read_await_s", "r/s"),
    "w_await": ("write_await_s", "w/s"),
    "f_await": ("flush_await_s", "f/s"),
}
_TIME_RATIOS: Final = {"r_await": "read_time_ratio", "w_await": "write_time_ratio"}
_QUEUES: Final = ("aqu-sz", "avgqu-sz")

LATENCY_COLUMNS: Final = frozenset({"await", "r_await", "w_await", "f_await", "d_await"})
RATE_COLUMNS: Final = frozenset({"r/s", "w/s", "f/s", "d/s", "tps"})
"""Columns that are a whole number of operations divided by the interval."""

# fmt: off
_OTHER: Final = (
    "tps", "kB/s", "MB/s", "kB_dscd/s", "MB_dscd/s", "kB_w+d/s", "MB_w+d/s", "Blk_dscd/s", "Blk_w+d/s",
    "kB_read", "kB_wrtn", "kB_dscd", "kB_w+d", "MB_read", "MB_wrtn", "MB_dscd", "MB_w+d", "Blk_read",
    "Blk_wrtn", "Blk_dscd", "Blk_w+d", "rqm/s", "rrqm/s", "wrqm/s", "drqm/s", "%rrqm", "%wrqm", "%drqm",
    "dkB/s", "dMB/s", "dsec/s", "sec/s", "areq-sz", "rareq-sz", "wareq-sz", "dareq-sz", "avgrq-sz",
    "await", "d_await", "svctm", "%util",
)
# fmt: on
KNOWN_COLUMNS: Final = frozenset([*_RATES, *_BYTES, *_AWAITS, *_QUEUES, *_OTHER])

_FACT_KEYS: Final = {
    "aqu-sz": "aqu_sz",
    "avgqu-sz": "aqu_sz",
    "avgrq-sz": "avgrq_sz_sectors",
    "svctm": "svctm_ms",
}
_JSON_NAMES: Final = {"util": "%util", "rrqm": "%rrqm", "wrqm": "%wrqm", "drqm": "%drqm"}

MAX_RATE: Final = 1e9
"""Above this a rate is a counter that went backwards inside iostat, not a disk."""
MAX_UTIL_PERCENT: Final = 150.0
"""Timer jitter gives 100.2; the thousands some kernels report are damage."""


def canonical_column(json_key: str) -> str:
    """The text report's column name of a key of ``iostat -o JSON``, which drops the percent signs."""
    return _JSON_NAMES.get(json_key, json_key)


def fact_key(column: str) -> str:
    """The key a column has in ``inspect`` facts: unit in the key, letters, digits and underscores only."""
    known = _FACT_KEYS.get(column)
    if known is not None:
        return known
    key = column
    if column in LATENCY_COLUMNS:
        key = f"{column}_ms"
    elif column.startswith("%"):
        key = f"{column[1:]}_percent"
    elif column.endswith("/s"):
        key = f"{column[:-2]}_per_s"
    elif column.endswith("req-sz"):
        key = f"{column}_kB"
    key = key.replace("+", "_plus_")
    return "".join(c if c.isalnum() else "_" for c in key)


def column_unit(column: str) -> float:
    """Bytes one unit of a size column stands for; 1.0 for columns that are not sizes."""
    if "MB" in column:
        return KB * KB
    if "kB" in column or column.endswith("req-sz"):
        return KB
    if "Blk" in column or "sec/s" in column:
        return SECTOR
    return 1.0


_SUFFIXES: Final = {"B": 1.0, "k": KB, "M": KB**2, "G": KB**3, "T": KB**4, "P": KB**5, "s": SECTOR}


def parse_cell(token: str, column: str) -> float | None:
    """One cell in the unit its column is named after, or None when it is not a number.

    Reads decimal commas, percent signs and the size suffixes of ``-h``/``--human`` (``2.4M`` in an
    ``rkB/s`` column is 2457.6 kB; sysstat common.c, ``cprintf_unit``). ``nan`` is given back as NaN.
    """
    try:
        return float(token)
    except ValueError:
        pass
    text = token.replace(",", ".", 1)
    factor = 1.0
    if text.endswith("%"):
        text = text[:-1]
    elif text and text[-1] in _SUFFIXES:
        factor = _SUFFIXES[text[-1]] / column_unit(column)
        text = text[:-1]
    if not text or not (text[0].isdigit() or text[0] in "-."):
        return None
    try:
        return float(text) * factor
    except ValueError:
        return None


@lru_cache(maxsize=256)
def limits(columns: tuple[str, ...]) -> tuple[float, ...]:
    """The largest value each column can hold: iostat prints garbage after counter resets."""
    return tuple(map(_limit, columns))


def _limit(column: str) -> float:
    if column == "%util":
        return MAX_UTIL_PERCENT
    return MAX_RATE if column.endswith("/s") or column == "tps" else sys.float_info.max


def measures(values: Mapping[str, float]) -> Iterator[tuple[str, float, str]]:
    """The metrics (model.series.METRICS) one device's row states, each with the column it came from.

    An await of an interval in which nothing completed is printed as 0.00 and means nothing: it is left out.
    ``await`` without the read/write split is given only when the split is not there.
    """
    for column, value in values.items():
        if column in _RATES:
            yield _RATES[column], value, column
        elif column in _BYTES:
            metric, unit = _BYTES[column]
            yield metric, value * unit, column
        elif column in _AWAITS:
            metric, rate_column = _AWAITS[column]
            rate = values.get(rate_column, 0.0)
            if rate > 0 or value > 0:
                yield metric, value / 1000.0, column
            if column in _TIME_RATIOS and rate_column in values:
                yield _TIME_RATIOS[column], rate * value / 1000.0, column
        elif column == "await" and "w_await" not in values and (value > 0 or values.get("tps", 0.0) > 0):
            yield "await_s", value / 1000.0, column
        elif column in _QUEUES:
            yield "queue_length", value, column
        elif column == "%util":
            yield "util_ratio", min(value / 100.0, 1.0), column


_CPU: Final = {
    "%user": "cpu_user_ratio",
    "%system": "cpu_system_ratio",
    "%iowait": "cpu_iowait_ratio",
    "%steal": "cpu_steal_ratio",
    "%idle": "cpu_idle_ratio",
}


def cpu_measures(values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Host CPU metrics of one avg-cpu row (percent in, ratios out); niced work counts as user work."""
    for column, metric in _CPU.items():
        if column in values:
            extra = values.get("%nice", 0.0) if column == "%user" else 0.0
            yield metric, min((values[column] + extra) / 100.0, 1.0)
