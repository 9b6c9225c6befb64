"""Paths -> a deterministic sequence of Sources. Archives are streamed; nothing is ever written under its own name.

The same walk is made again to quote cited lines, so a Source is single-use and cheap to make.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from analyzer.bundle.archives import opened
from analyzer.bundle.source import CHUNK, Budget, Source, Unreadable, label, read, too_many
from analyzer.errors import UnusableInput

__all__ = ["Source", "Stdin", "Unreadable", "check", "walk"]


@dataclass(slots=True)
class Stdin:
    """Standard input and named pipes, kept in anonymous spools so that they can be walked twice."""

    spool: IO[bytes] | None = field(default=None)
    pipes: dict[str, IO[bytes]] = field(default_factory=dict)

    def open(self) -> IO[bytes]:
        """The whole of stdin, from its start."""
        if self.spool is None:
            self.spool = _spooled(sys.stdin.buffer)
        self.spool.seek(0)
        return self.spool

    def pipe(self, path: Path) -> IO[bytes]:
        """The whole of a pipe (``<(zcat etcd.log.gz)``), from its start."""
        key = str(path)
        if key not in self.pipes:
            with path.open("rb") as stream:
                self.pipes[key] = _spooled(stream)
        self.pipes[key].seek(0)
        return self.pipes[key]

    def close(self) -> None:
        """Give the spools back."""
        for spool in (self.spool, *self.pipes.values()):
            if spool is not None:
                spool.close()

    def __del__(self) -> None:
        self.close()


def _spooled(stream: IO[bytes]) -> IO[bytes]:
    # kept for a second walk (quoting lines), closed with the process
    spool = tempfile.SpooledTemporaryFile(max_size=64 << 20)  # noqa: SIM115
    while chunk := stream.read(CHUNK):
        spool.write(chunk)
    return cast(IO[bytes], spool)


def check(paths: Sequence[str]) -> None:
    """Refuse paths that do not exist, by name, before anything is read.

    Raises:
        UnusableInput: naming the first missing path and what to pass instead.
    """
    if not paths:
        raise UnusableInput("nothing to analyse: pass a folder, a file, an archive or - for standard input")
    for path in paths:
        if path == "-":
            continue
        if not path:
            raise UnusableInput("an empty path was given: pass a folder, a file, an archive or - for standard input")
        try:
            Path(path).stat()
        except FileNotFoundError as error:
            where = "Pass the folder or archive that holds the evidence."
            raise UnusableInput(f"{path}: no such file or folder. {where}") from error
        except (OSError, ValueError) as error:
            why = f"cannot be opened ({_words(error)})"
            raise UnusableInput(f"{path}: {why}. Check the path and its permissions.") from error


def walk(paths: Sequence[str], stdin: Stdin) -> Iterator[Source | Unreadable]:
    """Every file below the given paths, in a fixed order.

    Labels are relative to the argument: ``etcd-0/etcd.log``, ``bundle.tar.gz!/etcd-0/etcd.log``. With several
    arguments each label begins with its argument's name.
    """
    budget = Budget()
    for argument, prefix in zip(paths, _prefixes(paths), strict=True):
        if argument == "-":
            yield from opened("-", read(stdin.open()), budget)
            continue
        path = Path(argument)
        if path.is_dir():
            yield from _folder(path, f"{prefix}/" if len(paths) > 1 else "", budget)
        elif path.is_fifo():
            yield from opened(prefix, read(stdin.pipe(path)), budget)
        else:
            yield from _file(path, prefix, budget)


def _prefixes(paths: Sequence[str]) -> list[str]:
    """One label per argument; equal base names are told apart by their folder, else by a number."""
    names = [label(Path(p).name if Path(p).name not in ("", "..") else Path(p).resolve().name) for p in paths]
    if len(set(names)) < len(names):
        parents = [label(Path(path).resolve().parent.name) for path in paths]
        names = [
            f"{parent}/{name}" if names.count(name) > 1 and parent != "?" else name
            for name, parent in zip(names, parents, strict=True)
        ]
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            names[index] = f"{name}#{seen[name]}"
    return names


def _folder(root: Path, prefix: str, budget: Budget) -> Iterator[Source | Unreadable]:
    closed: list[OSError] = []
    for folder, subfolders, names in os.walk(root, onerror=closed.append):
        subfolders.sort()
        links = [name for name in subfolders if (Path(folder) / name).is_symlink()]
        for name in sorted([*names, *links]):
            path = Path(folder) / name
            shown = label(prefix + path.relative_to(root).as_posix())
            if budget.spent:
                return
            if path.is_symlink():
                refused = _refused_link(path, root, shown)
                if refused is not None:
                    yield refused
                    continue
            if not path.is_dir():
                yield from _file(path, shown, budget)
    for error in closed:
        shown = label(prefix + os.path.relpath(error.filename, root))
        yield Unreadable(shown, f"folder cannot be read: {_words(error)}", "check its permissions")


def _refused_link(path: Path, root: Path, shown: str) -> Unreadable | None:
    """Why a symbolic link is not followed; None when it stays inside the bundle."""
    try:
        inside = path.resolve(strict=True).is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return Unreadable(shown, "symbolic link to nothing", "copy its target into the bundle")
    if inside:
        return None
    return Unreadable(shown, "symbolic link that leaves the bundle", "copy its target into the bundle")


def _file(path: Path, shown: str, budget: Budget) -> Iterator[Source | Unreadable]:
    if budget.spent:
        yield too_many(shown)
        return
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            yield Unreadable(shown, "not a regular file", "copy its content into a file")
            return
        stream = path.open("rb")
    except OSError as error:
        yield Unreadable(shown, f"cannot be read: {_words(error)}", "check its permissions")
        return
    with stream:
        yield from opened(shown, read(stream), budget, status.st_mtime_ns, stream)


def _words(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
