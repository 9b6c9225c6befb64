"""The stage: Evidence -> Timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from analyzer.ingest.read import Evidence
from analyzer.model.artifact import Artifact
from analyzer.model.diagnosis import Caveat
from analyzer.model.events import NO_TIME, EventTable
from analyzer.model.facts import Flag
from analyzer.model.series import Series
from analyzer.model.timeline import LogSpan, Member, Timeline
from analyzer.parsers.durations import seconds
from analyzer.timeline.clocks import Clocks
from analyzer.timeline.dedupe import drop_repeats
from analyzer.timeline.devices import wal_device
from analyzer.timeline.members import Identities, identify
from analyzer.timeline.skew import estimate_skew

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.detectors.skew import SkewTable

DEFAULT_HEARTBEAT_S = 0.1
DEFAULT_ELECTION_S = 1.0
"""etcd's defaults: embed/config.go:61-62@v3.5.9 (TickMs 100, ElectionMs 1000)."""
SAMPLING_LIMIT = 100
"""zap keeps 100 equal messages a second, then every 100th (logutil/zap.go:39-42@v3.5.33)."""
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
    known = identify(artifacts, overrides.member_of)
    table, duplicates = _events(evidence.events, artifacts, clocks, known)
    series = tuple(
        s.located(s.artifact, clocks.series_shift(s.artifact), _host(s, artifacts)) for s in evidence.series
    )
    skew = estimate_skew(table, known)
    members = _members(artifacts, series, known, skew)
    logs = tuple(span for artifact in artifacts for span in _log_spans(artifact, clocks))
    caveats = _caveats(artifacts, table, duplicates, skew)
    return Timeline(table, series, tuple(artifacts), members, logs, caveats, duplicates)


def _events(
    table: EventTable, artifacts: Sequence[Artifact], clocks: Clocks, known: Identities
) -> tuple[EventTable, int]:
    frame = clocks.shift_events(table.frame)
    owners = {artifact.index: artifact.member or "" for artifact in artifacts}
    spoken = frame["member"].map({-1: None, **{i: known.resolve(raw) for i, raw in enumerate(table.names)}})
    frame["who"] = spoken.where(spoken.notna(), frame["artifact"].map(owners)).fillna("")
    frame, dropped = drop_repeats(frame)
    frame["timed"] = frame["ts_ns"] != NO_TIME
    lead = (frame["took_s"].fillna(0.0).clip(0.0, 86400.0) * 1e9).astype("int64")
    frame["start_ns"] = frame["ts_ns"].where(~frame["timed"], frame["ts_ns"] - lead)
    frame = frame.sort_values(["ts_ns", "artifact", "line"], kind="stable", ignore_index=True)
    return replace(table, frame=frame), dropped


def _host(series: Series, artifacts: Sequence[Artifact]) -> str | None:
    return artifacts[series.artifact].member


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


def _log_spans(artifact: Artifact, clocks: Clocks) -> list[LogSpan]:
    log = artifact.log
    if log is None or not log.seconds:
        return []
    busy = clocks.log_seconds(artifact)
    start, end = int(busy[0]) * 10**9, (int(busy[-1]) + 1) * 10**9
    ordinary = log.levels.get("info", 0) >= 5
    complete = log.lines >= MIN_COMPLETE_LINES and end - start >= MIN_COMPLETE_SPAN_NS and ordinary
    return [LogSpan(artifact.member, artifact.index, start, end, log.lines, complete, busy)]


def _caveats(
    artifacts: Sequence[Artifact], table: EventTable, duplicates: int, skew: SkewTable | None
) -> tuple[Caveat, ...]:
    found = []
    for artifact in artifacts:
        if artifact.clock.assumed:
            text = f"{artifact.path}: stamps carry no zone, UTC assumed; pass --tz '{artifact.path}=<zone>' if not"
            found.append(Caveat("zone-assumed", text))
        found.extend(Caveat("input", f"{artifact.path}: {problem}") for problem in artifact.problems[:3])
        if artifact.log is not None and artifact.log.merged:
            found.append(Caveat("merged", f"{artifact.path}: {artifact.log.merged} repeats folded by etcd were counted"))
    if _sampled(table.frame):
        found.append(Caveat("sampled", "etcd keeps 100 equal log lines a second and drops the rest: counts are 'at least'"))
    if duplicates:
        found.append(Caveat("duplicates", f"{duplicates} records stand in more than one file and were counted once"))
    for entry in skew.members if skew else ():
        if entry.stepped:
            found.append(Caveat("clock-step", f"the clock of {entry.member} jumped during the capture"))
    return tuple(found)


def _sampled(frame: pd.DataFrame) -> bool:
    timed = frame[frame["timed"]]
    if len(timed) < SAMPLING_LIMIT:
        return False
    per_second = timed.groupby(["artifact", "kind", timed["ts_ns"] // 10**9], sort=False).size()
    return bool((per_second >= SAMPLING_LIMIT).any())
