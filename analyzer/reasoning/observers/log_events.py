"""Symptoms that are simply log lines: are there enough of them?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.model.finding import Window
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.reading import Reading, seen

if TYPE_CHECKING:
    import pandas as pd


GREY = 4
"""Between a quarter of the limit and the limit neither 'seen' nor 'not there' would be honest."""


def chosen(case: Case, params: Mapping[str, Any]) -> pd.DataFrame:
    """Rows the parameters ask for: ``events``, ``errors``, ``least_took_s``, ``outside`` planned / starting windows."""
    rows = case.rows(params["events"])
    if "errors" in params:
        rows = case.with_error(rows, params["errors"])
    if "but_errors" in params:
        rows = rows.drop(index=case.with_error(rows, params["but_errors"]).index)
    if "least_took_s" in params:
        rows = rows[rows["took_s"] >= params["least_took_s"]]
    if "least_value" in params:
        rows = rows[rows["value"].abs() >= params["least_value"]]
    outside = params.get("outside", ())
    times = rows["ts_ns"].to_numpy() / 1e9
    drop = np.zeros(len(rows), dtype=bool)
    if "planned" in outside:
        drop |= case.in_plan(rows)
    if "starting" in outside:
        drop |= rows["timed"].to_numpy() & case.inside(times, case.starting)
    return rows[~drop]


def events(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Seen when there are at least ``least`` lines (``least_complete`` in a complete log); FAIL from ``fail`` on."""
    rows = chosen(case, params)
    count = int(rows["count"].sum())
    if count == 0 and params.get("only_when_any", False):
        return []
    needed = params.get("least", 1)
    if case.complete_logs:
        needed = params.get("least_complete", needed)
    if count >= needed:
        return [summarise(case, rows, seen(count >= params.get("fail", needed)))]
    return absent(case, params, count) if count <= needed / GREY else []


def absent(case: Case, params: Mapping[str, Any], count: int = 0) -> list[Reading]:
    """PASS when a complete log was read, nothing to judge from otherwise."""
    if not case.complete_logs or params.get("never_pass", False):
        return []
    return [Reading(State.PASS, value=count, unit="lines", at=case.log_spots(), words={"n": f"{count}"})]


def summarise(case: Case, rows: pd.DataFrame, state: State) -> Reading:
    """One reading over rows: how many, by whom, how long, when."""
    by_member = rows.groupby("who", sort=True)["count"].sum()
    worst = str(by_member.idxmax()) if len(by_member) else ""
    who = [str(name) for name in by_member.index if name]
    longest = rows["took_s"].max()
    dated = rows[rows["timed"]]
    window = Window(int(dated["start_ns"].min()), int(dated["ts_ns"].max())) if len(dated) else None
    shown = (
        rows.sort_values(["took_s", "ts_ns"], ascending=[False, True], kind="stable") if longest == longest else rows
    )
    count = int(rows["count"].sum())
    words = {
        "n": f"{count:,}",
        "lines": wording.plural(count, "line"),
        "times": wording.plural(count, "time"),
        "worst": worst or "the member",
        "members": wording.names(who) or "the member",
        "n_worst": f"{int(by_member.max()):,}" if len(by_member) else "0",
        "longest": wording.duration(float(longest)) if longest == longest else "unknown",
        "largest": wording.duration(float(rows["value"].abs().max())) if rows["value"].notna().any() else "unknown",
    }
    member = worst if worst and len(who) == 1 else (worst if len(by_member) and by_member.max() > 0.6 * count else None)
    return Reading(
        state, member or None, value=float(count), unit="lines", window=window, at=case.spots(shown), words=words
    )
