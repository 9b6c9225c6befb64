"""The hot path: a block of plain zap JSON lines in, columns out.

One typed msgspec decode per block, then column-wise work per message. A block with any line that does not fit
(damage, a wrapper, another dialect) is refused whole and goes down the line-by-line path, which knows more.
A native scanner can replace :meth:`ZapBlocks.scan` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from analyzer.parsers.durations import seconds
from analyzer.parsers.etcd_log import shapes, stamps
from analyzer.parsers.etcd_log.dialects import LEVELS
from analyzer.rulebook.catalogue import Catalogue, Hit

BASE_FIELDS = ("level", "ts", "error", "response", "local-member-id", "logger")
TEXT_HIT = -2
NOTE = -3
_CODE_CACHE = 16384


class Columns(NamedTuple):
    """What one block holds. Arrays of the recognised rows share one length."""

    lines: int
    rows: list[tuple[int, dict[str, Any]]]
    """(length, columns) groups ready for RowBuffer.extend; ``line`` is absolute."""
    text_rows: list[tuple[int, Hit, Any]]
    """(line, hit, record) of messages with captured parts (raft lines): few."""
    notes: list[int]
    """Indexes within the block of lines that name the member or its settings."""
    seconds: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Distinct UTC seconds and how many lines each has."""
    levels: Counter[Any]
    first_ns: int
    last_ns: int
    local_ids: Counter[Any]


class _Codes(dict[str, int]):
    """message -> code of its hit; unknown messages are looked up once."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__()
        self.catalogue = catalogue
        self.hits: list[Hit] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._trace = self._code(catalogue.lookup("trace[1] range"))

    def __missing__(self, message: str) -> int:
        # trace[<random>] makes every message unique: one prefix test instead of a lookup per line
        if message.startswith("trace["):
            return self._trace
        hit = self.catalogue.lookup(message)
        full = hit is not None and self.catalogue.kinds[hit.kind] in shapes.FULL_DECODE
        code = NOTE if full or message in shapes.ZAP_NOTES else self._code(hit)
        if len(self) < _CODE_CACHE:
            self[message] = code
        return code

    def _code(self, hit: Hit | None) -> int:
        if hit is None:
            return -1
        if any(name != "n" for name in hit.groups):
            return TEXT_HIT
        key = (hit.kind, hit.fields)
        if key not in self._numbers:
            self._numbers[key] = len(self.hits)
            self.hits.append(hit)
        return self._numbers[key]


class ZapBlocks:
    """Scans blocks for one bundle: the catalogue's fields decide what is decoded."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        names = sorted({*BASE_FIELDS, *catalogue.json_fields})
        self._attribute = {name: f"f{number}" for number, name in enumerate(names)}
        struct = msgspec.defstruct(
            "ZapRecord",
            [("msg", str), ("request", msgspec.Raw, msgspec.Raw()), *((a, Any, None) for a in self._attribute.values())],
            rename={attribute: name for name, attribute in self._attribute.items()},
            gc=False,
        )
        self._decoder = msgspec.json.Decoder(list[struct])  # type: ignore[valid-type]
        self._codes = _Codes(catalogue)

    def getter(self, name: str) -> Callable[[Any], Any]:
        """Reads one JSON field of a decoded record."""
        return attrgetter(self._attribute[name])

    def scan(self, block: bytes, first_line: int) -> Columns | None:
        """Columns of a block of whole lines, or None when it must be read line by line."""
        body = block[:-1] if block.endswith(b"\n") else block
        lines = body.count(b"\n") + 1
        try:
            records = self._decoder.decode(b"[" + body.replace(b"\n", b",") + b"]")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if len(records) != lines:
            return None
        ts_ns, valid = stamps.of_json_column(list(map(self.getter("ts"), records)))
        if not valid.all():
            return None
        return self._columns(records, ts_ns, first_line)

    def _columns(self, records: list[Any], ts_ns: NDArray[np.int64], first_line: int) -> Columns:
        table = self._codes
        codes = np.array([table[record.msg] for record in records], dtype=np.int32)
        rows = []
        for code in np.unique(codes[codes >= 0]):
            where = np.flatnonzero(codes == code)
            rows.append((len(where), self._group(records, where, table.hits[code], ts_ns, first_line)))
        text_rows = []
        for index in np.flatnonzero(codes == TEXT_HIT):
            hit = self.catalogue.lookup(records[index].msg)
            if hit is not None:
                text_rows.append((int(index), hit, records[index]))
        return Columns(
            len(records),
            rows,
            text_rows,
            [int(index) for index in np.flatnonzero(codes == NOTE)],
            np.unique(ts_ns // stamps.SECOND, return_counts=True),
            Counter(map(self.getter("level"), records)),
            int(ts_ns.min()),
            int(ts_ns.max()),
            Counter(map(self.getter("local-member-id"), records[:2000])),
        )

    def _group(
        self, records: list[Any], where: NDArray[np.int64], hit: Hit, ts_ns: NDArray[np.int64], first_line: int
    ) -> dict[str, Any]:
        chosen = [records[index] for index in where.tolist()]
        kind = self.catalogue.kinds[hit.kind]
        columns: dict[str, Any] = {
            "kind": hit.kind,
            "ts_ns": ts_ns[where],
            "line": where + first_line,
            "level": LEVELS.get(chosen[0].__getattribute__(self._attribute["level"]) or "", -1),
            "error": self._errors(chosen),
        }
        self._values(columns, chosen, dict(hit.fields))
        if kind == "apply-slow":
            columns["kind"] = self._authentications(chosen, hit.kind)
        if kind in shapes.SHAPED:
            responses = list(map(self.getter("response"), chosen))
            columns["size"] = np.array(list(map(shapes.response_size, responses)))
            columns["value"] = np.array(list(map(shapes.response_count, responses)))
        if kind == "clock-drift":
            columns["value"] = np.array([shapes.drift_seconds(self.fields(record), np.nan) for record in chosen])
        return columns

    def _values(self, columns: dict[str, Any], chosen: list[Any], fields: dict[str, str]) -> None:
        for source, target in (("took", "took_s"), ("value", "value")):
            if source in fields:
                columns[target] = np.array(list(map(seconds, map(self.getter(fields[source]), chosen))))
        if "n" in fields:
            columns["value"] = np.array([_number(value) for value in map(self.getter(fields["n"]), chosen)])
        if "term" in fields:
            terms = map(self.getter(fields["term"]), chosen)
            columns["term"] = np.array([value if isinstance(value, int) else -1 for value in terms])
        for name in ("member", "peer", "leader"):
            if name in fields:
                columns[f"{name}_names"] = list(map(self.getter(fields[name]), chosen))

    def _authentications(self, chosen: list[Any], kind: int) -> Any:
        """Slow applies of a password check become an event of their own."""
        slow = self.catalogue.kinds.index("authenticate-slow")
        wanted = shapes.AUTHENTICATE.encode()
        flags = [wanted in bytes(record.request) for record in chosen]
        return np.where(flags, slow, kind) if any(flags) else kind

    def _errors(self, chosen: list[Any]) -> Any:
        texts = list(map(self.getter("error"), chosen))
        if not any(texts):
            return -1
        return np.array([self.catalogue.error_class(text) if isinstance(text, str) else -1 for text in texts])

    def fields(self, record: Any) -> dict[str, Any]:
        """The decoded fields of a record by their JSON names."""
        return {name: getattr(record, attribute) for name, attribute in self._attribute.items()}


def _number(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else float("nan")
    except ValueError:
        return float("nan")
