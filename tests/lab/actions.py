"""What is done to the cluster in each scenario, step by step. Times are seconds of real load."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

from tests.lab import faults
from tests.lab.cluster import Cluster, Member
from tests.lab.disks import Volume
from tests.lab.incident import Incident
from tests.lab.load import Load
from tests.lab.tls import Certificates, make_authority, make_peer


def healthy(incident: Incident) -> None:
    """Load only, then fio beside every member."""
    time.sleep(80)
    for member in incident.cluster.members:
        with incident.window("fio (operator's own test)", member.name):
            incident.capture.run_fio(member)


def slow_fdatasync_on_leader(incident: Incident) -> None:
    """Two windows of 1.5 s per fdatasync on the member that leads at first."""
    time.sleep(20)
    victim = incident.cluster.leader()
    for calm_s in (20, 15):
        with (
            incident.window("fdatasync delayed by 1.5 s", victim.name),
            faults.delayed_fdatasync(victim, 1.5),
        ):
            time.sleep(28)
        time.sleep(calm_s)


def slow_volume_on_leader(incident: Incident) -> None:
    """Six writes a second for good on the leader's volume; fio afterwards."""
    time.sleep(20)
    victim = incident.cluster.leader()
    with (
        incident.window("volume at 6 writes/s", victim.name),
        faults.slow_volume([volume_of(victim)], write_iops=6),
    ):
        time.sleep(75)
        for member in (victim, incident.cluster.leader()):
            with incident.window("fio (operator's own test)", member.name):
                incident.capture.run_fio(member, runtime_s=12)


def freeze_leader(incident: Incident) -> None:
    """Freeze one member four times."""
    time.sleep(20)
    victim = incident.cluster.leader()
    for seconds in (3.0, 5.0, 2.5, 6.0):
        with incident.window("frozen (SIGSTOP)", victim.name):
            faults.freeze(victim, seconds)
        time.sleep(14)


def kill_members(incident: Incident) -> None:
    """kill -9 of the leader, then of a follower; both come back."""
    time.sleep(20)
    for victim_of, down_s in (("leader", 12), ("follower", 8)):
        cluster = incident.cluster
        victim = cluster.leader() if victim_of == "leader" else cluster.followers()[0]
        with incident.window("killed (SIGKILL) and down", victim.name):
            faults.kill_hard(victim)
            time.sleep(down_s)
        cluster.start(victim)
        time.sleep(20)


def run_out_of_space(incident: Incident) -> None:
    """Keep writing past the quota; status and alarms are looked at afterwards."""
    begun = time.monotonic()
    while "NOSPACE" not in incident.cluster.etcdctl("alarm", "list") and time.monotonic() - begun < 120:
        time.sleep(2)
    with incident.window("alarm NOSPACE in force", "all"):
        time.sleep(30)
        incident.capture.etcdctl_status()


def rolling_restart(incident: Incident) -> None:
    """move-leader, then SIGTERM and start, member by member, the leader last."""
    cluster = incident.cluster
    time.sleep(20)
    old = cluster.leader()
    successor = cluster.followers()[0]
    with incident.window("move-leader", old.name):
        incident.capture.etcdctl("move-leader.txt", "move-leader", hex_id(cluster, successor))
    time.sleep(10)
    for member in [*cluster.followers(), cluster.leader()]:
        with incident.window("restart (SIGTERM)", member.name):
            faults.restart_gently(cluster, member)
        time.sleep(8)


def hex_id(cluster: Cluster, member: Member) -> str:
    """The member's id as etcdctl wants it. Raises RuntimeError when the member does not answer."""
    status = cluster.status(member)
    if status is None:
        raise RuntimeError(f"{member.name} does not answer")
    return f"{int(status['header']['member_id']):x}"


def compact_and_defragment(incident: Incident) -> None:
    """Bulk writes, then twice: compact, and defragment every member in turn."""
    cluster = incident.cluster
    for grow_s in (55, 15):
        time.sleep(grow_s)
        status = cluster.status(cluster.leader())
        assert status is not None
        with incident.window("compaction", "all"):
            cluster.etcdctl("compact", status["header"]["revision"], "--physical")
        for member in [*cluster.followers(), cluster.leader()]:
            with incident.window("defragmentation", member.name):
                cluster.etcdctl("defrag", "--command-timeout=60s", member=member, timeout_s=90)
            time.sleep(4)


def peer_certificates(directory: Path) -> dict[str, Certificates]:
    """One authority, three peer certificates."""
    authority = make_authority(directory, "etcd-peer-ca")
    return {name: make_peer(directory, name, authority, authority) for name in ("etcd-0", "etcd-1", "etcd-2")}


def rotate_to_foreign_certificate(incident: Incident) -> None:
    """Restart etcd-2 with a certificate of another authority."""
    time.sleep(20)
    cluster, member = incident.cluster, incident.cluster.member("etcd-2")
    assert member.certificates is not None
    directory = member.certificates.certificate.parent
    other = make_authority(directory, "new-peer-ca")
    foreign = make_peer(directory, "etcd-2-rotated", other, other)
    old_flags, new_flags = member.certificates.peer_flags(), foreign.peer_flags()
    replaced = dict(zip(old_flags, new_flags, strict=True))
    member.command = [replaced.get(word, word) for word in member.command]
    with incident.window("peer certificate of another authority", member.name):
        faults.restart_gently(cluster, member, settle_s=45)


def periodic_neighbour(incident: Incident) -> None:
    """Seven cycles of a neighbour's block write on capped volumes."""
    members = incident.cluster.members
    with faults.slow_volume([volume_of(member) for member in members], write_bytes_s=12_000_000):
        time.sleep(20)
        for _ in range(7):
            due = time.monotonic() + 60
            with incident.window("neighbour writes 90 MB", "all"):
                faults.write_beside(members, megabytes=90)
            time.sleep(max(0.0, due - time.monotonic()))


def expensive_ranges(incident: Incident) -> None:
    """Fill the keyspace, then three readers of everything, in two windows."""
    cluster = incident.cluster
    with Load(cluster.members, workers=6, rate=60.0, value_bytes=16384, keys=700, prefix="/bulk"):
        time.sleep(30)
    time.sleep(10)
    target = cluster.followers()[0]
    for _ in range(2):
        with incident.window("three clients range over the whole keyspace", target.name):
            read_everything(incident, target, clients=3, seconds=25)
        time.sleep(12)


def read_everything(incident: Incident, target: Member, clients: int, seconds: float) -> None:
    """Clients that get the whole keyspace through one member, again and again."""
    deadline = time.monotonic() + seconds

    def read() -> None:
        while time.monotonic() < deadline:
            endpoint = target.client_url.removeprefix("http://")
            command = ["etcdctl", f"--endpoints={endpoint}", "--command-timeout=15s", "get", "", "--from-key"]
            etcdctl = str(incident.cluster.binaries.etcdctl)
            subprocess.run(
                command, executable=etcdctl, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )

    threads = [threading.Thread(target=read) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def cpu_quota_on_leader(incident: Incident) -> None:
    """Three percent of a CPU for the leader, for a minute."""
    time.sleep(20)
    victim = incident.cluster.leader()
    kept = incident.capture.bundle / victim.name / "cpu.stat"
    with incident.window("CPU quota 3 %", victim.name), faults.cpu_quota(victim, percent=3):
        time.sleep(60)
        kept.write_text(faults.cpu_stat(victim), encoding="ascii")
    time.sleep(15)


def cap_all_volumes(incident: Incident) -> None:
    """Forty writes a second on every volume."""
    time.sleep(20)
    volumes = [volume_of(member) for member in incident.cluster.members]
    with incident.window("all volumes at 40 writes/s", "all"), faults.slow_volume(volumes, write_iops=40):
        time.sleep(80)


def volume_of(member: Member) -> Volume:
    """The member's private volume; RuntimeError when it lives in a plain directory."""
    if member.volume is None:
        raise RuntimeError("this scenario needs private volumes: root, loop devices and cgroup v1 blkio")
    return member.volume
