"""Ways of making a running member sick. Each is a context manager or returns when the harm is done."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.lab.cluster import Cluster, Member
from tests.lab.disks import Volume

CPU_CGROUP = Path("/sys/fs/cgroup/cpu")
CPU_PERIOD_US = 100_000


@contextmanager
def delayed_fdatasync(member: Member, delay_s: float) -> Iterator[None]:
    """Delay the return of every fdatasync of a member with strace: a stall above the block layer."""
    delay = f"inject=fdatasync:delay_exit={int(delay_s * 1e6)}"
    command = ["strace", "-f", "-q", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", delay]
    tracer = subprocess.Popen([*command, "-p", str(member.pid)], stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.3)
        if tracer.poll() is not None:
            raise RuntimeError("strace could not attach; ptrace may be forbidden here")
        yield
    finally:
        tracer.terminate()
        tracer.wait()


@contextmanager
def slow_volume(volumes: Sequence[Volume], write_iops: int = 0, write_bytes_s: int = 0) -> Iterator[None]:
    """Cap the writes of private volumes for the duration of the block."""
    for volume in volumes:
        volume.throttle(write_iops, write_bytes_s)
    try:
        yield
    finally:
        for volume in volumes:
            volume.throttle()


def freeze(member: Member, seconds: float) -> None:
    """Stop all threads of a member for a while, as a hypervisor pausing its machine would."""
    os.kill(member.pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(member.pid, signal.SIGCONT)


def kill_hard(member: Member) -> None:
    """kill -9: no last words in the log."""
    assert member.process is not None
    member.process.kill()
    member.process.wait()


def restart_gently(cluster: Cluster, member: Member, settle_s: float = 5.0) -> None:
    """SIGTERM, wait for the exit, start again, give it time to catch up."""
    member.terminate()
    cluster.start(member)
    time.sleep(settle_s)


@contextmanager
def cpu_quota(member: Member, percent: float) -> Iterator[None]:
    """Limit a member to a share of one CPU with the cgroup v1 CFS quota."""
    group = CPU_CGROUP / f"etcd-lab-{member.pid}"
    group.mkdir()
    (group / "cpu.cfs_period_us").write_text(str(CPU_PERIOD_US), encoding="ascii")
    (group / "cpu.cfs_quota_us").write_text(str(int(CPU_PERIOD_US * percent / 100)), encoding="ascii")
    (group / "cgroup.procs").write_text(str(member.pid), encoding="ascii")
    try:
        yield
    finally:
        if member.is_running():
            (CPU_CGROUP / "cgroup.procs").write_text(str(member.pid), encoding="ascii")
        _remove_group(group)


def cpu_stat(member: Member) -> str:
    """The ``cpu.stat`` of a member under ``cpu_quota``: its throttling counters as the kernel prints them."""
    return (CPU_CGROUP / f"etcd-lab-{member.pid}" / "cpu.stat").read_text(encoding="ascii")


def _remove_group(group: Path) -> None:
    for _ in range(50):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.1)


def write_beside(members: Sequence[Member], megabytes: int, timeout_s: float = 60.0) -> None:
    """A neighbour writes and syncs a file on each member's file system; returns when all are done."""
    threads = [threading.Thread(target=_write_one, args=(member, megabytes, timeout_s)) for member in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _write_one(member: Member, megabytes: int, timeout_s: float) -> None:
    directory = member.directory / "neighbour"
    directory.mkdir(exist_ok=True)
    subprocess.run(
        [
            *("fio", "--name=block", "--rw=write", "--ioengine=sync", "--bs=1m", f"--size={megabytes}m"),
            *("--end_fsync=1", "--fallocate=none", f"--directory={directory}", "--output=/dev/null"),
        ],
        timeout=timeout_s,
        check=True,
    )
