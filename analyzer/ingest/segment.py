"""One artifact, line by line: who understands this line?

A pasted ticket holds prose, fio output, log lines and iostat in one file, so formats are decided per line, never
per file: log lines first (their signature is strongest), then the parser that owns the running segment, then
whichever parser recognises the line as its own beginning, then JSON documents, then bare etcd messages. What
nobody wants is counted as not relevant.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from analyzer.ingest.json_text import Capture, opens_document
from analyzer.model.artifact import Artifact, LogSummary
from analyzer.model.line import Line, LineParser, Parsed
from analyzer.model.series import Series
from analyzer.parsers.etcd_log.scanner import LogScanner
from analyzer.parsers.registry import DOCUMENT_PARSERS, LINE_PARSERS

LOG_FORMAT = "etcd-log"
_LOG_LINE = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:|(?:\d{1,7}[:\t] ?)?\{\"(?:level|log|ts)\":|\[pod/|raft\d{4}/|time=\""
    r"|[^\W\d]{3,6}\.? +\d{1,2} \d\d:\d\d:\d\d |[\w.-]{1,64}(?: +\| |: )\{\""
)
"""How a log line begins that cannot be a line of an open JSON document."""
_JOURNAL = re.compile(r"-- (?:Logs begin at|Journal begins at) .{0,200} --$")
MAX_WRAPPED = 12
"""Lines a hard-wrapped log record may span."""
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
        self._quick: Callable[[Line], bool] | None = None
        """Asks the running parser before the log; a parser has it if some of its lines can be of no other format."""
        self._document: Capture | None = None
        self._fed = 0
        self._lead: list[Line] = []
        self._unowned: Line | None = None

    def line(self, line: Line) -> None:
        """Route one line."""
        self.artifact.lines += 1
        if self._document is None or not self._into_document(line):
            self._route(line, documents=True)

    def _route(self, line: Line, documents: bool) -> None:
        if self._quick is not None and self._quick(line):
            self._count_fed(line)
            return
        text = line.text
        if not text.strip():
            self._blank(line)
        elif self.scanner.line(text, line.number):
            self._saw_log()
        elif not (self._feed(line) or self._start(line) or (documents and self._open_document(line))):
            if self.scanner.bare(text, line.number):
                self._saw_log()
            else:
                self.artifact.not_relevant += 1
                self._unowned = line

    def block(self, data: bytes, first_line: int) -> int | None:
        """Offer a whole block to the log scanner; the number of lines it took."""
        if self._document is not None:  # a running line parser may stay: log lines pass it by
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
            self._count_fed(line)
            return True
        if self._fed > MAX_LEAD or not self._hand_over(line):
            self._close()
            return False
        return True

    def _count_fed(self, line: Line) -> None:
        self._fed += 1
        if self._fed <= MAX_LEAD:
            self._lead.append(line)

    def _hand_over(self, line: Line) -> bool:
        """A heading several tools share (sysstat's ``Linux ...`` banner) goes to whoever reads what follows it."""
        heading = list(self._lead)
        for parser in LINE_PARSERS:
            if self._current is not None and parser.format != self._current.format and parser.starts(line.text):
                heir = parser()
                if all(heir.feed(above) for above in heading) and heir.feed(line):
                    self._current, self._fed = heir, self._fed + 1
                    self._quick = getattr(heir, "quick", None)
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
                self._quick = getattr(self._current, "quick", None)
                self._offer_lead(parser)
                return self._feed(line)
        return False

    def _offer_lead(self, parser: type[LineParser]) -> None:
        """Give a starting parser the line just above it that nobody wanted: often its time stamp."""
        above, self._unowned = self._unowned, None
        leads_in = getattr(parser, "leads_in", None)
        wanted = getattr(parser, "takes_lead", False)
        if above is not None and leads_in is not None:
            wanted = leads_in(above.text)
        if above is not None and wanted and self._current is not None and self._current.feed(above):
            self._fed += 1
            self.artifact.not_relevant -= 1

    def _close(self) -> None:
        current, self._current = self._current, None
        self._quick = None
        if current is not None:
            self._take(current.finish(), self._fed)
        self._fed = 0
        self._lead = []

    # -- documents ------------------------------------------------------------------------------------------

    def _open_document(self, line: Line) -> bool:
        if not opens_document(line.text):
            return False
        self._close()
        capture = Capture()
        if capture.add(line):
            self._finish_document(capture)
        else:
            self._document = capture
        return True

    def _into_document(self, line: Line) -> bool:
        capture = self._document
        assert capture is not None
        if self._interrupts(line.text):
            self._document = None
            self._finish_document(capture)
            return False
        if capture.add(line) or self._is_record(capture):
            self._document = None
            self._finish_document(capture)
        return True

    def _is_record(self, capture: Capture) -> bool:
        """Whether the lines are one hard-wrapped log record, which may break inside a string."""
        if capture.lines[0].text.startswith('{"level":') and len(capture.lines) <= MAX_WRAPPED:
            return capture.lines[-1].text.rstrip().endswith("}")
        return False

    def _interrupts(self, text: str) -> bool:
        """Whether a line plainly begins something else: the document above it was cut off."""
        if _LOG_LINE.match(text):
            return True
        if not text or text[0] in '{}[]" \t,-0123456789':
            return False
        return any(parser.starts(text) for parser in LINE_PARSERS) or not text[0].isalnum()

    def _finish_document(self, capture: Capture) -> None:
        first = capture.lines[0]
        wrapped = first.text.startswith('{"level":') and len(capture.lines) <= MAX_WRAPPED
        if wrapped and self.scanner.whole([line.text for line in capture.lines], first.number):
            self._saw_log()
            return
        document = capture.document()
        if document is not None:
            for parser in DOCUMENT_PARSERS:
                if parser.accepts(document.value):
                    self._take(parser.parse(document), len(capture.lines))
                    return
            self.artifact.not_relevant += len(capture.lines)
            return
        for line in capture.lines:  # no JSON after all: whatever it is, somebody may know it
            self._route(line, documents=False)

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
        document, self._document = self._document, None
        if document is not None:
            self._finish_document(document)
        self._close()
        scanner, artifact = self.scanner, self.artifact
        summary = scanner.finish()
        if scanner.recognised == 0:
            self._not_etcd()
            return self._timed
        artifact.understood += scanner.understood
        artifact.rejected += scanner.rejected
        artifact.wrappers.extend(scanner.wrappers)
        artifact.records.extend(scanner.flags)
        if scanner.voices:
            artifact.facts["speakers"] = {name: _speaker(voice) for name, voice in scanner.voices.items()}
        if summary.lines:
            artifact.log = summary
            artifact.first_ns, artifact.last_ns = scanner.first_ns, scanner.last_ns
        return self._timed

    def _not_etcd(self) -> None:
        """Log lines of other programs in wrappers that etcd's have, too: nothing of them counts."""
        artifact = self.artifact
        artifact.not_relevant += self.scanner.understood + self.scanner.rejected
        if LOG_FORMAT in artifact.formats:
            artifact.formats.remove(LOG_FORMAT)
            if not artifact.formats:
                artifact.unreadable = "a log, but no line of it is etcd's"
                artifact.hint = "collect the log of etcd itself (container etcd, unit etcd or k3s)"


def _speaker(voice: LogSummary) -> dict[str, object]:
    """What a speaker of a merged log says of itself: its lines, its id, its name."""
    ids, names = voice.member_ids, voice.names
    return {
        "lines": voice.lines,
        "member_id": max(ids, key=lambda key: ids[key], default=None),
        "member_name": max(names, key=lambda key: names[key], default=None),
    }


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
