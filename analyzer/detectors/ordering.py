"""Which of two stages of an incident began first, and may that be said at all?

etcd writes "slow fdatasync" and "apply request took too long" when the stall ENDS. A start is
therefore known as an interval: [ts - took] give or take the clock skew for a log line with a
duration, (covers_from, ts] for a sample. "Before" may be said only when the intervals do not
overlap; with samples coarser than the lag the honest word is "coincides".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from typing import Final, Literal

from analyzer.detectors.significance import binomial_tail

Verdict = Literal["ok", "tie", "contradicted", "unobserved"]

FEWEST_EPISODES: Final = 5
LEAST_SHARE: Final = 0.8


@dataclass(frozen=True, slots=True)
class StageStart:
    """The interval, epoch seconds UTC, in which a stage began for sure."""

    earliest: float
    latest: float


@dataclass(frozen=True, slots=True)
class Direction:
    """Order of two stages over several episodes.

    `claimed` needs five decidable episodes, 80 % of them in order, and no more ties than decidable
    ones: where samples are coarser than the lag, the odd decidable episode does not make "before"
    out of "coincides". `p_value` is the one-sided sign test on the decidable episodes.
    """

    in_order: int
    contradicted: int
    ties: int
    unobserved: int
    p_value: float
    claimed: bool


def start_of_event(ts: float, took_s: float = 0.0, half_width_s: float = 0.0) -> StageStart:
    """Return the start of a log event stamped at its end, `half_width_s` = clock uncertainty."""
    begin = ts - max(took_s, 0.0)
    margin = max(half_width_s, 0.0)
    return StageStart(begin - margin, begin + margin)


def start_in_sample(covers_from: float, ts: float, half_width_s: float = 0.0) -> StageStart:
    """Return the start of something first seen in a sample that covers (covers_from, ts]."""
    margin = max(half_width_s, 0.0)
    return StageStart(min(covers_from, ts) - margin, max(covers_from, ts) + margin)


def order_edge(first: StageStart | None, second: StageStart | None) -> Verdict:
    """Return whether `first` began before `second`: for sure, undecidable, or the other way round.

    A stage that no input of the bundle can show is "unobserved", never "contradicted".
    """
    if first is None or second is None:
        return "unobserved"
    if any(isnan(v) for v in (first.earliest, first.latest, second.earliest, second.latest)):
        return "unobserved"
    if first.latest < second.earliest:
        return "ok"
    if first.earliest > second.latest:
        return "contradicted"
    return "tie"


def direction(verdicts: Iterable[Verdict]) -> Direction:
    """Summarise the verdicts of one edge over the episodes of a bundle."""
    listed = list(verdicts)
    in_order, against = listed.count("ok"), listed.count("contradicted")
    decidable = in_order + against
    ties = listed.count("tie")
    claimed = decidable >= max(FEWEST_EPISODES, ties) and in_order >= LEAST_SHARE * decidable
    return Direction(
        in_order, against, ties, listed.count("unobserved"),
        binomial_tail(in_order, decidable, 0.5), claimed,
    )  # fmt: skip
