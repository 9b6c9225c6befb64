"""Feeds one artifact's lines and blocks through wrappers, dialects and the event catalogue."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from analyzer.model.artifact import LogSummary
from analyzer.model.facts import Flag
from analyzer.parsers.etcd_log import dialects, shapes, stamps
from analyzer.parsers.etcd_log.bare import BareMessages
from analyzer.parsers.etcd_log.dialects import LEVEL_NAMES, Record
from analyzer.parsers.etcd_log.row_writer import RowWriter
from analyzer.parsers.etcd_log.rows import Interner, RowBuffer
from analyzer.parsers.etcd_log.split_lines import SplitLines
from analyzer.parsers.etcd_log.wrappers import Peeled, peel
from analyzer.parsers.etcd_log.zap_block import LINE, ZapBlocks, line_of
from analyzer.parsers.etcd_log.zap_columns import ZapColumns
from analyzer.parsers.etcd_log.zone_offset import offset_seconds, stated_offset
from analyzer.rulebook.catalogue import Catalogue, Hit

_MERGED = re.compile(r" ?\[merged (\d+) repeated lines in [^\]]+\]")
_ETCD_PROGRAMS = re.compile(r"(?:.*etcd.*|k3s.*|rke2.*|k0s.*|kernel|systemd|kubelet|dockerd|containerd)", re.I)
MAX_WRAPPED_WIDTH = 4
MAX_VOICES = 256
_LOG_WRAPPERS = ("cri", "docker-json", "journald", "journald-json")
"""Wrappers that only log lines have."""
_NOTHING_PEELED = peel("")


class Unfinished(NamedTuple):
    """A cut or wrapped line whose rest may be the next line."""

    payload: str
    line: int
    record: Record
    peeled: Peeled
    hit: Hit | None
    pieces: int = 1


class LogScanner:
    """The log reader of one artifact. Feed lines in order, then read ``summary``, ``flags`` and counters."""

    def __init__(self, blocks: ZapBlocks, rows: RowBuffer, names: Interner, artifact: int) -> None:
        self.blocks = blocks
        self.catalogue: Catalogue = blocks.catalogue
        self.summary = LogSummary()
        self.flags: list[Flag] = []
        self.wrappers: list[str] = []
        self.understood = 0
        self.rejected = 0
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self._seconds: dict[int, int] = {}
        self.recognised = 0
        """Lines that are etcd's own or speak of it; other programs share its wrappers."""
        self.voices: dict[str, LogSummary] = {}
        """What each speaker a prefix names (compose, kubectl, journald) says of itself."""
        self._voice = self.summary
        self._split = SplitLines()
        self._bare = BareMessages(self.catalogue)
        self._unfinished: Unfinished | None = None
        self._own_offset: int | None = None
        self._columns = ZapColumns(blocks, rows, names, artifact)
        self._writer = RowWriter(self.catalogue, rows, names, artifact)

    # -- blocks ---------------------------------------------------------------------------------------------

    def block(self, data: bytes, first_line: int) -> int | None:
        """Take a whole block of plain zap lines; the number of lines, or None when it is not one."""
        block = self.blocks.decode(data)
        if block is None:
            return None
        alone = block.codes == LINE
        if alone.any():
            for index in np.flatnonzero(alone).tolist():
                self.line(line_of(data, block.ends, index), first_line + index)
        self._columns.add(block, first_line, None if not alone.any() else ~alone)
        return len(block.codes)

    def _add_columns(self) -> None:
        """What the lines taken as columns say of the artifact."""
        columns, summary = self._columns, self.summary
        columns.flush()
        summary.lines += columns.lines
        self.understood += columns.lines
        self.recognised += columns.lines
        for level, count in columns.levels.items():
            name = LEVEL_NAMES[level] if level >= 0 else "unknown"
            summary.levels[name] = summary.levels.get(name, 0) + count
        for local, count in columns.member_ids.items():
            summary.member_ids[local] = summary.member_ids.get(local, 0) + count
        for second, count in columns.seconds.items():
            self._seconds[second] = self._seconds.get(second, 0) + count
        for ns in columns.span_ns:
            self._span(ns)

    # -- lines ----------------------------------------------------------------------------------------------

    def line(self, text: str, number: int) -> bool:
        """Take one line; False when it is in no log dialect (the line was not consumed)."""
        peeled = peel(text, self._split.waiting)
        if self._split.waiting and not peeled.partial:
            peeled, number = self._split.joined(peeled, number)
        if peeled.partial:
            self._split.hold(peeled, number)
            self.understood += 1
            self._note_wrappers(peeled)
            return True
        record = dialects.parse(peeled.payload)
        if record is None:
            return self._foreign(peeled, number)
        self._release()
        self.recognised += 1
        self._accept(record, peeled, number)
        return True

    def bare(self, text: str, number: int) -> bool:
        """Take a line that nothing else wanted: a stripped message, or the rest of a wrapped one."""
        if self._unfinished is not None and self._rejoin(text):
            return True
        found = self._bare.hit(text)
        if found is None:
            return False
        self.recognised += 1
        self._accept(Record(found[0], -1, None, {}), _NOTHING_PEELED, number, found[1])
        return True

    def _foreign(self, peeled: Peeled, number: int) -> bool:
        """A line whose payload is no log dialect: still ours when a log wrapper and etcd's words are there."""
        if not peeled.wrappers:
            return self._go_trace(peeled.payload)
        program = peeled.program
        level, message = dialects.lettered(peeled.payload)
        hit = self.catalogue.lookup(message)
        from_etcd = program is not None and _ETCD_PROGRAMS.fullmatch(program) is not None
        if hit is None and not from_etcd:
            known = peeled.wrappers[0] in _LOG_WRAPPERS
            if known:
                self._accept(Record(peeled.payload, -1, None, {}), peeled, number)
            return known
        self.recognised += 1
        self._accept(Record(message, level, None, {}), peeled, number, hit)
        return True

    def _go_trace(self, payload: str) -> bool:
        if dialects.is_go_trace(payload) and self.summary.lines:
            self.understood += 1
            return True
        return False

    def _accept(self, record: Record, peeled: Peeled, number: int, hit: Hit | None = None) -> None:
        self._voice = self._voice_of(peeled.speaker)
        stamp = self._stamp(record, peeled)
        record = record._replace(stamp=stamp)
        self._note(record, peeled, number)
        message, merged = self._unmerge(record.message)
        hit = hit or self.catalogue.lookup(message)
        if record.damaged or (hit is None and "msg" not in record.fields):
            self._release()
            self._unfinished = Unfinished(peeled.payload, number, record, peeled, hit)
        elif hit is not None:
            self._emit(hit, record._replace(message=message), number, peeled, merged)

    def whole(self, pieces: list[str], number: int) -> bool:
        """Take one record that was hard-wrapped over several lines; False when together they are none."""
        peeled = peel("".join(pieces))
        record = dialects.parse(peeled.payload)
        if record is None or record.damaged:
            return False
        self._release()
        self.recognised += 1
        self.understood += len(pieces) - 1
        self._accept(record, peeled, number)
        return True

    def _release(self) -> None:
        """Give up waiting for the rest of a cut line: what it says so far counts."""
        held, self._unfinished = self._unfinished, None
        if held is not None and held.hit is not None:
            self._emit(held.hit, held.record, held.line, held.peeled)

    def _voice_of(self, speaker: str | None) -> LogSummary:
        if speaker is None:
            return self.summary
        voice = self.voices.get(speaker)
        if voice is None:
            if len(self.voices) >= MAX_VOICES:
                return self.summary
            voice = self.voices[speaker] = LogSummary()
        voice.lines += 1
        return voice

    def _emit(self, hit: Hit, record: Record, line: int, peeled: Peeled, count: int = 1) -> None:
        hit = self._writer.named_by_error(hit, record)
        self._writer.write(hit, record, line, peeled.speaker, count)
        member = hit.groups.get("member")
        if isinstance(member, str):  # the member of a zap field was counted by note_zap
            self._voice.member_ids[member] = self._voice.member_ids.get(member, 0) + 1

    def _rejoin(self, text: str) -> bool:
        """Try the line as the hard-wrapped rest of the one before it."""
        held = self._unfinished
        if held is None or held.pieces >= MAX_WRAPPED_WIDTH:
            return False
        for glue in ("", " "):
            whole = dialects.parse(held.payload.rstrip() + glue + text.rstrip())
            hit = self.catalogue.lookup(whole.message) if whole is not None and not whole.damaged else None
            if whole is not None and hit is not None:
                self._unfinished = None
                self.understood += 1
                self._emit(hit, whole._replace(stamp=held.record.stamp), held.line, held.peeled)
                return True
        if held.payload.startswith("{") or '"' in held.payload:
            self._unfinished = held._replace(payload=held.payload.rstrip() + text.rstrip(), pieces=held.pieces + 1)
        return False

    def _stamp(self, record: Record, peeled: Peeled) -> stamps.Stamp | None:
        inner = record.stamp
        if inner is not None and not inner.yearless:
            self._learn_offset(inner, peeled)
            if self._own_offset is None and not inner.naive:
                self._own_offset = stated_offset(record.fields.get("ts"))
            return inner
        if peeled.when_ns is None:
            return inner
        return stamps.Stamp(peeled.when_ns, peeled.when_naive, peeled.yearless, 0)

    def _learn_offset(self, inner: stamps.Stamp, peeled: Peeled) -> None:
        if peeled.when_ns is None or self.summary.offset_seconds is not None:
            return
        offset = offset_seconds(inner, peeled.when_ns, peeled.when_naive, peeled.yearless)
        if offset is not None:
            self.summary.offset_seconds = offset
            known = f"{peeled.wrappers[0]} time stamps around it" if inner.naive else "the records inside its lines"
            self.summary.offset_source = known

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
        if record.fields and "pkg" not in record.fields:
            fields = record.fields if "msg" in record.fields else {**record.fields, "msg": record.message}
            self.flags.extend(shapes.note_zap(self._voice, fields, number))
        else:
            self.flags.extend(shapes.note_text(self._voice, record.message, number))
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

    # -- the end --------------------------------------------------------------------------------------------

    def finish(self) -> LogSummary:
        """Close the artifact: lines whose end never came count as far as they go."""
        for peeled, number in self._split.rest():
            record = dialects.parse(peeled.payload)
            if record is not None:
                self.understood -= 1  # its parts are counted already
                self.recognised += 1
                self._accept(record, peeled, number)
        self._release()
        if self.summary.offset_seconds is None and self.summary.naive_lines and self._own_offset is not None:
            self.summary.offset_seconds = self._own_offset
            self.summary.offset_source = "the JSON records between its lines"
        self._merge_voices()
        self._add_columns()
        self.summary.seconds = self._seconds
        return self.summary

    def _merge_voices(self) -> None:
        """What each speaker of a merged log said of itself is also said by the file."""
        for voice in self.voices.values():
            for table, more in ((self.summary.member_ids, voice.member_ids), (self.summary.names, voice.names)):
                for key, count in more.items():
                    table[key] = table.get(key, 0) + count
            for version, line in voice.versions.items():
                self.summary.versions.setdefault(version, line)
