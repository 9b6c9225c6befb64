"""A stream opened by what it begins with: compressed, tar, zip, or a plain file. Nothing is written by name."""

from __future__ import annotations

import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any, cast

from analyzer.bundle import magic
from analyzer.bundle.inflate import StreamBroken, guarded, inflate
from analyzer.bundle.source import (
    CHUNK,
    READ_ERRORS,
    Borrowed,
    Budget,
    ChunkReader,
    Source,
    Unreadable,
    label,
    read,
    too_many,
)

MAX_DEPTH = 5
MAX_SPOOL = 4 << 30
"""Bytes of a nested zip that are spooled (zip needs its index at the end)."""
_OFFICE = "[Content_Types].xml"
"""The member every .docx, .xlsx and .pptx has (ECMA-376 part 2, 7.2.3)."""


def opened(
    path: str,
    chunks: Iterator[bytes],
    budget: Budget,
    mtime_ns: int | None = None,
    seekable: IO[bytes] | None = None,
    depth: int = 0,
) -> Iterator[Source | Unreadable]:
    """The files one stream holds: itself, or what is inside it.

    Args:
        path: its label; members of an archive are labelled ``path!/member``.
        chunks: its bytes.
        budget: how many more files the walk may open.
        mtime_ns: modification time, nanoseconds.
        seekable: the open file itself, which spares a copy of a zip.
        depth: how many archives and compressions it already lies in.
    """
    try:
        head = next(chunks, b"")
        while head and len(head) < magic.HEAD and (more := next(chunks, b"")):
            head += more
    except StreamBroken as error:
        yield Unreadable(path, str(error), "copy the file again; what arrived is incomplete")
        return
    rest = _chain(head, chunks)
    kind = magic.compression(head) or magic.archive(head)
    if kind and depth > MAX_DEPTH:
        yield Unreadable(path, f"nested deeper than {MAX_DEPTH} archives", "unpack it once and pass the folder")
    elif kind == "tar":
        yield from _tar(path, rest, budget, depth)
    elif kind == "zip":
        yield from _zip(path, rest, budget, depth, seekable)
    elif kind:
        yield from opened(path, inflate(kind, rest), budget, mtime_ns, None, depth + 1)
    elif budget.take():
        yield Source(path, rest, mtime_ns)
    else:
        yield too_many(path)


def _chain(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    yield from rest


def _tar(path: str, chunks: Iterator[bytes], budget: Budget, depth: int) -> Iterator[Source | Unreadable]:
    count = 0
    try:
        with tarfile.open(fileobj=cast(Any, ChunkReader(chunks)), mode="r|", bufsize=CHUNK) as archive:
            for member in archive:
                if budget.spent:
                    return
                count += 1
                content = archive.extractfile(member) if member.isreg() else None
                if content is not None:
                    name = f"{path}!/{label(member.name)}"
                    yield from opened(name, read(content), budget, _nanoseconds(member.mtime), None, depth + 1)
    except (*READ_ERRORS, StreamBroken) as error:
        yield Unreadable(path, f"tar archive breaks after {count} members: {error}", "copy the archive again")


def _nanoseconds(mtime: float) -> int | None:
    return int(mtime) * 10**9 if 0 < mtime < 2**40 else None


def _zip(
    path: str, chunks: Iterator[bytes], budget: Budget, depth: int, seekable: IO[bytes] | None
) -> Iterator[Source | Unreadable]:
    try:
        with _random_access(chunks, seekable) as stream, zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            if any(member.filename == _OFFICE for member in members):
                yield Unreadable(path, "office document", "save it as plain text and pass that")
                return
            for member in members:
                if budget.spent:
                    return
                if not member.is_dir():
                    yield from _zip_member(path, archive, member, budget, depth)
    except (*READ_ERRORS, StreamBroken) as error:
        hint = "copy the archive again, or repair it: zip -FF {name} --out fixed.zip"
        yield Unreadable(path, f"zip archive cannot be read: {error}", hint.format(name=path.rsplit("/", 1)[-1]))


def _zip_member(
    path: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget, depth: int
) -> Iterator[Source | Unreadable]:
    name = f"{path}!/{label(member.filename)}"
    if member.flag_bits & 1:
        yield Unreadable(name, "encrypted zip member", "unzip it with its password and pass the folder")
        return
    try:
        content = archive.open(member)
    except READ_ERRORS as error:
        yield Unreadable(name, f"damaged zip member: {error}", "copy the archive again")
        return
    with content:
        yield from opened(name, guarded(read(content), member.compress_size), budget, None, None, depth + 1)


def _random_access(chunks: Iterator[bytes], seekable: IO[bytes] | None) -> IO[bytes]:
    if seekable is not None and seekable.seekable():
        return cast(IO[bytes], Borrowed(seekable))
    spool = tempfile.SpooledTemporaryFile(max_size=64 << 20)  # noqa: SIM115
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > MAX_SPOOL:
            spool.close()
            raise StreamBroken(f"nested zip larger than {MAX_SPOOL >> 30} GiB")
        spool.write(chunk)
    spool.seek(0)
    return cast(IO[bytes], spool)
