"""One artifact, line by line: who understands this line?

A pasted ticket holds prose, fio output, log lines and iostat in one file, so formats are decided per line, never
per file: log lines first (their signature is strongest), then the parser that owns the running segment, then
whichever parser recognises the line as its own beginning, then JSON documents, then bare etcd messages. What
nobody wants is counted as not relevant.
"""

from __future__ import annotations

from analyzer.ingest.json_text import Capture
from analyzer.model.artifact import Artifact
from analyzer.model.line import Line, LineParser, Parsed
from analyzer.model.series import Series
from analyzer.parsers.etcd_log.scanner import LogScanner
from analyzer.parsers.registry import DOCUMENT_PARSERS, LINE_PARSERS

LOG_FORMAT = "etcd-log"
MAX_LEAD = 3
"""Lines a parser may have taken and still hand over to another."""


class Segmenter:
    """Routes the lines of one artifact; ``finish`` fills its coverage row and returns its samples."""

    def __init__(self, artifact: Artifact, scanner: LogScanner) -> None:
        self.artifact = artifact
        self.scanner = scanner
        self.series: list[Series] = []
        self._timed: list[Parsed] = []
        self._current: LineParser | None = None
        self._document: Capture | None = None
        self._fed = 0
        self._lead: list[Line] = []
        self._unowned: Line | None = None

    def line(self, line: Line) -> None:
        """Route one line."""
        self.artifact.lines += 1
        if self._document is not None and self._into_document(line):
            return
        text = line.text
        if not text.strip():
            self._blank(line)
        elif self.scanner.line(text, line.number):
            self._saw_log()
        elif not (self._feed(line) or self._start(line) or self._open_document(line)):
            if self.scanner.bare(text, line.number):
                self._saw_log()
            else:
                self.artifact.not_relevant += 1
                self._unowned = line

    def block(self, data: bytes, first_line: int) -> int | None:
        """Offer a whole block to the log scanner; the number of lines it took."""
        if self._current is not None or self._document is not None:
            return None
        taken = self.scanner.block(data, first_line)
        if taken is not None:
            self.artifact.lines += taken
            self._saw_log()
        return taken

    def _saw_log(self) -> None:
        if LOG_FORMAT not in self.artifact.formats:
            self.artifact.formats.append(LOG_FORMAT)

    def _blank(self, line: Line) -> None:
        if self._current is None or not self._feed(line):
            self.artifact.not_relevant += 1

    # -- line parsers ---------------------------------------------------------------------------------------

    def _feed(self, line: Line) -> bool:
        current = self._current
        if current is None:
            return False
        if getattr(current, "lenient", False) and line.text.strip() and self._other_starts(line, current):
            return False
        if current.feed(line):
            self._fed += 1
            if self._fed <= MAX_LEAD:
                self._lead.append(line)
            return True
        if self._fed > MAX_LEAD or not self._hand_over(line):
            self._close()
            return False
        return True

    def _hand_over(self, line: Line) -> bool:
        """A heading several tools share (sysstat's ``Linux ...`` banner) goes to whoever reads what follows it."""
        heading = list(self._lead)
        for parser in LINE_PARSERS:
            if self._current is not None and parser.format != self._current.format and parser.starts(line.text):
                heir = parser()
                if all(heir.feed(above) for above in heading) and heir.feed(line):
                    self._current, self._fed = heir, self._fed + 1
                    return True
        return False

    def _other_starts(self, line: Line, current: LineParser) -> bool:
        other = next((p for p in LINE_PARSERS if p.format != current.format and p.starts(line.text)), None)
        if other is None:
            return False
        self._close()
        return True

    def _start(self, line: Line) -> bool:
        for parser in LINE_PARSERS:
            if parser.starts(line.text):
                self._close()
                self._current = parser()
                self._offer_lead(parser)
                return self._feed(line)
        return False

    def _offer_lead(self, parser: type[LineParser]) -> None:
        """Give a starting parser the line just above it that nobody wanted: often its time stamp."""
        above, self._unowned = self._unowned, None
        leads_in = getattr(parser, "leads_in", None)
        wanted = leads_in(above.text) if above is not None and leads_in is not None else getattr(parser, "takes_lead", False)
        if above is not None and wanted and self._current is not None and self._current.feed(above):
            self._fed += 1
            self.artifact.not_relevant -= 1

    def _close(self) -> None:
        current, self._current = self._current, None
        if current is not None:
            self._take(current.finish(), self._fed)
        self._fed = 0
        self._lead = []

    # -- documents ------------------------------------------------------------------------------------------

    def _open_document(self, line: Line) -> bool:
        text = line.text.lstrip()
        if text[:1] not in ("{", "["):
            return False
        self._close()
        capture = Capture()
        if capture.add(line):
            return self._finish_document(capture)
        self._document = capture
        return True

    def _into_document(self, line: Line) -> bool:
        capture = self._document
        assert capture is not None
        if self._interrupts(line.text):
            self._document = None
            self._finish_document(capture)
            return False
        if capture.add(line):
            self._document = None
            self._finish_document(capture)
        return True

    def _interrupts(self, text: str) -> bool:
        """Whether a line plainly begins something else: the document above it was cut off."""
        if not text or text[0] in '{}[]" \t,-0123456789':
            return text.startswith('{"level":')
        return any(parser.starts(text) for parser in LINE_PARSERS) or not text[0].isalnum()

    def _finish_document(self, capture: Capture) -> bool:
        document = capture.document()
        if document is not None:
            for parser in DOCUMENT_PARSERS:
                if parser.accepts(document.value):
                    self._take(parser.parse(document), len(capture.lines))
                    return True
        self.artifact.not_relevant += len(capture.lines)
        return True

    # -- results --------------------------------------------------------------------------------------------

    def _take(self, parsed: Parsed, fed: int) -> None:
        artifact = self.artifact
        understood = min(parsed.understood, fed)
        rejected = min(parsed.rejected, fed - understood)
        artifact.understood += understood
        artifact.rejected += rejected
        artifact.not_relevant += fed - understood - rejected
        if parsed.format not in artifact.formats and (understood or rejected):
            artifact.formats.append(parsed.format)
        _merge_facts(artifact.facts, dict(parsed.facts))
        artifact.records.extend(parsed.records)
        artifact.problems.extend(parsed.problems)
        self.series.extend(parsed.series)
        if parsed.timed or parsed.first_ns is not None:
            self._timed.append(parsed)

    def finish(self) -> list[Parsed]:
        """Close what is open; the timed segments, for the clock of the artifact."""
        self._close()
        if self._document is not None:
            self._finish_document(self._document)
            self._document = None
        scanner, artifact = self.scanner, self.artifact
        summary = scanner.finish()
        artifact.understood += scanner.understood
        artifact.rejected += scanner.rejected
        artifact.wrappers.extend(scanner.wrappers)
        artifact.records.extend(scanner.flags)
        surplus = artifact.understood + artifact.rejected + artifact.not_relevant - artifact.lines
        if surplus > 0:  # a hard-wrapped record was re-read with its continuation line
            artifact.understood -= surplus
        if summary.lines:
            artifact.log = summary
            artifact.first_ns, artifact.last_ns = scanner.first_ns, scanner.last_ns
        return self._timed


def _merge_facts(into: dict[str, object], new: dict[str, object]) -> None:
    """Facts of several segments of one file: lists are joined, tables merged, the first scalar wins."""
    for key, value in new.items():
        known = into.get(key)
        if isinstance(known, list) and isinstance(value, list):
            into[key] = [*known, *value]
        elif isinstance(known, dict) and isinstance(value, dict):
            _merge_facts(known, value)
        elif known is None:
            into[key] = value
