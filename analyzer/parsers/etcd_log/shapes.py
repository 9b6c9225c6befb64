"""What a record says beyond its event id: sizes of requests and responses, drift, who speaks, server settings.

``took too long`` lines carry the request and the response as text. Response size and range count separate an
expensive range (its own cost) from its victims (small reads waiting for a common stall).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from analyzer.model.artifact import LogSummary
from analyzer.model.facts import Flag
from analyzer.parsers.durations import seconds

AUTHENTICATE = "authenticate:<"
"""How the request of a password check begins (etcdserverpb.InternalRaftRequest printed as text)."""
SHAPED = frozenset({"apply-slow", "request-slow", "trace-slow"})
"""Event ids whose request and response are measured."""

ERROR_SPEAKS = frozenset(
    {"discovery-failed", "flag-invalid", "apply-failed", "health-check-failed", "client-retry", "server-panic"}
)
"""Event ids whose ``error`` field may name a more telling event."""
FULL_DECODE = ERROR_SPEAKS | {"alarm-raised", "alarm-cleared", "clock-drift", "server-started"}
"""Event ids whose whole record is read, not only the fields every block is decoded for."""

_ERROR_TAIL = re.compile(r"(?:\(error |error[: ]+|[Ff]ailed [^(]*\(|\()(.*)$")
_SIZE = re.compile(r"(?<![a-z_])size:(\d+)")
_VALUE_SIZE = re.compile(r"value_size:(\d+)")
_COUNT = re.compile(r"range_response_count:(\d+)|response_count:(\d+)")
_ATTRIBUTES_NAME = re.compile(r"\{Name:(\S+) ")
_SETTING = re.compile(r"(heartbeat|election|snapshot count|name|data dir|member dir) = (\S+)$")
_VERSION = re.compile(r"(?:etcd Version: |starting etcd version: )v?(\d+\.\d+\.\d+\S*)")

START_FLAGS = {
    "name": "name",
    "heartbeat-interval": "heartbeat-interval",
    "election-timeout": "election-timeout",
    "quota-size-bytes": "quota-backend-bytes",
    "quota-backend-bytes": "quota-backend-bytes",
    "snapshot-count": "snapshot-count",
    "data-dir": "data-dir",
    "wal-dir-dedicated": "wal-dir",
    "auto-compaction-mode": "auto-compaction-mode",
    "auto-compaction-retention": "auto-compaction-retention",
}
"""Fields of ``starting an etcd server`` (embed/etcd.go:323@v3.6.0) and the flag each one is."""
_CAPNSLOG_FLAGS = {
    "heartbeat": "heartbeat-interval",
    "election": "election-timeout",
    "snapshot count": "snapshot-count",
    "name": "name",
    "data dir": "data-dir",
}


def number(value: object) -> float:
    """A number, or a text that is one; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def text_shape(text: str) -> tuple[float, float]:
    """(bytes, keys) of the largest size and range count named in a text line; NaN when none."""
    sizes = [float(number) for number in (*_SIZE.findall(text), *_VALUE_SIZE.findall(text))]
    counts = [float(a or b) for a, b in _COUNT.findall(text)]
    return max(sizes, default=math.nan), max(counts, default=math.nan)


def error_text(kind: str, message: str, fields: Mapping[str, Any]) -> str:
    """The part of a record that states an error: its field, an alarm, or the tail of a text message.

    Requests are quoted in slow-request lines, so a key such as ``certificatesigningrequests`` must not be read.
    """
    error = fields.get("error")
    if isinstance(error, str):
        return error
    alarm = fields.get("alarm")
    if isinstance(alarm, str):
        return f"alarm {alarm}"
    if fields and "pkg" not in fields:
        return ""
    if kind in SHAPED:
        return ""
    found = _ERROR_TAIL.search(message)
    return found[1] if found else message


def drift_seconds(fields: Mapping[str, Any], captured: float) -> float:
    """Clock drift of a prober line.

    Some versions print the two values under each other's name (etcd-io/etcd#16432), so the drift is
    whichever of the two fields exceeds the 1 s limit that made the line appear.
    """
    values = [seconds(fields.get(name)) for name in ("clock-drift", "rtt")]
    known = [value for value in (*values, captured) if not math.isnan(value)]
    return max(known, key=abs, default=math.nan)


def note_zap(summary: LogSummary, fields: Mapping[str, Any], line: int) -> list[Flag]:
    """Learn the member's name, id, version and settings from one zap record."""
    local = fields.get("local-member-id")
    if isinstance(local, str) and local:
        summary.member_ids[local] = summary.member_ids.get(local, 0) + 1
    message = fields.get("msg")
    version = fields.get("etcd-version") or fields.get("local-server-version")
    if isinstance(version, str):
        summary.versions.setdefault(version, line)
    attributes = fields.get("local-member-attributes")
    if isinstance(attributes, str):
        found = _ATTRIBUTES_NAME.search(attributes)
        if found:
            _count(summary.names, found[1])
    if message not in ("starting an etcd server", "closing etcd server", "closed etcd server"):
        return []
    name = fields.get("name")
    if isinstance(name, str) and name:
        _count(summary.names, name)
    return [
        Flag(line, flag, str(fields[field]))
        for field, flag in START_FLAGS.items()
        if fields.get(field) not in (None, "")
    ]


def note_text(summary: LogSummary, message: str, line: int) -> list[Flag]:
    """Learn the same from one capnslog message."""
    version = _VERSION.search(message)
    if version:
        summary.versions.setdefault(version[1], line)
    if message.startswith("published {"):
        found = _ATTRIBUTES_NAME.search(message)
        if found:
            _count(summary.names, found[1])
    setting = _SETTING.match(message)
    if not setting:
        return []
    if setting[1] == "name":
        _count(summary.names, setting[2])
    flag = _CAPNSLOG_FLAGS.get(setting[1])
    return [Flag(line, flag, setting[2])] if flag else []


def _count(table: dict[str, int], key: str) -> None:
    table[key] = table.get(key, 0) + 1


ZAP_NOTES = frozenset(
    {
        "starting an etcd server",
        "closing etcd server",
        "closed etcd server",
        "starting local member",
        "restarting local member",
        "published local member to cluster through raft",
        "starting etcd server",
        "etcd-version",
    }
)
"""zap messages worth a full decode for :func:`note_zap`."""
