"""A network namespace per member, joined by a bridge, so that a cable can be pulled for real. Needs root."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

BRIDGE = "etcdlab0"
SUBNET = "10.77.0"


@dataclass(frozen=True, slots=True)
class Host:
    """One member's namespace; ``port`` is its interface on the bridge's side."""

    namespace: str
    port: str
    address: str

    def wrap(self, command: Sequence[str], executable: str) -> list[str]:
        """The command run inside the namespace, argv[0] kept as it is."""
        shell = 'program="$1"; shift; name="$1"; shift; exec -a "$name" "$program" "$@"'
        return ["ip", "netns", "exec", self.namespace, "bash", "-c", shell, "bash", executable, *command]


@contextmanager
def namespaces(names: Sequence[str]) -> Iterator[dict[str, Host]]:
    """One host per name on a bridge of our own; everything is removed afterwards."""
    hosts = {name: Host(f"lab-{name}", f"lab-{name}", f"{SUBNET}.{11 + index}") for index, name in enumerate(names)}
    try:
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("address", "add", f"{SUBNET}.1/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        for host in hosts.values():
            _connect(host)
        yield hosts
    finally:
        for host in hosts.values():
            subprocess.run(["ip", "link", "delete", host.port], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "delete", host.namespace], check=False, capture_output=True)
        subprocess.run(["ip", "link", "delete", BRIDGE], check=False, capture_output=True)


def _connect(host: Host) -> None:
    _ip("netns", "add", host.namespace)
    peer = ("peer", "name", "eth0", "netns", host.namespace)
    _ip("link", "add", host.port, "type", "veth", *peer)
    _ip("link", "set", host.port, "master", BRIDGE, "up")
    _ip("-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
    for device in ("lo", "eth0"):
        _ip("-n", host.namespace, "link", "set", device, "up")


@contextmanager
def cable_pulled(host: Host) -> Iterator[None]:
    """The host is cut off for the duration of the block; packets vanish, connections are not reset."""
    _ip("link", "set", host.port, "down")
    try:
        yield
    finally:
        _ip("link", "set", host.port, "up")


@contextmanager
def narrowed(host: Host, rate: str, queue: str) -> Iterator[None]:
    """Traffic towards the host goes through a token bucket with a queue, for example 400kbit and 800ms."""
    bucket = ("tbf", "rate", rate, "burst", "4kb", "latency", queue)
    subprocess.run(["tc", "qdisc", "add", "dev", host.port, "root", *bucket], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["tc", "qdisc", "delete", "dev", host.port, "root"], check=True, capture_output=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
