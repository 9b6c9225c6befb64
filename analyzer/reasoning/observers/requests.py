"""Requests that are expensive themselves, told apart from small ones that only waited."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers.log_events import absent, summarise
from analyzer.reasoning.reading import Reading, seen

SLOW = ("apply-slow", "request-slow", "trace-slow")


def expensive_requests(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Slow requests that return thousands of keys or megabytes, or carry large values."""
    rows = case.rows(SLOW)
    big = rows[(rows["size"] >= params["bytes"]) | (rows["value"] >= params["keys"])]
    count = len(big)
    needed = params["least_complete"] if case.complete_logs else params["least"]
    if count < needed:
        return absent(case, params, count)
    largest, keys = big["size"].max(), big["value"].max()
    reading = summarise(
        case, big.sort_values(["size", "value"], ascending=False, kind="stable"), seen(count >= params["fail"])
    )
    words = {
        **reading.words,
        "largest": wording.size(float(largest)) if largest == largest else "unknown size",
        "keys": wording.plural(int(keys), "key") if keys == keys else "an unknown number of keys",
        "total": f"{len(rows):,}",
    }
    spots = case.spots(big.sort_values(["size", "value"], ascending=False, kind="stable"))
    return [Reading(reading.state, reading.member, None, float(count), "requests", reading.window, spots, words)]


def victims_of_a_stall(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Small requests that all end within the same instant after very different waits: they waited for one stall."""
    rows = case.rows(("apply-slow",))
    rows = rows[rows["timed"] & (rows["took_s"] >= params["least_took_s"])]
    if len(rows) < params["least"]:
        return []
    ends = rows["ts_ns"].to_numpy() / 1e9
    took = rows["took_s"].to_numpy()
    order = np.argsort(ends, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(ends[order]) > params["instant_s"]) + 1)
    waited = [g for g in groups if len(g) >= params["least"] and took[g].max() > params["spread"] * took[g].min()]
    together = sum(len(g) for g in waited)
    if together < params["least"] or together < 0.3 * len(rows):
        return []
    chosen = rows.iloc[waited[0][:3]]
    words = {"n": f"{together:,}", "total": f"{len(rows):,}", "longest": wording.duration(float(took.max()))}
    return [Reading(seen(False), None, None, float(together), "requests", at=case.spots(chosen), words=words)]
