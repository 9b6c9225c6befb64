"""Log lines kept as JSON objects by what shipped them: docker, journalctl -o json, Loki, fluent-bit, Splunk.

Samples::

    {"log":"...\\n","stream":"stderr","time":"2016-07-05T10:45:16.969Z"}                  docker json-file
    {"__REALTIME_TIMESTAMP":"1700000000000000","_HOSTNAME":"n1","MESSAGE":"..."}           journalctl -o json
    {"labels":{"pod":"etcd-0"},"line":"...","timestamp":"2024-..."}                        logcli -o jsonl
    {"@timestamp":"2024-...","log":"...","kubernetes":{"pod_name":"etcd-0"}}               fluent-bit, Elasticsearch
    {"preview":false,"result":{"_raw":"...","_time":"2024-..."}}                           Splunk
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from analyzer.parsers.etcd_log import stamps

DOCKER_SPLIT = 16_000
"""docker cuts lines at 16 KiB (moby daemon/logger/copier.go:15@v24.0.0); a shorter text without a newline is whole."""


class Envelope(NamedTuple):
    """What an object holds of one log line."""

    name: str
    text: str
    stamp: stamps.Stamp | None
    speaker: str | None
    program: str | None
    partial: bool


class _DockerLine(msgspec.Struct):
    log: str
    stream: str = ""
    time: str = ""


class _Shipped(msgspec.Struct):
    msg: Any = None
    log: Any = None
    line: Any = None
    message: Any = None
    at_message: Any = msgspec.field(name="@message", default=None)
    journal: Any = msgspec.field(name="MESSAGE", default=None)
    realtime: Any = msgspec.field(name="__REALTIME_TIMESTAMP", default=None)
    hostname: Any = msgspec.field(name="_HOSTNAME", default=None)
    identifier: Any = msgspec.field(name="SYSLOG_IDENTIFIER", default=None)
    raw: Any = msgspec.field(name="_raw", default=None)
    raw_time: Any = msgspec.field(name="_time", default=None)
    time: Any = None
    timestamp: Any = None
    at_timestamp: Any = msgspec.field(name="@timestamp", default=None)
    labels: Any = None
    kubernetes: Any = None
    result: Any = None


_docker = msgspec.json.Decoder(_DockerLine)
_shipped = msgspec.json.Decoder(_Shipped)
_quoted = msgspec.json.Decoder(str)
_KEYS = ('"MESSAGE"', '"line"', '"log"', '"message"', '"@message"', '"_raw"')


def opened(text: str) -> Envelope | None:
    """The log line a JSON object carries, None when it carries none."""
    if text.startswith('{"log":'):
        found = _docker_line(text)
        if found is not None:
            return found
    if not any(key in text for key in _KEYS):
        return None
    try:
        shipped = _shipped.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if isinstance(shipped.result, Mapping):
        raw, when = shipped.result.get("_raw"), shipped.result.get("_time")
        return Envelope("splunk", _one_line(raw), _stamp(when), None, None, False) if isinstance(raw, str) else None
    return _journal(shipped) if shipped.journal is not None else _plain(shipped)


def unquoted(text: str) -> str:
    """A Go-quoted string without its quotes."""
    try:
        return _one_line(_quoted.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError):  # Go also writes \\x1b, which JSON does not know
        return text[1:-1].replace('\\"', '"').replace("\\n", " ").replace("\\t", "\t").replace("\\\\", "\\")


def _docker_line(text: str) -> Envelope | None:
    try:
        line = _docker.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if not line.time:
        return None
    whole = line.log.endswith("\n") or len(line.log) < DOCKER_SPLIT // 4 or len(line.log.encode()) < DOCKER_SPLIT
    return Envelope("docker-json", line.log.rstrip("\r\n"), stamps.iso(line.time), None, None, not whole)


def _journal(shipped: _Shipped) -> Envelope | None:
    text = shipped.journal
    if isinstance(text, list):  # journald writes bytes that are not plain text as numbers
        try:
            text = bytes(text).decode("utf-8", "replace")
        except (TypeError, ValueError):
            return None
    if not isinstance(text, str):
        return None
    stamp, host, program = _stamp(shipped.realtime), shipped.hostname, shipped.identifier
    return Envelope("journald-json", _one_line(text), stamp, _word(host), _word(program), False)


def _plain(shipped: _Shipped) -> Envelope | None:
    if shipped.msg is not None:  # a zap record whose fields merely have such names
        return None
    texts = (shipped.line, shipped.log, shipped.message, shipped.at_message, shipped.raw)
    text = next((candidate for candidate in texts if isinstance(candidate, str)), None)
    if text is None:
        return None
    times = (shipped.time, shipped.timestamp, shipped.at_timestamp, shipped.raw_time)
    stamp = next((found for value in times if (found := _stamp(value)) is not None), None)
    speaker = _inside(shipped.kubernetes, "pod_name") or _inside(shipped.labels, "pod")
    return Envelope("json", _one_line(text), stamp, speaker, None, False)


def _inside(value: Any, key: str) -> str | None:
    return _word(value.get(key)) if isinstance(value, Mapping) else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _one_line(text: str) -> str:
    return text.rstrip("\r\n").replace("\r\n", " ").replace("\n", " ")


def _stamp(value: object) -> stamps.Stamp | None:
    if isinstance(value, str) and value.isdigit() and len(value) < 21:
        value = int(value)
    return stamps.of_json(value)
