"""Paths -> a deterministic sequence of Sources. Archives are streamed; nothing is ever written under its own name.

The same walk is made again to quote cited lines, so a Source is single-use and cheap to make.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from analyzer.bundle import magic
from analyzer.bundle.inflate import StreamBroken, inflate
from analyzer.errors import UnusableInput

CHUNK = 1 << 20
MAX_DEPTH = 5
MAX_FILES = 200_000
MAX_SPOOL = 4 << 30
"""Bytes of a nested zip that are spooled (zip needs its index at the end)."""


@dataclass(slots=True)
class Source:
    """One file of the bundle as a single-use stream of byte chunks."""

    path: str
    chunks: Iterator[bytes]
    mtime_ns: int | None = None
    """Modification time, for year-less log stamps only."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be opened or streamed at all."""

    path: str
    reason: str
    hint: str


@dataclass(slots=True)
class Stdin:
    """Standard input, kept in an anonymous spool so that it can be walked twice."""

    spool: IO[bytes] | None = field(default=None)

    def open(self) -> IO[bytes]:
        """The whole of stdin, from its start."""
        if self.spool is None:
            # kept for a second walk (quoting lines), closed with the process
            spool = tempfile.SpooledTemporaryFile(max_size=64 << 20)  # noqa: SIM115
            while chunk := sys.stdin.buffer.read(CHUNK):
                spool.write(chunk)
            self.spool = cast(IO[bytes], spool)
        self.spool.seek(0)
        return self.spool


def check(paths: Sequence[str]) -> None:
    """Refuse paths that do not exist, by name, before anything is read.

    Raises:
        UnusableInput: naming the first missing path and what to pass instead.
    """
    if not paths:
        raise UnusableInput("nothing to analyse: pass a folder, a file, an archive or - for standard input")
    for path in paths:
        if path != "-" and not Path(path).exists():
            raise UnusableInput(f"{path}: no such file or folder. Pass the folder or archive that holds the evidence.")


def walk(paths: Sequence[str], stdin: Stdin) -> Iterator[Source | Unreadable]:
    """Every file below the given paths, in a fixed order.

    Labels are relative to the argument: ``etcd-0/etcd.log``, ``bundle.tar.gz!/etcd-0/etcd.log``. With several
    arguments each label begins with its argument's name.
    """
    for argument in paths:
        if argument == "-":
            yield from _stream("-", _read(stdin.open()), 0, None)
            continue
        path = Path(argument)
        if path.is_dir():
            prefix = f"{path.resolve().name}/" if len(paths) > 1 else ""
            yield from _folder(path, prefix)
        else:
            yield from _file(path, path.name)


def _folder(root: Path, prefix: str) -> Iterator[Source | Unreadable]:
    count = 0
    for folder, subfolders, names in os.walk(root):
        subfolders.sort()
        for name in sorted(names):
            path = Path(folder) / name
            label = prefix + path.relative_to(root).as_posix()
            count += 1
            if count > MAX_FILES:
                yield Unreadable(label, f"more than {MAX_FILES} files", "pass a smaller folder")
                return
            if path.is_symlink() and not _inside(path, root):
                yield Unreadable(label, "symbolic link that leaves the bundle", "copy its target into the bundle")
            else:
                yield from _file(path, label)


def _inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return False


def _file(path: Path, label: str) -> Iterator[Source | Unreadable]:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISFIFO(status.st_mode):
            yield Unreadable(label, "not a regular file", "copy its content into a file")
            return
        with path.open("rb") as stream:
            yield from _stream(label, _read(stream), 0, status.st_mtime_ns, stream)
    except OSError as error:
        yield Unreadable(label, f"cannot be read: {error.strerror or error}", "check its permissions")


def _read(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _stream(
    label: str, chunks: Iterator[bytes], depth: int, mtime_ns: int | None, seekable: IO[bytes] | None = None
) -> Iterator[Source | Unreadable]:
    """Open one stream by what it begins with: compressed, archive, or a plain file."""
    try:
        head = next(chunks, b"")
    except StreamBroken as error:
        yield Unreadable(label, str(error), "copy the file again; what arrived is incomplete")
        return
    rest = _chain(head, chunks)
    if depth > MAX_DEPTH:
        yield Unreadable(label, f"nested deeper than {MAX_DEPTH} archives", "unpack it once and pass the folder")
        return
    kind = magic.compression(head)
    if kind:
        yield from _stream(label, inflate(kind, rest), depth + 1, mtime_ns)
    elif magic.archive(head) == "tar":
        yield from _tar(label, rest, depth)
    elif magic.archive(head) == "zip":
        yield from _zip(label, rest, depth, seekable)
    else:
        yield Source(label, rest, mtime_ns)


def _chain(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from rest


class _Reader(io.RawIOBase):
    """Chunks with the face of a file, for tarfile's stream mode."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self.chunks = chunks
        self.buffer = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes, fewer only at the end."""
        while size < 0 or len(self.buffer) < size:
            chunk = next(self.chunks, b"")
            if not chunk:
                break
            self.buffer += chunk
        wanted = len(self.buffer) if size < 0 else size
        data, self.buffer = self.buffer[:wanted], self.buffer[wanted:]
        return data


def _tar(label: str, chunks: Iterator[bytes], depth: int) -> Iterator[Source | Unreadable]:
    count = 0
    try:
        with tarfile.open(fileobj=cast(Any, _Reader(chunks)), mode="r|") as archive:
            for member in archive:
                count += 1
                if not member.isfile() or count > MAX_FILES:
                    continue
                content = archive.extractfile(member)
                if content is not None:
                    name = f"{label}!/{_clean(member.name)}"
                    yield from _stream(name, _read(cast(IO[bytes], content)), depth + 1, int(member.mtime * 1e9))
    except (tarfile.TarError, StreamBroken, EOFError, OSError, ValueError) as error:
        yield Unreadable(label, f"tar archive breaks after {count} members: {error}", "copy the archive again")


def _zip(
    label: str, chunks: Iterator[bytes], depth: int, seekable: IO[bytes] | None
) -> Iterator[Source | Unreadable]:
    try:
        with _seekable(chunks, seekable) as stream, zipfile.ZipFile(stream) as archive:
            for member in archive.infolist()[:MAX_FILES]:
                if member.is_dir():
                    continue
                name = f"{label}!/{_clean(member.filename)}"
                if member.flag_bits & 1:
                    yield Unreadable(name, "encrypted zip member", "unzip it with its password and pass the folder")
                    continue
                with archive.open(member) as content:
                    yield from _stream(name, _zip_chunks(content, member), depth + 1, None)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, StreamBroken) as error:
        yield Unreadable(label, f"zip archive cannot be read: {error}", "copy the archive again")


def _zip_chunks(content: IO[bytes], member: zipfile.ZipInfo) -> Iterator[bytes]:
    import zlib

    try:
        yield from _read(content)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise StreamBroken(f"zip member is damaged: {error}") from error


def _seekable(chunks: Iterator[bytes], seekable: IO[bytes] | None) -> IO[bytes]:
    if seekable is not None and seekable.seekable():
        return cast(IO[bytes], _Reopened(seekable))
    spool = tempfile.SpooledTemporaryFile(max_size=64 << 20)
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > MAX_SPOOL:
            raise StreamBroken(f"nested zip larger than {MAX_SPOOL >> 30} GiB")
        spool.write(chunk)
    spool.seek(0)
    return cast(IO[bytes], spool)


class _Reopened(io.RawIOBase):
    """The file already open, as something that may be closed without closing it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Seek in the underlying file."""
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        """Position in the underlying file."""
        return self.stream.tell()

    def read(self, size: int = -1) -> bytes:
        """Read from the underlying file."""
        return self.stream.read(size)


def _clean(name: str) -> str:
    """A member name as a label: printable, without leading slashes; it is never used as a path."""
    return "".join(c if c.isprintable() else "?" for c in name).lstrip("/") or "?"
