"""What other programs put in front of an etcd log line, peeled off in any nesting.

Samples (each may wrap any other)::

    2023-08-18T10:47:25.111490788+08:00 stderr F {...}          CRI
    {"log":"...\\n","stream":"stderr","time":"..."}              docker json-file
    Jan 25 06:42:36 node1 k3s[2189071]: {...}                    journald short
    2026-11-20T17:44:13+0000 node1 etcd[911]: ...                journald short-iso
    2023-08-18T10:47:25.111490788Z {...}                         RFC 3339 prefix (docker logs -t, kubectl --timestamps)
    etcd1  | ...    10:52:38 etcd1 | ...                         compose, goreman
    [pod/etcd-master1/etcd] {...}                                kubectl logs --prefix
    talos-cp-1: {...}    etcd-0.log:{...}    file.log<TAB>{...}  node or file prefix
    1/16/2017 8:10:10 PM2017-01-16 19:10:10.474495 E | ...       Rancher UI
    time="..." level=info msg="..."                              logrus
    {"__REALTIME_TIMESTAMP":"17...","MESSAGE":"..."}             journalctl -o json; Loki, fluent-bit, Splunk exports
    [ 8123.553120] ...    [Mon Oct 27 01:58:56 2025] ...         dmesg, dmesg -T
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from analyzer.parsers.etcd_log import envelopes, stamps


class Peeled(NamedTuple):
    """A payload and what its wrappers said."""

    payload: str
    wrappers: tuple[str, ...]
    when_ns: int | None
    """Time of the outermost wrapper that gave one: UTC when ``when_naive`` is False."""
    when_naive: bool
    yearless: bool
    speaker: str | None
    """Member, pod or host name a prefix gave."""
    program: str | None
    """syslog ident."""
    partial: bool
    """True when the runtime says the line continues (CRI ``P``, docker without a newline)."""


class _Step(NamedTuple):
    name: str
    rest: str
    stamp: stamps.Stamp | None = None
    speaker: str | None = None
    program: str | None = None
    partial: bool = False


_CRI = re.compile(r"(?:stdout|stderr) ([PF])(?::\S*)? ?")
_IDENT = re.compile(r"([\w.-]+) ([A-Za-z_(][\w./@()-]*?)(?:\[\d+\])?:(?: |$)")
_NO_HOST = re.compile(r"([A-Za-z_(][\w./@()-]*?)(?:\[\d+\])?: ")
_BARE_IDENT = re.compile(r"(etcd|k3s|rke2|k0s|microk8s|kernel)(?:\[\d+\])?: ")
_COMPOSE = re.compile(r"(?:\d\d:\d\d:\d\d )?([\w.-]{1,64}) +\| ")
_KUBECTL = re.compile(r"\[(?:pod/)?([\w.-]+)/[\w.-]+\] ")
_START = (
    r"(?:\{\"|\d{4}[-/]\d\d[-/]\d\d[ T]|raft\d{4}/|[IWEF]\d{4} \d\d:|time=\"|\[pod/"
    r"|[^\W\d]{3,6}\.? +\d{1,2} \d\d:\d\d:\d\d|\d\d?/\d\d?/\d{4} \d|\w{3}, \w{3} \d+ \d{4} "
    r"|\d\d?[月월]|(?:\d\d:\d\d:\d\d )?[\w.-]{1,64} +\| )"
)
"""How the payload or the next wrapper begins: what a bare ``name:`` must be followed by to be a prefix."""
_NAME = r"/?(?:[\w.-]+/)*[\w.-]{1,80}"
_COLON = r"(?::\d+)?(?::[ \t]?|\t)"
_PREFIX = re.compile(rf"({_NAME}){_COLON}(?=(?:{_NAME}{_COLON}){{0,2}}{_START})")
_RANCHER = re.compile(r"(?:\w{3}, \w{3} \d+ \d{4} |\d{1,2}/\d{1,2}/\d{4} )\d{1,2}:\d\d:\d\d ?[AaPp][Mm](?: \| )?")
_LOGRUS = re.compile(r'time="([^"]+)" level=(\w+) msg=("(?:[^"\\]|\\.)*")')
_DMESG = re.compile(r"(?:\w+ *: ?\w+ *: )?\[ *\d{1,9}\.\d{6}\] (?:\[ *[TC]\d+\] )?(?=\S)")
_DMESG_T = re.compile(r"\[\w{3} (\w{3}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})\] (?=\S)")
_NOISE = re.compile(rf"(?:\^C|[*>•·] |<\d{{1,3}}>(?=\w)|\d{{1,7}}[:\t] ?(?={_START})|\d{{1,7}} +(?=\{{\"))")
_CJK_MONTH = re.compile(r"(\d{1,2})[月월] *(?=\d)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CAPNSLOG_BAR = (" |", " \\")
"""Where capnslog's bar stands, also escaped by Markdown: the stamp before it is the log's own, no wrapper's."""
_AFTER_ISO = re.compile(rf" (?:{_START}|\{{|(?:stdout|stderr) [PF])")
MAX_NESTING = 6


def peel(text: str, stops: Container[tuple[tuple[str, ...], str | None]] = ()) -> Peeled:
    """Peel every known wrapper off a line. Never raises; an unwrapped line comes back as it is.

    What lies inside a part of a split line is no line yet and is not peeled. For the same reason peeling ends
    at the (wrappers, speaker) of ``stops``: those streams wait for the rest of a split line.
    """
    names: list[str] = []
    first: stamps.Stamp | None = None
    speaker = program = None
    partial = False
    for _ in range(MAX_NESTING):
        step = _one(text)
        if step is None:
            break
        text = step.rest
        if step.name:
            names.append(step.name)
        if step.stamp is not None and first is None:
            first = step.stamp
        speaker = step.speaker or speaker
        program = step.program or program
        if step.partial:
            partial = True
            break
        if stops and (tuple(names), speaker) in stops:
            break
    return Peeled(
        text,
        tuple(names),
        first.ns if first else None,
        first.naive if first else False,
        first.yearless if first else False,
        speaker,
        program,
        partial,
    )


def _one(text: str) -> _Step | None:
    if not text:
        return None
    head = text[0]
    if head == "{":
        return None if text.startswith('{"level":') else _envelope(text)
    if head.isdigit():
        return _numbered(text)
    if head == "[":
        return _dmesg(text) or _kubectl(text)
    if head in " \t":
        stripped = text.lstrip(" \t")
        return _Step("", stripped) if stripped[:1] in ("{", "[") or stripped[:1].isdigit() else None
    if text.startswith('time="'):
        return _logrus(text)
    return _journald_short(text) or _rancher(text) or _prefixed(text) or _noise(text)


def _numbered(text: str) -> _Step | None:
    if text[4:5] in ("-", "/") and text[1] not in "-/":  # a day or month of one digit is no year
        if text[28:30] in _CAPNSLOG_BAR and text[26] == " ":
            return None
        return _dated(text) or _prefixed(text)
    return _rancher(text) or _local_month(text) or _prefixed(text) or _noise(text)


def _envelope(text: str) -> _Step | None:
    found = envelopes.opened(text)
    return _Step(found.name, found.text, found.stamp, found.speaker, found.program, found.partial) if found else None


def _dated(text: str) -> _Step | None:
    stamp = stamps.iso(text)
    if stamp is None or stamp.end >= len(text):
        return None
    rest = text[stamp.end :]
    if rest[0] != " " or rest.startswith("  "):
        return None
    rest = rest[1:]
    cri = _CRI.match(rest)
    if cri:
        return _Step("cri", rest[cri.end() :], stamp, partial=cri[1] == "P")
    if stamp.naive:
        # a stamp without a zone is the log's own, unless a whole log line follows it
        return _Step("rfc3339", rest, stamp) if _AFTER_ISO.match(text, stamp.end) else None
    ident = _IDENT.match(rest)
    if ident:
        return _Step("journald", rest[ident.end() :], stamp, ident[1], ident[2])
    return _Step("rfc3339", rest, stamp)


def _journald_short(text: str) -> _Step | None:
    stamp = stamps.short(text)
    if stamp is None:
        bare = _BARE_IDENT.match(text)
        return _Step("syslog", text[bare.end() :], None, None, bare[1]) if bare else None
    if text[stamp.end : stamp.end + 1] != " ":
        return None
    ident = _IDENT.match(text, stamp.end + 1)
    if ident:
        return _Step("journald", text[ident.end() :], stamp, ident[1], ident[2])
    alone = _NO_HOST.match(text, stamp.end + 1)
    return _Step("journald", text[alone.end() :], stamp, None, alone[1]) if alone else None


def _local_month(text: str) -> _Step | None:
    """``10月 20 10:58:29``: journald in Chinese, Japanese and Korean locales numbers its months."""
    if text[1:3].strip("0123456789")[:1] not in ("月", "월"):
        return None
    found = _CJK_MONTH.match(text)
    if not found or not 1 <= int(found[1]) <= 12:
        return None
    return _journald_short(f"{_MONTHS[int(found[1]) - 1]} {text[found.end() :]}")


def _kubectl(text: str) -> _Step | None:
    found = _KUBECTL.match(text)
    return _Step("prefix", text[found.end() :], None, found[1]) if found else None


def _dmesg(text: str) -> _Step | None:
    """``[ 8123.553120] text``: seconds since boot, no wall clock; ``dmesg -T`` has one, in local time."""
    found = _DMESG.match(text)
    if found:
        return _Step("dmesg", text[found.end() :], program="kernel")
    dated = _DMESG_T.match(text)
    if not dated:
        return None
    month = stamps.month_number(dated[1])
    stamp = stamps.iso(f"{dated[4]}-{month:02d}-{int(dated[2]):02d} {dated[3]}") if month else None
    return _Step("dmesg", text[dated.end() :], stamp, program="kernel")


def _prefixed(text: str) -> _Step | None:
    """``etcd-0: {``, ``logs/etcd-0.log:17:2020-10-20 ...``, ``etcd1  | ...``; a mere line number is nobody's name."""
    found = _PREFIX.match(text) or _COMPOSE.match(text)
    if not found:
        return None
    name = None if found[1].isdigit() else found[1].rsplit("/", 1)[-1]
    return _Step("prefix" if name else "", text[found.end() :], None, name)


def _rancher(text: str) -> _Step | None:
    found = _RANCHER.match(text)
    return _Step("rancher-ui", text[found.end() :]) if found and found.end() < len(text) else None


def _logrus(text: str) -> _Step | None:
    found = _LOGRUS.match(text)
    if not found:
        return None
    return _Step("logrus", envelopes.unquoted(found[3]), stamps.iso(found[1]))


def _noise(text: str) -> _Step | None:
    found = _NOISE.match(text)
    return _Step("", text[found.end() :]) if found and found.end() < len(text) else None
