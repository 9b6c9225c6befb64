"""Numbers as sentences need them."""

from __future__ import annotations

import math
from datetime import UTC, datetime


def duration(seconds: float) -> str:
    """``2.14 s``, ``138 ms``, ``4 min 05 s``, ``1 h 08 min``."""
    if not math.isfinite(seconds):
        return "unbounded"
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < 90:
        return f"{seconds:.3g} s"
    if seconds < 3600:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest:02d} s" if rest else f"{minutes} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours} h {rest:02d} min" if rest else f"{hours} h"


def size(count: float) -> str:
    """``2.1 GB`` (powers of 1000, as etcdctl prints)."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} B"


def percent(ratio: float) -> str:
    """``41 %``."""
    return f"{100 * ratio:.0f} %"


def number(value: float) -> str:
    """Three significant digits, no exponent for everyday sizes."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def moment(ns: int) -> str:
    """``2026-03-11 01:02:03Z``."""
    return datetime.fromtimestamp(ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def plural(count: float, noun: str) -> str:
    """``1 line``, ``12 lines``."""
    return f"{count:,.0f} {noun}" + ("" if count == 1 else "s")


def names(items: list[str]) -> str:
    """``etcd-0, etcd-1 and etcd-2``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
