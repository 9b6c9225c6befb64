"""The whole bundle: every source through its segmenter, into one table of events, samples and coverage rows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from analyzer.bundle import magic
from analyzer.bundle.blocks import line_blocks, settled
from analyzer.bundle.inflate import StreamBroken
from analyzer.bundle.walk import Source, Stdin, Unreadable, walk
from analyzer.ingest.clean import clean_text
from analyzer.ingest.file_times import date_records
from analyzer.ingest.segment import Segmenter
from analyzer.model.artifact import Artifact
from analyzer.model.events import EventTable
from analyzer.model.line import Line, Parsed
from analyzer.model.series import Series
from analyzer.parsers.etcd_log.rows import Interner, RowBuffer
from analyzer.parsers.etcd_log.scanner import LogScanner
from analyzer.parsers.etcd_log.zap_block import ZapBlocks
from analyzer.rulebook import RuleBook


@dataclass(slots=True)
class Evidence:
    """Everything read, before clocks and members are settled."""

    artifacts: list[Artifact]
    events: EventTable
    series: list[Series]
    timed: dict[int, list[Parsed]] = field(default_factory=dict)
    """Timed segments per artifact: the zone rules need to know which are naive."""
    mtimes: dict[int, int] = field(default_factory=dict)
    copies: dict[int, int] = field(default_factory=dict)
    """Artifacts with the same content as an earlier one: {index: index of the first}."""
    bytes_read: int = 0


Progress = Callable[[str, int], None]
"""Called with (path, bytes read so far) now and then."""


def read_bundle(paths: Sequence[str], rules: RuleBook, stdin: Stdin, progress: Progress | None = None) -> Evidence:
    """Read every file below ``paths``. Damage never raises: it becomes a coverage row."""
    reader = _Reader(rules, progress)
    for source in walk(paths, stdin):
        reader.take(source)
    return reader.evidence()


class _Reader:
    def __init__(self, rules: RuleBook, progress: Progress | None) -> None:
        self.rules = rules
        self.progress = progress
        self.blocks = ZapBlocks(rules.catalogue)
        self.rows = RowBuffer()
        self.names = Interner()
        self.artifacts: list[Artifact] = []
        self.series: list[Series] = []
        self.timed: dict[int, list[Parsed]] = {}
        self.mtimes: dict[int, int] = {}
        self.copies: dict[int, int] = {}
        self._first_of: dict[tuple[int, int], int] = {}
        self.bytes_read = 0

    def take(self, source: Source | Unreadable) -> None:
        artifact = Artifact(len(self.artifacts), source.path)
        self.artifacts.append(artifact)
        if isinstance(source, Unreadable):
            artifact.unreadable, artifact.hint = source.reason, source.hint
            return
        if source.mtime_ns is not None:
            self.mtimes[artifact.index] = source.mtime_ns
        scanner = LogScanner(self.blocks, self.rows, self.names, artifact.index)
        segmenter = Segmenter(artifact, scanner)
        try:
            self._read(source, artifact, segmenter)
        except StreamBroken as error:
            artifact.problems.append(f"{error}; what was read before is used")
            artifact.hint = "copy the file again; it is incomplete"
        self.timed[artifact.index] = segmenter.finish()
        self.series.extend(replace(series, artifact=artifact.index) for series in segmenter.series)
        date_records(artifact)
        self._judge(artifact)

    def _read(self, source: Source, artifact: Artifact, segmenter: Segmenter) -> None:
        number = 1
        size = checksum = 0
        first = True
        for block in line_blocks(settled(source.chunks)):
            if first:
                first = False
                kind = magic.foreign(block[: magic.HEAD])
                if kind is not None:
                    artifact.unreadable = kind.name
                    artifact.hint = kind.hint.format(name=source.path.rsplit("/", 1)[-1])
                    return
            self.bytes_read += len(block)
            size, checksum = size + len(block), zlib.crc32(block, checksum)
            number += self._block(block, number, segmenter)
            if self.progress is not None:
                self.progress(source.path, self.bytes_read)
        if size:
            first_index = self._first_of.setdefault((size, checksum), artifact.index)
            if first_index != artifact.index:
                self.copies[artifact.index] = first_index

    def _block(self, block: bytes, number: int, segmenter: Segmenter) -> int:
        if block.startswith(b'{"'):
            taken = segmenter.block(block, number)
            if taken is not None:
                return taken
        raw_lines = block.split(b"\n")
        if raw_lines and not raw_lines[-1]:
            raw_lines.pop()
        for offset, raw in enumerate(raw_lines):
            segmenter.line(Line(number + offset, clean_text(raw)))
        return len(raw_lines)

    def _judge(self, artifact: Artifact) -> None:
        if artifact.unreadable or artifact.understood:
            return
        if artifact.lines == 0:
            artifact.unreadable = "empty file" if not artifact.problems else artifact.problems[0]
            artifact.hint = artifact.hint or "nothing was captured: run the command again and check its stderr"
        elif not artifact.formats:
            artifact.unreadable = artifact.problems[0] if artifact.problems else "no line is of a known format"
            artifact.hint = artifact.hint or "see `etcd-doctor inspect` and docs/inputs.md for what can be read"

    def evidence(self) -> Evidence:
        catalogue = self.rules.catalogue
        table = EventTable(
            self.rows.frame(),
            catalogue.kinds,
            tuple(error.id for error in catalogue.error_classes),
            self.names.names,
        )
        return Evidence(self.artifacts, table, self.series, self.timed, self.mtimes, self.copies, self.bytes_read)
