"""What disk captures and fio say by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.detectors.ceiling import cap_test, latency_bound
from analyzer.model.facts import FioRun, Mount
from analyzer.model.ids import State
from analyzer.model.series import Series
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.patterns import within_logs
from analyzer.reasoning.reading import Reading, seen

_NETWORK_FS = re.compile(r"^(?:nfs4?|cifs|smb3?|ceph|glusterfs|fuse\.(?:ceph|gluster\w*|s3fs)|9p|lustre|gpfs|beegfs)$")
_NETWORK_DEVICE = re.compile(r"^(?:rbd\d|drbd\d|nbd\d|longhorn)|/(?:longhorn|rbd)/")


def write_latency(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Writes or flushes of the WAL's device are slow in most of the samples that have any."""
    readings = []
    for series in [*case.wal_series("write_await_s"), *_old_await(case)]:
        flush, writes = case.aligned(series, "flush_await_s"), case.aligned(series, "write_iops")
        if writes is None:
            continue
        mask = within_logs(case, series)[0] if series.timed else np.ones(len(series.values), dtype=bool)
        active = mask & (writes >= params["least_iops"]) & np.isfinite(series.values)
        if int(active.sum()) < params["least_samples"]:
            continue
        latency = series.values.copy()
        if flush is not None:
            latency = np.fmax(latency, flush)
        readings.append(_latency_reading(series, latency, active, params))
    return readings


def _old_await(case: Case) -> list[Series]:
    """Old sysstat prints one await for reads and writes: usable when the device hardly reads."""
    split = {(s.member, s.subject) for s in case.series("write_await_s")}
    return [s for s in case.wal_series("await_s") if (s.member, s.subject) not in split]


def _latency_reading(series: Series, latency: Any, active: Any, params: Mapping[str, Any]) -> Reading:
    slow = active & (latency >= params["warn_s"])
    share = float(slow.sum() / active.sum())
    typical = float(np.median(latency[active]))
    if share >= params["share"]:
        state = seen(typical >= params["fail_s"])
    else:
        state = State.PASS
    chosen = np.flatnonzero(slow if state.seen else active)
    chosen = chosen[np.argsort(-latency[chosen], kind="stable")][:3]
    words = {
        "device": series.subject,
        "typical": wording.duration(typical),
        "worst": wording.duration(float(np.max(latency[active]))),
        "share": wording.percent(share),
        "samples": f"{int(active.sum())}",
    }
    spots = tuple((series.artifact, int(series.lines[i])) for i in sorted(chosen.tolist()))
    return Reading(state, series.member, series.subject, typical, "s", at=spots, words=words)


def _busy_and_queue(
    case: Case, params: Mapping[str, Any]
) -> Iterator[tuple[Series, NDArray[np.float64], NDArray[np.bool_]]]:
    """(busy ratio, queue length, samples within the logs) of each WAL device with enough samples of both."""
    for series in case.wal_series("util_ratio"):
        queue = case.aligned(series, "queue_length")
        if queue is None:
            continue
        mask = within_logs(case, series)[0] if series.timed else np.ones(len(series.values), dtype=bool)
        if int(mask.sum()) >= params["least_samples"]:
            yield series, queue, mask


def saturation(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The device is busy all the time AND requests queue: 100 % util alone is one synchronous writer."""
    readings = []
    for series, queue, mask in _busy_and_queue(case, params):
        full = mask & (series.values >= params["util"]) & (queue >= params["queue"])
        share = float(full.sum() / mask.sum())
        state = seen(share >= params["fail_share"]) if share >= params["share"] else State.PASS
        chosen = np.flatnonzero(full if full.any() else mask)[:3]
        words = {"device": series.subject, "share": wording.percent(share), "samples": f"{int(mask.sum())}"}
        spots = tuple((series.artifact, int(series.lines[i])) for i in chosen.tolist())
        readings.append(Reading(state, series.member, series.subject, share, "ratio", at=spots, words=words))
    return readings


def always_one_request(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Busy all the time with about one request in flight: one synchronous writer waits for latency."""
    readings = []
    for series, queue, mask in _busy_and_queue(case, params):
        result = latency_bound(series.values[mask] * 100.0, queue[mask])
        if result.busy == 0:
            continue
        chosen = np.flatnonzero(mask & (series.values >= params["util"]))[:3]
        words = {
            "device": series.subject,
            "share": wording.percent(result.share),
            "queue": f"{result.median_queue:.2g}",
        }
        spots = tuple((series.artifact, int(series.lines[i])) for i in chosen.tolist())
        state = seen(False) if result.claim else State.PASS
        readings.append(Reading(state, series.member, series.subject, result.share, "ratio", at=spots, words=words))
    return readings


def plateau(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Completed operations (or bytes) per second sit at one value while requests queue: a provisioned limit."""
    readings = []
    for metric, other, unit in (("write_iops", "read_iops", "operations"), ("write_bytes_s", "read_bytes_s", "bytes")):
        for series in case.wal_series(metric):
            reads, util = case.aligned(series, other), case.aligned(series, "util_ratio")
            queue = case.aligned(series, "queue_length")
            if reads is None or util is None or queue is None:
                continue
            mask = within_logs(case, series)[0] if series.timed else np.ones(len(series.values), dtype=bool)
            flushes = case.aligned(series, "flush_iops") if metric == "write_iops" else None
            total = series.values + np.nan_to_num(reads) + (np.nan_to_num(flushes) if flushes is not None else 0.0)
            result = cap_test(total[mask], util[mask] * 100.0, queue[mask])
            if result.saturated < 20:
                continue
            shown = wording.size(result.plateau) if unit == "bytes" else wording.number(result.plateau)
            words = {
                "device": series.subject,
                "plateau": f"{shown}/s" if unit == "bytes" else f"{shown} I/O per second",
                "share": wording.percent(result.time_share),
                "saturated": f"{result.saturated}",
            }
            chosen = np.flatnonzero(mask)[:: max(1, int(mask.sum()) // 3)][:3]
            spots = tuple((series.artifact, int(series.lines[i])) for i in chosen.tolist())
            state = seen(result.time_share >= params["share"]) if result.claim else State.PASS
            readings.append(Reading(state, series.member, series.subject, result.plateau, unit, at=spots, words=words))
    flagged = [reading for reading in readings if reading.state.seen]
    return flagged or readings[:1]


def fio_fsync(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The fdatasync p99 of gradeable fio runs against etcd's 10 ms; a fast tail and a slow tail are told apart."""
    readings = []
    for artifact, run in case.records(FioRun):
        if not run.gradeable or run.p99_fdatasync_s is None:
            continue
        p99 = run.p99_fdatasync_s
        bursty = run.p50_fdatasync_s is not None and p99 > 50 * run.p50_fdatasync_s
        if p99 > params["warn_s"] and bursty:
            continue  # token buckets and busy hosts make such tails while etcd's own p99 is fine: no proof
        state = seen(p99 >= params["fail_s"]) if p99 > params["warn_s"] else State.PASS
        tail = run.p999_fdatasync_s
        words = {
            "p99": wording.duration(p99),
            "p999": wording.duration(tail) if tail is not None else "not shown",
            "job": run.job,
            "device": run.device or "the tested device",
        }
        spot = ((artifact.index, run.line),)
        readings.append(Reading(state, artifact.member, run.device, p99, "s", at=spot, words=words))
    return readings


def network_storage(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The WAL's file system or device is a network one."""
    readings = []
    checked = 0
    for artifact, mount in case.records(Mount):
        if not any(part in mount.target for part in params["targets"]):
            continue
        checked += 1
        if _NETWORK_FS.match(mount.fstype or "") or _NETWORK_DEVICE.search(mount.device):
            words = {"target": mount.target, "device": mount.device, "fstype": mount.fstype or "unknown"}
            readings.append(
                Reading(State.FAIL, artifact.member, mount.device, at=((artifact.index, mount.line),), words=words)
            )
    if readings or not checked:
        return readings
    artifact, mount = next((a, m) for a, m in case.records(Mount) if any(p in m.target for p in params["targets"]))
    words = {"target": mount.target, "device": mount.device, "fstype": mount.fstype or "unknown"}
    return [Reading(State.PASS, artifact.member, mount.device, at=((artifact.index, mount.line),), words=words)]
