"""What is done to the cluster in the scenarios about networks, neighbours, memory, data and settings."""

from __future__ import annotations

import resource
import threading
import time
from pathlib import Path

from tests.lab import faults, network
from tests.lab.actions import hex_id, read_everything, volume_of
from tests.lab.cluster import Cluster, Member
from tests.lab.incident import Incident
from tests.lab.load import Load

# Lengths without a rhythm, so that no period can be found where there is none.
UNEVEN_PAUSES_S = (11, 27, 9, 19, 33)


def load_only(incident: Incident) -> None:
    """Nothing is done: what is wrong is wrong from the start."""
    with incident.window("set up wrongly from the start", "all"):
        time.sleep(80)


def leave_to_patient_leader(incident: Incident) -> None:
    """Hand the leadership to a member with long timeouts, and leave the impatient one to itself."""
    cluster = incident.cluster
    heir = cluster.member("etcd-0")
    if cluster.leader() is not heir:
        cluster.etcdctl("move-leader", hex_id(cluster, heir))
    with incident.window("etcd-2 with an election timeout below the leader's heartbeat interval", "etcd-2"):
        time.sleep(80)


def pull_cable(incident: Incident) -> None:
    """Cut the leader's cable once and a follower's twice."""
    cluster = incident.cluster
    time.sleep(20)
    for which, seconds, pause_s in (("leader", 9, 17), ("follower", 14, 22), ("follower", 6, 12)):
        victim = cluster.leader() if which == "leader" else cluster.followers()[0]
        assert victim.host is not None
        with incident.window("cut off from the network", victim.name), network.cable_pulled(victim.host):
            time.sleep(seconds)
        time.sleep(pause_s)


def congest_link(incident: Incident) -> None:
    """One follower's inbound link becomes narrow with a deep queue."""
    cluster = incident.cluster
    time.sleep(20)
    victim = cluster.followers()[0]
    assert victim.host is not None
    with (
        incident.window("link of 400 kbit/s with up to 1.5 s of queue", victim.name),
        network.narrowed(victim.host, "400kbit", "1500ms"),
    ):
        time.sleep(60)
    time.sleep(12)


def uneven_neighbour(incident: Incident) -> None:
    """A neighbour writes blocks at uneven times on the capped volume of the member that leads at first."""
    time.sleep(20)
    victim = incident.cluster.leader()
    with faults.slow_volume([volume_of(victim)], write_bytes_s=12_000_000):
        for pause_s in UNEVEN_PAUSES_S:
            with incident.window("neighbour writes 70 MB", victim.name):
                faults.write_beside([victim], megabytes=70)
            time.sleep(pause_s)


def put_large_values(incident: Incident) -> None:
    """In two windows a client puts values of 1.2 MB besides the usual load."""
    cluster = incident.cluster
    time.sleep(20)
    for _ in range(2):
        with (
            incident.window("values of 1.2 MB", "all"),
            Load(cluster.members, workers=3, rate=6.0, value_bytes=1_200_000, keys=20, prefix="/big"),
        ):
            time.sleep(22)
        time.sleep(14)


def run_out_of_memory(incident: Incident) -> None:
    """Limit a follower's data segment a little above what it has, read a lot through it, restart it."""
    cluster = incident.cluster
    with Load(cluster.members, workers=6, rate=100.0, value_bytes=16384, keys=500, prefix="/bulk"):
        time.sleep(15)
    victim = cluster.followers()[0]
    for _ in range(2):
        with incident.window("memory limit reached, crash, 5 s down", victim.name):
            limit = _data_bytes(victim) + (24 << 20)
            resource.prlimit(victim.pid, resource.RLIMIT_DATA, (limit, limit))
            reader = threading.Thread(target=read_everything, args=(incident, victim, 3, 8.0))
            reader.start()
            deadline = time.monotonic() + 20
            while victim.is_running() and time.monotonic() < deadline:
                time.sleep(0.2)
            victim.terminate()
            time.sleep(5)
        cluster.start(victim)
        reader.join()
        time.sleep(15)


def _data_bytes(member: Member) -> int:
    status = Path(f"/proc/{member.pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmData"))
    return int(line.split()[1]) * 1024


def corrupt_database(incident: Incident) -> None:
    """Stop a follower, alter values in its database file, start it; the periodic check finds out."""
    cluster = incident.cluster
    time.sleep(25)
    victim = cluster.followers()[0]
    victim.terminate()
    with incident.window("values altered in the database file", victim.name):
        database = victim.directory / "data" / "member" / "snap" / "db"
        content = database.read_bytes()
        database.write_bytes(content.replace(b"x" * 64, b"y" * 64, 4000))
    cluster.start(victim)
    _wait_for_alarm(cluster, "CORRUPT", timeout_s=60)
    time.sleep(20)
    incident.capture.etcdctl_status()


def _wait_for_alarm(cluster: Cluster, name: str, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while name not in cluster.etcdctl("alarm", "list") and time.monotonic() < deadline:
        time.sleep(2)
