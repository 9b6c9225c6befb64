"""fio's normal output: alone, several runs in one file, or pasted into prose with lines missing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Final

from analyzer.model.line import Line, Parsed
from analyzer.parsers import fio_lines as pattern
from analyzer.parsers.fio_job import Disk, Job, file_facts, problem_sentences
from analyzer.parsers.fio_run import Run, sync_of
from analyzer.parsers.fio_terse import read_terse
from analyzer.parsers.fio_units import PER_SECOND, bandwidth_bytes_s, command_options, count, number
from analyzer.parsers.stamps import read_stamp, resolve

_PROSE_TOLERATED: Final = 40
"""Foreign lines accepted between a command (or header) and the results it belongs to."""
_LONGEST_LINE: Final = 4_000
_COMMANDS_KEPT: Final = 20


class FioParser:
    """Line parser of fio text, normal and terse. Records: model.facts.FioRun, one per job.

    fio prints the end of the run in local time without a zone (``naive_time``). No series.
    """

    format: ClassVar[str] = "fio"

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._terse: list[Job] = []
        self._commands: list[str] = []
        self._command_goes_on = False
        self._direction: str | None = None
        self._percentiles_of: tuple[str, str] | None = None
        self._prose = 0
        self._understood = 0
        self._rejected = 0

    @staticmethod
    def starts(text: str) -> bool:
        """A command line, a job header, a version, a progress line, a job's result or a sync block."""
        text = text.strip()
        if len(text) > _LONGEST_LINE or not any(word in text for word in ("fio", "(g", "(f=", "fsync")):
            return False
        return any(start.match(text) for start in _STARTS)

    def feed(self, line: Line) -> bool:
        """Consume one line; False when it is neither fio's nor prose inside an unfinished run."""
        text = line.text.strip().lstrip("> ")
        if not text or pattern.NEUTRAL.fullmatch(text):
            return True
        if len(text) <= _LONGEST_LINE and self._take(text, line.number):
            return True
        if self._runs and not self._runs[-1].complete and self._prose < _PROSE_TOLERATED:
            if pattern.FOREIGN_MACHINE.match(line.text):
                return False
            self._prose += 1
            return True
        return False

    def finish(self) -> Parsed:
        """Everything understood so far."""
        jobs = [job for run in self._runs for job in run.finished()] + self._terse
        ends = [job.finished_ns for job in jobs if job.finished_ns is not None]
        starts = [j.finished_ns - int((j.runtime_s or 0) * 1e9) for j in jobs if j.finished_ns is not None]
        return Parsed(
            format=self.format,
            understood=self._understood,
            rejected=self._rejected,
            facts=file_facts(jobs, self._commands),
            records=tuple(job.run() for job in jobs),
            first_ns=min(starts) if starts else None,
            last_ns=max(ends) if ends else None,
            naive_time=bool(ends),
            timed=bool(ends),
            problems=tuple(problem_sentences(jobs)),
        )

    def _take(self, text: str, number_of_line: int) -> bool:
        if self._take_percentile_row(text, number_of_line):
            return True
        for expression, handler in _HANDLERS:
            found = expression.match(text)
            if found:
                self._percentiles_of = None
                handler(self, found, number_of_line)
                self._understood += 1
                return True
        return self._take_command(text, number_of_line)

    def _run(self, line: int, *, fresh: bool = False) -> Run:
        """The run lines belong to now; a new one when asked for."""
        if fresh or not self._runs:
            self._runs.append(Run(line))
            self._direction = None
            self._prose = 0
        return self._runs[-1]

    def _body(self, line: int) -> Job:
        """The job figures belong to; after a summary they belong to a run whose header is missing."""
        return self._run(line, fresh=bool(self._runs) and self._runs[-1].closing).job(line)

    def _take_command(self, text: str, line: int) -> bool:
        goes_on, self._command_goes_on = self._command_goes_on, False
        found = pattern.COMMAND.fullmatch(text)
        if found is None and not (goes_on and text.startswith("-")):
            return False
        if found is not None:
            self._run(line, fresh=bool(self._runs))
            text = found["command"]
            if len(self._commands) < _COMMANDS_KEPT:
                self._commands.append(text)
        elif self._commands:
            self._commands[-1] += f" {text}"
        self._runs[-1].command |= command_options(text.rstrip("\\"))
        self._command_goes_on = text.endswith("\\")
        self._understood += 1
        return True

    def _take_header(self, found: re.Match[str], line: int) -> None:
        run = self._run(line)
        if run.has_results or run.progress != (None, None):
            run = self._run(line, fresh=True)
        options: dict[str, str] = {}
        for name, expression in _HEADER_OPTIONS:
            value = expression.search(found["options"])
            if value:
                options[name] = next(group for group in value.groups() if group)
        run.headers[found["name"]] = options

    def _take_version(self, found: re.Match[str], line: int) -> None:
        run = self._run(line)
        if run.has_results:
            run = self._run(line, fresh=True)
        run.version_text = found[0]

    def _take_progress(self, found: re.Match[str], line: int) -> None:
        run = self._run(line)
        if run.has_results:
            run = self._run(line, fresh=True)
        iops = pattern.PROGRESS_IOPS.findall(found.string)
        bandwidth = pattern.PROGRESS_BW.findall(found.string)
        run.progress = (
            number(iops[-1]) if iops else run.progress[0],
            bandwidth_bytes_s(bandwidth[-1]) if bandwidth else run.progress[1],
        )

    def _take_job_result(self, found: re.Match[str], line: int) -> None:
        run = self._run(line, fresh=bool(self._runs) and self._runs[-1].closing)
        job = Job(line, name=found["name"], group=int(found["group"]), error=int(found["error"]))
        job.numjobs, job.reported = int(found["jobs"]), True
        ended = pattern.FINISHED.search(found["rest"])
        stamp = read_stamp(ended[1]) if ended else None
        if stamp is not None:
            job.finished_ns = resolve([stamp]).times_ns[0]
        run.jobs.append(job)
        self._direction = None

    def _take_direction(self, found: re.Match[str], line: int) -> None:
        job = self._body(line)
        self._direction = found[1]
        job.reported = True
        runtime = pattern.RUNTIME.search(found[2])
        if runtime:
            job.runtime_s = max(job.runtime_s or 0.0, int(runtime[1]) / 1000.0)
        if self._direction != "write":
            return
        iops, bandwidth = pattern.IOPS.search(found[2]), pattern.BANDWIDTH.search(found[2])
        if iops:
            job.iops, job.iops_source = number(iops[1]), "write line"
        if bandwidth:
            job.bandwidth_bytes_s = bandwidth_bytes_s(bandwidth[1])

    def _take_sync_block(self, _found: re.Match[str], line: int) -> None:
        job = self._body(line)
        if job.sync is not None:
            job = self._run(line, fresh=True).job(line)
        sync_of(job)
        job.reported = True
        self._direction = "sync"

    def _take_latency(self, found: re.Match[str], line: int) -> None:
        kind, unit = found[1], found[2]
        low, high, mean = (number(found[i]) for i in (3, 4, 5))
        job = self._body(line)
        per_second = PER_SECOND[unit]
        if kind == "sync":
            sync = sync_of(job)
            job.reported = True
            sync.as_printed = f"{found[3]} / {found[4]} / {found[5]} {unit}"
            sync.min_s = None if low is None else low / per_second
            sync.max_s = None if high is None else high / per_second
            sync.mean_s = None if mean is None else mean / per_second
        elif kind == "lat" and self._direction == "write" and mean is not None:
            job.mean_write_s = mean / per_second

    def _take_percentile_header(self, found: re.Match[str], line: int) -> None:
        kind = found[1] or ("sync" if self._direction == "sync" else "clat")
        self._percentiles_of = kind, found[2]
        if kind == "sync":
            job = self._body(line)
            sync_of(job).unit = found[2]
            job.reported = True

    def _take_percentile_row(self, text: str, line: int) -> bool:
        rows = pattern.PERCENTILE.findall(text)
        if not rows:
            return False
        if self._percentiles_of is None:
            self._rejected += 1  # the unit stands in the header line, which is missing
            return True
        kind, unit = self._percentiles_of
        self._understood += 1
        if kind != "sync":
            return True
        sync = sync_of(self._body(line))
        for which, value in rows:
            sync.percentiles[float(which)] = int(value) / PER_SECOND[unit]
            if float(which) == 99.0:
                sync.row, sync.row_line = f"{which}th=[{value}] {unit}", line
        return True

    def _take_iops_samples(self, found: re.Match[str], line: int) -> None:
        job = self._body(line)
        progress = self._runs[-1].progress[0]
        if job.iops is None and progress is None and self._direction in (None, "write"):
            job.iops, job.iops_source = number(found[1]), "iops line"

    def _take_issued(self, found: re.Match[str], line: int) -> None:
        self._body(line).issued_writes = int(next(group for group in found.groups() if group)[:18])

    def _take_depth(self, found: re.Match[str], line: int) -> None:
        self._body(line).iodepth = count(found[1])

    def _take_summary(self, _found: re.Match[str], line: int) -> None:
        self._run(line).closing = True

    def _take_disk(self, found: re.Match[str], line: int) -> None:
        queue = pattern.DISK_QUEUE.search(found.string)
        util = pattern.DISK_UTIL.search(found.string)
        disk = Disk(
            line=line,
            device=found[1],
            util_percent=number(util[1]) if util else None,
            reads=int(found[2]),
            writes=int(found[3]),
            in_queue_s=int(queue[1]) / 1000.0 if queue else None,
        )
        self._run(line).disks.append(disk)

    def _take_terse(self, found: re.Match[str], line: int) -> None:
        self._terse.append(read_terse(found.string, line))

    def _take_context(self, _found: re.Match[str], line: int) -> None:
        self._run(line)


_HEADER_OPTIONS: Final = (
    ("rw", pattern.HEADER_RW),
    ("bs", pattern.HEADER_BLOCK),
    ("ioengine", pattern.HEADER_ENGINE),
    ("iodepth", pattern.HEADER_DEPTH),
)
_HANDLERS: Final[tuple[tuple[re.Pattern[str], Callable[[FioParser, re.Match[str], int], None]], ...]] = (
    (pattern.TERSE, FioParser._take_terse),
    (pattern.JOB_HEADER, FioParser._take_header),
    (pattern.VERSION, FioParser._take_version),
    (pattern.PROGRESS, FioParser._take_progress),
    (pattern.JOB_RESULT, FioParser._take_job_result),
    (pattern.SYNC_BLOCK, FioParser._take_sync_block),
    (pattern.DIRECTION, FioParser._take_direction),
    (pattern.PERCENTILES, FioParser._take_percentile_header),
    (pattern.LATENCY, FioParser._take_latency),
    (pattern.IOPS_SAMPLES, FioParser._take_iops_samples),
    (pattern.ISSUED, FioParser._take_issued),
    (pattern.TARGET_DEPTH, FioParser._take_depth),
    (pattern.SUMMARY, FioParser._take_summary),
    (pattern.DISK, FioParser._take_disk),
    (pattern.CONTEXT_LINES, FioParser._take_context),
)
_STARTS: Final = (
    pattern.TERSE,
    pattern.JOB_HEADER,
    pattern.VERSION,
    pattern.PROGRESS,
    pattern.JOB_RESULT,
    pattern.SYNC_BLOCK,
    pattern.COMMAND,
)
