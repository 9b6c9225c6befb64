"""fio's terse output (``--minimal``): one line of semicolons without any sync latency."""

from __future__ import annotations

from typing import Final

from analyzer.parsers.fio_job import Disk, Job
from analyzer.parsers.fio_units import number, version

_WRITE_V3: Final = 46
"""Index of the first write field in version 3 (fio HOWTO, "Terse output": 5 general, 41 read fields)."""
_DISK_FIELDS: Final = 9


def read_terse(text: str, line: int) -> Job:
    """What a terse line tells of its job; the grade refuses it, because no version holds a sync latency."""
    fields = text.strip().split(";")
    job = Job(line, name=fields[2], version_text=fields[1], version=version(fields[1]))
    job.terse = job.reported = True
    job.error = int(fields[4]) if fields[4].isdigit() and len(fields[4]) < 7 else 0
    if fields[0] == "3" and len(fields) > _WRITE_V3 + 3:
        bandwidth_kib, iops, runtime_ms = (number(field) for field in fields[_WRITE_V3 + 1 : _WRITE_V3 + 4])
        job.iops, job.iops_source = iops, "terse line"
        job.bandwidth_bytes_s = None if bandwidth_kib is None else bandwidth_kib * 1024
        job.runtime_s = None if runtime_ms is None else runtime_ms / 1000
        job.disks = _disks(fields, line)
    return job


def _disks(fields: list[str], line: int) -> list[Disk]:
    """Disk statistics stand at the end in groups of nine: name, ios, merges, ticks, queue, util%."""
    tail = fields[-_DISK_FIELDS:]
    if len(tail) < _DISK_FIELDS or not tail[-1].endswith("%") or not tail[0] or tail[0][0].isdigit():
        return []
    reads, writes, queue = number(tail[1]), number(tail[2]), number(tail[7])
    return [
        Disk(
            line=line,
            device=tail[0],
            util_percent=number(tail[8].rstrip("%")),
            reads=None if reads is None else int(reads),
            writes=None if writes is None else int(writes),
            in_queue_s=None if queue is None else queue / 1000,
        )
    ]
