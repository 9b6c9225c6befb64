"""Payload text -> one log Record, whatever dialect it is in.

Samples::

    {"level":"warn","ts":"2024-01-31T16:54:41.675Z","caller":"wal/wal.go:806","msg":"slow fdatasync","took":"1.3s"}
    2020-10-20 12:15:22.088482 W | wal: sync duration of 1.33s, expected less than 1s        capnslog
    21.192459 I | raft: ...                                                                 capnslog, date cut off
    raft2026/11/20 17:49:33 INFO: 8e9e05c52164694d became leader at term 2                  3.4 raft lines
    2015/06/08 11:40:25 wal.go:403: Warning: sync duration of 1.3s                          std logger
    2021-05-14T12:11:46.514+0200<TAB>warn<TAB>wal/wal.go:806<TAB>slow fdatasync<TAB>{...}   zap console (3.6)
    WARNING: 2018/05/17 12:45:21 grpc: ...                                                  grpc
    panic: freepages: ...    fatal error: runtime: out of memory                            Go crash
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from analyzer.parsers.etcd_log import stamps

LEVELS = {
    "debug": 0, "info": 1, "notice": 1, "warn": 2, "warning": 2, "error": 3, "dpanic": 4, "panic": 4, "fatal": 4,
    "t": 0, "d": 0, "i": 1, "n": 1, "w": 2, "e": 3, "c": 4, "f": 4, "critical": 4,
}  # fmt: skip
LEVEL_NAMES = ("debug", "info", "warn", "error", "fatal")


class Record(NamedTuple):
    """One log line, dialect forgotten."""

    message: str
    level: int
    """0 debug .. 4 fatal, -1 unknown."""
    stamp: stamps.Stamp | None
    fields: Mapping[str, Any]
    damaged: bool = False
    """True when the line was cut and only part of it could be read."""


_NO_FIELDS: dict[str, Any] = {}
_CAPNSLOG = re.compile(
    r"(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6})|\d\d\.\d{6}) (?:\[\S+\] )?([CEWNIDT]) \\?\| (?:([\w/.-]+): )?"
)
_STD = re.compile(r"(raft)?(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?) (?:([\w.]+\.go:\d+): )?(?:([A-Za-z]+): )?")
_GRPC = re.compile(r"(INFO|WARNING|ERROR|FATAL): (\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) ")
_CONSOLE = re.compile(
    r"(\S+)(?:\t+| {2,})(debug|info|warn|error|dpanic|panic|fatal)(?:\t+| {2,}| )(\S+:\d+|\S+)(?:\t+| {2,})(.+)", re.I
)
_KLOG = re.compile(r"([IWEF])(\d\d)(\d\d) (\d\d:\d\d:\d\d)\.(\d{6}) +\d+ [\w.-]+:\d+\] ")
_CRASH = re.compile(r"(?:panic: |fatal error: |runtime: out of memory|SIGSEGV|\[signal )")
_GO_TRACE = re.compile(
    r"(?:goroutine \d+ (?:\[|gp=)|created by |\t?/?\S+\.go:\d+(?: \+0x[0-9a-f]+)?$"
    r"|[\w./*()\-\[\]]+\([^)]*\)$|r\d+ +0x|exit status \d)"
)
_SALVAGE = re.compile(r'"([\w -]{1,40})": ?(?:"((?:[^"\\]|\\.)*)"?|(-?[\d.]+)|(true|false))')
_MIN_SALVAGE = 2
_CUT_MARK = re.compile(r"(?:>|…|\.\.\.)$")
_CUT_WORD = re.compile(r" ?[^\s<>]*[\w,;:(\[](?:>|…)$| \d[\d.]{0,12}(?:[hmnµu]?s?)\.\.\.$")
"""A word before a pager's ``>`` or ``…``, a number before ``...`` (etcd itself writes ``stopping peer f53f2c...``)."""


def parse(payload: str) -> Record | None:
    """The record of one unwrapped line, or None when it is in no log dialect."""
    if not payload:
        return None
    head = payload[0]
    if head == "{":
        return zap(payload)
    if head.isdigit():
        return _capnslog(payload) or _console(payload) or _std(payload)
    if head in "rIWEFpfSr[" or payload.startswith(("runtime:", "goroutine")):
        return _std(payload) or _grpc(payload) or _klog(payload) or _crash(payload)
    return None


def lettered(payload: str) -> tuple[int, str]:
    """(level, message) of ``W put slow: took 1.07s``: a level letter some clients write after their time stamp."""
    payload = before_cut(payload)
    if len(payload) > 2 and payload[1] == " " and payload[0] in "DIWEF":
        return LEVELS[payload[0].lower()], payload[2:]
    return -1, payload


def is_go_trace(payload: str) -> bool:
    """Whether the line belongs to a Go stack dump (counted as understood, carries no event)."""
    return _GO_TRACE.match(payload) is not None


def zap(payload: str) -> Record | None:
    """A zap JSON record, also with its tail cut off; None when the object is not a log record."""
    try:
        value = msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _salvage(payload)
    if not isinstance(value, dict) or not isinstance(value.get("msg"), str):
        return None
    if not ("level" in value or "ts" in value or "caller" in value or "took" in value or len(value) > 1):
        return None
    level = value.get("level")
    return Record(
        value["msg"],
        LEVELS.get(level.lower(), -1) if isinstance(level, str) else -1,
        stamps.of_json(value.get("ts")),
        value,
    )


def _salvage(payload: str) -> Record | None:
    """What can still be read of a cut or broken zap line (pager cut, CRI split, wrapped paste)."""
    fields = _salvaged(payload[:65536])
    message = fields.get("msg")
    if not isinstance(message, str) or not message or len(fields) < _MIN_SALVAGE:
        return None
    level = fields.get("level")
    rank = LEVELS.get(level, -1) if isinstance(level, str) else -1
    return Record(message, rank, stamps.of_json(fields.get("ts")), fields, damaged=True)


def _salvaged(text: str) -> dict[str, Any]:
    """Fields of a cut JSON object. One that touches the cut may be half a value: dropped, of ``msg`` its last word."""
    fields: dict[str, Any] = {}
    end = len(_CUT_MARK.sub("", text))
    for found in _SALVAGE.finditer(text):
        name, string, number, flag = found.groups()
        cut = found.end() >= end
        if cut and (name != "msg" or not string):
            continue
        if string is not None:
            value: Any = string.rpartition(" ")[0] if cut and not text.startswith('"', found.end() - 1) else string
        else:
            value = flag if flag else (float(number) if _is_number(number) else number)
        fields.setdefault(name, value)
    return fields


def before_cut(message: str) -> str:
    """A text message without the word a pager or an editor cut (``... at term 31>``, ``... at te…``)."""
    if message[-1:] not in (">", "…", "."):
        return message
    found = _CUT_WORD.search(message)
    return message[: found.start()] if found else message


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return bool(text)


def _capnslog(payload: str) -> Record | None:
    found = _CAPNSLOG.match(payload)
    if not found:
        return None
    stamp = stamps.iso(found[1]) if found[1] else None
    message = before_cut(payload[found.end() :].rstrip())
    return Record(message, LEVELS[found[2].lower()], stamp, {"pkg": found[3]} if found[3] else _NO_FIELDS)


def _std(payload: str) -> Record | None:
    found = _STD.match(payload)
    if not found or (not found[1] and not found[3] and not found[4]):
        return None
    word = (found[4] or "").lower()
    level = LEVELS.get(word, -1)
    rest = payload[found.end() :]
    if word == "http":  # net/http's own error log: the prefix is part of the message
        return Record(payload[found.start(4) :].rstrip(), 3, stamps.iso(found[2]), _NO_FIELDS)
    if word and level < 0 and word in ("raft", "etcdserver", "wal", "rafthttp", "etcdmain", "embed"):
        level = 1
    elif word and level < 0:
        return None
    if rest.startswith("Warning: "):
        level, rest = 2, rest[9:]
    return Record(before_cut(rest.rstrip()), level, stamps.iso(found[2]), _NO_FIELDS)


def _grpc(payload: str) -> Record | None:
    found = _GRPC.match(payload)
    if not found:
        return None
    return Record(payload[found.end() :], LEVELS[found[1].lower()], stamps.iso(found[2]), _NO_FIELDS)


def _console(payload: str) -> Record | None:
    found = _CONSOLE.match(payload)
    stamp = stamps.iso(found[1]) if found else None
    if not found or stamp is None:
        return None
    message, level = found[4].strip(), LEVELS[found[2].lower()]
    start = message.find('{"')
    if start <= 0:
        return Record(before_cut(message), level, stamp, _NO_FIELDS)
    tail, message = message[start:], message[:start].strip()
    try:
        fields = msgspec.json.decode(tail)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Record(message, level, stamp, _salvaged(tail[:65536]), damaged=True)
    return Record(message, level, stamp, fields if isinstance(fields, dict) else _NO_FIELDS)


def _klog(payload: str) -> Record | None:
    found = _KLOG.match(payload)
    if not found:
        return None
    stamp = stamps.iso(f"{stamps.NO_YEAR}-{found[2]}-{found[3]} {found[4]}.{found[5]}")
    if stamp is None:
        return None
    return Record(payload[found.end() :], LEVELS[found[1].lower()], stamp._replace(yearless=True), _NO_FIELDS)


def _crash(payload: str) -> Record | None:
    if not _CRASH.match(payload):
        return None
    return Record(payload.rstrip(), 4, None, _NO_FIELDS)
