"""What a walk yields: a file as a stream of bytes, or the reason there is none."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from analyzer.bundle.inflate import StreamBroken

CHUNK = 1 << 20
MAX_FILES = 200_000
"""Files of one bundle, those inside archives included."""

READ_ERRORS = (
    OSError, EOFError, ValueError, RuntimeError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""What the standard library raises on damaged archives and failing disks (NotImplementedError is a RuntimeError)."""


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
class Budget:
    """How many more files one walk may open: nested archives can hold millions."""

    left: int = MAX_FILES

    def take(self) -> bool:
        """Count one file; False when there were too many."""
        self.left -= 1
        return self.left >= 0

    @property
    def spent(self) -> bool:
        """Whether the walk must stop."""
        return self.left < 0


def too_many(label: str) -> Unreadable:
    """The row for the first file beyond the budget."""
    return Unreadable(label, f"more than {MAX_FILES} files: the rest was not opened", "pass a smaller folder")


def read(stream: IO[bytes]) -> Iterator[bytes]:
    """Chunks of an open file.

    Raises:
        StreamBroken: when the file, its archive or its disk fails; what was yielded before stays good.
    """
    while True:
        try:
            chunk = stream.read(CHUNK)
        except READ_ERRORS as error:
            raise StreamBroken(f"cannot be read to its end: {error}") from error
        if not chunk:
            return
        yield chunk


def label(name: str) -> str:
    """A file or member name as a label: printable, relative; it is never used as a path."""
    printable = "".join(c if c.isprintable() else "?" for c in name)
    return printable.removeprefix("./").lstrip("/") or "?"


class ChunkReader(io.RawIOBase):
    """Chunks with the face of a file, for tarfile's stream mode."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = b""
        self._at = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes, fewer only at the end."""
        parts: list[bytes] = []
        wanted = size if size >= 0 else 1 << 62
        while wanted > 0:
            if self._at == len(self._held):
                self._held, self._at = next(self._chunks, b""), 0
                if not self._held:
                    break
            part = self._held[self._at : self._at + wanted]
            self._at += len(part)
            wanted -= len(part)
            parts.append(part)
        return b"".join(parts)


class Borrowed(io.RawIOBase):
    """A file already open, as something that may be closed without closing it."""

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
