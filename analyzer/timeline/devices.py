"""Which device carries a member's WAL: stated by the bundle, by the mount of its data directory, or the only one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.model.artifact import Artifact
from analyzer.model.facts import FioRun, Flag, Mount
from analyzer.model.series import Series
from analyzer.timeline.members import Identities

_WHOLE_DISK = re.compile(r"(nvme\d+n\d+|mmcblk\d+)p\d+$|((?:[shv]|xv)d[a-z]+)\d+$")
_NEVER_WAL = re.compile(r"(?:fd|sr|ram|scd)\d+$")


def wal_device(
    name: str, artifacts: Sequence[Artifact], series: Sequence[Series], known: Identities
) -> tuple[str | None, str | None]:
    """(device, how it is known) for a member, (None, None) when the bundle does not tell."""
    if name in known.devices:
        return known.devices[name], "stated by the bundle's inventory"
    mine = [artifact for artifact in artifacts if artifact.member in (name, None)]
    mounted = _by_mount(mine)
    if mounted:
        return mounted, "mount of the data directory"
    devices = sorted({s.subject for s in series if s.member in (name, None) and s.metric == "write_iops"})
    devices = [device for device in devices if not _NEVER_WAL.match(device)]
    if len(devices) == 1:
        return devices[0], "the only device captured"
    tested = {
        record.device
        for artifact in mine
        for record in artifact.records
        if isinstance(record, FioRun) and record.gradeable and record.device
    }
    if len(tested) == 1:
        return tested.pop(), "device of the etcd-like fio run"
    return None, None


def _by_mount(artifacts: Sequence[Artifact]) -> str | None:
    mounts = [record for artifact in artifacts for record in artifact.records if isinstance(record, Mount)]
    folders = [
        record.value
        for artifact in artifacts
        for record in artifact.records
        if isinstance(record, Flag) and record.name in ("wal-dir", "data-dir") and record.value.startswith("/")
    ]
    best: Mount | None = None
    for folder in folders or ["/var/lib/etcd"]:
        for mount in mounts:
            inside = folder == mount.target or folder.startswith(mount.target.rstrip("/") + "/")
            if inside and (best is None or len(mount.target) > len(best.target)):
                best = mount
    return whole_disk(best.device) if best and best.target != "/" else None


def whole_disk(device: str) -> str:
    """``/dev/sda1`` -> ``sda``, ``nvme0n1p2`` -> ``nvme0n1``: statistics are kept per disk."""
    name = device.rsplit("/", 1)[-1]
    found = _WHOLE_DISK.match(name)
    return (found[1] or found[2]) if found else name
