"""One row of /proc/diskstats: which number is which.

Columns: Linux Documentation/admin-guide/iostats.rst. 14 columns up to 4.17, 18 with discards (4.18),
20 with flushes (5.5). Times are milliseconds summed over parallel I/O.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import Final

NAMES: Final = (
    "reads",
    "reads_merged",
    "sectors_read",
    "read_ms",
    "writes",
    "writes_merged",
    "sectors_written",
    "write_ms",
    "in_flight",
    "io_ms",
    "weighted_io_ms",
    "discards",
    "discards_merged",
    "sectors_discarded",
    "discard_ms",
    "flushes",
    "flush_ms",
)
IN_FLIGHT: Final = NAMES.index("in_flight")
_WIDTHS: Final = (17, 15, 11)
_OLD_PARTITION: Final = 4

_ROW: Final = re.compile(r"\s*\d{1,4}\s+\d{1,7}\s+(?P<name>[A-Za-z]\S*)\s+(?P<numbers>\d+(?:\s+-?\d{1,20})*)\s*")
_DAMAGED: Final = re.compile(r"\s*\d{1,4}\s+\d{1,7}\s+[A-Za-z]\S*(?:\s+-?\d+){2}")
_MAX_UINT64: Final = (1 << 64) - 1
_UNKNOWN_IN_FLIGHT: Final = (1 << 32) - 1
"""What a kernel prints for -1 requests in flight (a known accounting bug); no real queue is that long."""


def read_row(text: str) -> tuple[str, tuple[int, ...]] | None:
    """Device and counters (in the order of NAMES) of one row, or None when it is none or damaged.

    Of an old partition row (kernel 2.6.24 and older: reads, sectors read, writes, sectors written) the
    missing counters are 0. Columns a future kernel may append are left out.
    """
    found = _ROW.fullmatch(text) if len(text) < 1000 else None
    if found is None:
        return None
    numbers = [int(word) for word in found["numbers"].split()]
    if len(numbers) == _OLD_PARTITION:
        reads, read_sectors, writes, write_sectors = numbers
        counters: list[int] = [reads, 0, read_sectors, 0, writes, 0, write_sectors]
    else:
        width = next((w for w in _WIDTHS if len(numbers) == w or len(numbers) > w == len(NAMES)), 0)
        if not width:
            return None
        counters = numbers[:width]
        if counters[IN_FLIGHT] < 0:
            counters[IN_FLIGHT] = _UNKNOWN_IN_FLIGHT
    if not all(0 <= value <= _MAX_UINT64 for value in counters):
        return None
    return found["name"], tuple(counters)


def is_damaged_row(text: str) -> bool:
    """Whether a line that ``read_row`` refused still begins like a row."""
    return bool(_DAMAGED.match(text))


def _ints() -> array[int]:
    return array("q")


def _counters() -> array[int]:
    return array("Q")


@dataclass(slots=True)
class History:
    """All rows of one device, flat: ``counters`` holds ``width`` numbers per row."""

    width: int
    snapshots: array[int] = field(default_factory=_ints)
    lines: array[int] = field(default_factory=_ints)
    counters: array[int] = field(default_factory=_counters)

    def add(self, snapshot: int, line: int, counters: tuple[int, ...]) -> bool:
        """Append one row; False when it has another number of columns than the rows before."""
        if len(counters) != self.width:
            return False
        self.snapshots.append(snapshot)
        self.lines.append(line)
        self.counters.extend(counters)
        return True
