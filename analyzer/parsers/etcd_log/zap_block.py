"""The hot path, first half: a block of plain zap JSON lines in, typed records and their event codes out.

One typed msgspec decode per block reads the few fields that frequent messages need; whatever needs more goes down
the line-by-line path, and so does a block with any line that does not fit (damage, a wrapper, another dialect).
``zap_columns`` is the second half. Measured on 300 MiB of slow applies, one core: 1 µs a line here and 1.3 µs there,
against 31 µs for a line on its own.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from analyzer.parsers.etcd_log import shapes, stamps
from analyzer.rulebook.catalogue import Catalogue, Hit

HOT_FIELDS = (
    *("level", "ts", "took", "request", "response", "error", "duration", "time spent"),
    *("local-member-id", "remote-peer-id", "peer-id", "rtt", "exceeded-duration", "to", "retry-timeout"),
    *("snapshot-index", "compact-revision", "current-db-size-bytes", "revision"),
)
"""Decoded for every line, in the order etcd writes them. Each more costs 5 to 8 ns a line; the catalogue knows 43."""
UNKNOWN = -1
"""Code of a message that is no event."""
LINE = -2
"""Code of a message whose line must be read on its own: captured parts, rare fields, the member's settings."""
MAX_LINE = 1 << 20
"""The line path cuts a longer line, so the block path leaves it alone."""
_CODE_CACHE = 16384
_NEWLINE, _RETURN = 10, 13


class Block(NamedTuple):
    """A decoded block of n lines."""

    records: list[Any]
    codes: NDArray[np.int16]
    """Index into ``ZapBlocks.hits``, or UNKNOWN, or LINE; shape (n,)."""
    ts_ns: NDArray[np.int64]
    ends: NDArray[np.int64]
    """Offset of the newline that ends each line."""


class _Codes(dict[str, int]):
    """message -> code of its hit; a message not seen before is looked up once."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.hits: list[Hit] = []
        self._numbers: dict[tuple[Any, ...], int] = {}

    def __missing__(self, message: str) -> int:
        # trace[<random number>] makes every message unique; all numbers are one message
        same = message
        if message.startswith("trace["):
            number, bracket, rest = message[6:].partition("] ")
            if bracket and number.isascii() and number.isdigit():
                same = f"trace[] {rest}"
                known = self.get(same)
                if known is not None:
                    return known
        code = self._code(message)
        if len(self) < _CODE_CACHE:
            self[same] = code
        return code

    def _code(self, message: str) -> int:
        hit = self.catalogue.lookup(message)
        if message in shapes.ZAP_NOTES or "[merged " in message or (hit is not None and self._needs_line(message, hit)):
            return LINE
        if hit is None:
            return UNKNOWN
        key = (hit.kind, hit.fields)
        if key not in self._numbers:
            self._numbers[key] = len(self.hits)
            self.hits.append(hit)
        return self._numbers[key]

    def _needs_line(self, message: str, hit: Hit) -> bool:
        kind = self.catalogue.kinds[hit.kind]
        shaped = kind in shapes.SHAPED  # their numbers come from the request alone, see LogScanner
        wanted = [name for column, name in hit.fields if not (shaped and column in ("n", "value"))]
        if kind in shapes.FULL_DECODE or not set(wanted) <= set(HOT_FIELDS):
            return True
        return ("size:" in message or "_count:" in message) if shaped else bool(hit.groups)


class ZapBlocks:
    """Decodes blocks for one bundle."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        names = {name: f"f{number}" for number, name in enumerate(HOT_FIELDS)}
        record = msgspec.defstruct(
            "ZapRecord",
            [("msg", str), *((attribute, Any, None) for attribute in names.values())],
            rename={attribute: name for name, attribute in names.items()},
            gc=False,
        )
        self._decoder = msgspec.json.Decoder(record)
        self._getters = {name: attrgetter(attribute) for name, attribute in names.items()}
        self._message = attrgetter("msg")
        self._codes = _Codes(catalogue)

    @property
    def hits(self) -> list[Hit]:
        """What each code stands for."""
        return self._codes.hits

    def getter(self, name: str) -> Callable[[Any], Any]:
        """Reads one of HOT_FIELDS of a decoded record."""
        return self._getters[name]

    def decode(self, block: bytes) -> Block | None:
        """Records of a block of whole lines, or None when it must be read line by line."""
        ends = _line_ends(block)
        if ends is None:
            return None
        try:
            records = self._decoder.decode_lines(block)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        # as many values as lines, each line from { to }: then every line is one value
        if len(records) != len(ends):
            return None
        ts_ns = stamps.of_json_column(list(map(self._getters["ts"], records)))
        if ts_ns is None:
            return None
        codes = list(map(self._codes.__getitem__, map(self._message, records)))
        return Block(records, np.array(codes, dtype=np.int16), ts_ns, ends)


def line_of(block: bytes, ends: NDArray[np.int64], index: int) -> str:
    """Text of one line of a block."""
    begin = int(ends[index - 1]) + 1 if index else 0
    return block[begin : int(ends[index])].rstrip(b"\r").decode("utf-8", "replace")


def _line_ends(block: bytes) -> NDArray[np.int64] | None:
    """Where each line ends; None unless every line is ``{...}`` and of a bounded length."""
    buffer = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(buffer == _NEWLINE)
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    begins = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1] + 1))
    if len(block) > MAX_LINE and int((ends - begins).max()) > MAX_LINE:
        return None
    if int((ends - begins).min()) < 2 or not (buffer[begins] == ord("{")).all():
        return None
    last = ends - 1
    if block.endswith((b"\r\n", b"\r")):
        last = last - (buffer[last] == _RETURN)
    return ends if (buffer[last] == ord("}")).all() else None
