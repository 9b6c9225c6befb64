"""Bundles with a part taken away or repeated: what an engineer might hold instead."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

DISK_FILES = ("iostat", "diskstats", "fio", "sar", "lsblk", "mounts", "df")
HOST_FILES = ("pidstat", "vmstat", "mpstat", "cpu-stat", "cpu.stat", "cgroup", "pressure", "dmesg", "kernel", "meminfo")
LOG_FILES = ("etcd.log", "kube-apiserver", "client")


def _named(names: tuple[str, ...]) -> Callable[[Path], bool]:
    return lambda path: path.name.lower().replace("_", "-").startswith(tuple(name.replace("_", "-") for name in names))


SOURCES: dict[str, Callable[[Path], bool]] = {
    "disk captures": _named(DISK_FILES),
    "metrics": lambda path: path.suffix == ".prom" or ".prom." in path.name,
    "host captures": _named(HOST_FILES),
    "etcdctl output": lambda path: "etcdctl" in path.as_posix(),
    "logs": _named(LOG_FILES),
}
"""The kinds of evidence a bundle holds, by name of file."""


def files(bundle: Path) -> tuple[Path, ...]:
    """All files, relative."""
    return tuple(sorted(path.relative_to(bundle) for path in bundle.rglob("*") if path.is_file()))


def copy_without(bundle: Path, out: Path, drop: Callable[[Path], bool]) -> tuple[Path, ...]:
    """Copy all other files; what was left out."""
    gone = []
    for path in files(bundle):
        if drop(path):
            gone.append(path)
            continue
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle / path, out / path)
    return tuple(gone)


def repeat(bundle: Path, out: Path, path: Path, times: int) -> None:
    """Copy all files, and one of them again and again under other names, as careless collecting does."""
    copy_without(bundle, out, lambda _: False)
    for number in range(times):
        shutil.copyfile(bundle / path, out / path.parent / f"copy-{number}-{path.name}")
