"""Decompression as streams: a truncated file gives what it holds and then says where it broke."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

MAX_OUTPUT = 64 << 30
"""Bytes one file may inflate to."""
MAX_RATIO = 500
"""Real logs shrink 10 to 100 times; DEFLATE stops at 1032:1 (zlib technical details), where only filler gets."""
RATIO_FROM = 256 << 20
"""Bytes a file may inflate to before its ratio is looked at."""
STEP = 1 << 20
_SLICE = 512
"""Bytes per step when a damaged chunk is read again for what it still holds."""


class StreamBroken(Exception):
    """The compressed stream ended early or is damaged; what was read before stays good."""


def inflate(kind: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Inflate a stream of ``gzip``, ``bzip2``, ``xz`` or ``zstd``, members one after another.

    Raises:
        StreamBroken: after all good output was yielded.
    """
    taken = 0

    def counted() -> Iterator[bytes]:
        nonlocal taken
        for chunk in chunks:
            taken += len(chunk)
            yield chunk

    given = 0
    for piece in _members(kind, counted()):
        given += len(piece)
        _guard(taken, given)
        yield piece


def guarded(chunks: Iterator[bytes], compressed: int) -> Iterator[bytes]:
    """The inflated content of an archive member that takes ``compressed`` bytes in its archive.

    Raises:
        StreamBroken: when it inflates like a bomb.
    """
    given = 0
    for chunk in chunks:
        given += len(chunk)
        _guard(compressed, given)
        yield chunk


def _guard(taken: int, given: int) -> None:
    if given > MAX_OUTPUT or (given > RATIO_FROM and given > MAX_RATIO * max(taken, 1)):
        raise StreamBroken(f"inflates to more than {given >> 20} MiB from {max(taken >> 10, 1)} KiB: stopped reading")


def _members(kind: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    make = _codec(kind)
    codec = make()
    good = whole = False
    for chunk in chunks:
        data = chunk
        while data:
            if codec.eof:
                whole, data = True, data.lstrip(b"\0")  # tapes and block devices pad with zeros
                if not data:
                    break
                codec = make()
            spare = codec.copy() if hasattr(codec, "copy") else None
            try:
                for piece in _pieces(codec, data):
                    good, whole = True, False
                    yield piece
            except Exception as error:  # each codec raises its own type
                for piece in _salvage(spare, data) if spare is not None else ():
                    good = True
                    yield piece
                raise StreamBroken(_damage(kind, good, whole, error)) from error
            data = codec.unused_data if codec.eof else b""
    if not codec.eof:
        raise StreamBroken(f"{kind} stream ends early")


def _pieces(codec: Any, data: bytes) -> Iterator[bytes]:
    """All output one chunk gives, a bounded piece at a time."""
    while True:
        piece = codec.decompress(data, STEP)
        if piece:
            yield piece
        if codec.eof:
            return
        data = getattr(codec, "unconsumed_tail", b"")
        if not data and (getattr(codec, "needs_input", True) or not piece):
            return


def _salvage(codec: Any, data: bytes) -> Iterator[bytes]:
    """What a damaged chunk gives before its damage: the codec as it was before, fed in small steps."""
    for start in range(0, len(data), _SLICE):
        try:
            yield from list(_pieces(codec, data[start : start + _SLICE]))
        except Exception:  # the damage itself
            return


def _damage(kind: str, good: bool, whole: bool, error: Exception) -> str:
    if whole:
        return f"something that is no {kind} stream follows its end: {error}"
    return f"{kind} stream is damaged: {error}" if good else f"not a readable {kind} stream: {error}"


def _codec(kind: str) -> Callable[[], Any]:
    if kind == "gzip":
        import zlib

        return lambda: zlib.decompressobj(wbits=31)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor
    try:
        import zstandard
    except ImportError:
        raise StreamBroken("zstd needs an extra: pip install 'etcd-doctor[zstd]' (or: zstd -d)") from None
    return lambda: _Zstd(zstandard.ZstdDecompressor().decompressobj())


class _Zstd:
    """zstandard's decompressobj with the face of the standard library's."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.eof = False
        self.unused_data = b""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Inflate; output size is bounded by zstd's own window, the ratio guard does the rest."""
        piece: bytes = self.inner.decompress(data)
        self.eof = bool(self.inner.eof)
        self.unused_data = self.inner.unused_data or b""
        return piece
