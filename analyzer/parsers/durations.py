"""Go durations (``1m2.5s``, ``938.9µs``) -> seconds. Strict and whole, or not at all."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
_EXPONENTS = {"s": "", "ms": "e-3", "us": "e-6", "µs": "e-6", "μs": "e-6", "ns": "e-9"}
_ONE = re.compile(r"(\d+(?:\.\d*)?)(s|ms|[uµμ]s|ns)")
_WHOLE = re.compile(r"-?(?:\d+(?:\.\d*)?(?:h|ms|m|s|[uµμ]s|ns))+")
_PART = re.compile(r"(\d+(?:\.\d*)?)(h|ms|m|s|[uµμ]s|ns)")
_PLAIN = dict.fromkeys(map(ord, "0123456789.msµ\n"))
"""What the texts of :func:`seconds_column`'s fast way may consist of (for str.translate)."""


def seconds(text: object) -> float:
    """Seconds of a Go duration string or of a bare number of seconds; NaN when it is neither.

    Bare numbers come from zap's float duration encoder (etcd 3.4 embedded in another program).
    A damaged value (``123.45m\\xffs``) gives NaN, never a guess.
    """
    if isinstance(text, str):
        one = _ONE.fullmatch(text)
        # "e-3" and not "* 1e-3": correctly rounded, and the same bits as seconds_column
        return float(one[1] + _EXPONENTS[one[2]]) if one else _compound(text)
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return float(text) if 0 <= text < 1e300 else math.nan
    return math.nan


def _compound(text: str) -> float:
    if not _WHOLE.fullmatch(text):
        return math.nan
    total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return -total if text.startswith("-") else total


def seconds_column(values: Sequence[object]) -> NDArray[np.float64]:
    """:func:`seconds` of n values at once, shape (n,).

    A log names its durations with one unit (``1.5s``, ``120.2ms``), so the column is one text in which the units
    become exponents and ``float`` reads what is left: 0.16 µs a value instead of 0.47 µs. Anything unusual in the
    column (minutes, numbers, damage) sends all of it the slow way.
    """
    import numpy as np

    plain = _plain_column(values)
    if plain is not None:
        return np.array(plain, dtype=np.float64)
    return np.array(list(map(seconds, values)), dtype=np.float64)


def _plain_column(values: Sequence[Any]) -> list[float] | None:
    try:
        text = "\n".join(values) + "\n"
    except TypeError:
        return None
    # every text ends in s, none begins with a point, nothing but digits, points and units
    if text.count("s\n") != len(values) or "\n." in text or text[0] == "." or text.translate(_PLAIN):
        return None
    text = text.replace("ms\n", "e-3\n").replace("µs\n", "e-6\n").replace("s\n", "\n")
    try:
        return list(map(float, text.split("\n")[:-1]))
    except ValueError:
        return None
