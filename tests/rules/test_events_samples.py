"""The event catalogue is sound: ids, citations, and every sample line is recognised as its own event."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from analyzer.rulebook.catalogue import COLUMN_FIELDS, Catalogue
from analyzer.rulebook.schema import ErrorFile, EventFile

EVENTS = Path(__file__).resolve().parents[2] / "rules" / "events"
AREAS = sorted(path.stem for path in EVENTS.glob("*.toml") if path.stem != "errors")

# fmt: off
PUBLIC = [
    "slow-fdatasync", "heartbeat-late", "apply-slow", "request-slow", "trace-slow",
    "readindex-slow", "readindex-timeout", "server-overloaded", "leader-changed", "leader-elected",
    "leader-lost", "became-leader", "became-candidate", "became-pre-candidate", "became-follower",
    "election-started", "leader-stepped-down", "leadership-transferred", "tick-missed",
    "peer-inactive", "peer-active", "peer-stream-lost", "peer-unhealthy", "raft-message-dropped",
    "clock-drift", "rejected-connection", "compaction-started", "compaction-finished",
    "defrag-started", "defrag-finished", "snapshot-saved", "snapshot-sent", "snapshot-received",
    "quota-exceeded", "alarm-raised", "alarm-cleared", "server-started", "server-stopping",
    "server-panic", "data-corrupt", "wal-damaged", "cluster-id-mismatch", "too-many-requests",
]
# fmt: on
"""Event ids other tools may rely on: renaming one is a breaking change."""

LEVELS = {"debug", "info", "warn", "error", "fatal"}
VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?")
CITATION = re.compile(r"@(v|go)?\d")

PREFIXES = [
    re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} [CEWNIDT] \| [\w/.-]+: "),  # capnslog
    re.compile(r"raft\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?:INFO|WARN|ERROR|FATAL): "),  # raft in 3.4 text logs
    re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w.-]+(?:\[\d+\])?: "),  # syslog
    re.compile(r"\[ *\d+\.\d+\] "),  # dmesg
    re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [\w.]+:\d+\] "),  # klog
    re.compile(r"\d{4}-\d\d-\d\dT\S+ [IWE] "),  # plain client log
    re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d "),  # Go standard logger
]

TYPES = {
    "took": r"(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us|ns))+",
    "member": r"[0-9a-f]{1,16}",
    "n": r"\d+",
    "num": r"[-+]?\d+(?:\.\d+)?",
    "any": r".*?",
    "word": r"\S+",
    "q": r'"[^"]*"',
}
ALIASES = {"value": "took", "expected": "took", "peer": "member", "leader": "member", "term": "n"}


def read(name: str) -> dict:
    return tomllib.loads((EVENTS / f"{name}.toml").read_text(encoding="utf-8"))


def all_events() -> list[dict]:
    return [event for area in AREAS for event in read(area)["event"]]


def samples(match: dict) -> list[str]:
    sample = match["sample"]
    return [sample] if isinstance(sample, str) else sample


def message(line: str) -> str:
    if line.startswith("{"):
        return json.loads(line)["msg"]
    for prefix in PREFIXES:
        found = prefix.match(line)
        if found:
            return line[found.end() :]
    return line.strip()


def pattern(template: str) -> re.Pattern[str]:
    """A second, independent reading of the template language of rules/README.md."""
    out = []
    for part in re.split(r"(\{[a-z]+\})", template):
        name = part[1:-1] if re.fullmatch(r"\{[a-z]+\}", part) else ""
        out.append(TYPES[ALIASES.get(name, name)] if name else re.escape(part))
    return re.compile("".join(out))


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    rules = [rule for area in AREAS for rule in msgspec.convert(read(area), EventFile).event]
    return Catalogue.build(tuple(rules), tuple(msgspec.convert(read("errors"), ErrorFile).class_))


def test_public_ids_are_there_and_ids_are_unique_kebab_case() -> None:
    ids = [event["id"] for event in all_events()]
    assert set(PUBLIC) <= set(ids)
    assert len(ids) == len(set(ids))
    assert [i for i in ids if not re.fullmatch(r"[a-z]+(-[a-z]+)*", i)] == []


@pytest.mark.parametrize("area", AREAS)
def test_every_event_explains_itself_and_cites_its_source(area: str) -> None:
    for event in read(area)["event"]:
        where = event["id"]
        assert event["title"] and len(event["meaning"]) > 20, where
        assert event["level"] in LEVELS, where
        assert event["source"] and all(CITATION.search(cited) for cited in event["source"]), where
        for match in event.get("match", ()):
            assert ("msg" in match) != ("text" in match), where
            assert set(match.get("fields", {})) <= set(COLUMN_FIELDS), where
            assert all(VERSION.fullmatch(match[key]) for key in ("since", "until") if key in match), where


@pytest.mark.parametrize("area", AREAS)
def test_each_sample_matches_its_own_pattern(area: str) -> None:
    for event in read(area)["event"]:
        for match in event.get("match", ()):
            for line in samples(match):
                if "msg" in match:
                    record = json.loads(line)
                    assert record["msg"] == match["msg"], event["id"]
                    lacking = [field for field in match.get("fields", {}).values() if field not in record]
                    assert not lacking, f"{event['id']}: {lacking}"
                else:
                    assert pattern(match["text"]).match(message(line)), f"{event['id']}: {line}"


@pytest.mark.parametrize("area", AREAS)
def test_no_event_shadows_another(area: str, catalogue: Catalogue) -> None:
    wrong = []
    for event in read(area)["event"]:
        for line in (line for match in event.get("match", ()) for line in samples(match)):
            hit = catalogue.lookup(message(line))
            found = catalogue.kinds[hit.kind] if hit else None
            if found != event["id"]:
                wrong.append((event["id"], found, line))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("dial tcp 10.0.0.1:2380: connect: connection refused", "refused"),
        ("read tcp 10.0.0.1:41952->10.0.0.2:2380: i/o timeout", "timeout"),
        ("rpc error: code = DeadlineExceeded desc = context deadline exceeded", "timeout"),
        ("net/http: TLS handshake timeout", "timeout"),
        ("remote error: tls: bad certificate", "tls"),
        ("tls: first record does not look like a TLS handshake", "tls"),
        ("x509: certificate has expired or is not yet valid", "cert-expired"),
        ("write tcp 10.0.0.1:2380->10.0.0.2:50412: write: broken pipe", "reset"),
        ("dial tcp 10.0.0.1:2380: connect: no route to host", "unreachable"),
        ("dial tcp: lookup etcd-2 on 10.96.0.10:53: no such host", "dns"),
        ("dial tcp: lookup etcd-2 on 10.96.0.10:53: read udp 10.0.0.1:1->10.96.0.10:53: i/o timeout", "dns"),
        ("unexpected EOF", "closed"),
        ("accept tcp 127.0.0.1:2379: use of closed network connection", "closed"),
        ("context canceled", "canceled"),
        ("cluster ID mismatch", "cluster-id"),
        ("peer 7f1c03d29a5be846 failed to find local node 4c8e1f027d9ab365", "not-member"),
        ("the member has been permanently removed from the cluster", "not-member"),
        ("etcdserver: no space", "no-space"),
        ("write /var/lib/etcd/member/wal/0.wal: no space left on device", "no-space"),
        ("etcdserver: request is too large", "too-large"),
        ("etcdserver: request timed out", "request-timeout"),
        ("etcdserver: request timed out, possibly due to previous leader failure", "leader-changed"),
        ("open /var/lib/etcd/.touch: permission denied", "permission"),
        ("etcdserver: unhealthy cluster", "unavailable"),
        ("listen tcp 10.0.0.1:2380: bind: address already in use", "address-in-use"),
    ],
)
def test_error_classes_tell_the_common_errors_apart(text: str, wanted: str, catalogue: Catalogue) -> None:
    number = catalogue.error_class(text)
    assert number >= 0 and catalogue.error_classes[number].id == wanted


@pytest.mark.parametrize(
    "text",
    [
        "failed to send out heartbeat on time (exceeded the 100ms timeout for 71.7ms, to 7f1c03d29a5be846)",
        "dropped internal raft message to 4c8e1f027d9ab365 since sending buffer is full (overloaded network)",
        "finished scheduled compaction at 8812044 (took 4.8s)",
    ],
)
def test_ordinary_messages_are_of_no_error_class(text: str, catalogue: Catalogue) -> None:
    assert catalogue.error_class(text) == -1


def test_error_substrings_are_lower_case_and_each_class_is_cited() -> None:
    classes = read("errors")["class"]
    assert len({item["id"] for item in classes}) == len(classes)
    for item in classes:
        assert all(part == part.lower() and part for part in item["contains"]), item["id"]
        assert item["meaning"] and all(CITATION.search(cited) for cited in item["source"]), item["id"]
