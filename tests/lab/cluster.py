"""Start, query and stop a three-member etcd cluster on loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.lab.build import CLOCK_OFFSET_VARIABLE, SKEWED, Binaries, ensure
from tests.lab.disks import Volume
from tests.lab.network import Host, namespaces
from tests.lab.tls import Certificates

ROOT = Path("/var/lib/etcd-lab")
START_TIMEOUT_S = 20.0
# The port pattern of etcd's own three-member Procfile: 2379/2380, 22379/22380, 32379/32380.
FIRST_PORTS = (2379, 22379, 32379)
PORT_IN_NAMESPACE = 2379
LOOPBACK = "127.0.0.1"


@dataclass(slots=True)
class Member:
    """One etcd process and where it keeps its things."""

    name: str
    directory: Path
    client_port: int
    peer_scheme: str = "http"
    certificates: Certificates | None = None
    volume: Volume | None = None
    host: Host | None = None
    clock_offset_s: int = 0
    process: subprocess.Popen[bytes] | None = None
    command: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The IP address clients and peers use."""
        return self.host.address if self.host is not None else LOOPBACK

    @property
    def client_url(self) -> str:
        """Where clients and /metrics are served."""
        return f"http://{self.address}:{self.client_port}"

    @property
    def peer_url(self) -> str:
        """Where the other members connect."""
        return f"{self.peer_scheme}://{self.address}:{self.client_port + 1}"

    @property
    def log_path(self) -> Path:
        """Standard error of all the process's lives, appended; kept off the member's private volume."""
        return self.directory.parent / f"{self.name}.log"

    @property
    def pid(self) -> int:
        """Process id of the running member; AssertionError when it was never started."""
        assert self.process is not None, f"{self.name} is not running"
        return self.process.pid

    def is_running(self) -> bool:
        """True while the process lives (a stopped one too)."""
        return self.process is not None and self.process.poll() is None

    def terminate(self, with_signal: signal.Signals = signal.SIGTERM, timeout_s: float = 20.0) -> None:
        """Send the signal and wait for the process to go; SIGKILL after the timeout."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(with_signal)
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@dataclass(slots=True)
class Cluster:
    """Three members; use as a context manager so that no process or mount outlives a failure."""

    binaries: Binaries
    root: Path = ROOT
    port_offset: int = 0
    flags: Sequence[str] = ()
    member_flags: dict[str, Sequence[str]] = field(default_factory=dict)
    private_volumes: bool = False
    own_networks: bool = False
    clock_offsets_s: Mapping[str, int] = field(default_factory=dict)
    certificates: dict[str, Certificates] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    _networks: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Cluster:
        try:
            self._prepare()
            for member in self.members:
                self.start(member)
            self._wait_for_leader()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            member.terminate(timeout_s=5.0)
        for member in self.members:
            if member.volume is not None:
                member.volume.destroy()
        self._networks.close()

    def _prepare(self) -> None:
        names = [f"etcd-{index}" for index in range(len(FIRST_PORTS))]
        hosts = self._networks.enter_context(namespaces(names)) if self.own_networks else {}
        for name, first_port in zip(names, FIRST_PORTS, strict=True):
            certificates = self.certificates.get(name)
            member = Member(name, self.root / name, first_port + self.port_offset, certificates=certificates)
            member.clock_offset_s = self.clock_offsets_s.get(name, 0)
            if name in hosts:
                member.host, member.client_port = hosts[name], PORT_IN_NAMESPACE
            if certificates is not None:
                member.peer_scheme = "https"
            shutil.rmtree(member.directory, ignore_errors=True)
            member.log_path.unlink(missing_ok=True)
            member.directory.mkdir(parents=True)
            self.members.append(member)
            if self.private_volumes:
                member.volume = Volume(f"{name}-{self.port_offset}", member.directory)
                member.volume.create()
        peers = ",".join(f"{member.name}={member.peer_url}" for member in self.members)
        for member in self.members:
            member.command = self._command(member, peers)

    def _command(self, member: Member, initial_cluster: str) -> list[str]:
        security: list[str] = []
        if member.certificates is not None:
            security = member.certificates.peer_flags()
        return [
            "etcd",
            *("--name", member.name, "--data-dir", str(member.directory / "data")),
            *("--listen-client-urls", member.client_url, "--advertise-client-urls", member.client_url),
            *("--listen-peer-urls", member.peer_url, "--initial-advertise-peer-urls", member.peer_url),
            *("--initial-cluster", initial_cluster, "--initial-cluster-state", "new"),
            *("--initial-cluster-token", "lab"),
            *security,
            *self.flags,
            *self.member_flags.get(member.name, ()),
        ]

    def start(self, member: Member) -> None:
        """Start (or restart) one member; its log is appended to."""
        # argv[0] is plain "etcd", as on any host; the binary itself lives in the build cache.
        line = self.binaries.line + (SKEWED if member.clock_offset_s else "")
        executable: str | None = str(ensure(line).etcd)
        command = member.command
        if member.host is not None:
            command, executable = member.host.wrap(command, str(executable)), None
        environment = {"PATH": os.environ.get("PATH", "")}
        if member.clock_offset_s:
            environment[CLOCK_OFFSET_VARIABLE] = str(member.clock_offset_s)
        with member.log_path.open("ab") as log:
            member.process = subprocess.Popen(
                command,
                executable=executable,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=environment,
            )

    def member(self, name: str) -> Member:
        """The member of that name; StopIteration when there is none."""
        return next(member for member in self.members if member.name == name)

    def leader(self) -> Member:
        """The member that is leader now. Raises RuntimeError when none answers as such."""
        for member in self.members:
            status = self.status(member)
            if status and status.get("leader") == status["header"]["member_id"]:
                return member
        raise RuntimeError("no member says it is the leader")

    def followers(self) -> list[Member]:
        """All members but the leader, by name."""
        leader = self.leader()
        return [member for member in self.members if member is not leader]

    def status(self, member: Member, timeout_s: float = 2.0) -> dict[str, Any] | None:
        """The member's own maintenance status, or None when it does not answer in time."""
        request = urllib.request.Request(f"{member.client_url}/v3/maintenance/status", data=b"{}")
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                return dict(json.load(response))
        except (OSError, urllib.error.URLError, ValueError):
            return None

    def etcdctl(self, *arguments: str, member: Member | None = None, timeout_s: float = 60.0) -> str:
        """Run etcdctl against all members (or one); stdout and stderr as one text, whatever the exit code."""
        targets = [member] if member is not None else self.members
        endpoints = ",".join(target.client_url.removeprefix("http://") for target in targets)
        done = subprocess.run(
            ["etcdctl", f"--endpoints={endpoints}", *arguments],
            executable=str(self.binaries.etcdctl),
            env={"PATH": os.environ.get("PATH", ""), "ETCDCTL_API": "3"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return done.stdout

    def _wait_for_leader(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                self.leader()
                return
            except RuntimeError:
                time.sleep(0.2)
        raise RuntimeError(f"no leader {START_TIMEOUT_S:.0f} s after the start")
