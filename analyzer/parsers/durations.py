"""Go durations (``1m2.5s``, ``938.9µs``) -> seconds. Strict and whole, or not at all."""

from __future__ import annotations

import math
import re

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
_WHOLE = re.compile(r"-?(?:\d+(?:\.\d*)?(?:h|ms|m|s|[uµμ]s|ns))+")
_PART = re.compile(r"(\d+(?:\.\d*)?)(h|ms|m|s|[uµμ]s|ns)")


def seconds(text: object) -> float:
    """Seconds of a Go duration string or of a bare number of seconds; NaN when it is neither.

    Bare numbers come from zap's float duration encoder (etcd 3.4 embedded in another program).
    A damaged value (``123.45m\\xffs``) gives NaN, never a guess.
    """
    if isinstance(text, str):
        if text.endswith("ms"):
            try:
                return float(text[:-2]) * 1e-3
            except ValueError:
                return _slow(text)
        return _slow(text)
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return float(text) if math.isfinite(text) and text >= 0 else math.nan
    return math.nan


def _slow(text: str) -> float:
    if not _WHOLE.fullmatch(text):
        return math.nan
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return -total if text.startswith("-") else total
