"""A private, throttleable ext4 volume per member, made of two stacked loop devices.

``image on tmpfs -> lower loop (throttled) -> upper loop -> ext4``. The throttle sits on the lower device,
so the upper one, which the member's host would show in iostat, has true await, queue and %util. Throttling
the upper device itself would delay requests before the block layer starts its clock: fdatasync slow, await 0.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

IMAGES = Path("/dev/shm/etcd-lab")
BLKIO = Path("/sys/fs/cgroup/blkio")
VOLUME_BYTES = 2 << 30


def available() -> bool:
    """True when this process may set up loop devices and throttle them (root, cgroup v1 blkio)."""
    throttle = BLKIO / "blkio.throttle.write_iops_device"
    return os.geteuid() == 0 and throttle.exists() and Path("/dev/loop-control").exists()


@dataclass(slots=True)
class Volume:
    """One member's file system; ``device`` is the name iostat shows for it."""

    name: str
    mount_point: Path
    lower: str = ""
    upper: str = ""

    @property
    def device(self) -> str:
        """Kernel name of the upper loop device, for example ``loop1``."""
        return Path(self.upper).name

    def create(self) -> None:
        """Make the image, both loop devices and the file system, and mount it. Raises CalledProcessError."""
        IMAGES.mkdir(parents=True, exist_ok=True)
        image = IMAGES / f"{self.name}.img"
        with image.open("wb") as handle:
            handle.truncate(VOLUME_BYTES)
        self.lower = _output("losetup", "--find", "--show", str(image))
        self.upper = _output("losetup", "--find", "--show", "--direct-io=on", self.lower)
        _output("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.upper)
        self.mount_point.mkdir(parents=True, exist_ok=True)
        _output("mount", self.upper, str(self.mount_point))

    def throttle(self, write_iops: int = 0, write_bytes_s: int = 0) -> None:
        """Cap the volume's writes; 0 means no cap."""
        number = Path(self.lower).stat().st_rdev
        device = f"{os.major(number)}:{os.minor(number)}"
        for setting, value in (("write_iops", write_iops), ("write_bps", write_bytes_s)):
            (BLKIO / f"blkio.throttle.{setting}_device").write_text(f"{device} {value}\n", encoding="ascii")

    def destroy(self) -> None:
        """Unmount and give everything back; safe after a partial ``create``."""
        if self.lower:
            self.throttle()
        for command in (
            ("umount", str(self.mount_point)),
            ("losetup", "--detach", self.upper),
            ("losetup", "--detach", self.lower),
        ):
            if command[-1]:
                subprocess.run(command, check=False, capture_output=True)
        (IMAGES / f"{self.name}.img").unlink(missing_ok=True)


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
