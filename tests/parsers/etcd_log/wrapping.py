"""Every wrapper around every dialect: the makers of the nesting tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

AT = datetime(2026, 11, 20, 17, 49, 33, 123456, tzinfo=UTC)
LEADER, OLD, NEW = "8e9e05c52164694d", "255a2e4092d561fb", "1de1eaa8fb268f49"
SYNC = "sync duration of 1.33s, expected less than 1s"
CHANGED = f"raft.node: {LEADER} changed leader from {OLD} to {NEW} at term 3112"
TICK = "failed to send out heartbeat on time (exceeded the 100ms timeout for 214.512ms, to 255a2e4092d561fb)"


def zap(message: str, **fields: object) -> str:
    record = {"level": "warn", "ts": AT.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "caller": "wal/wal.go:806", "msg": message}
    return json.dumps({**record, **fields}, separators=(",", ":"))


def capnslog(package: str, message: str) -> str:
    return f"{AT:%Y-%m-%d %H:%M:%S.%f} W | {package}: {message}"


def console(message: str, **fields: object) -> str:
    return f"{AT:%Y-%m-%dT%H:%M:%S}.123Z\twarn\twal/wal.go:806\t{message}\t{json.dumps(fields)}"


DIALECTS: dict[str, tuple[str, str]] = {
    "zap": (zap("slow fdatasync", took="1.33s", **{"expected-duration": "1s"}), zap(CHANGED)),
    "capnslog": (capnslog("wal", SYNC), capnslog("raft", CHANGED)),
    "std": (f"{AT:%Y/%m/%d %H:%M:%S} wal.go:403: Warning: {SYNC}", f"raft{AT:%Y/%m/%d %H:%M:%S} INFO: {CHANGED}"),
    "console": (console("slow fdatasync", took="1.33s"), console(CHANGED, x=1)),
}
PRECISE = {"zap": 123456, "capnslog": 123456, "std": 0, "console": 123000}
"""Microseconds each dialect keeps of ``AT``."""


def cri(text: str) -> list[str]:
    return [f"{AT:%Y-%m-%dT%H:%M:%S}.987654321Z stderr F {text}"]


def cri_east(text: str) -> list[str]:
    return [f"{AT + timedelta(hours=8):%Y-%m-%dT%H:%M:%S}.987654321+08:00 stderr F {text}"]


def docker(text: str) -> list[str]:
    stamp = AT.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return [json.dumps({"log": text + "\n", "stream": "stderr", "time": stamp}, separators=(",", ":"))]


def short(text: str) -> list[str]:
    return [f"{AT:%b %d %H:%M:%S} node1 etcd[911]: {text}"]


def short_localised(text: str) -> list[str]:
    return [f"нояб. {AT:%d %H:%M:%S} node1 k3s[911]: {text}"]


def short_numbered(text: str) -> list[str]:
    return [f"11月 {AT:%d %H:%M:%S} node1 k3s[911]: {text}"]


def short_iso(text: str) -> list[str]:
    return [f"{AT:%Y-%m-%dT%H:%M:%S}+0000 node1 etcd[911]: {text}"]


def short_precise(text: str) -> list[str]:
    return [f"{AT:%b %d %H:%M:%S.%f} node1 etcd[911]: {text}"]


def journal_json(text: str) -> list[str]:
    record = {"__REALTIME_TIMESTAMP": str(int(AT.timestamp() * 1e6)), "_HOSTNAME": "node1", "MESSAGE": text}
    return [json.dumps({**record, "SYSLOG_IDENTIFIER": "etcd"})]


def loki(text: str) -> list[str]:
    return [json.dumps({"labels": {"pod": "etcd-0"}, "line": text, "timestamp": AT.isoformat()})]


def rfc3339(text: str) -> list[str]:
    return [f"{AT:%Y-%m-%dT%H:%M:%S}.987654321Z {text}"]


def compose(text: str) -> list[str]:
    return [f"etcd1  | {text}"]


def goreman(text: str) -> list[str]:
    return [f"{AT:%H:%M:%S} etcd1 | {text}"]


def kubectl(text: str) -> list[str]:
    return [f"[pod/etcd-master1/etcd] {text}"]


def node(text: str) -> list[str]:
    return [f"talos-cp-1: {text}"]


def address(text: str) -> list[str]:
    return [f"10.0.0.2: {text}"]


def grep(text: str) -> list[str]:
    return [f"logs/etcd-0.log:17:{text}"]


def tabbed_file(text: str) -> list[str]:
    return [f"etcd-0.log\t{text}"]


def rancher(text: str) -> list[str]:
    return [f"11/20/2026 5:49:33 PM{text}"]


def rancher_short(text: str) -> list[str]:
    return [f"1/6/2026 5:49:33 PM{text}"]


def rancher_bar(text: str) -> list[str]:
    return [f"Fri, Nov 20 2026 5:49:33 pm | {text}"]


def logrus(text: str) -> list[str]:
    return [f'time="{AT:%Y-%m-%dT%H:%M:%SZ}" level=info msg={json.dumps(text)}']


def numbered(text: str) -> list[str]:
    return [f"   17\t{text}"]


WRAPPERS: tuple[Callable[[str], list[str]], ...] = (
    cri, cri_east, docker, short, short_localised, short_numbered, short_iso, short_precise, journal_json, loki,
    rfc3339, compose, goreman, kubectl, node, address, grep, tabbed_file, rancher, rancher_short, rancher_bar,
    logrus, numbered,
)  # fmt: skip


def cri_parts(text: str, cuts: list[int]) -> list[str]:
    """One line in CRI parts, cut at the given places."""
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(edges)]
    return [
        f"{AT:%Y-%m-%dT%H:%M:%S}.98765432{number % 10}Z stderr {'F' if number == len(parts) - 1 else 'P'} {part}"
        for number, part in enumerate(parts)
    ]


def wrapped(text: str, makers: list[Callable[[str], list[str]]]) -> list[str]:
    """The line with wrappers around it, the first maker innermost."""
    lines = [text]
    for maker in makers:
        lines = [outer for line in lines for outer in maker(line)]
    return lines
