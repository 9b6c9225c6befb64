"""Whose file is it? From log content first (start line, local-member-id, raft lines), then from the path."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from analyzer.model.artifact import Artifact
from analyzer.model.facts import Alarm, EndpointStatus, MemberEntry
from analyzer.timeline.clocks import override_for

_DECORATION = re.compile(
    r"(?i)^(?:kube-system[-_])?(?:pod[-_])?|(?:[-_.](?:previous|current|server|journal))$|\.(?:log|txt|gz|out|json|prom)(?:\.\d+)?"
)
_GENERIC = re.compile(
    r"(?i)^(?:etcd|logs?|k3s|rke2?|journal|messages|syslog|kernel|dmesg|pods?|containers?|metrics?|iostat|diskstats|fio|"
    r"(?:alarm|member|endpoint|check|snapshot|defrag|compact|version|status|health|move)(?:[-_.]\w+)*|journald|"
    r"bundle|host|client|etcdctl|current|previous|rotated|vm.*|pidstat|endpoint.*|podlogs|rancher-ui|stdin|output|"
    r"(?:ticket|case|issue|bug|incident|paste|gist|thread|post|e?mail|notes?|report|support)(?:[-_# ]?\w+)*|"
    r"[0-9a-f]{12,64}(?:-json)?|[^a-z0-9].*|\d+(?!\d*\.\d+\.\d+\.\d+$).*)$"
)
"""Stems that name no member: formats, folders, tickets, container ids, bare numbers (an address may stand)."""
BY_CONTENT, BY_PREFIX = "log content", "prefix of its lines"
_BY_CONTENT = (BY_CONTENT, BY_PREFIX)
_POD_FOLDER = re.compile(r"(?:kube-system|openshift-etcd)_(etcd-[\w.-]+?)_[0-9a-f-]{8,}$")
_MUST_GATHER = re.compile(r"(?:^|/)pods/(etcd-[\w.-]+?)/")
"""``namespaces/openshift-etcd/pods/etcd-<node>/etcd/etcd/logs/current.log``."""


@dataclass(slots=True)
class Identities:
    """What the bundle says of its members."""

    name_of_id: dict[str, str] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    id_of_name: dict[str, str] = field(default_factory=dict)
    devices: dict[str, str] = field(default_factory=dict)
    """WAL device by member name, when the bundle states it."""
    alias: dict[str, str] = field(default_factory=dict)
    """Member name of each speaker a log prefix names (compose service, pod, host)."""
    speaking: dict[int, list[str]] = field(default_factory=dict)
    """Members that speak in one merged log, by artifact."""

    def learn(self, name: str | None, identifier: str | None) -> None:
        """Note a member; a name and an id given together are joined."""
        if identifier and name:
            self.name_of_id.setdefault(identifier, name)
            self.id_of_name.setdefault(name, identifier)
        if name and name not in self.names:
            self.names.append(name)

    def resolve(self, raw: str | None) -> str | None:
        """The member name of an id, a name or a prefix hint; None when it is nobody known."""
        if not raw:
            return None
        if raw in self.name_of_id:
            return self.name_of_id[raw]
        return raw if raw in self.names else self.alias.get(raw)


def identify(
    artifacts: Sequence[Artifact], overrides: Mapping[str, str], copies: Mapping[int, int] | None = None
) -> Identities:
    """Name every artifact's member (``artifact.member``) and return what was learnt."""
    known = Identities()
    copies = copies or {}
    for artifact in artifacts:
        _from_records(artifact.records, known)
    own = {artifact.index: _own_identity(artifact) for artifact in artifacts}
    for name, identifier in own.values():
        known.learn(name, identifier)
    originals = [artifact for artifact in artifacts if artifact.index not in copies]
    for artifact in originals:
        _name_by_speakers(artifact, known, own[artifact.index][0])
    for artifact in originals:
        _name_log(artifact, own[artifact.index], known, overrides)
    for artifact in sorted(originals, key=lambda a: a.log is None):  # what lies beside a log follows its name
        if artifact.member is None and artifact.index not in known.speaking:
            _name_by_place(artifact, artifacts, known, overrides)
    for artifact in artifacts:
        if artifact.index in copies:
            original = artifacts[copies[artifact.index]]
            if original.log is not None:
                artifact.member, artifact.member_source = original.member, f"same content as {original.path}"
            else:
                _name_by_place(artifact, artifacts, known, overrides)
    return known


def _name_by_speakers(artifact: Artifact, known: Identities, own_name: str | None) -> None:
    """Members by the prefixes of their lines: one of them owns the file, or several share it."""
    speakers: Mapping[str, Mapping[str, Any]] = artifact.facts.get("speakers", {})
    if not speakers or artifact.log is None:
        return
    names = {}
    for speaker, said in speakers.items():
        stated = said["member_name"] or own_name or known.name_of_id.get(said["member_id"] or "")
        name = stated or _named(speaker, known)
        if name is not None:
            names[speaker] = known.alias[speaker] = name
    lines = {speaker: int(said["lines"]) for speaker, said in speakers.items()}
    main = _dominant({**lines, "": max(artifact.log.lines - sum(lines.values()), 0)})
    if main is not None and artifact.member is None and main in names:
        artifact.member, artifact.member_source = names[main], BY_PREFIX
    for speaker, name in names.items():
        if main is None or speaker == main:
            known.learn(name, speakers[speaker]["member_id"])
    if main is None and artifact.member is None and len(set(names.values())) > 1:
        known.speaking[artifact.index] = list(dict.fromkeys(names.values()))


def _named(speaker: str, known: Identities) -> str | None:
    """The member a pod, host or file name stands for: one whose name it carries or is part of, else itself."""
    for name in sorted(known.names, key=len, reverse=True):
        if _carries(speaker, name) or _carries(name, speaker):
            return name
    return path_name(speaker)


def _from_records(records: Iterable[object], known: Identities) -> None:
    for record in records:
        if isinstance(record, MemberEntry):
            known.learn(record.name, record.member_id)
            if record.name and record.data_device:
                known.devices[record.name] = record.data_device
        elif isinstance(record, (EndpointStatus, Alarm)) and record.member_id:
            known.learn(None, record.member_id)


def _own_identity(artifact: Artifact) -> tuple[str | None, str | None]:
    """(name, id) the artifact's log states of its own writer; both None when several speak in it."""
    log = artifact.log
    if log is None:
        return None, None
    name = _dominant(log.names)
    identifier = _dominant(log.member_ids)
    return name, identifier


def _dominant(counts: Mapping[str, int]) -> str | None:
    """The entry that makes up nearly all of the counts."""
    if not counts:
        return None
    (best, count), *_ = Counter(counts).most_common(1)
    return best if count >= 0.9 * sum(counts.values()) else None


def _name_log(
    artifact: Artifact, own: tuple[str | None, str | None], known: Identities, overrides: Mapping[str, str]
) -> None:
    stated = override_for(artifact.path, overrides)
    if stated is not None:
        artifact.member, artifact.member_source = stated, "--member-of"
        known.learn(stated, own[1])
        return
    name, identifier = own
    if name is None and identifier is not None:
        name = known.name_of_id.get(identifier)
    if name is not None:
        artifact.member, artifact.member_source = name, BY_CONTENT
        known.learn(name, identifier)
        return
    server = artifact.facts.get("server_id")
    if isinstance(server, str) and server in known.name_of_id:
        artifact.member, artifact.member_source = known.name_of_id[server], "metrics server id"
        return
    if identifier is not None and artifact.member is not None:
        known.learn(artifact.member, identifier)
    elif identifier is not None:
        name = path_name(artifact.path) or f"member {identifier}"
        artifact.member, artifact.member_source = name, BY_CONTENT
        known.learn(name, identifier)


def _name_by_place(
    artifact: Artifact, artifacts: Sequence[Artifact], known: Identities, overrides: Mapping[str, str]
) -> None:
    stated = override_for(artifact.path, overrides)
    if stated is not None:
        artifact.member, artifact.member_source = stated, "--member-of"
        return
    parts = re.split(r"[/!]+", artifact.path)
    for name in sorted(known.names, key=len, reverse=True):
        if any(_carries(part, name) for part in parts):
            artifact.member, artifact.member_source = name, "path"
            return
    folder = artifact.path.rpartition("/")[0]
    neighbours = {
        other.member
        for other in artifacts
        if other.member and folder and other.path.rpartition("/")[0] == folder and other.member_source in _BY_CONTENT
    }
    if len(neighbours) == 1:
        artifact.member, artifact.member_source = neighbours.pop(), "same folder as its log"
    elif artifact.log is not None:
        guess = path_name(artifact.path)
        if guess:
            artifact.member, artifact.member_source = guess, "path"
            known.learn(guess, None)


def _carries(part: str, name: str) -> bool:
    """Whether a path component names the member, as a whole word."""
    at = part.find(name)
    while at >= 0:
        before = part[at - 1] if at else ""
        after = part[at + len(name)] if at + len(name) < len(part) else ""
        if not (before.isalnum() or after.isalnum()):
            return True
        at = part.find(name, at + 1)
    return False


def path_name(path: str) -> str | None:
    """A member name a path suggests: ``podlogs/kube-system-etcd-node1`` -> ``etcd-node1``; None when generic."""
    gathered = _MUST_GATHER.search(path)
    if gathered:
        return gathered[1]
    parts = [part for part in re.split(r"[/!]+", path) if part]
    for part in reversed(parts):
        pod = _POD_FOLDER.search(part)
        if pod:
            return pod[1]
    for part in reversed(parts[-3:]):
        stem = PurePosixPath(part).name
        for _ in range(4):
            shorter = _DECORATION.sub("", stem)
            if shorter == stem:
                break
            stem = shorter
        if stem and not _GENERIC.match(stem):
            return stem
    return None
