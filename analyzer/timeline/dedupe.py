"""Rotated, repeated and overlapping files are counted once.

Two rows are the same record when they say the same thing at the same time by the same member AND stand in
different artifacts. Repeats inside one artifact are real (several peers, several requests in a millisecond).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.model.events import NO_TIME

if TYPE_CHECKING:
    import pandas as pd

KEY = ["ts_ns", "kind", "who", "took_s", "peer", "term", "value", "size"]


def drop_repeats(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The frame without records already seen in an earlier artifact, and how many were dropped."""
    if frame["artifact"].nunique() < 2:
        return frame, 0
    timed = frame["ts_ns"] != NO_TIME
    keyed = frame[timed]
    nth = keyed.groupby([*KEY, "artifact"], dropna=False, sort=False).cumcount()
    repeated = keyed.assign(nth=nth).duplicated(subset=[*KEY, "nth"], keep="first")
    drop = repeated.index[repeated]
    return frame.drop(index=drop), len(drop)
