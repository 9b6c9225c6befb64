"""What every dialect of etcdctl output says, whatever it was printed as: records, facts, Parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from analyzer.model.facts import Alarm, EndpointHealth, EndpointStatus, MemberEntry
from analyzer.model.line import Parsed
from analyzer.parsers.quantities import id_hex, whole

STATUS = "etcdctl-endpoint-status"
HEALTH = "etcdctl-endpoint-health"
MEMBERS = "etcdctl-member-list"
ALARMS = "etcdctl-alarm-list"

ALARM_NAMES = {0: "NONE", 1: "NOSPACE", 2: "CORRUPT"}
"""AlarmType, api/etcdserverpb/rpc.proto@v3.5.0."""

ALARM_TEXT = re.compile(r"memberID:\s*(\d{1,20})\s+alarm:\s*([A-Z]{3,20})")
"""An AlarmMember printed by its protobuf String(): the member id is DECIMAL here and hex everywhere else."""

_ACTIVE_ALARMS = re.compile(r"(?:Active Alarm\(s\):|^ALARM)((?:\s+[A-Z]{3,20})+)")


@dataclass(slots=True)
class Findings:
    """What a parser has read so far, before it becomes a Parsed."""

    statuses: list[EndpointStatus] = field(default_factory=list)
    status_facts: list[dict[str, Any]] = field(default_factory=list)
    healths: list[EndpointHealth] = field(default_factory=list)
    members: list[MemberEntry] = field(default_factory=list)
    member_facts: list[dict[str, Any]] = field(default_factory=list)
    alarms: dict[tuple[str | None, str], Alarm] = field(default_factory=dict)
    understood: int = 0
    rejected: int = 0
    first_ns: int | None = None
    last_ns: int | None = None
    problems: list[str] = field(default_factory=list)

    def seen_at(self, when_ns: int | None) -> None:
        """Widen the time range by the time a wrapper gave a line."""
        if when_ns is not None:
            self.first_ns = when_ns if self.first_ns is None else min(self.first_ns, when_ns)
            self.last_ns = when_ns if self.last_ns is None else max(self.last_ns, when_ns)

    def add_alarm(self, line: int, member_id: str | None, name: str) -> None:
        """Keep each (member, alarm) once, at the first line that says so."""
        self.alarms.setdefault((member_id, name), Alarm(line=line, member_id=member_id, alarm=name))


@dataclass(frozen=True, slots=True)
class StatusExtra:
    """What endpoint status says beyond the record."""

    is_learner: bool | None = None
    storage_version: str | None = None
    size_as_printed: str | None = None


def add_status(found: Findings, status: EndpointStatus, extra: StatusExtra, error_text: str = "") -> None:
    """Keep one row of endpoint status; ``error_text`` is its ERRORS cell with alarms as text."""
    named = alarms_in(error_text)
    for member_id, name in named:
        found.add_alarm(status.line, member_id, name)
    found.statuses.append(status)
    found.understood += 1
    found.seen_at(status.at_ns)
    by_name: dict[str, list[str]] = {}
    for member_id, name in named:
        by_name.setdefault(name, []).append(member_id)
    found.status_facts.append(
        {
            "endpoint": status.endpoint,
            "id_hex": status.member_id,
            "version": status.version,
            "db_size_bytes": status.db_size_bytes,
            "db_size_as_printed": extra.size_as_printed,
            "db_in_use_bytes": status.db_in_use_bytes,
            "quota_bytes": status.quota_bytes,
            "is_leader": status.is_leader,
            "is_learner": extra.is_learner,
            "raft_term": status.raft_term,
            "raft_index": status.raft_index,
            "raft_applied_index": status.raft_applied_index,
            "storage_version": extra.storage_version,
            "alarms": sorted(by_name),
            "alarm_members_hex": {name: sorted(set(ids)) for name, ids in sorted(by_name.items())},
            "errors": list(status.errors),
            "line": status.line,
        }
    )


def add_health(found: Findings, health: EndpointHealth) -> None:
    """Keep one line of endpoint health; alarms it names have no member id."""
    found.healths.append(health)
    found.understood += 1
    for name in active_alarms(health.error or ""):
        found.add_alarm(health.line, None, name)


def add_member(found: Findings, member: MemberEntry, started: bool | None) -> None:
    """Keep one row of member list."""
    found.members.append(member)
    found.understood += 1
    found.member_facts.append(
        {
            "id_hex": member.member_id,
            "name": member.name,
            "started": started,
            "peer_urls": list(member.peer_urls),
            "client_urls": list(member.client_urls),
            "is_learner": member.is_learner,
            "line": member.line,
        }
    )


def alarms_in(text: str) -> list[tuple[str, str]]:
    """(member id in hex, alarm) pairs of an ERRORS cell or of a line of ``alarm list``."""
    pairs = []
    for decimal, name in ALARM_TEXT.findall(text):
        value = whole(decimal)
        if value is not None:
            pairs.append((id_hex(value), name))
    return pairs


def active_alarms(text: str) -> list[str]:
    """Alarm names of ``Active Alarm(s): NOSPACE NOSPACE`` or ``ALARM NOSPACE``."""
    found = _ACTIVE_ALARMS.search(text)
    return sorted(set(found[1].split())) if found else []


def error_items(text: str) -> tuple[str, ...]:
    """The errors of a joined ERRORS cell: each alarm is one, each other sentence is one."""
    alarms = [f"memberID:{decimal} alarm:{name}" for decimal, name in ALARM_TEXT.findall(text)]
    rest = ALARM_TEXT.sub(",", text)
    others = [part.strip() for part in rest.split(",") if part.strip()]
    return (*alarms, *others)


def finish(found: Findings, format_id: str) -> Parsed:
    """The Parsed of everything found."""
    return Parsed(
        format=format_id,
        understood=found.understood,
        rejected=found.rejected,
        facts=_facts(found, format_id),
        records=(*found.statuses, *found.healths, *found.members, *found.alarms.values()),
        first_ns=found.first_ns,
        last_ns=found.last_ns,
        timed=found.first_ns is not None,
        problems=tuple(found.problems),
    )


def _facts(found: Findings, format_id: str) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if found.status_facts:
        facts["members"] = found.status_facts
    if found.member_facts:
        facts["members" if format_id == MEMBERS else "member_list"] = found.member_facts
    if found.healths:
        facts["endpoints"] = [
            {
                "endpoint": health.endpoint,
                "healthy": health.healthy,
                "took_s": health.took_s,
                "error": health.error,
                "line": health.line,
            }
            for health in found.healths
        ]
    if found.alarms:
        facts["alarms"] = [
            {"id_hex": alarm.member_id, "alarm": alarm.alarm, "line": alarm.line} for alarm in found.alarms.values()
        ]
    return facts


def truth(text: str) -> bool | None:
    """``true`` / ``false`` as Go prints them."""
    return {"true": True, "false": False}.get(text.strip().lower())


def table_id(text: str) -> str | None:
    """A hex member id as printed in tables, without padding."""
    text = text.strip().lower().removeprefix("0x")
    return (text.lstrip("0") or "0") if re.fullmatch(r"[0-9a-f]{1,16}", text) else None


def urls(texts: Sequence[str]) -> tuple[str, ...]:
    """URLs of a comma-joined, maybe wrapped cell, or of a JSON list."""
    return tuple(part for text in texts for part in re.split(r"[,\s]+", text) if part)
