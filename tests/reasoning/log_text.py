"""etcd 3.5 log lines for tests: what etcd writes, with times and ids of our own."""

from __future__ import annotations

import json
from typing import Any

IDS = {"etcd-0": "11aa22bb33cc44dd", "etcd-1": "22bb33cc44dd55ee", "etcd-2": "33cc44dd55ee66ff"}


def stamp(second: float) -> str:
    """UTC stamp of a second after 10:00."""
    minutes, rest = divmod(second, 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"2026-03-11T{10 + hours:02d}:{minutes:02d}:{rest:09.6f}Z"


def line(second: float, msg: str, level: str = "info", **fields: Any) -> str:
    record = {"level": level, "ts": stamp(second), "caller": "x/y.go:1", "msg": msg}
    record.update({key.replace("_", "-"): value for key, value in fields.items()})
    return json.dumps(record) + "\n"


def start(second: float, name: str) -> str:
    return line(
        second, "starting an etcd server", etcd_version="3.5.21", name=name, heartbeat_interval="100ms",
        election_timeout="1s", local_member_id=IDS[name],
    )  # fmt: skip


def chatter(name: str, begin: int, end: int, without: tuple[float, float] | None = None) -> list[tuple[float, str]]:
    """An info line every second: a log dense enough that silence means something."""
    return [
        (float(second), line(second + 0.5, "compacted tree index", local_member_id=IDS[name]))
        for second in range(begin, end)
        if without is None or not without[0] <= second <= without[1]
    ]


def stall(second: float, took: float, name: str = "etcd-0") -> str:
    return line(second, "slow fdatasync", "warn", took=f"{took}s", expected_duration="1s")


def late(second: float, exceeded: float, to: str = "etcd-1") -> str:
    return line(
        second,
        "leader failed to send out heartbeat on time; took too long, leader is overloaded likely from slow disk",
        "warn", to=IDS[to], heartbeat_interval="100ms", expected_duration="200ms", exceeded_duration=f"{exceeded}s",
    )  # fmt: skip


def became_leader(second: float, name: str, term: int) -> str:
    return line(second, f"{IDS[name]} became leader at term {term}", logger="raft")


def changed(second: float, name: str, old: str, new: str, term: int) -> str:
    text = f"raft.node: {IDS[name]} changed leader from {IDS[old]} to {IDS[new]} at term {term}"
    return line(second, text, logger="raft")


def elected(second: float, name: str, leader: str, term: int) -> str:
    return line(second, f"raft.node: {IDS[name]} elected leader {IDS[leader]} at term {term}", logger="raft")


def log(*parts: tuple[float, str] | str | list[tuple[float, str]], sort: bool = True) -> str:
    """Join lines in time order (each line knows its own stamp)."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, str):
            lines.append(part)
        elif isinstance(part, tuple):
            lines.append(part[1])
        else:
            lines.extend(text for _, text in part)
    return "".join(sorted(lines, key=lambda text: json.loads(text)["ts"]) if sort else lines)
