"""A recognised log record as one row of the event table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analyzer.model.events import NO_TIME
from analyzer.parsers.durations import seconds
from analyzer.parsers.etcd_log import shapes
from analyzer.parsers.etcd_log.dialects import Record
from analyzer.parsers.etcd_log.rows import Interner, RowBuffer
from analyzer.rulebook.catalogue import Catalogue, Hit


class RowWriter:
    """Writes the rows of one artifact, record by record (``ZapColumns`` writes whole blocks)."""

    def __init__(self, catalogue: Catalogue, rows: RowBuffer, names: Interner, artifact: int) -> None:
        self.catalogue = catalogue
        self.rows = rows
        self.names = names
        self.artifact = artifact

    def named_by_error(self, hit: Hit, record: Record) -> Hit:
        """Some zap messages only wrap an error that is an event of its own ("discovery failed": count is unequal)."""
        error = record.fields.get("error")
        if self.catalogue.kinds[hit.kind] not in shapes.ERROR_SPEAKS or not isinstance(error, str):
            return hit
        inner = self.catalogue.lookup(error)
        return inner if inner is not None and self.catalogue.begins_with_literal(error, inner) else hit

    def write(self, hit: Hit, record: Record, line: int, speaker: str | None, count: int) -> None:
        """Add a row; ``count`` is how often the record stands for itself, ``speaker`` whom its wrapper names."""
        kind = self.catalogue.kinds[hit.kind]
        if kind == "apply-slow" and shapes.AUTHENTICATE in str(record.fields.get("request") or record.message):
            kind = "authenticate-slow"
        row: dict[str, Any] = {
            "kind": self.catalogue.kinds.index(kind),
            "artifact": self.artifact,
            "line": line,
            "level": record.level,
            "count": count,
            "ts_ns": record.stamp.ns if record.stamp else NO_TIME,
            "naive": bool(record.stamp and record.stamp.naive),
        }
        row["error"] = self.catalogue.error_class(shapes.error_text(kind, record.message, record.fields))
        self._fill(row, hit, record.fields)
        self._shape(row, kind, record)
        if row.get("member", -1) < 0 and speaker:
            row["member"] = self.names(speaker)
        self.rows.append(row)

    def _fill(self, row: dict[str, Any], hit: Hit, fields: Mapping[str, Any]) -> None:
        values: dict[str, Any] = dict(hit.groups)
        for column, name in hit.fields:
            if fields.get(name) is not None:
                values[column] = fields[name]
        if "took" in values:
            row["took_s"] = seconds(values["took"])
        if "value" in values:
            row["value"] = seconds(values["value"])
        number = values.get("n", values.get("num"))
        if number is not None and "value" not in values:
            row["value"] = shapes.number(number)
        if "term" in values:
            row["term"] = _term(values["term"])
        self._fill_names(row, values, fields)

    def _fill_names(self, row: dict[str, Any], values: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
        member = values.get("member") or fields.get("local-member-id")
        peer = values.get("peer") or values.get("leader")
        if isinstance(member, str):
            row["member"] = self.names(member)
        if isinstance(peer, str):
            row["peer"] = self.names(peer)

    def _shape(self, row: dict[str, Any], kind: str, record: Record) -> None:
        if kind == "clock-drift":
            row["value"] = shapes.drift_seconds(record.fields, row.get("value", math.nan))
        if kind in shapes.SHAPED:
            texts = (record.fields.get("request"), record.fields.get("response"))
            text = " ".join(t for t in texts if isinstance(t, str)) or record.message
            row["size"], row["value"] = shapes.text_shape(text)


def _term(value: object) -> int:
    number = shapes.number(value)
    return int(number) if 0 <= number < 2**62 else -1
