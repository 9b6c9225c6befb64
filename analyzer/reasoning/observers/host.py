"""CPU and memory of the host and of etcd's cgroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analyzer.model.facts import MemoryLimit
from analyzer.model.ids import State
from analyzer.model.series import Series
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers.disk_against_log import during
from analyzer.reasoning.reading import Reading, seen


def _share_reading(case: Case, series: Series, params: Mapping[str, Any]) -> Reading:
    values = np.clip(np.nan_to_num(series.values), 0.0, 1.0)
    inside = during(series, case.trouble_of(series.member)) if series.timed else np.ones(len(values), dtype=bool)
    in_trouble = values[inside] if inside.any() else values
    level = float(np.quantile(in_trouble, params.get("quantile", 0.75))) if len(in_trouble) else 0.0
    top = int(np.argmax(np.where(inside, values, -1.0))) if inside.any() else int(np.argmax(values))
    words = {
        "level": wording.percent(level),
        "peak": wording.percent(float(values[top])),
        "member": series.member or "the host",
        "process": series.subject or "the host",
    }
    state = seen(level >= params["fail"]) if level >= params["warn"] else State.PASS
    spot = ((series.artifact, int(series.lines[top])),)
    return Reading(state, series.member, None, level, "ratio", at=spot, words=words)


def cpu_throttled(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The cgroup was throttled while there was trouble (cpu.stat)."""
    readings = [_share_reading(case, s, params) for s in case.series("cpu_throttled_ratio")]
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings or _throttled_ever(case, params)


def _throttled_ever(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """One cpu.stat without a series: the share of all periods since the cgroup exists that were throttled."""
    readings = []
    for artifact in case.timeline.artifacts:
        share = artifact.facts.get("throttled_periods_ratio_lifetime")
        if not isinstance(share, float) or "cgroup-cpu-stat" not in artifact.formats:
            continue
        words = {
            "level": wording.percent(share),
            "peak": "over its whole life",
            "member": artifact.member or "the host",
            "process": "etcd",
        }
        state = seen(share >= params["fail"]) if share >= params["warn"] else State.PASS
        readings.append(Reading(state, artifact.member, None, share, "ratio", at=((artifact.index, 1),), words=words))
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings


def cpu_starved_process(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """etcd was runnable but waited for a CPU (pidstat %wait) while there was trouble."""
    chosen = [s for s in case.series("proc_wait_ratio") if s.subject.startswith("etcd[")]
    readings = [_share_reading(case, s, params) for s in chosen]
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings


def cpu_steal(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The hypervisor took CPU time away while there was trouble."""
    readings = [_share_reading(case, s, params) for s in case.series("cpu_steal_ratio")]
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings


def small_memory(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The host (or its balloon) has less memory than etcd needs, or swaps."""
    readings = []
    for artifact, limit in case.records(MemoryLimit):
        if not any(part in limit.name.lower() for part in params["names"]):
            continue
        low = limit.value_bytes < params["least_bytes"]
        words = {"name": limit.name, "size": wording.size(limit.value_bytes)}
        state = seen(limit.value_bytes < params["fail_bytes"]) if low else State.PASS
        spot = ((artifact.index, limit.line),)
        readings.append(Reading(state, artifact.member, None, float(limit.value_bytes), "B", at=spot, words=words))
    for series in case.series("swap_in_bytes_s"):
        values = np.nan_to_num(series.values)
        top = int(np.argmax(values)) if len(values) else 0
        if len(values) and values[top] >= params["swap_bytes_s"]:
            words = {"name": "swapping in", "size": f"{wording.size(float(values[top]))}/s"}
            spot = ((series.artifact, int(series.lines[top])),)
            readings.append(Reading(State.FAIL, series.member, None, float(values[top]), "B/s", at=spot, words=words))
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings
