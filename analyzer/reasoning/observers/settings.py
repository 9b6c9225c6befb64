"""etcd's own settings against each other and against the network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analyzer.detectors.histogram import quantile_bracket
from analyzer.model.facts import Flag
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers.scrapes import windows
from analyzer.reasoning.reading import Reading, Spot, seen


def _flag_spot(case: Case, member: str, name: str) -> tuple[Spot, ...]:
    for artifact, flag in case.records(Flag):
        if flag.name == name and artifact.member in (member, None):
            return ((artifact.index, flag.line),)
    return ()


def timeouts(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Election timeout too near the heartbeat or the round-trip time, or different between members."""
    stated = [member for member in case.timeline.members if member.timeouts_stated]
    readings = []
    round_trip = _round_trip(case)
    for member in stated:
        spots = _flag_spot(case, member.name, "election-timeout") or _flag_spot(case, member.name, "heartbeat-interval")
        ratio = member.election_s / member.heartbeat_s
        problem = ""
        if ratio < params["least_ratio"]:
            problem = f"the election timeout is only {ratio:.3g} heartbeats"
        elif round_trip and member.election_s < params["least_round_trips"] * round_trip:
            trips = f"{params['least_round_trips']:g} round trips of {wording.duration(round_trip)}"
            problem = f"the election timeout is below {trips}"
        elif member.election_s < params["least_election_s"]:
            problem = f"the election timeout is far below etcd's default of {wording.duration(1.0)}"
        words = {
            "member": member.name,
            "heartbeat": wording.duration(member.heartbeat_s),
            "election": wording.duration(member.election_s),
            "problem": problem or "they fit",
        }
        state = seen(True) if problem else State.PASS
        readings.append(Reading(state, member.name, None, ratio, "1", at=spots, words=words))
    if len({(m.heartbeat_s, m.election_s) for m in stated}) > 1 and not any(r.state.seen for r in readings):
        spots = tuple(spot for m in stated for spot in _flag_spot(case, m.name, "election-timeout")[:1])
        words = {
            "member": "the members",
            "heartbeat": "different",
            "election": "different",
            "problem": "they differ between members",
        }
        readings.append(Reading(State.WARN, None, None, None, None, at=spots[:3], words=words))
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings[:1]


def _round_trip(case: Case) -> float | None:
    """The largest lower bound of a peer's median round-trip time; None without the histogram."""
    lows = []
    for window in windows(case, "etcd_network_peer_round_trip_time_seconds"):
        bracket = quantile_bracket(window.buckets, 0.5)
        if bracket.total >= 10:
            lows.append(bracket.low)
    return max(lows, default=0.0) or None
