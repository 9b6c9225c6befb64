"""Decompression as streams: a truncated file gives what it holds and then says where it broke."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

MAX_OUTPUT = 64 << 30
"""Bytes one file may inflate to."""
MAX_RATIO = 1100
"""DEFLATE cannot exceed 1032:1 (zlib technical details); beyond it the stream is a bomb of another codec."""
RATIO_FROM = 256 << 20
STEP = 1 << 20


class StreamBroken(Exception):
    """The compressed stream ended early or is damaged; what was read before stays good."""


class _Codec(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


def inflate(kind: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Inflate a stream of ``gzip``, ``bzip2``, ``xz`` or ``zstd``, members one after another.

    Raises:
        StreamBroken: after all good output was yielded.
    """
    make = _codec(kind)
    codec, taken, given = make(), 0, 0
    fresh = True
    for chunk in chunks:
        taken += len(chunk)
        while chunk:
            if codec.eof:
                codec, fresh = make(), True
            pieces, chunk = _feed(codec, chunk, kind, given)
            fresh = fresh and not pieces and not codec.eof
            for piece in pieces:
                given += len(piece)
                _guard(taken, given)
                yield piece
    if not codec.eof and not (fresh and given):
        raise StreamBroken(f"{kind} stream ends early, after {given} bytes of content")


def _feed(codec: Any, chunk: bytes, kind: str, given: int) -> tuple[list[bytes], bytes]:
    """All output one chunk gives, and what is left for the next member."""
    pieces = []
    data = chunk
    while True:
        try:
            piece = codec.decompress(data, STEP)
        except Exception as error:  # each codec raises its own type
            if given and not pieces:
                raise StreamBroken(f"{kind} stream is damaged after {given} bytes of content: {error}") from error
            if not pieces:
                raise StreamBroken(f"not a readable {kind} stream: {error}") from error
            return pieces, b""
        if piece:
            pieces.append(piece)
        if codec.eof:
            return pieces, codec.unused_data
        data = getattr(codec, "unconsumed_tail", b"")
        if not data and (getattr(codec, "needs_input", True) or not piece):
            return pieces, b""


def _guard(taken: int, given: int) -> None:
    if given > MAX_OUTPUT or (given > RATIO_FROM and given > MAX_RATIO * max(taken, 1)):
        raise StreamBroken(f"inflates to more than {given >> 20} MiB from {taken >> 10} KiB: stopped reading")


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
