"""Whether a fio run measured what etcd does, and whether the disk is fast enough then.

etcd appends small records to its WAL with write(2) and calls fdatasync after each batch. Its documentation
asks for a 99th percentile of WAL fsync below 10 ms (etcd.io/docs/v3.5/op-guide/hardware/#disks and
etcd.io/docs/v3.5/faq/, "What does the etcd warning 'failed to send out heartbeat on time' mean?") and
points to the fio recipe below (M. Olivi, M. Spreitzer, "Using Fio to Tell Whether Your Storage is Fast
Enough for Etcd", IBM Cloud blog, 2019), which needs fio 3.5 or newer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

FIO_COMMAND: Final = (
    "fio --rw=write --ioengine=sync --fdatasync=1 --directory=<dir on the etcd volume> "
    "--size=22m --bs=2300 --name=etcd-wal"
)
"""The only fio run etcd's 10 ms limit may be applied to."""

LIMIT_P99_S: Final = 0.010
"""etcd.io/docs/v3.5/faq/: p99 of wal_fsync_duration_seconds should be less than 10 ms."""
OLDEST_VERSION: Final = (3, 5)
"""Sync percentiles came with fio commit b2b3eefe (3.4); the recipe asks for 3.5."""
LARGEST_BLOCK_BYTES: Final = 16 * 1024
"""The recipe writes 2300 bytes, tests in the field 1 to 8 KiB; larger blocks measure throughput."""
WRITE_ENGINES: Final = frozenset({"sync", "psync"})
"""write(2) as etcd does, or pwrite(2) (fio's default on Linux): the fdatasync after either is the same."""

FASTEST_DISK_S: Final = 5e-6
"""Faster than any device can acknowledge a flush (Optane over NVMe: about 10 us): memory answered."""

Verdict = Literal["pass", "fail", "ungradeable"]


@dataclass(frozen=True, slots=True)
class Parameters:
    """What decides whether a run counts; None is ``not shown``."""

    version: tuple[int, int] | None
    has_sync_p99: bool
    has_sync_block: bool
    terse: bool
    error: int
    rw: str | None
    ioengine: str | None
    fdatasync: int | None
    fsync: int | None
    direct: int | None
    block_size_bytes: int | None
    iodepth: int | None
    numjobs: int | None
    median_sync_s: float | None = None
    throttled: bool = False
    """fio itself slowed the writes down (rate, rate_iops, thinktime)."""


@dataclass(frozen=True, slots=True)
class Grade:
    """The answer."""

    gradeable: bool
    because: str | None
    """Why not, in plain words, with the command to run instead."""
    not_shown: tuple[str, ...]
    """Parameters the output does not show: taken as in the recipe when a sync block is there."""
    remarks: tuple[str, ...]


def grade(p: Parameters) -> Grade:
    """Judge a run by everything it shows. What it does not show does not refuse it, but is named."""
    reasons = list(_refusals(p))
    shown = {
        "fio version": p.version,
        "rw": p.rw,
        "ioengine": p.ioengine,
        "fdatasync": p.fdatasync if p.fdatasync is not None else p.fsync,
        "bs": p.block_size_bytes,
        "iodepth": p.iodepth,
    }
    not_shown = tuple(name for name, value in shown.items() if value is None)
    remarks: list[str] = []
    if p.fsync and not p.fdatasync:
        remarks.append("fsync instead of fdatasync: also waits for metadata, so the figure is an upper bound")
    if p.ioengine == "psync":
        remarks.append("psync (pwrite) instead of sync (write): same fdatasync")
    if p.throttled:
        remarks.append("fio was told to write slowly (rate or thinktime): a burst may be slower than this")
    because = f"{'; '.join(reasons)}. Run: {FIO_COMMAND}" if reasons else None
    return Grade(not reasons, because, not_shown, tuple(remarks))


def verdict_10ms(gradeable: bool, p99_s: float | None) -> Verdict:
    """Compare the fdatasync p99 with etcd's 10 ms; exactly 10 ms is not less than 10 ms."""
    if not gradeable or p99_s is None:
        return "ungradeable"
    return "pass" if p99_s < LIMIT_P99_S else "fail"


def _refusals(p: Parameters) -> Iterator[str]:
    yield from _missing_figures(p)
    if p.error:
        yield f"the job failed (err={p.error})"
    if p.rw is not None and p.rw != "write":
        yield f"rw={p.rw}, but etcd appends to its WAL (rw=write)"
    if p.ioengine is not None and p.ioengine not in WRITE_ENGINES:
        yield f"ioengine={p.ioengine}, but etcd uses plain write calls (ioengine=sync)"
    yield from _sync_refusals(p)
    if p.median_sync_s is not None and p.median_sync_s < FASTEST_DISK_S:
        yield "half of the syncs took under 5 microseconds: no disk was reached (tmpfs, or syncs ignored)"
    if p.direct:
        yield "direct=1, but etcd writes through the page cache: fdatasync then has no data left to write"
    if p.block_size_bytes is not None and p.block_size_bytes > LARGEST_BLOCK_BYTES:
        yield f"bs={p.block_size_bytes} bytes, but etcd's records are small (bs=2300)"
    if p.iodepth is not None and p.iodepth > 1:
        yield f"iodepth={p.iodepth}, but etcd has one write in flight"
    if p.numjobs is not None and p.numjobs > 1:
        yield f"{p.numjobs} jobs wrote at the same time, but etcd has one WAL writer"


def _missing_figures(p: Parameters) -> Iterator[str]:
    if p.terse:
        yield "terse output contains no sync latency at all"
        return
    if p.version is not None and p.version < OLDEST_VERSION:
        yield (
            f"fio {p.version[0]}.{p.version[1]} is too old: fdatasync percentiles need fio "
            f"{OLDEST_VERSION[0]}.{OLDEST_VERSION[1]} or newer"
        )
    if p.has_sync_block and not p.has_sync_p99:
        yield "the 99th percentile of the sync latency is not in the text (cut off)"
    elif not p.has_sync_p99:
        yield "no fsync/fdatasync latency was measured (clat is the time of a buffered write, not of a sync)"


def _sync_refusals(p: Parameters) -> Iterator[str]:
    every = p.fdatasync or p.fsync
    if every is not None and every > 1:
        yield f"one sync per {every} writes, but etcd syncs every write (fdatasync=1)"
    elif p.fdatasync == 0 and not p.fsync:
        yield "fdatasync=0, but etcd syncs every write (fdatasync=1)"
