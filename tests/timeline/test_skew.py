# ruff: noqa: E501 - log lines stand as they are written
"""Clock skew from raft votes, with the truth known."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from ..parsers.etcd_log.feeding import settled

IDS = {"m1": "8e9e05c52164694d", "m2": "255a2e4092d561fb", "m3": "1de1eaa8fb268f49"}
START = datetime(2026, 1, 5, 12, tzinfo=UTC)


def line(at: datetime, message: str, **fields: object) -> str:
    stamp = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return json.dumps({"level": "info", "ts": stamp, "logger": "raft", "msg": message, **fields})


def elections(skews: dict[str, float]) -> dict[str, str | bytes]:
    """m1 and m2 stand for election in turn; every vote takes 2 ms on its way and 1 ms to be cast."""
    logs = {
        name: [line(START, "starting an etcd server", **{"name": name, "local-member-id": IDS[name]})] for name in IDS
    }

    def say(name: str, at: datetime, text: str) -> None:
        logs[name].append(line(at + timedelta(seconds=skews[name]), text))

    for term in range(5, 25):
        at = START + timedelta(minutes=term)
        candidate = "m1" if term % 2 else "m2"
        own = IDS[candidate]
        for peer in IDS:
            if peer == candidate:
                continue
            say(candidate, at, f"{own} [logterm: 4, index: 9] sent MsgVote request to {IDS[peer]} at term {term}")
            cast = f"{IDS[peer]} [logterm: 4, index: 9, vote: 0] cast MsgVote for {own} [logterm: 4, index: 9] at term {term}"
            say(peer, at + timedelta(milliseconds=3), cast)
            say(
                candidate, at + timedelta(milliseconds=5), f"{own} received MsgVoteResp from {IDS[peer]} at term {term}"
            )
    return {f"{name}.log": "\n".join(lines) for name, lines in logs.items()}


@pytest.mark.parametrize("skews", [{"m1": 0.0, "m2": 0.0, "m3": 0.0}, {"m1": 0.0, "m2": 7.5, "m3": -3.2}])
def test_the_truth_lies_in_the_stated_interval(skews: dict[str, float]) -> None:
    members = {member.name: member for member in settled(elections(skews)).members}
    assert all(member.skew_s is not None and member.skew_half_width_s is not None for member in members.values())
    for one in IDS:
        for two in IDS:
            a, b = members[one], members[two]
            assert a.skew_s is not None and b.skew_s is not None
            width = (a.skew_half_width_s or 0) + (b.skew_half_width_s or 0) + 1e-9
            assert abs((a.skew_s - b.skew_s) - (skews[one] - skews[two])) <= width, (one, two)
            assert width < 0.05


def test_capnslog_and_json_members_are_compared_alike() -> None:
    import re

    files = elections({"m1": 0.0, "m2": 2.0, "m3": 0.0})
    old = []
    for text in str(files["m2.log"]).splitlines():
        record = json.loads(text)
        if record["msg"] == "starting an etcd server":
            old.append("2026-01-05 12:00:00.000000 I | etcdserver: name = m2")
            continue
        stamp = re.sub("[TZ]", " ", record["ts"]).strip()
        old.append(f"{stamp} I | raft: {record['msg']}")
    files["m2.log"] = "\n".join(old)
    members = {member.name: member for member in settled(files).members}
    assert set(members) == set(IDS)
    assert members["m2"].skew_s is not None and members["m1"].skew_s is not None
    assert members["m2"].skew_s - members["m1"].skew_s == pytest.approx(2.0, abs=0.05)
