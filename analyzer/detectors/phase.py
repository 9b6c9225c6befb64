"""Say where in the day a period sits, and whether it sits on the clock at all."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite
from typing import Final

from analyzer.detectors.folding import Fold

#: Everyday scheduler periods, seconds.
CATALOGUE_S: Final = (
    60.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800.0, 14400.0, 21600.0, 43200.0, 86400.0,
)  # fmt: skip


def clock_period(folded: Fold, span: float) -> float | None:
    """Return the everyday period the fit agrees with over the whole capture, or None.

    Agreement: the drift against it over the capture stays within three standard errors, or within
    a tenth of the hit window where the error is unknown or zero.
    """
    cycles = max(span / folded.period_s, 1.0)
    error = folded.period_error_s if isfinite(folded.period_error_s) else 0.0
    allowed = 3.0 * error + 0.1 * folded.window_s / cycles
    near = min(CATALOGUE_S, key=lambda period: abs(period - folded.period_s))
    close = abs(near - folded.period_s) <= min(allowed, 0.01 * near)
    return near if close else None


def phase_label(folded: Fold, anchor: float, span: float) -> str:
    """Return the phase in words, with its uncertainty.

    Aligned to the clock: "about 01:02 UTC +/- 1 min, every 2 h (odd hours)". Otherwise the first
    expected onset as an ISO time, marked free-running.
    """
    error = folded.anchor_error_s
    margin = "" if not isfinite(error) else f" +/- {_duration(max(2.0 * error, 1.0))}"
    clock = clock_period(folded, span)
    if clock is None:
        try:
            first = datetime.fromtimestamp(round(anchor), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (OverflowError, OSError, ValueError):
            first = f"{anchor:.0f} s"
        return f"free-running: from {first}{margin}, every {_duration(folded.period_s)}"
    phase = round(middle_phase(folded, anchor, span, clock)) % int(clock)
    if clock < 3600.0:
        return f"{phase // 60:02d}:{phase % 60:02d} past the mark{margin}, every {_duration(clock)}"
    parity = ""
    if clock == 7200.0:
        parity = " (odd hours)" if (phase // 3600) % 2 else " (even hours)"
    return f"about {phase // 3600:02d}:{phase // 60 % 60:02d} UTC{margin}, every {_duration(clock)}{parity}"


def middle_phase(folded: Fold, anchor: float, span: float, clock: float) -> float:
    """Return the phase on the clock, read off mid-capture where the fit is best."""
    middle = anchor + round(0.5 * span / folded.period_s) * folded.period_s
    return float(middle % clock)


def _duration(seconds: float) -> str:
    """Return a duration in the largest unit that keeps two digits of meaning."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"
