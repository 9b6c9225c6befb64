"""Samples over time, columnar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One metric of one device (or process, or the host) over time.

    Arrays share one length n. A sample at ``ts_ns[i]`` describes the interval
    ``(covers_from_ns[i], ts_ns[i]]``: iostat and friends stamp the END of an interval.
    """

    metric: str
    """Metric id, SI units in the name: see METRICS."""
    subject: str
    """Device (``vdb``), process (``prometheus[812]``), peer id, or empty for the host."""
    ts_ns: NDArray[np.int64]
    values: NDArray[np.float64]
    covers_from_ns: NDArray[np.int64]
    lines: NDArray[np.int64]
    """1-based line number of each sample in its artifact."""
    artifact: int = -1
    """Index of the artifact in the bundle; filled in by the ingest stage."""
    member: str | None = None
    """Member whose host this is; filled in by the timeline stage."""
    timed: bool = True
    """False when the capture has no time stamps: ts_ns then only orders the samples."""

    def located(self, artifact: int, shift_ns: int, member: str | None) -> Series:
        """The same samples, told where they come from and moved to UTC."""
        return replace(
            self,
            artifact=artifact,
            member=member,
            ts_ns=self.ts_ns + shift_ns,
            covers_from_ns=self.covers_from_ns + shift_ns,
        )


METRICS: dict[str, str] = {
    # disk, per device; all from the interval's counter differences
    "read_iops": "reads completed per second",
    "write_iops": "writes completed per second",
    "flush_iops": "flush requests completed per second",
    "discard_iops": "discards completed per second",
    "read_bytes_s": "bytes read per second",
    "write_bytes_s": "bytes written per second",
    "read_await_s": "mean seconds a read took, queue included",
    "write_await_s": "mean seconds a write took, queue included",
    "flush_await_s": "mean seconds a flush took",
    "await_s": "mean seconds an I/O took (old sysstat without the read/write split)",
    "queue_length": "mean number of I/Os in flight (aqu-sz, avgqu-sz)",
    "util_ratio": "share of the interval with at least one I/O in flight, 0..1",
    "write_time_ratio": "seconds of write time per second, summed over parallel I/O; may exceed 1",
    "read_time_ratio": "seconds of read time per second, summed over parallel I/O; may exceed 1",
    "in_flight": "I/Os in flight at the sample instant (diskstats column 12)",
    # host CPU, subject empty
    "cpu_user_ratio": "0..1 of all CPUs",
    "cpu_system_ratio": "0..1 of all CPUs",
    "cpu_iowait_ratio": "0..1 of all CPUs",
    "cpu_steal_ratio": "0..1 of all CPUs",
    "cpu_idle_ratio": "0..1 of all CPUs",
    "run_queue": "runnable tasks (vmstat r)",
    "blocked_tasks": "tasks in uninterruptible sleep (vmstat b)",
    "swap_in_bytes_s": "bytes swapped in per second",
    "swap_out_bytes_s": "bytes swapped out per second",
    "mem_free_bytes": "free memory",
    "cpu_throttled_ratio": "share of the interval a cgroup was throttled, 0..1 per CPU",
    "cpu_throttled_periods_ratio": "share of scheduling periods in which a cgroup was throttled, 0..1",
    # processes, subject = command[pid]
    "proc_write_bytes_s": "bytes a process caused to be written per second",
    "proc_read_bytes_s": "bytes a process caused to be read per second",
    "proc_cpu_ratio": "CPUs a process used (1.0 = one CPU)",
    "proc_wait_ratio": "share of the interval a process was runnable but waiting for a CPU",
    # pressure
    "psi_io_some_ratio": "share of time some task waited for I/O",
    "psi_cpu_some_ratio": "share of time some task waited for a CPU",
    "psi_memory_some_ratio": "share of time some task waited for memory",
}
"""Metric ids a parser may emit, with their meaning. Adding one here is part of adding a parser."""
