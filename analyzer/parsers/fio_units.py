"""Numbers as fio prints them and takes them: suffixes, sizes, bandwidths, options."""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = re.compile(r"(\d{1,15}(?:\.\d{1,12})?)([kMGTP]?)")
_THOUSANDS: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_SIZE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,12})?)\s*([kmgtp]?)i?b?", re.IGNORECASE)
_BANDWIDTH: Final = re.compile(r"(\d{1,15}(?:\.\d{1,12})?)\s*([kKMGT]?)(i?)B/s")
_POWERS: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_VERSION: Final = re.compile(r"fio-(\d{1,3})\.(\d{1,3})(?:[.\-+~]\S{0,40})?")
_OPTION: Final = re.compile(r"(?:^|\s)--?([a-z_]+)(?:=|\s+(?!-))(\S+)")

PER_SECOND: Final = {"nsec": 1e9, "usec": 1e6, "msec": 1e3, "sec": 1.0}
"""How many of fio's time units make a second."""


def number(text: str) -> float | None:
    """``8443.6k`` -> 8443600.0 (fio shortens figures with decimal suffixes; stat.c, ``num2str``)."""
    found = _NUMBER.fullmatch(text.strip())
    return float(found[1]) * _THOUSANDS[found[2]] if found else None


def size_bytes(text: str) -> int | None:
    """``2300``, ``4k``, ``4096B``, ``22m``, ``1MiB`` -> bytes (fio's kb_base is 1024)."""
    found = _SIZE.fullmatch(text.strip())
    return int(float(found[1]) * 1024 ** _POWERS[found[2].lower()]) if found else None


def write_block_bytes(text: str) -> int | None:
    """Block size of writes in an option value: ``2300``, ``4k,8k`` (read,write) or a range ``1k-4k``."""
    parts = text.split(",")
    part = parts[1] if len(parts) > 1 and parts[1] else parts[0]
    return size_bytes(part.rpartition("-")[2])


def bandwidth_bytes_s(text: str) -> float | None:
    """First bandwidth in the text: ``8858KiB/s`` or fio 2's ``KB/s`` are binary, ``9071kB/s`` is decimal."""
    found = _BANDWIDTH.search(text)
    if found is None:
        return None
    base = 1024.0 if found[3] or found[2] == "K" else 1000.0
    return float(float(found[1]) * base ** _POWERS[found[2].lower()])


def version(text: str) -> tuple[int, int] | None:
    """``fio-3.15-23-g937e`` -> (3, 15)."""
    found = _VERSION.fullmatch(text.strip())
    return (int(found[1]), int(found[2])) if found else None


_ALIASES: Final = {"readwrite": "rw", "blocksize": "bs"}


def command_options(text: str) -> dict[str, str]:
    """The options of a fio command line by their usual names."""
    return {_ALIASES.get(name, name): value.strip("'\"") for name, value in _OPTION.findall(text)}


THROTTLES: Final = frozenset({"rate", "rate_iops", "thinktime"})
"""Options that make fio write slower than it could."""


def count(text: str | None) -> int | None:
    """A whole number option (``fdatasync=1``), None when it is not shown or is none."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else None
