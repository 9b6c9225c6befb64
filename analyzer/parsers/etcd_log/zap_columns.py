"""The hot path, second half: decoded zap records -> rows of the event table, a column at a time.

Records of several blocks are gathered first: numpy costs a microsecond a call, so a call should see thousands of
values. Every column must equal what ``LogScanner`` makes of the same line on its own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.parsers.durations import seconds_column
from analyzer.parsers.etcd_log import shapes
from analyzer.parsers.etcd_log.dialects import LEVELS
from analyzer.parsers.etcd_log.rows import Interner, RowBuffer
from analyzer.parsers.etcd_log.shape_columns import text_shapes
from analyzer.parsers.etcd_log.stamps import SECOND
from analyzer.parsers.etcd_log.zap_block import Block, ZapBlocks

GATHER = 4096
"""Records gathered before their columns are made: 2 MB, so they stay in the cache (16384: 10 to 40 % slower)."""


class ZapColumns:
    """Gathers the records of one artifact, makes rows of them, and counts what their lines say of the artifact."""

    def __init__(self, blocks: ZapBlocks, rows: RowBuffer, names: Interner, artifact: int) -> None:
        self.blocks = blocks
        self.rows = rows
        self.names = names
        self.artifact = artifact
        self.lines = 0
        self.levels: Counter[int] = Counter()
        self.member_ids: Counter[str] = Counter()
        self.seconds: dict[int, int] = {}
        """Lines per UTC second."""
        self.span_ns: tuple[int, ...] = ()
        """First and last time; empty without lines."""
        self._records: list[Any] = []
        self._codes: list[NDArray[np.int16]] = []
        self._ts_ns: list[NDArray[np.int64]] = []
        self._lines: list[NDArray[np.int64]] = []

    def add(self, block: Block, first_line: int, keep: NDArray[np.bool_] | None = None) -> None:
        """Gather a block whose first line has this number; only the lines to ``keep``, if given."""
        lines = np.arange(first_line, first_line + len(block.codes), dtype=np.int64)
        if keep is None:
            self._records += block.records
            self._codes.append(block.codes)
            self._ts_ns.append(block.ts_ns)
            self._lines.append(lines)
        else:
            self._records += [block.records[index] for index in np.flatnonzero(keep).tolist()]
            self._codes.append(block.codes[keep])
            self._ts_ns.append(block.ts_ns[keep])
            self._lines.append(lines[keep])
        if len(self._records) >= GATHER:
            self.flush()

    def flush(self) -> None:
        """Make rows of what was gathered, and forget it."""
        records, self._records = self._records, []
        if not records:
            return
        codes, ts_ns, lines = np.concatenate(self._codes), np.concatenate(self._ts_ns), np.concatenate(self._lines)
        self._codes, self._ts_ns, self._lines = [], [], []
        self._count_times(ts_ns)
        levels = self._level_column(records)
        self._count_members(records)
        rows = np.flatnonzero(codes >= 0)
        if len(rows) == 0:
            return
        if len(rows) < len(records):
            records = [records[index] for index in rows.tolist()]
        columns = {"ts_ns": ts_ns[rows], "line": lines[rows], "level": levels[rows], "artifact": self.artifact}
        self._fill(columns, records, codes[rows])
        self.rows.extend(len(records), columns)

    def _count_times(self, ts_ns: NDArray[np.int64]) -> None:
        self.lines += len(ts_ns)
        self.span_ns = (min((int(ts_ns.min()), *self.span_ns)), max((int(ts_ns.max()), *self.span_ns)))
        distinct, counts = np.unique(ts_ns // SECOND, return_counts=True)
        for second, count in zip(distinct.tolist(), counts.tolist(), strict=True):
            self.seconds[second] = self.seconds.get(second, 0) + count

    def _level_column(self, records: list[Any]) -> NDArray[np.int8]:
        levels = np.array(_each_distinct(_level, list(map(self.blocks.getter("level"), records))), dtype=np.int8)
        distinct, counts = np.unique(levels, return_counts=True)
        self.levels.update(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))
        return levels

    def _count_members(self, records: list[Any]) -> None:
        named = list(filter(None, map(self.blocks.getter("local-member-id"), records)))
        try:
            counts = Counter(named)
        except TypeError:  # a list or an object where an id should stand
            counts = Counter(name for name in named if isinstance(name, str))
        self.member_ids.update({name: count for name, count in counts.items() if isinstance(name, str)})

    def _fill(self, columns: dict[str, Any], records: list[Any], codes: NDArray[np.int16]) -> None:
        hits = self.blocks.hits
        columns["kind"] = np.array([hit.kind for hit in hits], dtype=np.int16)[codes]
        columns["member"] = self._named(records, "local-member-id")
        columns["error"] = self._errors(records)
        columns["peer"] = np.full(len(records), -1, dtype=np.int32)
        for name in ("took_s", "value", "size"):
            columns[name] = np.full(len(records), math.nan)
        for code in np.unique(codes).tolist():
            where = np.flatnonzero(codes == code)
            chosen = [records[index] for index in where.tolist()] if len(where) < len(records) else records
            kind = self.blocks.catalogue.kinds[hits[code].kind]
            self._fill_kind(columns, where, chosen, kind, dict(hits[code].fields))

    def _fill_kind(
        self, columns: dict[str, Any], where: NDArray[np.int64], chosen: list[Any], kind: str, fields: dict[str, str]
    ) -> None:
        getter = self.blocks.getter
        if "took" in fields:
            columns["took_s"][where] = seconds_column(list(map(getter(fields["took"]), chosen)))
        for name in ("leader", "peer"):  # the peer, if both are named
            if name in fields:
                named = self._named(chosen, fields[name])
                columns["peer"][where] = np.where(named >= 0, named, columns["peer"][where])
        if kind in shapes.SHAPED:
            self._fill_shapes(columns, where, chosen, kind)
        elif "value" in fields:
            columns["value"][where] = seconds_column(list(map(getter(fields["value"]), chosen)))
        elif "n" in fields:
            columns["value"][where] = list(map(shapes.number, map(getter(fields["n"]), chosen)))

    def _fill_shapes(self, columns: dict[str, Any], where: NDArray[np.int64], chosen: list[Any], kind: str) -> None:
        requests = self._texts(chosen, "request")
        responses = self._texts(chosen, "response")
        if not any(requests) and not any(responses):
            return
        sizes, counts = text_shapes(requests + responses)
        middle = len(chosen)
        columns["size"][where] = np.fmax(sizes[:middle], sizes[middle:])
        columns["value"][where] = np.fmax(counts[:middle], counts[middle:])
        passwords = [kind == "apply-slow" and shapes.AUTHENTICATE in request for request in requests]
        if any(passwords):  # an event of its own, and not one whose request is measured
            columns["kind"][where[passwords]] = self.blocks.catalogue.kinds.index("authenticate-slow")
            columns["size"][where[passwords]] = columns["value"][where[passwords]] = math.nan

    def _texts(self, records: list[Any], field: str) -> list[str]:
        texts = list(map(self.blocks.getter(field), records))
        try:
            "".join(texts)
        except TypeError:
            return [text if isinstance(text, str) else "" for text in texts]
        return texts

    def _named(self, records: list[Any], field: str) -> NDArray[np.int32]:
        """Numbers of the ids in a field, -1 where there is none."""
        written = list(map(self.blocks.getter(field), records))
        return np.array(_each_distinct(self._number_of, written), dtype=np.int32)

    def _number_of(self, name: object) -> int:
        return self.names(name) if isinstance(name, str) else -1

    def _errors(self, records: list[Any]) -> NDArray[np.int8]:
        texts = list(map(self.blocks.getter("error"), records))
        return np.array(_each_distinct(self._error_class, texts), dtype=np.int8)

    def _error_class(self, text: object) -> int:
        return self.blocks.catalogue.error_class(text) if isinstance(text, str) else -1


def _each_distinct(function: Callable[[object], int], values: list[Any]) -> list[int]:
    """``list(map(function, values))`` with one call per distinct value: a log repeats its levels, ids and errors."""
    try:
        known = {value: function(value) for value in dict.fromkeys(values)}
    except TypeError:  # a list or an object where a text should stand
        return list(map(function, values))
    return list(map(known.__getitem__, values))


def _level(level: object) -> int:
    return LEVELS.get(level.lower(), -1) if isinstance(level, str) else -1
