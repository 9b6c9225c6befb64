"""Collect a bundle while a cluster runs: what a support engineer would, on every member's host.

The three "hosts" share one kernel, so iostat and /proc/diskstats are taken per member and restricted to the
member's own device and the machine's root disk (all devices where these are not known); pidstat and vmstat
are taken once.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.lab.cluster import Cluster, Member

SCRAPE_INTERVAL_S = 10.0
STATUS_INTERVAL_S = 30.0
DISKSTATS_INTERVAL_S = 1.0
ROOT_DISK_MOUNT = "/"

# How the operator's shell was set decides the dialect of sysstat's time stamps.
SYSSTAT_DIALECTS: dict[str, Mapping[str, str]] = {
    "c": {"LC_ALL": "C"},
    "iso": {"LC_ALL": "C", "S_TIME_FORMAT": "ISO"},
    "en_US": {"LC_ALL": "en_US.UTF-8"},
}


def utc_stamp() -> str:
    """Now, as ``20260131T235959Z``: safe in file names."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


def utc_iso() -> str:
    """Now, as ISO 8601 with milliseconds and Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


@dataclass(slots=True)
class Capture:
    """Background collectors writing into ``bundle``; a context manager around the incident."""

    cluster: Cluster
    bundle: Path
    sysstat_dialect: str = "c"
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __enter__(self) -> Capture:
        (self.bundle / "etcdctl").mkdir(parents=True, exist_ok=True)
        for member in self.cluster.members:
            self._enter_member(member)
        self._spawn(self.bundle / "pidstat.txt", "pidstat", "-C", "^(etcd|fio)$", "-d", "-u", "5")
        self._spawn(self.bundle / "vmstat.txt", "vmstat", "-t", "5")
        self._repeat(STATUS_INTERVAL_S, self.etcdctl_status)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for process in self._processes:
            process.terminate()
            process.wait()
        for thread in self._threads:
            thread.join(STATUS_INTERVAL_S)
        self.etcdctl_once()
        for member in self.cluster.members:
            log = member.log_path.read_bytes()
            (self.bundle / member.name / "etcd.log").write_bytes(log)

    def _enter_member(self, member: Member) -> None:
        directory = self.bundle / member.name
        (directory / "metrics").mkdir(parents=True, exist_ok=True)
        raw = Path(f"/proc/{member.pid}/cmdline").read_bytes()
        (directory / "cmdline.txt").write_text(raw.rstrip(b"\0").replace(b"\0", b" ").decode() + "\n")
        placement = subprocess.run(
            ["df", "-hT", str(member.directory)], capture_output=True, text=True, check=True
        ).stdout
        (directory / "df.txt").write_text(placement)
        devices = [device_of(str(member.directory)), device_of(ROOT_DISK_MOUNT)]
        devices = [device for device in dict.fromkeys(devices) if device]
        self._spawn(directory / "iostat.txt", "iostat", "-x", "-t", *devices, "1")
        self._repeat(DISKSTATS_INTERVAL_S, lambda: _append_diskstats(directory / "diskstats.log", devices))
        self._repeat(SCRAPE_INTERVAL_S, lambda: scrape(member, directory / "metrics"))

    def _spawn(self, output: Path, *command: str) -> None:
        environment = {"PATH": os.environ.get("PATH", ""), **SYSSTAT_DIALECTS[self.sysstat_dialect]}
        with output.open("wb") as handle:
            self._processes.append(subprocess.Popen(command, stdout=handle, stderr=subprocess.DEVNULL, env=environment))

    def _repeat(self, interval_s: float, action: Callable[[], None]) -> None:
        def loop() -> None:
            due = time.monotonic()
            while not self._stop.is_set():
                action()
                due = max(due + interval_s, time.monotonic())
                self._stop.wait(due - time.monotonic())

        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        self._threads.append(thread)

    def etcdctl_status(self) -> None:
        """Endpoint status as JSON and as table, and health, each in a stamped file."""
        stamp = utc_stamp()
        for name, arguments in (
            ("endpoint-status-{}.json", ("endpoint", "status", "-w", "json")),
            ("endpoint-status-{}.txt", ("endpoint", "status", "-w", "table")),
            ("endpoint-health-{}.txt", ("endpoint", "health")),
        ):
            self.etcdctl(name.format(stamp), *arguments)

    def etcdctl_once(self) -> None:
        """Member list and alarm list, at the end."""
        self.etcdctl("member-list.txt", "member", "list", "-w", "table")
        self.etcdctl("alarm-list.txt", "alarm", "list")

    def etcdctl(self, file_name: str, *arguments: str) -> None:
        """Run etcdctl against all members and keep what it prints, errors included."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            (self.bundle / "etcdctl" / file_name).write_text(self.cluster.etcdctl(*arguments))

    def run_fio(self, member: Member, runtime_s: int = 0) -> None:
        """Run fio as https://etcd.io/docs/v3.6/faq/ links to, on a member's file system; text and JSON.

        ``runtime_s`` stops a run early on a volume where 22 MiB would take half an hour; 0 lets it finish.
        """
        directory = member.directory / "fio-test"
        directory.mkdir(exist_ok=True)
        recipe = [
            *("fio", "--rw=write", "--ioengine=sync", "--fdatasync=1", f"--directory={directory}"),
            *("--size=22m", "--bs=2300", "--name=mytest"),
        ]
        if runtime_s:
            recipe.append(f"--runtime={runtime_s}")
        for output, options in (("fio.txt", []), ("fio.json", ["--output-format=json"])):
            target = self.bundle / member.name / output
            subprocess.run([*recipe, *options, f"--output={target}"], check=True, capture_output=True)


def device_of(path: str) -> str:
    """Kernel name of the block device under a path, for example ``loop1``; empty for overlayfs and such."""
    source = subprocess.run(
        ["findmnt", "-n", "-o", "SOURCE", "--target", path], capture_output=True, text=True, check=True
    ).stdout.strip()
    return Path(source).name if source.startswith("/dev/") else ""


def scrape(member: Member, directory: Path) -> None:
    """Write one /metrics page as ``<stamp>.prom``; a member that does not answer leaves a gap."""
    try:
        with urllib.request.urlopen(f"{member.client_url}/metrics", timeout=5.0) as response:
            content = response.read()
    except (OSError, urllib.error.URLError):
        return
    (directory / f"{utc_stamp()}.prom").write_bytes(content)


def _append_diskstats(output: Path, devices: list[str]) -> None:
    lines = Path("/proc/diskstats").read_text(encoding="ascii").splitlines(keepends=True)
    mine = [line for line in lines if not devices or line.split()[2] in devices]
    with output.open("a", encoding="ascii") as handle:
        handle.write(f"### {utc_iso()}\n{''.join(mine)}")
