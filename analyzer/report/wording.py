"""How every report words a time, a duration, a count, a probability - and how it disarms quoted text.

One place, so that two reports of one diagnosis never disagree about a figure.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import UTC, datetime, timedelta

from analyzer.model.finding import Cite, Window
from analyzer.model.ids import Confidence

NS_PER_S = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# CSI, OSC and two-byte escapes of ECMA-48; every alternative starts at an ESC (or its 8-bit form) and never
# crosses the next one, so a hostile line costs linear time.
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")

_ODDS = {
    Confidence.HIGH: "very likely, about 9 in 10",
    Confidence.MEDIUM: "likely, about 3 in 4",
    Confidence.LOW: "possible, about 1 in 2",
}


def clean(text: str) -> str:
    """Make text from the bundle safe to show: no ANSI, control, bidi or invisible characters, one line.

    White space of any kind becomes one blank, so a quote cannot fake a second line of the report.
    """
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    shown = "".join(_shown(char) for char in _ANSI.sub("", text))
    return " ".join(shown.split())


def clean_lines(text: str) -> tuple[str, ...]:
    """Like ``clean`` for text that is ours and may span lines (commands): indentation is kept."""
    lines = (line.rstrip() for line in text.expandtabs(4).splitlines())
    return tuple("".join(_shown(char) for char in _ANSI.sub("", line)) for line in lines if line.strip())


def _shown(char: str) -> str:
    if char.isprintable():
        return char
    category = unicodedata.category(char)
    if category in ("Zl", "Zp", "Zs") or char in "\t\n\r\v\f\x85":
        return " "
    return "\ufffd" if category in ("Cs", "Co", "Cn") else ""


def moment(ns: int) -> datetime | None:
    """Nanoseconds since the epoch as an aware UTC datetime; None outside the years 1 to 9999."""
    try:
        return _EPOCH + timedelta(microseconds=ns // 1000)
    except OverflowError:
        return None


def utc(ns: int | None) -> str:
    """A time as reports print it: ``2026-03-11 01:02:03Z``."""
    at = None if ns is None else moment(ns)
    return "time unknown" if at is None else f"{at.replace(tzinfo=None):%Y-%m-%d %H:%M:%S}Z".rjust(20, "0")


def span(start_ns: int | None, end_ns: int | None) -> str:
    """``2026-03-11 01:00:02Z to 2026-03-11 03:01:12Z (2 h 01 min)``, or the one end that is known."""
    if start_ns is None and end_ns is None:
        return "no times"
    if start_ns is None or end_ns is None:
        return utc(start_ns if end_ns is None else end_ns)
    return f"{utc(start_ns)} to {utc(end_ns)} ({duration((end_ns - start_ns) / NS_PER_S)})"


def window_span(window: Window | None) -> str:
    """The span of a window; empty when there is none."""
    return "" if window is None else span(window.start_ns, window.end_ns)


def duration(seconds: float | None) -> str:
    """``350 us``, ``138 ms``, ``2.14 s``, ``8 min 20 s``, ``1 h 08 min``, ``3 d 04 h``."""
    if seconds is None or not math.isfinite(seconds):
        return "unknown"
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if seconds < 59.95:
        return _short_duration(seconds)
    whole = round(seconds)
    minutes, rest_s = divmod(whole, 60)
    hours, rest_min = divmod(minutes, 60)
    if hours == 0:
        return f"{minutes} min {rest_s:02d} s" if rest_s else f"{minutes} min"
    if hours < 48:
        return f"{hours} h {rest_min:02d} min" if rest_min else f"{hours} h"
    return f"{hours // 24} d {hours % 24:02d} h"


def _short_duration(seconds: float) -> str:
    if seconds == 0:
        return "0 s"
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        # 0.9995 of the unit rounds up to it with three significant digits.
        if seconds >= 0.9995 * scale:
            return f"{three_digits(seconds / scale)} {unit}"
    return "< 1 us"


def three_digits(value: float) -> str:
    """A number with three significant digits and no exponent: ``2.14``, ``138``, ``41``."""
    if not math.isfinite(value):
        return "unknown"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    if "e" not in text:
        return text
    # %g turns to exponents below 0.0001; spell the zeros out, down to where nobody reads them.
    decimals = min(2 - math.floor(math.log10(abs(value))), 12)
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")


def count(number: int, lower_bound: bool = False) -> str:
    """A count; ``>= 63`` when more may have happened than was written down."""
    return f">= {number:,}" if lower_bound else f"{number:,}"


def counted(number: int, noun: str, plural: str | None = None, lower_bound: bool = False) -> str:
    """``1 election``, ``>= 12 elections``."""
    word = noun if number == 1 and not lower_bound else plural or f"{noun}s"
    return f"{count(number, lower_bound)} {word}"


def points(nats: float) -> str:
    """Points of a ledger line, signed, to a tenth of a nat: ``+2.9``."""
    if not math.isfinite(nats):
        return "+0.0"
    return f"{tenth(nats):+.1f}"


def tenth(nats: float) -> float:
    """Nats rounded as printed; never ``-0.0``."""
    return round(nats, 1) + 0.0


def odds(confidence: Confidence, probability: float | None = None) -> str:
    """How sure, in words and a coarse range; the probability only words what the label leaves open."""
    if confidence in _ODDS:
        return _ODDS[confidence]
    if probability is None or not math.isfinite(probability):
        return "not established"
    if probability >= 0.35:
        return "open, about 1 in 2"
    if probability >= 0.15:
        return "doubtful, about 1 in 4"
    return "unlikely, about 1 in 10" if probability >= 0.05 else "very unlikely, less than 1 in 20"


def chance(p_value: float | None) -> str:
    """A p-value as odds against chance, coarse: ``by chance less often than 1 in 1,000``."""
    if p_value is None or not math.isfinite(p_value):
        return ""
    for limit in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 5e-2):
        if p_value <= limit:
            return f"chance alone does this less than once in {round(1 / limit):,}"
    return f"chance alone does this about once in {max(1, round(1 / p_value)):,}"


def where(cite: Cite) -> str:
    """``file:line``, clickable in most terminals and greppable everywhere."""
    return f"{clean(cite.file)}:{cite.line}"


def place(member: str | None, device: str | None) -> str:
    """``on etcd-2, device vdb``; empty when the whole cluster is meant."""
    parts = [f"on {clean(member)}"] if member else []
    if device:
        parts.append(f"device {clean(device)}")
    return ", ".join(parts)


def listing(words: list[str] | tuple[str, ...], limit: int | None = None) -> str:
    """``a, b and c``; with a limit ``a, b and 4 more``."""
    shown = list(words)
    if limit is not None and len(shown) > limit:
        shown = [*shown[:limit], f"{len(shown) - limit} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
