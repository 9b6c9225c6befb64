"""One invocation of fio while its normal output is read: shared header, jobs, disk statistics."""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.parsers.fio_job import Disk, Job, SyncLatency
from analyzer.parsers.fio_units import THROTTLES, count, size_bytes, version, write_block_bytes

Options = dict[str, str]


@dataclass(slots=True)
class Run:
    """What belongs to one invocation; jobs get the shared parts when the run is finished."""

    line: int
    command: Options = field(default_factory=dict)
    headers: dict[str, Options] = field(default_factory=dict)
    """Options of each ``name: (g=0): rw=...`` line, by job name, in order."""
    version_text: str | None = None
    progress: tuple[float | None, float | None] = (None, None)
    """IOPS and bytes per second of the last ``Jobs:`` line."""
    jobs: list[Job] = field(default_factory=list)
    disks: list[Disk] = field(default_factory=list)
    closing: bool = False
    """The run's summary has begun: a job's figures after it belong to another run."""

    @property
    def has_results(self) -> bool:
        """Whether any job has reported."""
        return self.closing or any(job.reported for job in self.jobs)

    @property
    def complete(self) -> bool:
        """Whether nothing important can be missing any more: prose then ends the run."""
        if self.closing:
            return True
        return bool(self.jobs) and self.jobs[-1].percentile_s(99.0) is not None

    def job(self, line: int) -> Job:
        """The job figures belong to now; one without a header when the header was cut away."""
        if not self.jobs:
            self.jobs.append(Job(line))
        return self.jobs[-1]

    def finished(self) -> list[Job]:
        """The jobs that reported anything, completed with what the run says for all of them."""
        jobs = [job for job in self.jobs if job.reported]
        for job in jobs:
            self._complete(job)
        groups: dict[int | None, int] = {}
        for job in jobs:
            groups[job.group] = groups.get(job.group, 0) + (job.numjobs or 1)
        for job in jobs:
            # Jobs of one group ran side by side, whether fio merged their reports or not.
            if groups[job.group] > 1:
                job.numjobs = groups[job.group]
        return jobs

    def _complete(self, job: Job) -> None:
        header = self.headers.get(job.name) or (next(iter(self.headers.values())) if self.headers else {})
        options = {**self.command, **header}
        job.name = job.name or next(iter(self.headers), "") or self.command.get("name", "")
        if job.version_text is None and self.version_text is not None:
            job.version_text, job.version = self.version_text, version(self.version_text)
        job.rw = options.get("rw")
        job.ioengine = options.get("ioengine")
        job.block_size_bytes = _block_bytes(header, self.command)
        job.fdatasync, job.fsync = count(options.get("fdatasync")), count(options.get("fsync"))
        job.direct = count(options.get("direct"))
        job.throttled = not THROTTLES.isdisjoint(options)
        if job.iodepth is None:
            job.iodepth = count(options.get("iodepth"))
        if job.iops is None and self.progress[0] is not None:
            job.iops, job.iops_source = self.progress[0], "progress line"
        if job.bandwidth_bytes_s is None:
            job.bandwidth_bytes_s = self.progress[1]
        job.disks = list(self.disks)


def _block_bytes(header: Options, command: Options) -> int | None:
    if "bs" in header:
        return size_bytes(header["bs"])
    return write_block_bytes(command["bs"]) if "bs" in command else None


def sync_of(job: Job) -> SyncLatency:
    """The sync latency of a job, opened when its first line is met."""
    if job.sync is None:
        job.sync = SyncLatency()
    return job.sync
