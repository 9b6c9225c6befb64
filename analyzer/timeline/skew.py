"""Members' clocks against each other, from raft messages that name their term."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.detectors.skew import SkewTable, member_skew
from analyzer.model.events import EventTable
from analyzer.timeline.members import Identities

if TYPE_CHECKING:
    import pandas as pd

MAX_FLIGHT_S = 3600.0
"""Two lines of one term further apart than this are not one message."""


def estimate_skew(table: EventTable, known: Identities) -> SkewTable | None:
    """Pair 'sent MsgVote request to g at term n' with g's 'cast MsgVote for f ... at term n', and answers back.

    Returns None when no pair of members exchanged a dated message.
    """
    sent = _votes(table, known, "vote-requested")
    cast = _votes(table, known, "vote-cast")
    received = _votes(table, known, "vote-received")
    messages = []
    for (speaker, peer, term), ts in sent.items():
        answer = cast.get((peer, speaker, term))
        if answer is not None and abs(answer - ts) < MAX_FLIGHT_S:
            messages.append((speaker, peer, ts, answer))
    for (speaker, peer, term), ts in cast.items():
        answer = received.get((peer, speaker, term))
        if answer is not None and abs(answer - ts) < MAX_FLIGHT_S:
            messages.append((speaker, peer, ts, answer))
    return member_skew(messages) if messages else None


def _votes(table: EventTable, known: Identities, kind: str) -> dict[tuple[str, str, int], float]:
    """First time each (speaker, peer, term) was logged, seconds."""
    if kind not in table.kinds:
        return {}
    rows: pd.DataFrame = table.of(kind)
    rows = rows[rows["timed"] & (rows["term"] >= 0) & (rows["peer"] >= 0) & (rows["who"] != "")]
    found: dict[tuple[str, str, int], float] = {}
    for ts, who, peer, term in zip(rows["ts_ns"], rows["who"], rows["peer"], rows["term"], strict=True):
        other = known.resolve(table.names[peer])
        if other is not None and other != who:
            found.setdefault((str(who), other, int(term)), ts / 1e9)
    return found
