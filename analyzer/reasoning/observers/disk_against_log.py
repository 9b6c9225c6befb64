"""The disk's samples against the log's trouble: do they meet, or was the disk quiet?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.detectors.regime import compare_levels
from analyzer.model.ids import State
from analyzer.model.series import Series
from analyzer.reasoning import wording
from analyzer.reasoning.case import SECOND, Case, Episodes
from analyzer.reasoning.patterns import Met, coincidences, within_logs
from analyzer.reasoning.reading import Reading, Spot, seen

SLACK_S = 2.0
KNOWN_WRITERS = ("prometheus", "thanos", "postgres", "mysqld", "mariadbd", "mongod", "java", "elasticsearch", "restic",
                 "rsync", "velero", "fio", "dd", "pgbackrest", "loki", "clickhouse", "influxd", "kafka", "ceph-osd",
                 "longhorn", "containerd", "dockerd", "tar", "cp", "bacula", "borg")  # fmt: skip
"""Programs whose name says that they write in bulk; any other name is given as it is."""


def met_words(met: Met) -> dict[str, str]:
    """Sentence parts of a coincidence."""
    result = met.result
    return {
        "subject": met.subject,
        "device": met.series.subject,
        "member": met.member or "the host",
        "hits": f"{result.hits}",
        "total": f"{result.events_total}",
        "spikes_with": f"{result.spikes_with_event}",
        "spikes": f"{result.spikes_total}",
        "chance": f"{result.expected_by_chance:.1f}",
        "p": _p_words(met.p_value),
    }


def _p_words(p: float) -> str:
    if p >= 0.01:
        return f"p = {p:.2f}"
    return f"p < {10.0 ** np.ceil(np.log10(max(p, 1e-6))):g}"


def coincidence_with_writes(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Trouble meets write-time spikes of the member's own device, more often than chance."""
    readings = []
    for met in coincidences(case):
        result = met.result
        if not result.usable:
            continue
        share = result.hits / max(1, result.events_total)
        strong = met.p_value <= params["p"] and share >= params["share"]
        weak = share >= params["high_share"] and result.hits >= 3 and result.expected_by_chance <= 0.5 * result.hits
        state = State.FAIL if strong else State.WARN if weak else State.PASS
        readings.append(
            Reading(
                state,
                met.member,
                met.series.subject,
                share,
                "ratio",
                at=_spike_spots(met.series, met.episodes),
                words=met_words(met),
                strength=met.p_value if state.seen else None,
            )
        )
    return readings


def _spike_spots(series: Series, episodes: Episodes, most: int = 3) -> tuple[Spot, ...]:
    """The highest sample in each of the first episodes."""
    ts, covers = series.ts_ns / SECOND, series.covers_from_ns / SECOND
    spots = []
    for begin, finish in zip(episodes.starts, episodes.ends, strict=True):
        inside = np.flatnonzero((ts >= begin - SLACK_S) & (covers <= finish + SLACK_S))
        if len(inside):
            top = inside[int(np.nanargmax(np.nan_to_num(series.values[inside], nan=-1.0)))]
            spots.append((series.artifact, int(series.lines[top])))
        if len(spots) == most:
            break
    return tuple(spots)


def during(series: Series, episodes: Episodes, slack_s: float = SLACK_S) -> NDArray[np.bool_]:
    """Which samples overlap an episode."""
    ts, covers = series.ts_ns / SECOND, series.covers_from_ns / SECOND
    hit = np.zeros(len(ts), dtype=bool)
    for begin, finish in zip(episodes.starts, episodes.ends, strict=True):
        hit |= (ts >= begin - slack_s) & (covers <= finish + slack_s)
    return hit


def disk_quiet_in_trouble(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Samples cover the trouble and show an ordinary, fast disk: whatever happened, it was not the device."""
    readings = []
    for series in case.wal_series("write_await_s"):
        if not series.timed:
            continue
        episodes = case.trouble_of(series.member)
        covered = _covered(series, episodes)
        if len(episodes) == 0 or covered < params["coverage"]:
            continue
        inside = during(series, episodes)
        util, flush = case.aligned(series, "util_ratio"), case.aligned(series, "flush_await_s")
        worst = _quantile(series.values[inside], 0.9)
        flushes = _quantile(flush[inside], 0.9) if flush is not None else 0.0
        busy = _quantile(util[inside], 0.9) if util is not None else 0.0
        quiet = max(worst, flushes) <= params["await_s"] and busy <= params["util"]
        words = {
            "device": series.subject,
            "member": series.member or "the host",
            "await": wording.duration(max(worst, flushes)),
            "util": wording.percent(busy),
            "n": f"{len(episodes)}",
            "episodes": wording.plural(len(episodes), "episode"),
        }
        state = State.WARN if quiet else State.PASS
        spots = _spike_spots(series, episodes)
        readings.append(Reading(state, series.member, series.subject, worst, "s", at=spots, words=words))
    return _worst_case(readings)


def _worst_case(readings: list[Reading]) -> list[Reading]:
    """One noisy device is enough to not call the disks quiet."""
    noisy = [reading for reading in readings if not reading.state.seen]
    return noisy or readings


def _covered(series: Series, episodes: Episodes) -> float:
    if len(episodes) == 0:
        return 0.0
    ts, covers = series.ts_ns / SECOND, series.covers_from_ns / SECOND
    hit = [bool(((ts >= b) & (covers <= f)).any()) for b, f in zip(episodes.starts, episodes.ends, strict=True)]
    return float(np.mean(hit))


def _quantile(values: NDArray[np.float64], q: float) -> float:
    known = values[np.isfinite(values)]
    return float(np.quantile(known, q)) if len(known) else 0.0


def foreign_writes(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """During trouble the device writes many times its usual bytes: more than etcd itself ever does."""
    readings = []
    for series in case.wal_series("write_bytes_s"):
        episodes = case.trouble_of(series.member)
        if not series.timed or len(episodes) == 0 or _covered(series, episodes) < 0.5:
            continue
        mask, _, _ = within_logs(case, series)
        inside = during(series, episodes, 5.0)
        shift = compare_levels(_peaks(series, episodes), series.values[mask & ~inside])
        if not shift.usable:
            continue
        loud = shift.inside >= params["least_bytes_s"] and shift.ratio >= params["ratio"]
        words = {
            "device": series.subject,
            "inside": f"{wording.size(shift.inside)}/s",
            "outside": f"{wording.size(shift.outside)}/s",
        }
        state = seen(shift.ratio >= 2 * params["ratio"]) if loud else State.PASS
        spots = _spike_spots(series, episodes)
        readings.append(Reading(state, series.member, series.subject, shift.inside, "B/s", at=spots, words=words))
    return readings


def _peaks(series: Series, episodes: Episodes) -> NDArray[np.float64]:
    ts, covers = series.ts_ns / SECOND, series.covers_from_ns / SECOND
    peaks = []
    for begin, finish in zip(episodes.starts, episodes.ends, strict=True):
        inside = (ts >= begin - 5.0) & (covers <= finish + 5.0)
        if inside.any():
            peaks.append(float(np.nanmax(np.nan_to_num(series.values[inside]))))
    return np.array(peaks)


def neighbour(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Another process writes far more than etcd on the host while there is trouble (pidstat, /proc/PID/io)."""
    all_series = case.series("proc_write_bytes_s")
    etcd = [_peak_in_trouble(case, series)[0] for series in all_series if _command(series) == "etcd"]
    readings = []
    for series in all_series:
        command = _command(series)
        peak, top = _peak_in_trouble(case, series)
        if command in ("etcd", "etcdctl", "kworker") or peak < params["least_bytes_s"]:
            continue
        if etcd and peak < params["ratio"] * float(np.median(etcd)):
            continue
        words = {"process": series.subject, "peak": f"{wording.size(peak)}/s", "member": series.member or "the host"}
        named = any(command.startswith(name) for name in KNOWN_WRITERS)
        spots = ((series.artifact, int(series.lines[top])),)
        readings.append(Reading(seen(named), series.member, None, peak, "B/s", at=spots, words=words))
    readings.sort(key=lambda reading: -(reading.value or 0.0))
    if not readings and all_series and len(case.trouble):
        first = all_series[0]
        spots = ((first.artifact, int(first.lines[0])),)
        return [Reading(State.PASS, at=spots, words={"n": f"{len(all_series)}"})]
    return readings[:3]


def _peak_in_trouble(case: Case, series: Series) -> tuple[float, int]:
    """(bytes/s, index) of the highest sample that overlaps an episode of trouble; an undated capture counts whole.

    What runs outside the trouble (the operator's own fio, a nightly backup) did not cause it.
    """
    values = np.nan_to_num(series.values)
    if series.timed:
        values = np.where(during(series, case.trouble_of(series.member), 5.0), values, 0.0)
    top = int(np.argmax(values)) if len(values) else 0
    return (float(values[top]) if len(values) else 0.0), top


def _command(series: Series) -> str:
    return series.subject.partition("[")[0].rsplit("/", 1)[-1].lower()
