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
    [ 8123.553120] ...    [Mon Oct 27 01:58:56 2025] ...         dmesg, dmesg -T
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

from analyzer.parsers.etcd_log import stamps


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


class _DockerLine(msgspec.Struct):
    log: str
    stream: str = ""
    time: str = ""


class _Step(NamedTuple):
    name: str
    rest: str
    stamp: stamps.Stamp | None = None
    speaker: str | None = None
    program: str | None = None
    partial: bool = False


_docker = msgspec.json.Decoder(_DockerLine)
_CRI = re.compile(r"(?:stdout|stderr) ([PF])(?::\S*)? ?")
_IDENT = re.compile(r"([\w.-]+) ([\w./@-]+?)(?:\[(\d+)\])?: ?")
_BARE_IDENT = re.compile(r"(etcd|k3s|rke2|k0s|microk8s|kernel)(?:\[\d+\])?: ")
_COMPOSE = re.compile(r"(?:\d\d:\d\d:\d\d )?([\w.-]{1,64}) +\| ")
_KUBECTL = re.compile(r"\[(?:pod/)?([\w.-]+)/[\w.-]+\] ")
_PREFIX = re.compile(r"((?:[\w.-]+/)*[\w.-]{1,80})(?::\d+)?(?::[ \t]?|\t)(?=\{\"|\d{4}-\d\d-\d\d[ T])")
_RANCHER = re.compile(r"(?:\w{3}, \w{3} \d+ \d{4} |\d{1,2}/\d{1,2}/\d{4} )\d{1,2}:\d\d:\d\d ?[AaPp][Mm](?: \| )?")
_LOGRUS = re.compile(r'time="([^"]+)" level=(\w+) msg="((?:[^"\\]|\\.)*)"')
_DMESG = re.compile(r"(?:\w+ *: ?\w+ *: )?\[ *\d{1,9}\.\d{6}\] (?:\[ *[TC]\d+\] )?(?=\S)")
_DMESG_T = re.compile(r"\[\w{3} (\w{3}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})\] (?=\S)")
_NOISE = re.compile(r"(?:\^C|[*>•·] |\d{1,6}[:\t] (?=[{\d]))")
_PAYLOAD_AFTER_ISO = re.compile(
    r" (?:\{|\d{4}[-/]\d\d|raft\d{4}/|[A-Z] \| |[\w.-]+ [\w./@-]+(?:\[\d+\])?: |(?:stdout|stderr) [PF])"
)
MAX_NESTING = 6


def peel(text: str) -> Peeled:
    """Peel every known wrapper off a line. Never raises; an unwrapped line comes back as it is."""
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
        partial = partial or step.partial
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
        return _docker_line(text) if text.startswith('{"log":') else None
    if head.isdigit():
        return _rancher(text) or _dated(text) or _compose(text) or _noise(text)
    if head == "[":
        return _dmesg(text) or _kubectl(text)
    if head in " \t":
        stripped = text.lstrip(" \t")
        return _Step("", stripped) if stripped[:1] in ("{", "[") or stripped[:1].isdigit() else None
    if text.startswith('time="'):
        return _logrus(text)
    return _journald_short(text) or _rancher(text) or _kubectl(text) or _prefixed(text) or _noise(text)


def _docker_line(text: str) -> _Step | None:
    try:
        line = _docker.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    ended = line.log.endswith("\n")
    return _Step("docker-json", line.log.rstrip("\r\n"), stamps.iso(line.time), partial=not ended)


def _dated(text: str) -> _Step | None:
    stamp = stamps.iso(text)
    if stamp is None or stamp.end >= len(text):
        return None
    rest = text[stamp.end :]
    if not _PAYLOAD_AFTER_ISO.match(rest):
        return _bare_after_iso(rest, stamp)
    if re.match(r" [A-Z] \| ", rest):
        return None
    rest = rest[1:]
    cri = _CRI.match(rest)
    if cri:
        return _Step("cri", rest[cri.end() :], stamp, partial=cri[1] == "P")
    ident = _IDENT.match(rest)
    if ident and not rest.startswith("{"):
        return _Step("journald", rest[ident.end() :], stamp, ident[1], ident[2])
    return _Step("rfc3339", rest, stamp)


def _bare_after_iso(rest: str, stamp: stamps.Stamp) -> _Step | None:
    """``<RFC 3339 with offset> text``: a wrapper only when the zone is explicit (else it is the log's own)."""
    if stamp.naive or not rest.startswith(" ") or rest.startswith("  "):
        return None
    return _Step("rfc3339", rest[1:], stamp)


def _journald_short(text: str) -> _Step | None:
    stamp = stamps.short(text)
    if stamp is None:
        bare = _BARE_IDENT.match(text)
        return _Step("syslog", text[bare.end() :], None, None, bare[1]) if bare else None
    rest = text[stamp.end :]
    ident = _IDENT.match(rest, 1) if rest.startswith(" ") else None
    if ident is None:
        return None
    return _Step("journald", rest[ident.end() :], stamp, ident[1], ident[2])


def _compose(text: str) -> _Step | None:
    found = _COMPOSE.match(text)
    return _Step("prefix", text[found.end() :], None, found[1]) if found else None


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
    found = _PREFIX.match(text)
    if found:
        return _Step("prefix", text[found.end() :], None, found[1])
    return _compose(text)


def _rancher(text: str) -> _Step | None:
    found = _RANCHER.match(text)
    return _Step("rancher-ui", text[found.end() :]) if found and found.end() < len(text) else None


def _logrus(text: str) -> _Step | None:
    found = _LOGRUS.match(text)
    if not found:
        return None
    message = found[3].replace('\\"', '"').replace("\\n", " ")
    return _Step("logrus", message, stamps.iso(found[1]))


def _noise(text: str) -> _Step | None:
    found = _NOISE.match(text)
    return _Step("", text[found.end() :]) if found and found.end() < len(text) else None
