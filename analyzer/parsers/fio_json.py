"""fio's JSON and json+ output."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from analyzer.model.line import Document, Line, Parsed
from analyzer.parsers.fio_job import Disk, Job, SyncLatency, file_facts, problem_sentences
from analyzer.parsers.fio_units import THROTTLES, count, version, write_block_bytes

_NS: Final = 1e9
_LARGEST: Final = 1e18
_PLACES: Final = re.compile(r'"(jobname|sync|disk_util|99\.0+)"\s*:')


class FioJsonParser:
    """Document parser. Records: model.facts.FioRun, one per job; the end of the run is an epoch, so UTC."""

    format: ClassVar[str] = "fio-json"

    @staticmethod
    def accepts(value: Any) -> bool:
        """``{"fio version": ..., "jobs": [...]}``, or jobs like fio's when the head was cut away."""
        if not isinstance(value, dict):
            return False
        jobs = value.get("jobs")
        if "fio version" in value:
            return True
        return isinstance(jobs, list) and any(
            isinstance(job, dict) and "jobname" in job and ("write" in job or "job options" in job) for job in jobs
        )

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        value = document.value if isinstance(document.value, dict) else {}
        places = _places(document.lines)
        disks = _disks(value.get("disk_util"), places.disks)
        jobs = [_job(entry, value, places.job(index), disks) for index, entry in enumerate(_dicts(value.get("jobs")))]
        _count_neighbours(jobs)
        problems = problem_sentences(jobs)
        if not jobs:
            problems.append("the fio document holds no job: the run failed or was stopped before it began")
        if not document.complete:
            problems.append("the fio document is cut off: what follows the cut is missing")
        ends = [job.finished_ns for job in jobs if job.finished_ns is not None]
        starts = [j.finished_ns - int((j.runtime_s or 0) * _NS) for j in jobs if j.finished_ns is not None]
        return Parsed(
            format=FioJsonParser.format,
            understood=sum(1 for line in document.lines if line.text.strip()),
            facts=file_facts(jobs, []) | {"fio_version": _text(value.get("fio version"))},
            records=tuple(job.run() for job in jobs),
            first_ns=min(starts) if starts else None,
            last_ns=max(ends) if ends else None,
            timed=bool(ends),
            problems=tuple(problems),
        )


class _Places:
    """Line numbers of the jobs, of their 99th sync percentiles and of the disk statistics."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.jobs: list[int] = []
        self.p99: dict[int, int] = {}
        self.disks = first

    def job(self, index: int) -> tuple[int, int | None]:
        """Line of the job, and of its sync p99."""
        return (self.jobs[index] if index < len(self.jobs) else self.first), self.p99.get(index)


def _places(lines: tuple[Line, ...]) -> _Places:
    places = _Places(lines[0].number if lines else 1)
    in_sync = False
    for line in lines:
        for found in _PLACES.finditer(line.text):
            key = found[1]
            if key == "jobname":
                places.jobs.append(line.number)
                in_sync = False
            elif key == "disk_util":
                places.disks = line.number
            elif key == "sync":
                in_sync = True
            elif in_sync and places.jobs:
                places.p99.setdefault(len(places.jobs) - 1, line.number)
    return places


def _job(entry: dict[str, Any], document: dict[str, Any], place: tuple[int, int | None], disks: list[Disk]) -> Job:
    line, p99_line = place
    options = {**_dict(document.get("global options")), **_dict(entry.get("job options"))}
    write = _dict(entry.get("write"))
    version_text = _text(document.get("fio version"))
    runtime_ms = _number(write.get("runtime"))
    mean_ns = _number(_dict(write.get("lat_ns")).get("mean"))
    job = Job(
        line,
        name=_text(entry.get("jobname")) or "",
        version_text=version_text,
        version=version(version_text) if version_text else None,
        sync=_sync(_dict(entry.get("sync")), p99_line),
        group=_whole(entry.get("groupid")),
        error=_whole(entry.get("error")) or 0,
        iops=_number(write.get("iops")),
        iops_source="write.iops",
        bandwidth_bytes_s=_number(write.get("bw_bytes")),
        runtime_s=None if runtime_ms is None else runtime_ms / 1000,
        mean_write_s=None if mean_ns is None else mean_ns / _NS,
        issued_writes=_whole(write.get("total_ios")),
        finished_ns=_finished_ns(document),
        disks=list(disks),
        reported=True,
    )
    _apply_options(job, options)
    return job


def _apply_options(job: Job, options: dict[str, Any]) -> None:
    block = _text(options.get("bs")) or _text(options.get("blocksize"))
    job.rw = _text(options.get("rw")) or _text(options.get("readwrite"))
    job.ioengine = _text(options.get("ioengine"))
    job.block_size_bytes = write_block_bytes(block) if block else None
    job.fdatasync, job.fsync = count(_text(options.get("fdatasync"))), count(_text(options.get("fsync")))
    job.throttled = not THROTTLES.isdisjoint(options)
    job.direct = count(_text(options.get("direct")))
    job.iodepth = count(_text(options.get("iodepth")))
    job.numjobs = count(_text(options.get("numjobs"))) or 1


def _sync(block: dict[str, Any], p99_line: int | None) -> SyncLatency | None:
    """The sync latency; ``total_ios`` is 0 in real files that do hold percentiles, so it decides nothing."""
    latency = _dict(block.get("lat_ns"))
    percentiles: dict[float, float] = {}
    for key, value in _dict(latency.get("percentile")).items():
        nanoseconds = _number(value)
        try:
            which = float(key)
        except ValueError:
            continue
        if nanoseconds is not None:
            percentiles[round(which, 6)] = nanoseconds / _NS
    if not any(percentiles.values()) and not _number(latency.get("N")):
        return None
    sync = SyncLatency(unit="nsec", percentiles=percentiles, total_ios=_whole(block.get("total_ios")))
    low, high, mean = (_number(latency.get(key)) for key in ("min", "max", "mean"))
    sync.min_s, sync.max_s, sync.mean_s = (None if v is None else v / _NS for v in (low, high, mean))
    sync.as_printed = f"{latency.get('min')} / {latency.get('max')} / {latency.get('mean')} nsec"
    if 99.0 in percentiles:
        sync.row, sync.row_line = f"99.000000: {round(percentiles[99.0] * _NS)} nsec", p99_line
    return sync


def _count_neighbours(jobs: list[Job]) -> None:
    """Jobs of one group ran side by side; each entry without group reporting already stands for one job."""
    per_group: dict[int | None, int] = {}
    for job in jobs:
        per_group[job.group] = per_group.get(job.group, 0) + 1
    for job in jobs:
        job.numjobs = max(job.numjobs or 1, per_group[job.group])


def _finished_ns(document: dict[str, Any]) -> int | None:
    milliseconds = _whole(document.get("timestamp_ms"))
    if milliseconds:
        return milliseconds * 1_000_000
    seconds = _whole(document.get("timestamp"))
    return seconds * 1_000_000_000 if seconds else None


def _disks(value: Any, line: int) -> list[Disk]:
    found: list[Disk] = []
    for entry in _dicts(value):
        name, queue_ms = _text(entry.get("name")), _number(entry.get("in_queue"))
        if name is None:
            continue
        found.append(
            Disk(
                line=line,
                device=name,
                util_percent=_number(entry.get("util")),
                reads=_whole(entry.get("read_ios")),
                writes=_whole(entry.get("write_ios")),
                in_queue_s=None if queue_ms is None else queue_ms / 1000,
            )
        )
    return found


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    """A string, or a number as text: some writers of fio documents turn option values into numbers."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _LARGEST:
        return None
    return float(value)


def _whole(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
