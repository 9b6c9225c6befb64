"""Clock drift lines: real drift is constant; packet loss and CPU starvation fake it with values that jump about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers.log_events import absent, summarise
from analyzer.reasoning.reading import Reading, seen

if TYPE_CHECKING:
    import pandas as pd


def _groups(case: Case) -> list[tuple[float, pd.DataFrame]]:
    """(relative spread, rows) of the drift lines, by pair of members."""
    rows = case.rows(("clock-drift",))
    rows = rows[rows["value"].notna()]
    groups = []
    for _, pair in rows.groupby(["who", "peer"], sort=True):
        middle = float(pair["value"].abs().median())
        spread = float((pair["value"].abs() - middle).abs().max()) / middle if middle else 0.0
        groups.append((spread, pair))
    return groups


def constant_drift(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Drift lines that repeat one value: the clocks really differ."""
    readings = []
    for spread, pair in _groups(case):
        if len(pair) >= params["least"] and spread <= params["spread"]:
            reading = summarise(case, pair, seen(len(pair) >= params["fail"]))
            words = {**reading.words, "drift": wording.duration(float(pair["value"].abs().median()))}
            readings.append(
                Reading(
                    reading.state,
                    reading.member,
                    None,
                    float(pair["value"].abs().median()),
                    "s",
                    reading.window,
                    reading.at,
                    words,
                )
            )
    return readings or absent(case, params)


def varying_drift(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Few drift lines of jumping values: late probe answers, not clocks."""
    rows = [pair for spread, pair in _groups(case) if spread > params["spread"] or len(pair) < params["least"]]
    if not rows:
        return []
    import pandas as pd

    return [summarise(case, pd.concat(rows), seen(False))]
