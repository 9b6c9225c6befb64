"""Feeds one artifact's lines and blocks through wrappers, dialects and the event catalogue."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from analyzer.model.artifact import LogSummary
from analyzer.model.events import NO_TIME
from analyzer.model.facts import Flag
from analyzer.parsers.durations import seconds
from analyzer.parsers.etcd_log import dialects, shapes, stamps
from analyzer.parsers.etcd_log.dialects import LEVEL_NAMES, Record
from analyzer.parsers.etcd_log.rows import Interner, RowBuffer
from analyzer.parsers.etcd_log.wrappers import Peeled, peel
from analyzer.parsers.etcd_log.zap_block import Columns, ZapBlocks
from analyzer.rulebook.catalogue import Catalogue, Hit

_MERGED = re.compile(r" ?\[merged (\d+) repeated lines in [^\]]+\]")
_ETCD_PROGRAMS = re.compile(r"(?:.*etcd.*|k3s.*|rke2.*|k0s.*|kernel|systemd|kubelet|dockerd|containerd)", re.I)
_QUARTER_HOUR = 900
MAX_WRAPPED_WIDTH = 4


class LogScanner:
    """The log reader of one artifact. Feed lines in order, then read ``summary``, ``flags`` and counters."""

    def __init__(self, blocks: ZapBlocks, rows: RowBuffer, names: Interner, artifact: int) -> None:
        self.blocks = blocks
        self.catalogue: Catalogue = blocks.catalogue
        self.rows = rows
        self.names = names
        self.artifact = artifact
        self.summary = LogSummary()
        self.flags: list[Flag] = []
        self.wrappers: list[str] = []
        self.understood = 0
        self.rejected = 0
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self._seconds: dict[int, int] = {}
        self._partial: dict[str, tuple[str, Peeled]] = {}
        self._unmatched: tuple[str, int, Record, Peeled] | None = None

    # -- blocks ---------------------------------------------------------------------------------------------

    def block(self, data: bytes, first_line: int) -> int | None:
        """Take a whole block of plain zap lines; the number of lines, or None when it is not one."""
        columns = self.blocks.scan(data, first_line)
        if columns is None:
            return None
        self._take(columns, data, first_line)
        return columns.lines

    def _take(self, columns: Columns, data: bytes, first_line: int) -> None:
        for length, group in columns.rows:
            group["artifact"] = self.artifact
            self._intern(group)
            self.rows.extend(length, group)
        for index, hit, record in columns.text_rows:
            fields = self.blocks.fields(record)
            stamp = stamps.of_json(fields["ts"])
            level = dialects.LEVELS.get(str(fields["level"]), -1)
            self._emit(hit, Record(record.msg, level, stamp, fields), first_line + index, None)
        if columns.notes:
            lines = data.split(b"\n")
            for index in columns.notes:
                self._note_line(lines[index], first_line + index)
        self._count_block(columns)

    def _note_line(self, raw: bytes, line: int) -> None:
        record = dialects.zap(raw.decode("utf-8", "replace"))
        if record is None:
            return
        self.flags.extend(shapes.note_zap(self.summary, record.fields, line))
        hit = self.catalogue.lookup(record.message)
        if hit is not None:
            self._emit(self._named_by_error(hit, record), record, line, None)

    def _intern(self, group: dict[str, Any]) -> None:
        import numpy as np

        for name in ("member", "peer", "leader"):
            values = group.pop(f"{name}_names", None)
            if values is not None:
                target = "peer" if name == "leader" else name
                group[target] = np.array([self.names(v if isinstance(v, str) else None) for v in values])

    def _count_block(self, columns: Columns) -> None:
        summary = self.summary
        summary.lines += columns.lines
        self.understood += columns.lines
        for level, count in columns.levels.items():
            name = LEVEL_NAMES[dialects.LEVELS[level]] if level in dialects.LEVELS else "unknown"
            summary.levels[name] = summary.levels.get(name, 0) + count
        for local, count in columns.local_ids.items():
            if isinstance(local, str) and local:
                summary.member_ids[local] = summary.member_ids.get(local, 0) + count
        for second, count in zip(columns.seconds[0].tolist(), columns.seconds[1].tolist(), strict=True):
            self._seconds[second] = self._seconds.get(second, 0) + count
        self._span(columns.first_ns)
        self._span(columns.last_ns)

    # -- lines ----------------------------------------------------------------------------------------------

    def line(self, text: str, number: int) -> bool:
        """Take one line; False when it is in no log dialect (the line was not consumed)."""
        peeled = peel(text)
        if peeled.partial:
            return self._hold(peeled)
        peeled = self._join_parts(peeled)
        record = dialects.parse(peeled.payload)
        if record is None:
            return self._foreign(peeled, number)
        self._unmatched = None
        self._accept(record, peeled, number)
        return True

    def bare(self, text: str, number: int) -> bool:
        """Take a line that nothing else wanted: a stripped message, or the rest of a wrapped one."""
        if self._unmatched is not None and self._rejoin(text):
            return True
        payload = text.strip().lstrip("-*>•· ")
        hit = self.catalogue.lookup(payload) if len(payload) > 12 else None
        if hit is None or not self._is_specific(payload, hit):
            return False
        self._accept(Record(payload, -1, None, {}), peel(""), number, hit)
        return True

    def _is_specific(self, payload: str, hit: Hit) -> bool:
        # without any log prefix only a message that BEGINS as etcd's does counts: prose quotes etcd, too
        return self.catalogue.begins_with_literal(payload, hit)

    def _hold(self, peeled: Peeled) -> bool:
        stream = "|".join(peeled.wrappers)
        held = self._partial.get(stream)
        self._partial[stream] = ((held[0] if held else "") + peeled.payload, held[1] if held else peeled)
        self.understood += 1
        self._note_wrappers(peeled)
        return True

    def _join_parts(self, peeled: Peeled) -> Peeled:
        if not self._partial or not peeled.wrappers:
            return peeled
        held = self._partial.pop("|".join(peeled.wrappers), None)
        return held[1]._replace(payload=held[0] + peeled.payload, partial=False) if held else peeled

    def _foreign(self, peeled: Peeled, number: int) -> bool:
        """A line whose payload is no log dialect: still ours when a log wrapper and etcd's words are there."""
        if not peeled.wrappers:
            return self._go_trace(peeled.payload)
        program = peeled.program
        level, message = dialects.lettered(peeled.payload)
        hit = self.catalogue.lookup(message)
        from_etcd = program is not None and _ETCD_PROGRAMS.fullmatch(program) is not None
        if hit is None and not from_etcd:
            known = peeled.wrappers[0] in ("cri", "docker-json", "journald")
            if known:
                self._accept(Record(peeled.payload, -1, None, {}), peeled, number)
            return known
        self._accept(Record(message, level, None, {}), peeled, number, hit)
        return True

    def _go_trace(self, payload: str) -> bool:
        if dialects.is_go_trace(payload) and self.summary.lines:
            self.understood += 1
            return True
        return False

    def _accept(self, record: Record, peeled: Peeled, number: int, hit: Hit | None = None) -> None:
        stamp = self._stamp(record, peeled)
        record = record._replace(stamp=stamp)
        self._note(record, peeled, number)
        message, merged = self._unmerge(record.message)
        hit = hit or self.catalogue.lookup(message)
        if hit is not None:
            self._emit(self._named_by_error(hit, record), record._replace(message=message), number, peeled, merged)
        elif not record.fields or record.damaged:
            self._unmatched = (peeled.payload, number, record, peeled)

    def _named_by_error(self, hit: Hit, record: Record) -> Hit:
        """Some zap messages only wrap an error that is an event of its own ("discovery failed": member count is unequal)."""
        error = record.fields.get("error")
        if self.catalogue.kinds[hit.kind] not in shapes.ERROR_SPEAKS or not isinstance(error, str):
            return hit
        inner = self.catalogue.lookup(error)
        return inner if inner is not None and self.catalogue.begins_with_literal(error, inner) else hit

    def _rejoin(self, text: str) -> bool:
        """Try the line as the hard-wrapped rest of the one before it."""
        held = self._unmatched
        if held is None or held[0].count("\n") >= MAX_WRAPPED_WIDTH:
            return False
        payload, number, record, peeled = held
        for glue in ("", " "):
            joined = payload.rstrip() + glue + text.rstrip()
            whole = dialects.parse(joined)
            if whole is None:
                continue
            hit = self.catalogue.lookup(whole.message)
            if hit is not None and not whole.damaged:
                self._unmatched = None
                self.understood += 1
                self._emit(hit, whole._replace(stamp=record.stamp), number, peeled)
                return True
        if payload.startswith("{") or '"' in payload:
            self._unmatched = (payload.rstrip() + text.rstrip() + "\n", number, record, peeled)
        return False

    def _stamp(self, record: Record, peeled: Peeled) -> stamps.Stamp | None:
        inner = record.stamp
        if inner is not None and not inner.yearless:
            self._learn_offset(inner, peeled)
            return inner
        if peeled.when_ns is None:
            return inner
        return stamps.Stamp(peeled.when_ns, peeled.when_naive, peeled.yearless, 0)

    def _learn_offset(self, inner: stamps.Stamp, peeled: Peeled) -> None:
        """A wrapper that knows UTC around a naive stamp tells the log's zone, to the quarter hour."""
        if not inner.naive or peeled.when_ns is None or peeled.when_naive or self.summary.offset_seconds is not None:
            return
        difference = (inner.ns - peeled.when_ns) / stamps.SECOND
        offset = round(difference / _QUARTER_HOUR) * _QUARTER_HOUR
        if abs(difference - offset) < 120 and abs(offset) <= 14 * 3600:
            self.summary.offset_seconds = offset
            self.summary.offset_source = f"{peeled.wrappers[0]} time stamps around it"

    def _note(self, record: Record, peeled: Peeled, number: int) -> None:
        summary = self.summary
        summary.lines += 1
        if record.damaged:
            self.rejected += 1
        else:
            self.understood += 1
        level = LEVEL_NAMES[record.level] if record.level >= 0 else "unknown"
        summary.levels[level] = summary.levels.get(level, 0) + 1
        self._note_wrappers(peeled)
        if peeled.program:
            summary.programs[peeled.program] = summary.programs.get(peeled.program, 0) + 1
        if record.fields:
            self.flags.extend(shapes.note_zap(summary, record.fields, number))
        else:
            self.flags.extend(shapes.note_text(summary, record.message, number))
        if record.stamp is not None:
            self._note_time(record.stamp)

    def _note_time(self, stamp: stamps.Stamp) -> None:
        self.summary.naive_lines += stamp.naive
        self.summary.yearless_lines += stamp.yearless
        second = stamp.ns // stamps.SECOND
        self._seconds[second] = self._seconds.get(second, 0) + 1
        self._span(stamp.ns)

    def _note_wrappers(self, peeled: Peeled) -> None:
        for name in peeled.wrappers:
            if name not in self.wrappers:
                self.wrappers.append(name)

    def _span(self, ns: int) -> None:
        self.first_ns = ns if self.first_ns is None else min(self.first_ns, ns)
        self.last_ns = ns if self.last_ns is None else max(self.last_ns, ns)

    def _unmerge(self, message: str) -> tuple[str, int]:
        found = _MERGED.search(message)
        if not found:
            return message, 1
        count = min(int(found[1]), 1_000_000)
        self.summary.merged += count
        return message[: found.start()] + message[found.end() :], count

    # -- rows -----------------------------------------------------------------------------------------------

    def _emit(self, hit: Hit, record: Record, line: int, peeled: Peeled | None, count: int = 1) -> None:
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
        if row.get("member", -1) < 0 and peeled is not None and peeled.speaker:
            row["member"] = self.names(peeled.speaker)
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
            row["value"] = _float(number)
        if "term" in values:
            row["term"] = _term(values["term"])
        self._fill_names(row, values, fields)

    def _fill_names(self, row: dict[str, Any], values: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
        member = values.get("member") or fields.get("local-member-id")
        peer = values.get("peer") or values.get("leader")
        if isinstance(member, str):
            row["member"] = self.names(member)
            if "member" in values:
                self.summary.member_ids[member] = self.summary.member_ids.get(member, 0) + 1
        if isinstance(peer, str):
            row["peer"] = self.names(peer)

    def _shape(self, row: dict[str, Any], kind: str, record: Record) -> None:
        if kind == "clock-drift":
            row["value"] = shapes.drift_seconds(record.fields, row.get("value", math.nan))
        if kind in shapes.SHAPED:
            texts = (record.fields.get("request"), record.fields.get("response"))
            text = " ".join(t for t in texts if isinstance(t, str)) or record.message
            row["size"], row["value"] = shapes.text_shape(text)

    def finish(self) -> LogSummary:
        """Close the artifact: parts still held are given up as they are."""
        for payload, peeled in self._partial.values():
            record = dialects.parse(payload)
            if record is not None:
                self._accept(record, peeled, 0)
        self._partial = {}
        self.summary.seconds = self._seconds
        return self.summary


def _float(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def _term(value: object) -> int:
    number = _float(value)
    return int(number) if 0 <= number < 2**62 else -1
