"""Late heartbeats, and whether a disk or a stopped process made them late."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.detectors.histogram import count_above
from analyzer.model.finding import Window
from analyzer.model.ids import State
from analyzer.model.series import Series
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers.log_events import GREY, absent, summarise
from analyzer.reasoning.observers.scrapes import windows
from analyzer.reasoning.patterns import within_logs
from analyzer.reasoning.reading import Reading, seen

LATE = ("heartbeat-late",)
BUSY_UTIL = 0.8
SLACK_S = 1.0
"""A heartbeat is late up to one tick plus scheduling after the stall that delayed it."""


def late_heartbeats(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """More late heartbeats than a busy, healthy host shows."""
    rows = case.rows(LATE)
    rows = rows[~case.inside(rows["ts_ns"].to_numpy() / 1e9, case.starting)]
    count = int(rows["count"].sum())
    needed = params["least_complete"] if case.complete_logs else params["least"]
    large = bool((rows["value"] >= params["large_s"]).any())
    if count >= needed or (count and large):
        return [summarise(case, rows, seen(count >= params["fail"] or large))]
    return absent(case, params, count) if count <= needed / GREY else []


def late_heartbeats_without_fsync(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Late heartbeats while no fdatasync stall of the same member is near: the disk is not what delayed them.

    etcd logs only stalls over 1 s, so a heartbeat less late than that proves nothing by itself: then the histogram
    must show that no sync was slow enough either.
    """
    rows = case.rows(LATE)
    rows = rows[rows["timed"] & ~(rows["value"] < params["jitter_s"])]
    if not case.complete_logs:
        return []
    slow_syncs = _syncs_above(case, params["sync_s"])
    if slow_syncs is not False:
        # several syncs just under 1 s in a row delay a heartbeat by more than 1 s without a line of their own
        rows = rows[rows["value"] >= params["long_s" if slow_syncs is None else "longest_s"]]
    if int(rows["count"].sum()) < params["least" if slow_syncs is False else "least_long"]:
        return []
    stalls = case.stalls[case.stalls["timed"]]
    alone = np.ones(len(rows), dtype=bool)
    for member in set(rows["who"]):
        mine = (rows["who"] == member).to_numpy()
        starts, ends = case.intervals(stalls[stalls["who"] == member])
        begin = rows["ts_ns"].to_numpy()[mine] / 1e9 - rows["value"].fillna(0.0).to_numpy()[mine]
        finish = rows["ts_ns"].to_numpy()[mine] / 1e9
        alone[mine] = ~_near(begin, finish, starts, ends)
    share = float(alone.mean())
    worst = rows["value"].max()
    words = {
        "n": f"{int(alone.sum()):,}",
        "total": f"{len(rows):,}",
        "share": wording.percent(share),
        "largest": wording.duration(float(worst)) if worst == worst else "unknown",
    }
    state = seen(bool(worst >= params["large_s"])) if share >= params["share"] else State.PASS
    chosen = rows[alone] if state.seen else rows[~alone]
    member = str(rows["who"].mode().iloc[0]) or None
    return [Reading(state, member, value=share, unit="ratio", at=case.spots(chosen), words=words)]


def _syncs_above(case: Case, bound_s: float) -> bool | None:
    """Whether /metrics counted WAL syncs longer than the bound during the capture; None without two scrapes."""
    answer: bool | None = None
    for window in windows(case, "etcd_disk_wal_fsync_duration_seconds"):
        if not window.lifetime:
            answer = bool(answer) or count_above(window.buckets, bound_s)[0] > 0
    return answer


def _near(begin: Any, finish: Any, starts: Any, ends: Any) -> NDArray[np.bool_]:
    if len(starts) == 0:
        return np.zeros(len(begin), dtype=bool)
    # Of the stalls that began by the finish, does any reach the begin? Not a table of all pairs: 20,000 x 10,000 of
    # them took 2 s.
    order = np.argsort(starts, kind="stable")
    begun = np.searchsorted(starts[order] - SLACK_S, finish, side="right")
    latest = np.maximum.accumulate(ends[order] + SLACK_S)
    return np.asarray((begun > 0) & (latest[begun - 1] >= begin))


def process_pause(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A member's log falls wholly silent while its peers keep logging, then goes on in the same process.

    During a disk stall the other goroutines keep writing (ReadIndex retries, peer connections); a stopped process or
    virtual machine writes nothing at all. Needs a log dense enough that the silence is unusual.
    """
    seconds: dict[str, NDArray[np.int64]] = {}
    for span in case.timeline.logs:
        if span.member:
            seconds[span.member] = np.union1d(seconds.get(span.member, np.array([], dtype=np.int64)), span.seconds)
    readings = [reading for member in sorted(seconds) for reading in _pauses_of(case, member, seconds, params)]
    if readings:
        return readings
    dense = [m for m, busy in seconds.items() if _dense(busy)]
    return [Reading(State.PASS, at=case.log_spots(), words={"n": "0"})] if dense and case.complete_logs else []


def _dense(busy: NDArray[np.int64]) -> bool:
    return len(busy) >= 30 and len(busy) / (busy[-1] - busy[0] + 1) >= 0.2


def _pauses_of(
    case: Case, member: str, seconds: dict[str, NDArray[np.int64]], params: Mapping[str, Any]
) -> list[Reading]:
    late = case.rows(LATE)
    late = late[(late["who"] == member) & late["timed"] & (late["value"] >= params["least_s"])]
    stalls = case.stalls[(case.stalls["who"] == member) & case.stalls["timed"]]
    pauses = []
    for ts_ns, exceeded in zip(late["ts_ns"], late["value"], strict=True):
        end = ts_ns / 1e9
        start = end - float(exceeded)
        if _silent(seconds[member], start, end) and not _stalled(case, stalls, start, end):
            pauses.append((start, end))
    gaps = [(a, b) for a, b in _lonely_gaps(member, seconds, params) if not _restarted(case, member, a, b)]
    gaps = [(a, b) for a, b in gaps if not _stalled(case, stalls, a + 1.0, b) and _felt(case, member, a, b)]
    gaps = [(a, b) for a, b in gaps if not _device_busy(case, member, a, b)]
    found = case.merge(np.array([a for a, _ in pauses + gaps]), np.array([b for _, b in pauses + gaps]), 2.0)
    if len(found) == 0:
        return []
    longest = float((found.ends - found.starts).max())
    near = late if len(late) else case.rows(("leader-lost", "peer-inactive", "leader-changed"))
    words = {
        "n": f"{len(found)}",
        "times": wording.plural(len(found), "time"),
        "longest": wording.duration(longest),
        "member": member,
    }
    window = Window(int(found.starts.min() * 1e9), int(found.ends.max() * 1e9))
    state = seen(len(found) >= params["fail"])
    return [Reading(state, member, value=longest, unit="s", window=window, at=case.spots(near), words=words)]


def _silent(busy: NDArray[np.int64], start: float, end: float) -> bool:
    """No second wholly inside the interval has a line."""
    first, last = int(np.ceil(start)) + 1, int(np.floor(end)) - 1
    inside = (busy >= first) & (busy <= last)
    return last > first and not bool(inside.any())


def _stalled(case: Case, stalls: Any, start: float, end: float) -> bool:
    """Whether fdatasync stalls tell of most of the interval beforehand: then the disk, not a pause, is the story.

    A frozen process may itself log ONE stall that lasts exactly as long as the freeze; several stalls or a stall
    much longer or shorter than the silence do not fit a freeze.
    """
    starts, ends = case.intervals(stalls)
    overlap = (starts < end) & (ends > start)
    if not overlap.any():
        return False
    lengths = (ends - starts)[overlap]
    return bool(overlap.sum() > 1 or abs(float(lengths[0]) - (end - start)) > 1.5)


def _lonely_gaps(
    member: str, seconds: dict[str, NDArray[np.int64]], params: Mapping[str, Any]
) -> list[tuple[float, float]]:
    """Silences of a dense log, longer than it ever is otherwise, while the peers log on."""
    busy = seconds[member]
    if not _dense(busy):
        return []
    gaps = np.diff(busy)
    usual = float(np.percentile(gaps, 98))
    limit = max(params["least_s"], 3.0 * usual)
    others = [other for name, other in seconds.items() if name != member]
    found = []
    for index in np.flatnonzero(gaps > limit):
        start, end = float(busy[index]) + 1.0, float(busy[index + 1])
        talking = sum(int(((other >= start) & (other < end)).sum()) for other in others)
        if talking >= 2:
            found.append((start, end))
    return found


def _device_busy(case: Case, member: str, start: float, end: float) -> bool:
    """Whether the member's WAL device was busy most of the silence: then the member waited for it."""
    for series in case.wal_series("util_ratio"):
        if series.member != member or not series.timed:
            continue
        inside = (series.ts_ns / 1e9 >= start) & (series.covers_from_ns / 1e9 <= end)
        if inside.any() and float(np.nanmedian(series.values[inside])) >= BUSY_UTIL:
            return True
    return False


def writes_stop(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A member's WAL device gets no writes for seconds while its peers' devices go on, and it is not busy.

    A leader writes with every proposal and every follower with it, so a device at rest means a member that does not
    run, or hears nothing: a pause or a broken link, both of which can leave no line in any log. A dead process writes
    nothing either: only a member whose own log is there, and shows no restart, can be judged.
    """
    all_series = [s for s in case.wal_series("write_iops") if s.timed and s.member]
    told = {span.member for span in case.timeline.logs}
    judged = [series for series in all_series if series.member in told]
    if len(all_series) < 2 or not judged:
        return []
    readings = []
    for series in judged:
        others = [other for other in all_series if other.member != series.member]
        gaps = [gap for gap in _write_gaps(case, series, params) if _others_write(others, gap, params)]
        gaps = [gap for gap in gaps if not _down(case.down, *gap)]
        if len(gaps) >= params["least"]:
            longest = max(end - begin for begin, end in gaps)
            rows = np.searchsorted(series.ts_ns / 1e9, [begin for begin, _ in gaps[:3]], side="right")
            spots = tuple((series.artifact, int(series.lines[min(r, len(series.lines) - 1)])) for r in rows.tolist())
            words = {
                "device": series.subject,
                "member": series.member or "",
                "times": wording.plural(len(gaps), "time"),
                "longest": wording.duration(longest),
            }
            state = seen(len(gaps) >= params["fail"])
            readings.append(Reading(state, series.member, series.subject, longest, "s", at=spots, words=words))
    first = judged[0]
    return readings or [Reading(State.PASS, at=((first.artifact, int(first.lines[0])),), words={"n": "0"})]


def _write_gaps(case: Case, series: Series, params: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Runs of samples without a write on a device that otherwise always writes and is not busy."""
    mask, covers, ts = within_logs(case, series)
    values = series.values
    if int(mask.sum()) < params["least_samples"] or float(np.median(values[mask])) < params["usual_iops"]:
        return []
    util = case.aligned(series, "util_ratio")
    idle = mask & (values <= 0.0) & (np.nan_to_num(util) < BUSY_UTIL if util is not None else True)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], idle.astype(np.int8), [0]])))
    runs = [(float(covers[a]), float(ts[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return [(begin, end) for begin, end in runs if end - begin >= params["least_s"]]


def _others_write(others: list[Series], gap: tuple[float, float], params: Mapping[str, Any]) -> bool:
    for other in others:
        inside = (other.covers_from_ns / 1e9 >= gap[0] - 0.5) & (other.ts_ns / 1e9 <= gap[1] + 0.5)
        if not inside.any() or float(other.values[inside].min()) <= 0.0:
            return False
    return True


def _down(windows: Any, start: float, end: float) -> bool:
    """Whether some member was not running at any time of the interval."""
    return bool(((windows[:, 0] < end) & (windows[:, 1] > start)).any())


def _restarted(case: Case, member: str, start: float, end: float) -> bool:
    rows = case.rows(("server-started", "signal-received", "server-panic", "oom-killed"))
    times = rows.loc[rows["timed"] & ((rows["who"] == member) | (rows["who"] == "")), "ts_ns"].to_numpy() / 1e9
    return bool(((times >= start - 2.0) & (times <= end + 3.0)).any())


def _felt(case: Case, member: str, start: float, end: float) -> bool:
    """Whether the cluster noticed: an election, a lost leader or a dropped peer within the silence or just after."""
    rows = case.rows(
        ("leader-lost", "leader-changed", "became-candidate", "peer-inactive", "peer-stream-lost", "readindex-slow")
    )
    times = rows.loc[rows["timed"], "ts_ns"].to_numpy() / 1e9
    return bool(((times >= start) & (times <= end + 2.0)).any())
