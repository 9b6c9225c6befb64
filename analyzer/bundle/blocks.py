"""Byte chunks -> blocks of whole UTF-8 lines. Encodings settled here, once."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from analyzer.bundle.inflate import StreamBroken

BLOCK = 1 << 20
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
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from chunks


def line_blocks(chunks: Iterator[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Blocks of whole lines, about ``size`` bytes each; the last line may lack its newline.

    Raises:
        StreamBroken: when the stream breaks, after everything before the break was given out.
    """
    held: list[bytes] = []
    length = 0
    broken: list[StreamBroken] = []
    for chunk in _until_broken(chunks, broken):
        held.append(chunk)
        length += len(chunk)
        if length < size:
            continue
        data = b"".join(held)
        end = data.rfind(b"\n") + 1
        if end == 0:
            if len(data) < MAX_LINE:
                held = [data]
                continue
            data, end = data[:MAX_LINE] + b"\n", MAX_LINE + 1
        yield data[:end]
        held, length = [data[end:]], len(data) - end
    tail = b"".join(held)
    if tail:
        yield tail
    if broken:
        raise broken[0]


def _until_broken(chunks: Iterator[bytes], broken: list[StreamBroken]) -> Iterator[bytes]:
    try:
        yield from chunks
    except StreamBroken as error:
        broken.append(error)
