"""The reports of one iostat capture, text or JSON, on their way to Parsed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from analyzer.model.line import Parsed
from analyzer.parsers.columns import (
    LATENCY_COLUMNS,
    RATE_COLUMNS,
    cpu_measures,
    limits,
    measures,
)
from analyzer.parsers.device_facts import DeviceFacts
from analyzer.parsers.report_samples import SECOND_NS, ReportSamples, ReportTimes, report_times
from analyzer.parsers.since_boot import guess_interval_s, is_interval_report
from analyzer.parsers.stamps import PrintedDate, Stamp, iso_date, resolve

_STAMPS_SHOWN: Final = 20
_RATES_KEPT: Final = 2_000
CAPTURE_COMMAND: Final = "S_TIME_FORMAT=ISO iostat -dxyt 1 60"


@dataclass(slots=True)
class Report:
    """One report as printed; cells are believable values by column name, with the line they stand on."""

    line: int
    stamp: Stamp | None = None
    stamp_text: str | None = None
    when_ns: int | None = None
    """Time a log wrapper gave the first line, when iostat itself printed none."""
    cpu: dict[str, float] = field(default_factory=dict)
    cpu_line: int = 0
    devices: dict[str, dict[str, tuple[float, int]]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether no figures have been read yet."""
        return not self.cpu and not self.devices

    def put(self, device: str, columns: list[str], values: list[float], line: int) -> int:
        """Store one row; gives the number of cells that no disk can have had."""
        cells = self.devices.setdefault(device, {})
        # one comparison a cell, which NaN, infinity and the garbage after a counter reset all fail
        row = list(zip(columns, values, limits(tuple(columns)), strict=False))
        kept = [(column, (value, line)) for column, value, limit in row if 0 <= value <= limit]
        cells.update(kept)
        return len(row) - len(kept)


@dataclass(slots=True)
class HostFacts:
    """What the banner (or the JSON head) says."""

    hostname: str | None = None
    kernel: str | None = None
    cpus: int | None = None
    date_text: str | None = None
    date: PrintedDate | None = None


class Capture:
    """One run of iostat: reports in order, folded into samples and facts as they close."""

    def __init__(self) -> None:
        self.host = HostFacts()
        self.problems: list[str] = []
        self._samples = ReportSamples()
        self._devices: dict[str, DeviceFacts] = {}
        self._cpu = DeviceFacts()
        self._stamps: list[Stamp | None] = []
        self._when: list[int | None] = []
        self._stamp_texts: list[str] = []
        self._first_rates: list[float] = []
        self._later_rates: list[float] = []

    @property
    def reports(self) -> int:
        """Reports closed so far."""
        return len(self._stamps)

    def close(self, report: Report) -> None:
        """Fold one finished report in."""
        if report.empty:
            return
        number = len(self._stamps)
        self._stamps.append(report.stamp)
        self._when.append(report.when_ns)
        if report.stamp_text and len(self._stamp_texts) < _STAMPS_SHOWN:
            self._stamp_texts.append(report.stamp_text)
        if report.cpu:
            self._cpu.add(number, report.cpu)
            for metric, value in cpu_measures(report.cpu):
                self._samples.add(metric, "", number, value, report.cpu_line)
        for device, cells in report.devices.items():
            self._close_device(number, device, cells)

    def _close_device(self, number: int, device: str, cells: Mapping[str, tuple[float, int]]) -> None:
        values = {column: value for column, (value, _) in cells.items()}
        facts = self._devices.get(device)
        if facts is None:
            facts = self._devices[device] = DeviceFacts()
        facts.add(number, values)
        rates = self._later_rates if number else self._first_rates
        if len(rates) < _RATES_KEPT:
            rates.extend(values[column] for column in RATE_COLUMNS & values.keys())
        for metric, value, column in measures(values):
            self._samples.add(metric, device, number, value, cells[column][1])

    def parsed(self, format_id: str, understood: int, rejected: int, since_boot: bool | None) -> Parsed:
        """Everything folded in; ``since_boot`` None lets the figures decide about the first report."""
        if not self.reports:
            return Parsed(format=format_id, understood=0, rejected=rejected, facts=self._facts(False, None))
        resolved = resolve(self._stamps, self.host.date)
        stamps, naive = resolved.times_ns, resolved.naive
        if not any(t is not None for t in stamps) and any(t is not None for t in self._when):
            stamps, naive = tuple(self._when), False
        times = report_times(stamps)
        first_is_since_boot = self._first_is_since_boot(times) if since_boot is None else since_boot
        if resolved.assumption and times.timed:
            self.problems.append(resolved.assumption)
        self._explain(first_is_since_boot, times.timed)
        series = self._samples.series(times, 1 if first_is_since_boot else 0)
        return Parsed(
            format=format_id,
            understood=understood,
            rejected=rejected,
            facts=self._facts(first_is_since_boot, times),
            series=series,
            first_ns=times.end_ns[0] if times.timed else None,
            last_ns=times.end_ns[-1] if times.timed else None,
            naive_time=times.timed and naive,
            timed=times.timed,
            problems=tuple(self.problems),
        )

    def _first_is_since_boot(self, times: ReportTimes) -> bool:
        """Without a banner the paste may begin anywhere: let the figures of the first report decide.

        A single report whose figures could be an interval of one second is taken as one.
        """
        if times.timed and self.reports > 1:
            interval_s: float | None = times.step_ns / SECOND_NS
        else:
            interval_s = guess_interval_s(self._later_rates) if self._later_rates else 1.0
        return interval_s is not None and not is_interval_report(self._first_rates, interval_s)

    def contradicts_interval(self) -> bool:
        """Whether the first report cannot be an interval like the later ones (stamps not considered)."""
        interval_s = guess_interval_s(self._later_rates) if self._later_rates else None
        return interval_s is not None and not is_interval_report(self._first_rates, interval_s)

    def _has(self, columns: frozenset[str]) -> bool:
        return any(columns.intersection(d.columns) for d in self._devices.values())

    def _explain(self, first_is_since_boot: bool, timed: bool) -> None:
        """The sentences a person needs to know what this capture cannot show."""
        if not self._devices:
            self.problems.append(f"no device table (CPU figures only): capture with `{CAPTURE_COMMAND}`")
        elif not self._has(LATENCY_COLUMNS):
            self.problems.append(
                "iostat ran without -x: no await and no %util columns, so this file cannot show "
                f"disk latency; capture with `{CAPTURE_COMMAND}`"
            )
        if first_is_since_boot and self.reports == 1:
            self.problems.append(
                f"the only report is the average since boot, which hides any incident; capture with `{CAPTURE_COMMAND}`"
            )
        elif not timed:
            self.problems.append(
                "no time stamps (iostat ran without -t): the reports are only ordered, taken as one second "
                f"apart, and cannot be aligned with logs; capture with `{CAPTURE_COMMAND}`"
            )

    def _facts(self, first_is_since_boot: bool, times: ReportTimes | None) -> dict[str, Any]:
        host = self.host
        facts: dict[str, Any] = {
            "hostname": host.hostname,
            "kernel": host.kernel,
            "number_of_cpus": host.cpus,
            "date": (iso_date(*host.date) if host.date else None) or host.date_text,
            "date_as_printed": host.date_text,
            "reports": self.reports,
            "first_is_since_boot": first_is_since_boot,
            "only_since_boot": first_is_since_boot and self.reports == 1,
            "timestamped": times is not None and times.timed,
            "timestamps": list(islice(self._stamp_texts, _STAMPS_SHOWN)),
            "has_latency": self._has(LATENCY_COLUMNS),
            "has_flush": self._has(frozenset({"f_await"})),
            "devices": {name: d.facts(first_is_since_boot) for name, d in self._devices.items()},
        }
        if times is not None and times.timed and self.reports > 1:
            facts["interval_s"] = times.step_ns / SECOND_NS
        if self._cpu.columns:
            facts["cpu"] = self._cpu.facts(first_is_since_boot)
        return facts
