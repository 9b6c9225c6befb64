"""One fio job as read from any of fio's output formats, on its way to FioRun and to facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analyzer.model.facts import FioRun
from analyzer.parsers.fio_grade import Parameters, grade, verdict_10ms

MS = 1000.0


@dataclass(slots=True)
class Disk:
    """One row of the ``Disk stats`` of a run."""

    line: int
    device: str
    util_percent: float | None
    reads: int | None
    writes: int | None
    in_queue_s: float | None


@dataclass(slots=True)
class SyncLatency:
    """The latency of fsync/fdatasync; seconds, percentiles by their number (99.0, 99.9 ...)."""

    unit: str | None = None
    """Unit the percentile block was printed in: nsec, usec or msec."""
    as_printed: str | None = None
    min_s: float | None = None
    max_s: float | None = None
    mean_s: float | None = None
    percentiles: dict[float, float] = field(default_factory=dict)
    row: str | None = None
    """The 99th percentile as printed, unit added: readers of fio output confuse it with the 90th."""
    row_line: int | None = None
    total_ios: int | None = None


@dataclass(slots=True)
class Job:
    """What was read of one job; None is ``not shown``."""

    line: int
    name: str = ""
    version_text: str | None = None
    version: tuple[int, int] | None = None
    sync: SyncLatency | None = None
    group: int | None = None
    error: int = 0
    iops: float | None = None
    iops_source: str | None = None
    bandwidth_bytes_s: float | None = None
    runtime_s: float | None = None
    mean_write_s: float | None = None
    issued_writes: int | None = None
    rw: str | None = None
    block_size_bytes: int | None = None
    ioengine: str | None = None
    fdatasync: int | None = None
    fsync: int | None = None
    direct: int | None = None
    iodepth: int | None = None
    numjobs: int | None = None
    finished_ns: int | None = None
    disks: list[Disk] = field(default_factory=list)
    throttled: bool = False
    terse: bool = False
    reported: bool = False
    """Whether any result was read: a command line or a progress line alone is no run."""

    def parameters(self) -> Parameters:
        """What decides whether this job measured what etcd does."""
        return Parameters(
            version=self.version,
            has_sync_p99=self.sync is not None and 99.0 in self.sync.percentiles,
            has_sync_block=self.sync is not None,
            terse=self.terse,
            error=self.error,
            rw=self.rw,
            ioengine=self.ioengine,
            fdatasync=self.fdatasync,
            fsync=self.fsync,
            direct=self.direct,
            block_size_bytes=self.block_size_bytes,
            iodepth=self.iodepth,
            numjobs=self.numjobs,
            median_sync_s=self.percentile_s(50.0),
            throttled=self.throttled,
        )

    @property
    def disk(self) -> Disk | None:
        """The device the file is on: fio lists it first, the members of an md or dm device after it."""
        return self.disks[0] if self.disks else None

    def percentile_s(self, which: float) -> float | None:
        """One percentile of the sync latency."""
        return self.sync.percentiles.get(which) if self.sync else None

    def run(self) -> FioRun:
        """The typed fact the detectors judge."""
        graded = grade(self.parameters())
        sync, disk = self.sync or SyncLatency(), self.disk
        return FioRun(
            line=sync.row_line or self.line,
            job=self.name,
            fio_version=self.version,
            p99_fdatasync_s=self.percentile_s(99.0),
            p999_fdatasync_s=self.percentile_s(99.9),
            p50_fdatasync_s=self.percentile_s(50.0),
            max_fdatasync_s=sync.max_s,
            mean_fdatasync_s=sync.mean_s,
            mean_write_s=self.mean_write_s,
            iops=self.iops,
            bandwidth_bytes_s=self.bandwidth_bytes_s,
            rw=self.rw,
            block_size_bytes=self.block_size_bytes,
            ioengine=self.ioengine,
            fdatasync=self.fdatasync,
            iodepth=self.iodepth,
            numjobs=self.numjobs,
            runtime_s=self.runtime_s,
            device=disk.device if disk else None,
            device_util_ratio=min(disk.util_percent / 100, 1.0) if disk and disk.util_percent is not None else None,
            device_reads=disk.reads if disk else None,
            device_writes=disk.writes if disk else None,
            device_in_queue_s=disk.in_queue_s if disk else None,
            issued_writes=self.issued_writes,
            gradeable=graded.gradeable,
            not_gradeable_because=graded.because,
            finished_ns=self.finished_ns,
        )

    def facts(self) -> dict[str, Any]:
        """JSON-ready facts of ``inspect``."""
        graded = grade(self.parameters())
        sync = self.sync or SyncLatency()
        p99_s = self.percentile_s(99.0)
        return {
            "jobname": self.name,
            "line": sync.row_line or self.line,
            "row_read": sync.row,
            "fio_version": self.version_text,
            "p50_fdatasync_ms": _ms(self.percentile_s(50.0)),
            "p99_fdatasync_ms": _ms(p99_s),
            "p999_fdatasync_ms": _ms(self.percentile_s(99.9)),
            "min_fdatasync_ms": _ms(sync.min_s),
            "mean_fdatasync_ms": _ms(sync.mean_s),
            "max_fdatasync_ms": _ms(sync.max_s),
            "percentile_unit_read": sync.unit,
            "sync_min_max_avg_as_printed": sync.as_printed,
            "sync_total_ios": sync.total_ios,
            "mean_write_ms": _ms(self.mean_write_s),
            "iops": self.iops,
            "iops_source": self.iops_source,
            "bw_bytes_s": self.bandwidth_bytes_s,
            "rw": self.rw,
            "bs_bytes": self.block_size_bytes,
            "ioengine": self.ioengine,
            "fdatasync": self.fdatasync,
            "iodepth": self.iodepth,
            "numjobs": self.numjobs,
            "runtime_s": self.runtime_s,
            "issued_writes": self.issued_writes,
            "device": self.disk.device if self.disk else None,
            "gradeable": graded.gradeable,
            "not_gradeable_because": graded.because,
            "not_shown": list(graded.not_shown),
            "remarks": list(graded.remarks),
            "verdict_10ms": verdict_10ms(graded.gradeable, p99_s),
        }


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * MS, 6)


def file_facts(jobs: list[Job], commands: list[str]) -> dict[str, Any]:
    """Facts of everything one file or segment says of fio."""
    disks: list[dict[str, Any]] = []
    seen: set[int] = set()
    for job in jobs:
        for disk in job.disks:
            if id(disk) not in seen:
                seen.add(id(disk))
                disks.append({"device": disk.device, "util_percent": disk.util_percent, "line": disk.line})
    return {
        "fio_version": next((job.version_text for job in jobs if job.version_text), None),
        "jobs": [job.facts() for job in jobs],
        "disks": disks,
        "commands": commands,
    }


def problem_sentences(jobs: list[Job]) -> list[str]:
    """Why the jobs that cannot be graded cannot be."""
    return [
        f"line {run.line}: fio job {run.job or '(unnamed)'} is not graded: {run.not_gradeable_because}"
        for run in (job.run() for job in jobs)
        if run.not_gradeable_because
    ]
