"""``etcdctl -w fields``: one ``"Name" : value`` per line; the command is told from the names at the end."""

from __future__ import annotations

import re
from typing import ClassVar

from analyzer.model.facts import EndpointHealth, EndpointStatus, MemberEntry
from analyzer.model.line import Line, Parsed
from analyzer.parsers import etcdctl_records as records
from analyzer.parsers.quantities import go_duration_s, id_hex, whole

_FIELD = re.compile(r'^\s*"([A-Za-z]{2,40})" : ?(.*)$')
_MOST_GROUPS = 10_000


class _Group:
    """The fields of one endpoint, member or alarm."""

    __slots__ = ("fields", "line", "urls", "when_ns")

    def __init__(self, line: Line) -> None:
        self.line = line.number
        self.when_ns = line.when_ns
        self.fields: dict[str, str] = {}
        self.urls: dict[str, list[str]] = {"PeerURL": [], "ClientURL": []}

    def text(self, name: str) -> str | None:
        value = self.fields.get(name, "").strip('"')
        return value or None

    def integer(self, name: str) -> int | None:
        return whole(self.fields.get(name, ""))

    def member(self, name: str) -> str | None:
        value = self.integer(name)
        return id_hex(value) if value else None


class EtcdctlFields:
    """Any ``etcdctl ... -w fields`` output; the Parsed says which command it was."""

    format: ClassVar[str] = records.STATUS

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._found = records.Findings()

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is the first field of such an output."""
        return bool(re.match(r'^"(?:ClusterID" : \d+|Endpoint" : ".*")\s*$', text))

    def feed(self, line: Line) -> bool:
        """Consume one field."""
        if not line.text.strip() or line.text.strip() == "Error: unhealthy cluster":
            return True
        field = _FIELD.match(line.text)
        if field is None:
            return False
        name, value = field[1], field[2].strip()
        if name in {"PeerURL", "ClientURL"} and self._groups:
            self._groups[-1].urls[name].append(value.strip('"'))
        else:
            self._group(line, name).fields[name] = value
        return True

    def _group(self, line: Line, name: str) -> _Group:
        opens = name in {"ClusterID", "ID"}
        # alarm list prints the header's MemberID and then one per alarm; RaftTerm stands twice in a status.
        again = name in {"Endpoint", "MemberID"} and self._groups and name in self._groups[-1].fields
        if not self._groups or ((opens or again) and len(self._groups) < _MOST_GROUPS):
            self._groups.append(_Group(line))
        return self._groups[-1]

    def finish(self) -> Parsed:
        """Everything understood so far."""
        found = self._found
        for group in self._groups:
            self._read(group)
        self._groups = []
        if found.statuses:
            return records.finish(found, records.STATUS)
        if found.healths:
            return records.finish(found, records.HEALTH)
        return records.finish(found, records.MEMBERS if found.members else records.ALARMS)

    def _read(self, group: _Group) -> None:
        fields = group.fields
        if "DBSize" in fields or "RaftIndex" in fields:
            self._status(group)
        elif "Health" in fields:
            self._health(group)
        elif "ID" in fields:
            self._member(group)
        elif "AlarmType" in fields:
            self._found.add_alarm(group.line, group.member("MemberID"), fields["AlarmType"].strip('"')[:20])
        else:
            return
        self._found.seen_at(group.when_ns)
        self._found.understood += len(fields) - (0 if "AlarmType" in fields else 1)

    def _status(self, group: _Group) -> None:
        error_text = group.fields.get("Errors", "").strip("[]")
        member = group.member("MemberID")
        status = EndpointStatus(
            line=group.line,
            endpoint=group.text("Endpoint") or "",
            member_id=member,
            version=group.text("Version"),
            db_size_bytes=group.integer("DBSize"),
            db_in_use_bytes=group.integer("DBSizeInUse"),
            quota_bytes=group.integer("DBSizeQuota") or None,
            is_leader=None if member is None else group.member("Leader") == member,
            raft_term=group.integer("RaftTerm"),
            raft_index=group.integer("RaftIndex"),
            raft_applied_index=group.integer("RaftAppliedIndex"),
            errors=records.error_items(error_text),
            at_ns=group.when_ns,
        )
        learner = records.truth(group.fields.get("IsLearner", ""))
        records.add_status(self._found, status, records.StatusExtra(learner, group.text("StorageVersion")), error_text)

    def _health(self, group: _Group) -> None:
        healthy = records.truth(group.fields["Health"])
        if healthy is None:
            self._found.rejected += 1
            return
        took = go_duration_s(group.fields.get("Took", ""))
        records.add_health(
            self._found,
            EndpointHealth(group.line, group.text("Endpoint") or "", healthy, took, group.text("Error")),
        )

    def _member(self, group: _Group) -> None:
        member = MemberEntry(
            line=group.line,
            member_id=group.member("ID"),
            name=group.text("Name"),
            peer_urls=records.urls(group.urls["PeerURL"]),
            client_urls=records.urls(group.urls["ClientURL"]),
            is_learner=records.truth(group.fields.get("IsLearner", "")),
        )
        records.add_member(self._found, member, started=member.name is not None)
