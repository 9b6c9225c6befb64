"""The stage: Evidence -> Timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from analyzer.ingest.read import Evidence
from analyzer.model.artifact import Artifact
from analyzer.model.events import NO_TIME, EventTable
from analyzer.model.facts import Flag
from analyzer.model.series import Series
from analyzer.model.timeline import LogSpan, Member, Timeline
from analyzer.parsers.durations import seconds
from analyzer.timeline.caveats import caveats
from analyzer.timeline.clocks import Clocks
from analyzer.timeline.dedupe import drop_repeats
from analyzer.timeline.devices import wal_device
from analyzer.timeline.members import Identities, identify
from analyzer.timeline.skew import estimate_skew

if TYPE_CHECKING:
    from analyzer.detectors.skew import SkewTable

DEFAULT_HEARTBEAT_S = 0.1
DEFAULT_ELECTION_S = 1.0
"""etcd's defaults: embed/config.go:61-62@v3.5.9 (TickMs 100, ElectionMs 1000)."""
MIN_COMPLETE_LINES = 40
MIN_COMPLETE_SPAN_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the user knows better than the files."""

    tz: Mapping[str, str] = field(default_factory=dict)
    member_of: Mapping[str, str] = field(default_factory=dict)
    year: int | None = None


def assemble(evidence: Evidence, overrides: Overrides) -> Timeline:
    """Settle clocks, names, duplicates, skew and devices."""
    artifacts = evidence.artifacts
    clocks = Clocks(artifacts, evidence.timed, overrides.tz, overrides.year, evidence.mtimes)
    clocks.settle()
    copies = evidence.copies
    known = identify(artifacts, overrides.member_of, copies)
    table, duplicates = _events(evidence, clocks, known)
    series = tuple(
        s.located(s.artifact, clocks.series_shift(s.artifact), artifacts[s.artifact].member)
        for s in evidence.series
        if s.artifact not in copies
    )
    skew = estimate_skew(table, known)
    members = _members(artifacts, series, known, skew)
    logs = tuple(
        span for artifact in artifacts if artifact.index not in copies for span in _log_spans(artifact, clocks, known)
    )
    told = {index: first for index, first in copies.items() if artifacts[index].formats}
    notes = caveats(artifacts, table, duplicates, told, skew)
    return Timeline(table, series, tuple(artifacts), members, logs, notes, duplicates)


def _events(evidence: Evidence, clocks: Clocks, known: Identities) -> tuple[EventTable, int]:
    table, artifacts = evidence.events, evidence.artifacts
    frame = clocks.shift_events(table.frame)
    if evidence.copies:
        frame = frame[~frame["artifact"].isin(list(evidence.copies))]
    owners = {artifact.index: artifact.member or "" for artifact in artifacts}
    spoken = frame["member"].map({-1: None, **{i: known.resolve(raw) for i, raw in enumerate(table.names)}})
    frame["who"] = spoken.where(spoken.notna(), frame["artifact"].map(owners)).fillna("")
    frame, dropped = drop_repeats(frame)
    frame["timed"] = frame["ts_ns"] != NO_TIME
    lead = (frame["took_s"].fillna(0.0).clip(0.0, 86400.0) * 1e9).astype("int64")
    frame["start_ns"] = frame["ts_ns"].where(~frame["timed"], frame["ts_ns"] - lead)
    frame = frame.sort_values(["ts_ns", "artifact", "line"], kind="stable", ignore_index=True)
    return replace(table, frame=frame), dropped


def _members(
    artifacts: Sequence[Artifact], series: Sequence[Series], known: Identities, skew: SkewTable | None
) -> tuple[Member, ...]:
    names = sorted({a.member for a in artifacts if a.member} | set(known.names))
    drift = {entry.member: entry for entry in skew.members} if skew else {}
    members = []
    for name in names:
        mine = [artifact for artifact in artifacts if artifact.member == name]
        flags = {f.name: f.value for a in mine for f in a.records if isinstance(f, Flag)}
        heartbeat, election = _timeout(flags.get("heartbeat-interval")), _timeout(flags.get("election-timeout"))
        device, source = wal_device(name, artifacts, series, known)
        entry = drift.get(name)
        bounded = entry is not None and entry.half_width_s != float("inf")
        members.append(
            Member(
                name,
                known.id_of_name.get(name),
                _version(mine),
                heartbeat or DEFAULT_HEARTBEAT_S,
                election or DEFAULT_ELECTION_S,
                heartbeat is not None or election is not None,
                device,
                source,
                entry.offset_s if entry and bounded else None,
                entry.half_width_s if entry and bounded else None,
            )
        )
    return tuple(members)


def _timeout(text: str | None) -> float | None:
    """Seconds of a timeout: ``1s`` in start lines, bare milliseconds on the command line."""
    if text is None:
        return None
    if text.isdigit():
        return int(text) / 1000.0 or None
    value = seconds(text)
    return value if value > 0 else None


def _version(artifacts: Sequence[Artifact]) -> str | None:
    """The last server version the member's files state."""
    stated = [v for a in artifacts if a.log for v in a.log.versions]
    stated += [v for a in artifacts if isinstance(v := a.facts.get("version"), str)]
    return stated[-1] if stated else None


def _log_spans(artifact: Artifact, clocks: Clocks, known: Identities) -> list[LogSpan]:
    log = artifact.log
    if log is None or not log.seconds:
        return []
    busy = clocks.log_seconds(artifact)
    start, end = int(busy[0]) * 10**9, (int(busy[-1]) + 1) * 10**9
    ordinary = log.levels.get("info", 0) >= 5
    complete = log.lines >= MIN_COMPLETE_LINES and end - start >= MIN_COMPLETE_SPAN_NS and ordinary
    owners: list[str | None] = [artifact.member]
    if artifact.member is None and artifact.index in known.speaking:
        owners = [*known.speaking[artifact.index]]
    return [LogSpan(member, artifact.index, start, end, log.lines, complete, busy) for member in owners]
