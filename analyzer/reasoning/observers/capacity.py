"""Database size, quota, alarms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.model.facts import Alarm, EndpointStatus, Flag, MetricScrape
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers.log_events import absent, summarise
from analyzer.reasoning.reading import Reading, Spot, seen

DEFAULT_QUOTA = 2 * 1024**3
"""server/etcdserver quota.go DefaultQuotaBytes = 2 GiB @v3.5.9."""


@dataclass(frozen=True, slots=True)
class Size:
    """Database size of one member at one moment."""

    member: str | None
    bytes: float
    in_use: float | None
    quota: float | None
    spot: Spot


def _alarm_spots(case: Case, kind: str) -> list[tuple[str | None, Spot]]:
    spots: list[tuple[str | None, Spot]] = []
    for artifact, alarm in case.records(Alarm):
        if alarm.alarm.upper() == kind:
            spots.append((artifact.member, (artifact.index, alarm.line)))
    for artifact, status in case.records(EndpointStatus):
        if any(kind in error.upper() for error in status.errors):
            spots.append((artifact.member, (artifact.index, status.line)))
    return spots


def _has_etcdctl(case: Case) -> tuple[Spot, ...]:
    """Endpoint status that would show an alarm: the ERRORS column exists from etcdctl 3.4 on."""
    told = [(a.index, s.line) for a, s in case.records(EndpointStatus) if not _before(s.version, 4)]
    return tuple(told[:1])


def no_space(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The NOSPACE alarm, a quota line, or a client told that the database space is exceeded."""
    spots = _alarm_spots(case, "NOSPACE")
    rows = case.rows(params["events"])
    refused = case.with_error(case.rows(params["error_events"]), ("no-space",))
    if spots:
        words = {"n": f"{len(spots)}", "what": "etcdctl shows the NOSPACE alarm"}
        return [
            Reading(State.FAIL, None, None, float(len(spots)), "alarms", at=tuple(s for _, s in spots[:3]), words=words)
        ]
    alarms = rows[~rows.index.isin(case.with_error(rows, ("not-member",)).index)]
    for frame, what in (
        (alarms, "etcd logged that its quota is exceeded"),
        (refused, "writes are refused with 'no space'"),
    ):
        if len(frame):
            reading = summarise(case, frame, State.FAIL)
            return [
                Reading(
                    reading.state,
                    None,
                    None,
                    reading.value,
                    "lines",
                    reading.window,
                    reading.at,
                    {**reading.words, "what": f"{what} ({reading.words['lines']})"},
                )
            ]
    status = _has_etcdctl(case)
    if status:
        return [Reading(State.PASS, at=status, words={"n": "0"})]
    return absent(case, params)


def corrupt_alarm(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The CORRUPT alarm, or etcd's own words that data is damaged."""
    spots = _alarm_spots(case, "CORRUPT")
    rows = case.rows(params["events"])
    if rows.empty:
        rows = case.with_error(case.rows(params["error_events"]), ("corrupt",))
    if spots:
        words = {
            "n": f"{len(spots)}",
            "what": "etcdctl shows the CORRUPT alarm",
            "lines": wording.plural(len(spots), "alarm"),
        }
        return [
            Reading(State.FAIL, None, None, float(len(spots)), "alarms", at=tuple(s for _, s in spots[:3]), words=words)
        ]
    if len(rows):
        reading = summarise(case, rows, State.FAIL)
        words = {**reading.words, "what": f"{reading.words['lines']} of damaged data"}
        return [Reading(State.FAIL, reading.member, None, reading.value, "lines", reading.window, reading.at, words)]
    return absent(case, params)


def sizes(case: Case) -> list[Size]:
    """The last known database size of every member."""
    found: dict[str, Size] = {}
    quotas = {
        artifact.member: float(flag.value)
        for artifact, flag in case.records(Flag)
        if flag.name == "quota-backend-bytes" and flag.value.isdigit() and int(flag.value) > 0
    }
    for artifact, status in case.records(EndpointStatus):
        if status.db_size_bytes is not None:
            quota = float(status.quota_bytes) if status.quota_bytes else quotas.get(artifact.member)
            if quota is None and len(set(quotas.values())) == 1:
                quota = next(iter(quotas.values()))
            in_use = float(status.db_in_use_bytes) if status.db_in_use_bytes is not None else None
            key = status.member_id or status.endpoint
            name = next((m.name for m in case.timeline.members if m.id and m.id == status.member_id), artifact.member)
            found[key] = Size(name, float(status.db_size_bytes), in_use, quota, (artifact.index, status.line))
    for artifact, scrape in case.records(MetricScrape):
        values = {name: (value, line) for name, _, value, line in scrape.scalars}
        total = values.get("etcd_mvcc_db_total_size_in_bytes") or values.get(
            "etcd_debugging_mvcc_db_total_size_in_bytes"
        )
        if total is None:
            continue
        quota_value = values.get("etcd_server_quota_backend_bytes", (0.0, 0))[0] or quotas.get(artifact.member)
        used = values.get("etcd_mvcc_db_total_size_in_use_in_bytes")
        key = f"metrics:{artifact.member or artifact.path}"
        found[key] = Size(
            artifact.member, total[0], used[0] if used else None, quota_value or None, (artifact.index, total[1])
        )
    return [found[key] for key in sorted(found)]


def near_quota(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The database is about as large as its quota; where no quota is known, as large as the default one."""
    readings = []
    for size in sizes(case):
        quota = size.quota or DEFAULT_QUOTA
        ratio = size.bytes / quota
        known = size.quota is not None
        near = params["ratio"] <= ratio <= (10.0 if known else params["default_upper"])
        if not known and not near and ratio > params["default_upper"]:
            continue
        words = {
            "size": wording.size(size.bytes),
            "quota": wording.size(quota),
            "how": "its quota" if known else "etcd's default quota (the bundle does not say which one is set)",
            "share": wording.percent(ratio),
            "member": size.member or "a member",
        }
        state = seen(known) if near else State.PASS
        readings.append(Reading(state, size.member, None, ratio, "ratio", at=(size.spot,), words=words))
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings


def large_database(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A big database, or a big file mostly empty (fragmented): compaction, defrag and snapshots take long."""
    readings = []
    for size in sizes(case):
        fragmented = (
            size.in_use is not None
            and size.in_use < params["in_use"] * size.bytes
            and size.bytes >= params["fragmented_bytes"]
        )
        large = size.bytes >= params["large_bytes"]
        words = {
            "size": wording.size(size.bytes),
            "in_use": wording.size(size.in_use) if size.in_use is not None else "unknown",
            "member": size.member or "a member",
        }
        state = seen(size.bytes >= 2 * params["large_bytes"]) if large or fragmented else State.PASS
        readings.append(Reading(state, size.member, None, size.bytes, "B", at=(size.spot,), words=words))
    return readings + _grown(case, params)


def _grown(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """One endpoint seen twice, its database grown by half or more: an interrupted defrag leaves that, among others."""
    by_endpoint: dict[str, list[tuple[int, EndpointStatus]]] = {}
    for artifact, status in case.records(EndpointStatus):
        if status.db_size_bytes:
            by_endpoint.setdefault(status.member_id or status.endpoint, []).append((artifact.index, status))
    readings = []
    for entries in by_endpoint.values():
        (_, first), (index, last) = entries[0], entries[-1]
        before, after = first.db_size_bytes or 0, last.db_size_bytes or 0
        if before >= params["fragmented_bytes"] and after >= 1.5 * before:
            words = {"size": wording.size(after), "in_use": f"{wording.size(before)} before", "member": last.endpoint}
            readings.append(Reading(State.FAIL, None, None, float(after), "B", at=((index, last.line),), words=words))
    return readings


def array_freelist(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A bbolt with the array freelist (before 3.5, unless set to map) under a large database."""
    map_set = any(f.name.endswith("bbolt-freelist-type") and f.value == "map" for _, f in case.records(Flag))
    large = [size for size in sizes(case) if size.bytes >= params["large_bytes"]]
    old = [m for m in case.timeline.members if m.version and _before(m.version, 5)]
    if not large or not case.timeline.members:
        return []
    if not old or map_set:
        return (
            [Reading(State.PASS, at=(large[0].spot,), words={"version": ""})]
            if any(m.version for m in case.timeline.members)
            else []
        )
    words = {"version": old[0].version or "", "size": wording.size(large[0].bytes)}
    return [Reading(State.FAIL, old[0].name, None, large[0].bytes, "B", at=(large[0].spot,), words=words)]


def _before(version: str | None, minor: int) -> bool:
    """Whether a server version is older than 3.<minor>; unknown versions are not."""
    parts = (version or "").split(".")
    return len(parts) >= 2 and parts[0] == "3" and parts[1].isdigit() and int(parts[1]) < minor
