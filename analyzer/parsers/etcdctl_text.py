"""``etcdctl -w simple`` and ``-w fields`` output, and the sentences of endpoint health and alarm list."""

from __future__ import annotations

import re
from typing import ClassVar

from analyzer.model.facts import EndpointHealth, EndpointStatus, MemberEntry
from analyzer.model.line import Line, Parsed
from analyzer.parsers import etcdctl_records as records
from analyzer.parsers.quantities import go_duration_s, size_bytes, whole

_VERSION = re.compile(r"^\d+\.\d+(?:\.\d+)?(?:[-+]\S*)?$")
_ENDPOINT_ROW = re.compile(r"^\S{3,300}, [0-9a-f]{5,16}, \d+\.\d+\.\d+")
_HEALTHY = re.compile(r"^(?P<at>\S{2,300}) is healthy: .*?took\s*=\s*(?P<took>\S+)\s*$")
_UNHEALTHY = re.compile(r"^(?P<at>\S{2,300}) is unhealthy: (?P<why>.*)$")
_V2_HEALTH = re.compile(
    r"^member (?P<id>[0-9a-f]{5,16}) is (?P<how>healthy|unhealthy|unreachable): .*?(?P<at>https?://\S+)?$"
)
_V2_FAILED = re.compile(r"^failed to check the health of member [0-9a-f]{5,16} on (?P<at>\S+?): (?P<why>.*)$")
_NO_STATUS = re.compile(r"^Failed to get the status of endpoint (?P<at>\S+) \((?P<why>.*)\)\s*$")
_HEALTH_SUMMARY = re.compile(
    r"^(?:Error: +)?unhealthy cluster$|^cluster (?:is|may be) (?:healthy|unhealthy|degraded|unavailable)"
)
_MEMBER_ROW = re.compile(r"^[0-9a-f]{5,16}, (?:started|unstarted), ")
_MEMBER_V2 = re.compile(r"^([0-9a-f]{5,16})(?:\[unstarted\])?: (?:name=(\S*) )?peerURLs=(\S*)(?: clientURLs=(\S*))?")


class EndpointStatusSimple:
    """``etcdctl endpoint status`` as it prints by default: comma separated, the table's order, no header.

    7 fields up to 3.3, 10 in 3.4-3.5, 16 from 3.6 on; the ERRORS field may itself hold commas.
    """

    format: ClassVar[str] = records.STATUS

    def __init__(self) -> None:
        self._found = records.Findings()

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is such a row."""
        return bool(_ENDPOINT_ROW.match(text)) and _simple_fields(text) is not None

    def feed(self, line: Line) -> bool:
        """Consume one row."""
        if not line.text.strip():
            return True
        if not _ENDPOINT_ROW.match(line.text):
            return False
        fields = _simple_fields(line.text)
        if fields is None:
            self._found.rejected += 1
            return True
        status = EndpointStatus(
            line=line.number,
            endpoint=fields["endpoint"],
            member_id=records.table_id(fields["id"]),
            version=fields["version"] or None,
            db_size_bytes=size_bytes(fields["size"]),
            db_in_use_bytes=size_bytes(fields.get("in_use", "")),
            quota_bytes=size_bytes(fields.get("quota", "")) or None,
            is_leader=records.truth(fields["leader"]),
            raft_term=whole(fields["term"]),
            raft_index=whole(fields["index"]),
            raft_applied_index=whole(fields.get("applied", "")),
            errors=records.error_items(fields.get("errors", "")),
            at_ns=line.when_ns,
        )
        extra = records.StatusExtra(
            records.truth(fields.get("learner", "")), fields.get("storage") or None, fields["size"] or None
        )
        records.add_status(self._found, status, extra, fields.get("errors", ""))
        return True

    def finish(self) -> Parsed:
        """Everything understood so far."""
        return records.finish(self._found, self.format)


_ORDER_3 = ("endpoint", "id", "version", "size", "leader", "term", "index")
_ORDER_34 = ("endpoint", "id", "version", "size", "leader", "learner", "term", "index", "applied")
_ORDER_36 = (
    *("endpoint", "id", "version", "storage", "size", "in_use", "percent", "quota"),
    *("leader", "learner", "term", "index", "applied"),
)


def _simple_fields(text: str) -> dict[str, str] | None:
    """Fields by name, the era told by what stands in the 4th, 5th and 6th field; None when it is cut."""
    fields = [part.strip() for part in text.split(", ")]
    if len(fields) >= 16 and (_VERSION.match(fields[3]) or not fields[3]):
        named = dict(zip(_ORDER_36, fields, strict=False))
        named["errors"] = ", ".join(fields[13:-2])
    elif len(fields) >= 9 and records.truth(fields[5]) is not None:
        named = dict(zip(_ORDER_34, fields, strict=False))
        named["errors"] = ", ".join(fields[9:]).strip(", ")
    elif len(fields) == 7:
        named = dict(zip(_ORDER_3, fields, strict=True))
    else:
        return None
    return named if records.truth(named["leader"]) is not None else None


class EndpointHealthText:
    """Sentences of ``etcdctl endpoint health`` (v3), ``cluster-health`` (v2) and failed endpoint status."""

    format: ClassVar[str] = records.HEALTH

    def __init__(self) -> None:
        self._found = records.Findings()

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is one of the sentences about one endpoint."""
        hint = "healthy: " in text or "reachable: " in text or text.startswith(("failed to ", "Failed to "))
        return hint and _health_of(Line(0, text)) is not None

    def feed(self, line: Line) -> bool:
        """Consume one sentence."""
        text = line.text.strip()
        if not text or _HEALTH_SUMMARY.match(text):
            return True
        health = _health_of(line)
        if health is None:
            return False
        self._found.seen_at(line.when_ns)
        records.add_health(self._found, health)
        return True

    def finish(self) -> Parsed:
        """Everything understood so far."""
        return records.finish(self._found, self.format)


def _health_of(line: Line) -> EndpointHealth | None:
    text = line.text.strip()
    if len(text) > 4000:
        return None
    if found := _V2_HEALTH.match(text):
        healthy = found["how"] == "healthy"
        at = found["at"] or found["id"]
        return EndpointHealth(line.number, at, healthy, None, None if healthy else text)
    if found := _HEALTHY.match(text):
        return EndpointHealth(line.number, found["at"], True, go_duration_s(found["took"]), None)
    if found := _UNHEALTHY.match(text) or _V2_FAILED.match(text) or _NO_STATUS.match(text):
        return EndpointHealth(line.number, found["at"], False, None, found["why"].strip())
    return None


class MemberListText:
    """``etcdctl member list`` as it prints by default (v3 commas, v2 ``name= peerURLs=``)."""

    format: ClassVar[str] = records.MEMBERS

    def __init__(self) -> None:
        self._found = records.Findings()

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is one member."""
        return bool(_MEMBER_ROW.match(text) or ("peerURLs=" in text and _MEMBER_V2.match(text)))

    def feed(self, line: Line) -> bool:
        """Consume one member."""
        text = line.text.strip()
        if not text:
            return True
        if _MEMBER_ROW.match(text):
            self._row(line, [part.strip() for part in text.split(", ")])
        elif found := _MEMBER_V2.match(text):
            member = MemberEntry(
                line=line.number,
                member_id=records.table_id(found[1]),
                name=found[2] or None,
                peer_urls=records.urls([found[3]]),
                client_urls=records.urls([found[4] or ""]),
                is_learner=None,
            )
            records.add_member(self._found, member, started="[unstarted]" not in text)
        else:
            return False
        self._found.seen_at(line.when_ns)
        return True

    def _row(self, line: Line, fields: list[str]) -> None:
        if len(fields) < 4:
            self._found.rejected += 1
            return
        member = MemberEntry(
            line=line.number,
            member_id=records.table_id(fields[0]),
            name=fields[2] or None,
            peer_urls=records.urls([fields[3]]),
            client_urls=records.urls(fields[4:5]),
            is_learner=records.truth(fields[5]) if len(fields) > 5 else None,
        )
        records.add_member(self._found, member, started=fields[1] == "started")

    def finish(self) -> Parsed:
        """Everything understood so far."""
        return records.finish(self._found, self.format)


class AlarmListText:
    """``etcdctl alarm list``: ``memberID:13118187214589646828 alarm:NOSPACE``, one alarm a line."""

    format: ClassVar[str] = records.ALARMS

    def __init__(self) -> None:
        self._found = records.Findings()

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is one alarm."""
        return text.lstrip().startswith("memberID:") and bool(records.ALARM_TEXT.match(text.strip()))

    def feed(self, line: Line) -> bool:
        """Consume one alarm."""
        text = line.text.strip()
        if not text:
            return True
        if not text.startswith("memberID:"):
            return False
        pairs = records.alarms_in(text)
        for member_id, name in pairs:
            self._found.add_alarm(line.number, member_id, name)
        self._found.seen_at(line.when_ns)
        self._found.understood += 1 if pairs else 0
        self._found.rejected += 0 if pairs else 1
        return True

    def finish(self) -> Parsed:
        """Everything understood so far."""
        return records.finish(self._found, self.format)
