"""Numbers and units as the tools print them, turned into SI. None when the text is not one."""

from __future__ import annotations

import math
import re

from analyzer.parsers import durations

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(B|[kKMGTPE]i?B?)?\s*$")
_PREFIX = "KMGTPE"
MAX_UINT64 = 2**64 - 1


def go_duration_s(text: str) -> float | None:
    """Seconds of a Go duration: ``1m0.5s``, ``938.9µs``; None when it is not a whole one."""
    value = durations.seconds(text.strip())
    return None if math.isnan(value) else value


def size_bytes(text: str, *, letter_base: int = 1000) -> int | None:
    """Bytes of ``25 kB`` (= 25000), ``2.1 GB``, ``7.6Gi`` or ``512``.

    etcdctl prints sizes with go-humanize ``Bytes``: powers of 1000 (etcdctl/ctlv3/command/printer.go@v3.5.0).
    A bare letter (``df -h``: ``20G``) counts in ``letter_base``.
    """
    found = _SIZE.match(text)
    if not found:
        return None
    unit = found[2] or "B"
    if unit == "B":
        return round(float(found[1]))
    base = 1024 if "i" in unit else (1000 if unit.endswith("B") else letter_base)
    power: int = _PREFIX.index(unit[0].upper()) + 1
    return round(float(found[1]) * math.pow(base, power))


def number(text: str) -> float | None:
    """A finite float, also with a decimal comma (``0,99`` in many locales)."""
    try:
        value = float(text)
    except ValueError:
        try:
            value = float(text.replace(",", ".", 1))
        except ValueError:
            return None
    return value if math.isfinite(value) else None


def whole(text: str) -> int | None:
    """A non-negative decimal integer that fits 64 bits."""
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        return None
    value = int(text)
    return value if value <= MAX_UINT64 else None


def epoch_ns(seconds: float) -> int | None:
    """Nanoseconds of an epoch time in seconds; None outside 1970..2200 (damage)."""
    return round(seconds * 1e3) * 1_000_000 if 0 <= seconds < 7_258_118_400 else None


def id_hex(value: int) -> str:
    """A member id as logs and tables print it: lower-case hex without padding."""
    return f"{value:x}"
