"""What a file says of itself, typed: the cold facts the detectors judge. Every fact knows its line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FioRun:
    """One fio job group as fio reported it."""

    line: int
    """Line of the fdatasync p99, or of the job header when there is none."""
    job: str
    fio_version: tuple[int, int] | None
    p99_fdatasync_s: float | None
    p999_fdatasync_s: float | None
    p50_fdatasync_s: float | None
    max_fdatasync_s: float | None
    mean_fdatasync_s: float | None
    mean_write_s: float | None
    iops: float | None
    bandwidth_bytes_s: float | None
    rw: str | None
    block_size_bytes: int | None
    ioengine: str | None
    fdatasync: int | None
    iodepth: int | None
    numjobs: int | None
    runtime_s: float | None
    device: str | None
    device_util_ratio: float | None
    device_reads: int | None
    device_writes: int | None
    device_in_queue_s: float | None
    issued_writes: int | None
    gradeable: bool
    not_gradeable_because: str | None
    """Plain words: which of version, sync block, rw, ioengine, fdatasync, bs is not as etcd writes."""
    finished_ns: int | None = None
    """Wall clock printed by fio as if UTC (fio prints local time without a zone)."""


@dataclass(frozen=True, slots=True)
class EndpointStatus:
    """One row of `etcdctl endpoint status`."""

    line: int
    endpoint: str
    member_id: str | None
    """Lower-case hex without padding; None when the source rounded it away (float ids)."""
    version: str | None
    db_size_bytes: int | None
    db_in_use_bytes: int | None
    quota_bytes: int | None
    is_leader: bool | None
    raft_term: int | None
    raft_index: int | None
    raft_applied_index: int | None
    errors: tuple[str, ...] = ()
    at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """One line of `etcdctl endpoint health`."""

    line: int
    endpoint: str
    healthy: bool
    took_s: float | None
    error: str | None


@dataclass(frozen=True, slots=True)
class MemberEntry:
    """One row of `etcdctl member list` (or of a collector's inventory)."""

    line: int
    member_id: str | None
    name: str | None
    peer_urls: tuple[str, ...]
    client_urls: tuple[str, ...]
    is_learner: bool | None
    data_device: str | None = None


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm of `etcdctl alarm list` or of an ERRORS cell."""

    line: int
    member_id: str | None
    alarm: str
    """NOSPACE or CORRUPT."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """One cumulative Prometheus histogram of one scrape."""

    line: int
    name: str
    labels: tuple[tuple[str, str], ...]
    bounds: tuple[float, ...]
    """Upper bounds, ascending, +Inf last when it was there."""
    counts: tuple[float, ...]
    total: float | None
    sum: float | None


@dataclass(frozen=True, slots=True)
class MetricScrape:
    """One scrape of /metrics: scalars by name (and labels) plus the histograms worth judging."""

    line: int
    scalars: tuple[tuple[str, tuple[tuple[str, str], ...], float, int], ...]
    """(name, labels, value, line) of etcd_*, process_*, go_goroutines and node_* samples kept."""
    histograms: tuple[Histogram, ...]
    at_ns: int | None = None
    """Scrape time when the file or its name says it."""
    process_start_s: float | None = None


@dataclass(frozen=True, slots=True)
class PerfCheck:
    """One `etcdctl check perf` run."""

    line: int
    load: str | None
    throughput: float | None
    slowest_s: float | None
    stddev_s: float | None
    passed: bool | None
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """One etcd setting, from a command line, a manifest or a start-up record (without leading dashes)."""

    line: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a directory lives: from mount, findmnt, df or lsblk."""

    line: int
    target: str
    device: str
    fstype: str | None


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """A memory total or limit stated by a file (bytes)."""

    line: int
    name: str
    value_bytes: int
