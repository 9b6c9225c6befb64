"""``iostat -o JSON``, whole or cut off when iostat was killed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from analyzer.model.line import Document, Line, Parsed
from analyzer.parsers.columns import canonical_column
from analyzer.parsers.iostat_report import Capture, Report
from analyzer.parsers.stamps import read_date, read_stamp

_LARGEST: Final = 1e18
_PLACES: Final = re.compile(r'"(disk_device|avg-cpu)"\s*:')


class IostatJsonParser:
    """Document parser; one Document is one run. Same series and facts as the text parser.

    The first report is taken as since boot: JSON output does not show whether -y was given.
    """

    format: ClassVar[str] = "iostat-json"

    @staticmethod
    def accepts(value: Any) -> bool:
        """``{"sysstat": {"hosts": [...]}}`` of iostat; sadf's documents say ``disk-device``."""
        empty = False
        for host in _hosts(value):
            statistics = host.get("statistics")
            if not isinstance(statistics, list):
                continue
            if any(_is_iostat_entry(entry) for entry in statistics):
                return True
            empty |= not statistics and "file-date" not in host and "date" in host
        return empty

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        return _Reader(document).read()


class _Reader:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._capture = Capture()
        self._lines = _places(document.lines)
        self._first_line = document.lines[0].number if document.lines else 1
        self._used: set[int] = set()
        self._rejected: set[int] = set()

    def read(self) -> Parsed:
        hosts = list(_hosts(self._document.value))
        if not self._document.complete:
            self._drop_cut_value(hosts)
            self._capture.problems.append(
                "the JSON is cut off (iostat was killed): the reports before the cut are used"
            )
        for host in hosts:
            self._read_host(host)
        return self._capture.parsed(IostatJsonParser.format, len(self._used), len(self._rejected - self._used), True)

    def _read_host(self, host: dict[str, Any]) -> None:
        facts = self._capture.host
        facts.hostname = facts.hostname or _text(host.get("nodename"))
        facts.kernel = facts.kernel or _text(host.get("release"))
        cpus = host.get("number-of-cpus")
        if facts.cpus is None and isinstance(cpus, int):
            facts.cpus = cpus
        date = _text(host.get("date"))
        if facts.date_text is None and date is not None:
            facts.date_text, facts.date = date, read_date(date)
        statistics = host.get("statistics")
        for entry in statistics if isinstance(statistics, list) else ():
            if isinstance(entry, dict):
                self._read_report(entry)

    def _read_report(self, entry: dict[str, Any]) -> None:
        printed = entry.get("timestamp")
        stamp_text = str(printed) if _is_number(printed) else _text(printed)
        stamp = read_stamp(stamp_text) if stamp_text else None
        report = Report(self._first_line, stamp, stamp_text)
        cpu = entry.get("avg-cpu")
        if isinstance(cpu, dict):
            report.cpu_line = self._next_line("avg-cpu")
            report.cpu = {f"%{k}": float(v) for k, v in cpu.items() if _is_number(v) and 0 <= v <= 100.5}
            self._used.add(report.cpu_line)
        disks = entry.get("disk")
        for disk in disks if isinstance(disks, list) else ():
            self._read_disk(report, disk)
        self._capture.close(report)

    def _read_disk(self, report: Report, disk: Any) -> None:
        device = _text(disk.get("disk_device")) if isinstance(disk, dict) else None
        if device is None:
            return
        line = self._next_line("disk_device")
        cells = [(canonical_column(k), float(v)) for k, v in disk.items() if _is_number(v)]
        if not cells:
            self._rejected.add(line)
            return
        strange = report.put(device, [c for c, _ in cells], [v for _, v in cells], line)
        self._used.add(line)
        if strange:
            self._capture.problems.append(f"line {line}: {strange} impossible value(s) of {device} left out")

    def _next_line(self, key: str) -> int:
        return next(self._lines[key], self._first_line)

    def _drop_cut_value(self, hosts: list[dict[str, Any]]) -> None:
        """Without its comma or brace the last number may be half a number: ``8.9`` of ``8.95``."""
        tail = next((line.text.rstrip() for line in reversed(self._document.lines) if line.text.strip()), "")
        if not tail or tail[-1] in ",}]{[":
            return
        last: Any = hosts[-1].get("statistics") if hosts else None
        while last:
            if isinstance(last, list):
                last = last[-1]
            elif isinstance(last, dict):
                key = next(reversed(last))
                if not isinstance(last[key], (list, dict)):
                    del last[key]
                    return
                last = last[key]
            else:
                return


def _places(lines: tuple[Line, ...]) -> dict[str, Iterator[int]]:
    """Where each device and each avg-cpu stands, in order; several may share one line of minified JSON."""
    found: dict[str, list[int]] = {"disk_device": [], "avg-cpu": []}
    for line in lines:
        for place in _PLACES.finditer(line.text):
            found[place[1]].append(line.number)
    return {key: iter(numbers) for key, numbers in found.items()}


def _hosts(value: Any) -> Iterator[dict[str, Any]]:
    sysstat = value.get("sysstat") if isinstance(value, dict) else None
    hosts = sysstat.get("hosts") if isinstance(sysstat, dict) else None
    for host in hosts if isinstance(hosts, list) else ():
        if isinstance(host, dict):
            yield host


def _is_iostat_entry(entry: Any) -> bool:
    if not isinstance(entry, dict):
        return False
    disks = entry.get("disk")
    if isinstance(disks, list) and any(isinstance(d, dict) and "disk_device" in d for d in disks):
        return True
    return isinstance(entry.get("avg-cpu"), dict)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST
