"""Byte chunks -> blocks of whole UTF-8 lines. Encodings settled here, once."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from analyzer.bundle.inflate import StreamBroken

BLOCK = 1 << 18
"""Fits a core's second-level cache: blocks of 1 MiB are decoded at half the speed."""
MAX_LINE = 16 << 20
"""A longer line is cut: nothing that speaks to a diagnosis is that long."""

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def settled(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same text as UTF-8 without a byte-order mark (PowerShell's ``>`` writes UTF-16)."""
    head = next(chunks, b"")
    for mark, encoding in _UTF16.items():
        if head.startswith(mark):
            decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
            yield decoder.decode(head[2:]).encode()
            for chunk in chunks:
                yield decoder.decode(chunk).encode()
            return
    head = head.removeprefix(codecs.BOM_UTF8)
    if b"\r" in head and b"\n" not in head:  # line ends of old Macs and of serial consoles
        yield head.replace(b"\r", b"\n")
        for chunk in chunks:
            yield chunk.replace(b"\r", b"\n")
        return
    yield head
    yield from chunks


def line_blocks(chunks: Iterator[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Blocks of whole lines, about ``size`` bytes each; the last line may lack its newline.

    Raises:
        StreamBroken: when the stream breaks, after everything before the break was given out.
    """
    held = b""
    broken: list[StreamBroken] = []
    for chunk in _until_broken(chunks, broken):
        data = held + chunk if held else chunk
        begin = 0
        while len(data) - begin >= size:
            end = _cut(data, begin, size)
            if end == 0:
                break
            whole = data[end - 1 : end] == b"\n"
            yield data[begin:end] if whole else data[begin:end] + b"\n"
            begin = end
        held = data[begin:]
    if held:
        yield held
    if broken:
        raise broken[0]


def _cut(data: bytes, begin: int, size: int) -> int:
    """Where a block from ``begin`` ends: after a newline, or inside a line that is too long; 0 to wait for more."""
    end = data.rfind(b"\n", begin, begin + size) + 1 or data.find(b"\n", begin + size, begin + MAX_LINE) + 1
    return end or (begin + MAX_LINE if len(data) - begin >= MAX_LINE else 0)


def _until_broken(chunks: Iterator[bytes], broken: list[StreamBroken]) -> Iterator[bytes]:
    try:
        yield from chunks
    except StreamBroken as error:
        broken.append(error)
