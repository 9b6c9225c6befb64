"""``etcdctl -w json`` and the gRPC gateway: endpoint status, endpoint health, member list, alarm list.

The same shapes are kept by collectors (OpenShift ``etcd_info/*.json``, troubleshoot.sh ``etcd/*.json``,
Rancher's k3s ``memberlist.json``). Member ids are unsigned 64-bit integers in DECIMAL, or strings: decimal
from the gateway, hex with ``--hex``. Tools that read JSON numbers as floats (jq before 1.7, JavaScript) round
them: such an id names nobody, so it becomes None and the leader is found by comparing ids as printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from analyzer.model.facts import EndpointHealth, EndpointStatus, MemberEntry
from analyzer.model.line import Document, Parsed
from analyzer.parsers import etcdctl_records as records
from analyzer.parsers.document_lines import LineFinder
from analyzer.parsers.quantities import MAX_UINT64, go_duration_s, id_hex, whole

_ID_KEYS = frozenset({"cluster_id", "member_id", "leader", "ID", "id", "memberID"})
_EXACT_IN_FLOAT = 2**53
_MOST_ITEMS = 10_000
_DEEPEST = 6


class _Ids:
    """How the ids of one document are written, judged over all of them."""

    def __init__(self, document: Any) -> None:
        values = list(_ids(document, 0))
        large = {value for value in values if isinstance(value, int) and value > _EXACT_IN_FLOAT}
        large |= {whole(value) or 0 for value in values if isinstance(value, str)} - {0}
        floats = any(isinstance(value, float) for value in values)
        self.rounded = floats or (bool(large) and all(_looks_rounded(value) for value in large))
        self.hex = any(isinstance(value, str) and re.search("[a-f]", value) for value in values)

    def member(self, value: Any) -> str | None:
        """The id in hex, None when it is missing, rounded or not an id."""
        if isinstance(value, str):
            if self.hex:
                return records.table_id(value)
            value = whole(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= MAX_UINT64:
            return None
        return None if self.rounded and value > _EXACT_IN_FLOAT else id_hex(value)


def _ids(value: Any, depth: int) -> Iterator[Any]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in _ID_KEYS and isinstance(inner, int | float | str) and not isinstance(inner, bool):
                yield inner
            else:
                yield from _ids(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value[:_MOST_ITEMS]:
            yield from _ids(inner, depth + 1)


def _looks_rounded(value: int) -> bool:
    """Whether the decimal is just what a float prints as: 17 digits at most, then zeros.

    A true 64-bit id does so by chance about once in 500; all ids of a document do so only when rounded.
    """
    text = f"{float(value)!r}"
    mantissa, _, exponent = text.partition("e")
    digits = mantissa.replace(".", "")
    return bool(exponent) and int(digits.ljust(int(exponent) + 1, "0")) == value


def _items(value: Any) -> list[dict[str, Any]]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items[:_MOST_ITEMS] if isinstance(item, dict)]


def _integer(value: Any) -> int | None:
    """A JSON integer, also as the gateway's string or as a float without a fraction."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_IN_FLOAT:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_status(value: Any) -> bool:
    return isinstance(value, dict) and "header" in value and ("dbSize" in value or "raftTerm" in value)


class EndpointStatusJson:
    """``etcdctl endpoint status -w json``, or one gateway ``/v3/maintenance/status`` answer."""

    format: ClassVar[str] = records.STATUS

    @staticmethod
    def accepts(value: Any) -> bool:
        """A list of {Endpoint, Status}, or one bare status."""
        if isinstance(value, list):
            return any("Endpoint" in item and "Status" in item for item in _items(value[:50]))
        return _is_status(value)

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        found = records.Findings()
        finder = LineFinder(document.lines)
        ids = _Ids(document.value)
        for item in _items(document.value):
            _read_status(found, finder, ids, item)
        if ids.rounded:
            found.problems.append(
                f"line {finder.first}: the member ids were rounded by a tool that reads JSON numbers as "
                "floats and name nobody: ask for the output of `etcdctl endpoint status -w table`"
            )
        _close(found, document)
        return records.finish(found, EndpointStatusJson.format)


def _read_status(found: records.Findings, finder: LineFinder, ids: _Ids, item: dict[str, Any]) -> None:
    endpoint = _text(item.get("Endpoint")) or ""
    body = item.get("Status", item)
    if not isinstance(body, dict):
        found.rejected += 1
        return
    header = body.get("header")
    member = header.get("member_id") if isinstance(header, dict) else None
    leader = body.get("leader")
    line = finder.find(f'"{endpoint}"') if endpoint else finder.find('"header"')
    size_line = finder.find('"dbSize"') if "dbSize" in body else line
    errors = body.get("errors")
    said = [text for text in errors if isinstance(text, str)] if isinstance(errors, list) else []
    error_text = ", ".join(said)
    status = EndpointStatus(
        line=line if endpoint else size_line,
        endpoint=endpoint,
        member_id=ids.member(member),
        version=_text(body.get("version")),
        db_size_bytes=_integer(body.get("dbSize")),
        db_in_use_bytes=_integer(body.get("dbSizeInUse")),
        quota_bytes=_integer(body.get("dbSizeQuota")) or None,
        # No leader at all is printed as leader 0, or not at all (protobuf leaves zeros out).
        is_leader=None if member is None else member == leader,
        raft_term=_integer(body.get("raftTerm")),
        raft_index=_integer(body.get("raftIndex")),
        raft_applied_index=_integer(body.get("raftAppliedIndex")),
        errors=records.error_items(error_text),
        at_ns=finder.when_ns,
    )
    learner = body.get("isLearner")
    extra = records.StatusExtra(
        is_learner=learner if isinstance(learner, bool) else None,
        storage_version=_text(body.get("storageVersion")),
    )
    records.add_status(found, status, extra, error_text)


def _close(found: records.Findings, document: Document) -> None:
    if found.understood and document.lines:
        found.understood = max(1, sum(1 for line in document.lines if line.text.strip()) - found.rejected)
    if not document.complete:
        last = document.lines[-1].number if document.lines else 1
        found.problems.append(f"line {last}: the JSON is cut off here: what follows is missing")


class EndpointHealthJson:
    """``etcdctl endpoint health -w json``, or the answer of a member's ``/health`` page."""

    format: ClassVar[str] = records.HEALTH

    @staticmethod
    def accepts(value: Any) -> bool:
        """A list of {endpoint, health}, or {"health": "false", "reason": ...} alone."""
        if isinstance(value, list):
            return any("endpoint" in item and "health" in item for item in _items(value[:50]))
        return isinstance(value, dict) and "health" in value and set(value) <= {"health", "reason", "errors"}

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        found = records.Findings()
        finder = LineFinder(document.lines)
        for item in _items(document.value):
            health = item.get("health")
            healthy = records.truth(health) if isinstance(health, str) else health
            endpoint = _text(item.get("endpoint")) or ""
            line = finder.find(f'"{endpoint}"') if endpoint else finder.find('"health"')
            if not isinstance(healthy, bool):
                found.rejected += 1
                continue
            error = _text(item.get("error")) or _text(item.get("reason"))
            took = _text(item.get("took"))
            records.add_health(
                found,
                EndpointHealth(line, endpoint, healthy, go_duration_s(took) if took else None, error),
            )
        _close(found, document)
        return records.finish(found, EndpointHealthJson.format)


class MemberListJson:
    """``etcdctl member list -w json`` (also ``--hex``), gateway and v2 API member lists."""

    format: ClassVar[str] = records.MEMBERS

    @staticmethod
    def accepts(value: Any) -> bool:
        """{"members": [{ID, peerURLs, ...}]}."""
        members = value.get("members") if isinstance(value, dict) else None
        return isinstance(members, list) and any(
            "peerURLs" in item and ("ID" in item or "id" in item) for item in _items(members[:50])
        )

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        found = records.Findings()
        finder = LineFinder(document.lines)
        ids = _Ids(document.value)
        members = document.value.get("members") if isinstance(document.value, dict) else None
        for item in _items(members if isinstance(members, list) else []):
            written = item.get("ID", item.get("id"))
            learner = item.get("isLearner")
            name = _text(item.get("name"))
            member = MemberEntry(
                line=finder.find(f'"{written}"' if isinstance(written, str) else str(written)),
                member_id=ids.member(written),
                name=name,
                peer_urls=_url_list(item.get("peerURLs")),
                # etcdctl 3.5 --hex misspells the key (seen in the output of 3.5.21).
                client_urls=_url_list(item.get("clientURLs", item.get("clientURLS"))),
                is_learner=learner if isinstance(learner, bool) else None,
            )
            # A member that never started has no name (etcdctl/ctlv3/command/printer.go@v3.5.0).
            records.add_member(found, member, started=name is not None)
        _close(found, document)
        return records.finish(found, MemberListJson.format)


def _url_list(value: Any) -> tuple[str, ...]:
    return records.urls([item for item in value if isinstance(item, str)]) if isinstance(value, list) else ()


class AlarmListJson:
    """``etcdctl alarm list -w json`` and the gateway's ``/v3/maintenance/alarm``."""

    format: ClassVar[str] = records.ALARMS

    @staticmethod
    def accepts(value: Any) -> bool:
        """{"header": ..., "alarms": [...]}."""
        return isinstance(value, dict) and "header" in value and isinstance(value.get("alarms"), list)

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        found = records.Findings()
        finder = LineFinder(document.lines)
        ids = _Ids(document.value)
        alarms = document.value.get("alarms") if isinstance(document.value, dict) else None
        for item in _items(alarms if isinstance(alarms, list) else []):
            kind = item.get("alarm")
            name = records.ALARM_NAMES.get(kind) if isinstance(kind, int) else kind
            if not isinstance(name, str) or name not in {"NOSPACE", "CORRUPT"}:
                found.rejected += 1
                continue
            found.add_alarm(finder.find('"memberID"', '"alarm"'), ids.member(item.get("memberID")), name)
            finder.step()
            found.understood += 1
        _close(found, document)
        return records.finish(found, AlarmListJson.format)
