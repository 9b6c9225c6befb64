"""iostat text reports of every column era (sysstat 9 to 12.7), by header name and never by position."""

from __future__ import annotations

import re
from typing import ClassVar, Final

from analyzer.model.line import Line, Parsed
from analyzer.parsers.iostat_report import Capture, Report
from analyzer.parsers.iostat_table import DeviceTable, Row, header_columns, read_cells
from analyzer.parsers.stamps import Stamp, read_date, read_stamp

_BANNER: Final = re.compile(
    r"\s*Linux\s+(?P<kernel>\S+)\s+\((?P<host>[^)]*)\)\s*(?P<date>\d\S*(?:\s\d\S*)*)"
    r"(?:\s+_(?P<arch>\S+)_)?(?:\s+\((?P<cpus>\d{1,6})\s+\w+\))?\s*"
)
_TIME_LINE: Final = re.compile(r"\s*(?:Time:\s|\d{1,4}[-/.年]\s?\d{1,2}[-/.月]|\d{10}\s*$)")
_BLANKS_WITH_Y: Final = 3
_VALUE_PROBLEMS_KEPT: Final = 5


class IostatParser:
    """Line parser of one run of iostat; a second banner is a new run and therefore a new segment.

    Series: disk and cpu metrics of model.series.METRICS, without the since-boot report. Times carry no
    zone unless ``S_TIME_FORMAT=ISO`` or ``-U`` was used. Facts: design contract ``iostat``.
    """

    format: ClassVar[str] = "iostat"

    def __init__(self) -> None:
        self._capture = Capture()
        self._report: Report | None = None
        self._table = DeviceTable()
        self._table_line_before = False
        self._header_before = False
        self._cpu_columns: list[str] = []
        self._devices: set[str] = set()
        self._stamp: tuple[Stamp, str] | None = None
        self._banner_line: int | None = None
        self._first_content_line: int | None = None
        self._understood = 0
        self._rejected = 0
        self._value_problems = 0

    @staticmethod
    def starts(text: str) -> bool:
        """A sysstat banner, an avg-cpu or device header, or a bare sysstat time line."""
        lead = text.lstrip()[:12]
        if lead.startswith("avg-cpu:"):
            return "%idle" in text
        if lead.startswith("Linux "):
            return _read_banner(text) is not None
        if lead.startswith("Device") or text.rstrip().endswith("Device"):
            return header_columns(text.split()) is not None
        if lead[:1].isdigit() or lead.startswith("Time:"):
            return _is_sysstat_stamp(text)
        return False

    @staticmethod
    def leads_in(text: str) -> bool:
        """Whether this line may stand before a segment and belong to it: a banner or a bare time stamp.

        Other tools print the same lines, so they prove nothing; fed to the parser that starts after them
        they give it its date.
        """
        return _read_banner(text) is not None or (len(text) <= 40 and read_stamp(text) is not None)

    def feed(self, line: Line) -> bool:
        """Consume one line; False when it does not belong to an iostat report."""
        tokens = line.text.split()
        if not tokens:
            self._table_line_before = self._header_before = False
            return True
        if self._table.pending_lines:
            continues, row = self._table.join(tokens)
            if continues:
                if row is not None:
                    self._put(row, line)
                    self._understood += self._table.drop_wrapped()
                return True
            self._rejected += self._table.drop_wrapped()
        if self._take(tokens, line):
            self._understood += 1
            return True
        return self._take_partial(tokens)

    def finish(self) -> Parsed:
        """Everything understood so far."""
        self._rejected += self._table.drop_wrapped()
        self._next_report()
        since_boot = None if self._banner_line is None else not self._looks_like_y()
        return self._capture.parsed(self.format, self._understood, self._rejected, since_boot)

    def _take(self, tokens: list[str], line: Line) -> bool:
        row = self._table.row(tokens)
        if row is not None:
            self._put(row, line)
            return True
        return (
            self._take_cpu(tokens, line)
            or self._take_header(tokens, line)
            or self._take_stamp(line)
            or self._take_banner(line)
        )

    def _take_partial(self, tokens: list[str]) -> bool:
        """A wrapped row is held, a damaged row is counted; anything else ends the segment."""
        if (self._table_line_before or tokens[0] in self._devices) and self._table.begin_wrapped(tokens):
            return True
        if self._table_line_before and self._table.looks_like_row(tokens, self._devices):
            self._rejected += 1
            return True
        if self._cpu_columns and all(any(c.isdigit() for c in token) for token in tokens):
            self._rejected += 1
            self._cpu_columns = []
            return True
        return tokens[0] == "Average:" and self._capture.reports > 0

    def _looks_like_y(self) -> bool:
        """Whether the capture was made with -y: 12.x prints one more blank line after the banner then.

        Believed only when the first report can be an interval. Being wrong about -y costs one sample,
        being wrong the other way would report averages since boot as an incident.
        """
        if self._banner_line is None or self._first_content_line is None:
            return False
        extra_blank = self._first_content_line - self._banner_line == _BLANKS_WITH_Y
        return extra_blank and not self._capture.contradicts_interval()

    def _current(self, line: Line) -> Report:
        if self._report is None:
            stamp, text = self._stamp or (None, None)
            self._report = Report(line.number, stamp, text, line.when_ns)
            self._stamp = None
        if self._first_content_line is None:
            self._first_content_line = line.number
        return self._report

    def _next_report(self) -> None:
        if self._report is not None:
            self._capture.close(self._report)
            self._report = None

    def _put(self, row: Row, line: Line) -> None:
        columns = self._table.columns
        report = self._current(line)
        if columns[0] in report.devices.get(row.device, ()):
            # The same table of the same device again without a header between: the next report.
            self._next_report()
            report = self._current(line)
        self._devices.add(row.device)
        self._table_line_before, self._header_before = True, False
        strange = report.put(row.device, columns, row.values, line.number)
        if strange and self._value_problems < _VALUE_PROBLEMS_KEPT:
            self._value_problems += 1
            self._capture.problems.append(f"line {line.number}: {strange} impossible value(s) of {row.device} left out")

    def _take_cpu(self, tokens: list[str], line: Line) -> bool:
        if tokens[0] == "avg-cpu:":
            if self._report is not None and not self._report.empty:
                self._next_report()
            self._current(line)
            self._cpu_columns = tokens[1:]
            self._table.clear()
            return True
        values = read_cells(tokens, self._cpu_columns) if self._cpu_columns else None
        if values is None:
            return False
        report = self._current(line)
        pairs = zip(self._cpu_columns, values, strict=True)
        report.cpu = {column: value for column, value in pairs if 0 <= value <= 100.5}
        report.cpu_line = line.number
        self._cpu_columns = []
        return True

    def _take_header(self, tokens: list[str], line: Line) -> bool:
        if not self._table.open(tokens):
            return self._header_before and self._table.extend(tokens)
        first = self._table.columns[0]
        if self._report is not None and any(first in cells for cells in self._report.devices.values()):
            self._next_report()
        self._current(line)
        self._table_line_before = self._header_before = True
        self._cpu_columns = []
        return True

    def _take_stamp(self, line: Line) -> bool:
        stamp = read_stamp(line.text) if _TIME_LINE.match(line.text) else None
        if stamp is None:
            return False
        self._next_report()
        self._stamp = stamp, line.text.strip()
        if self._first_content_line is None:
            self._first_content_line = line.number
        self._table.clear()
        self._cpu_columns = []
        return True

    def _take_banner(self, line: Line) -> bool:
        if self._banner_line is not None or self._first_content_line is not None:
            return False
        found = _read_banner(line.text)
        if found is None:
            return False
        host = self._capture.host
        host.hostname, host.kernel, host.date_text = found["host"] or None, found["kernel"], found["date"]
        host.date = read_date(found["date"])
        host.cpus = int(found["cpus"]) if found["cpus"] else None
        self._banner_line = line.number
        return True


def _read_banner(text: str) -> re.Match[str] | None:
    found = _BANNER.fullmatch(text) if len(text) < 300 else None
    return found if found and read_date(found["date"]) else None


def _is_sysstat_stamp(text: str) -> bool:
    """A bare time line as sysstat prints it: locale date and time, or ISO with an offset without colon."""
    if len(text) > 40 or not _TIME_LINE.match(text):
        return False
    stamp = read_stamp(text)
    if stamp is None or stamp.is_epoch or (stamp.parts is None and "Time:" not in text):
        return False
    return "T" not in text or "Time" in text or bool(re.search(r"[+-]\d{4}\s*$", text))
