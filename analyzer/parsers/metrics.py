"""Prometheus text exposition: one scrape of /metrics, an OpenMetrics dump with times, a pasted part of one.

An own tolerant line reader, not prometheus_client's: its parser raises on the first damaged line of a
paste, and every kept line here must know its number. Also understood: ``promtool query`` lines
(``name{...} => value @[time]``). A listing of metric NAMES (etcd's own documentation has one per version)
is told from a scrape: no value is made up from it.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import ClassVar

from analyzer.model.facts import MetricScrape
from analyzer.model.line import Line, Parsed
from analyzer.parsers.quantities import epoch_ns
from analyzer.parsers.scrape_facts import scrape_facts
from analyzer.parsers.scrape_store import Labels, ScrapeStore

_FAMILIES = r"(?:etcd|process|go|node|grpc|os_fd|promhttp|scrape|apiserver|container|rest_client|kubelet)"
_SAMPLE = re.compile(
    r"^\s*([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(?:=>\s*)?"
    r"([+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|[Ii]nf|NaN))"
    r"(?:\s+@?\[?(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\]?)?\s*(?:#.*)?$"
)
_SERIES = re.compile(r"([a-z][a-z0-9]*_\w*)(?:\{(.*)\})?")
_HEADS = ("# HELP ", "# TYPE ")
_LABEL = re.compile(r'[\s,]*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"')
_HEAD = re.compile(r"^\s*#\s*(?:HELP|TYPE|UNIT)\s+[a-zA-Z:]+_[\w:]*(?:\s|$)")
_LISTING = re.compile(r'^\s*#\s*(?:name: "|description: "|type: "|server version:)')
_LISTING_START = re.compile(r'^\s*#\s*(?:name: "[a-z]+_\w+"|server version: etcd_)')
_SURE_LABELLED = re.compile(r'^\s*[a-zA-Z_:][\w:]*\{[a-zA-Z_]\w*\s*=\s*"')
_SURE_PLAIN = re.compile(rf"^\s*{_FAMILIES}_\w+\s+[-+.\dIN]")
_BARE = re.compile(rf"^\s*{_FAMILIES}_\w+(?:\{{.*\}})?\s*$")
_CUT = re.compile(rf"^\s*{_FAMILIES}_\w+(?:$|[\s{{])")
_ELLIPSIS = re.compile(r"^\s*(?:\.\.\.|…|\[\.\.\.\])\s*$")
_LISTED_NAMES = 3
_MILLISECONDS_FROM = 1e11


class Metrics:
    """Text exposition, fed line by line."""

    format: ClassVar[str] = "metrics"

    def __init__(self) -> None:
        self._store = ScrapeStore()
        self._understood = 0
        self._samples = 0
        self._bare: list[int] = []
        self._rejected = 0
        self._timed = False
        self._first_line = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is a sample, a HELP/TYPE line, or an entry of a listing of names."""
        if _HEAD.match(text) or _LISTING_START.match(text):
            return True
        if _SURE_LABELLED.match(text):
            return bool(_SAMPLE.match(text) or _BARE.match(text))
        return bool(_SURE_PLAIN.match(text) and _SAMPLE.match(text))

    def quick(self, line: Line) -> bool:
        """Consume the line if it can be nothing but a sample or a heading; asked before any other format.

        A bundle holds hundreds of scrapes of 1,500 lines that differ in their numbers only: 4 µs a line so, 10 µs
        by way of the log dialects and the full grammar.
        """
        text = line.text
        if text.startswith(_HEADS):
            return self.feed(line)
        written, _, number = text.rpartition(" ")
        series = _series(written) if number[:1].isdecimal() and number.isascii() and "_" not in number else None
        if series is None:
            return False
        try:
            value = float(number)
        except ValueError:
            return False
        self._take(*series, value, line.number, line.when_ns)
        return True

    def feed(self, line: Line) -> bool:
        """Consume one line."""
        text = line.text
        self._first_line = self._first_line or line.number
        found = _SAMPLE.match(text)
        if found and self._sample(found, line):
            return True
        if not text.strip() or text.strip() == "# EOF" or _ELLIPSIS.match(text):
            return True
        if _HEAD.match(text) or _LISTING.match(text):
            self._understood += 1
            return True
        if _BARE.match(text):
            self._bare.append(line.number)
            return True
        if _CUT.match(text) or found:
            self._rejected += 1
            return True
        # A documentation listing explains itself in comments of any form.
        return not self._samples and bool(self._bare) and text.startswith("#")

    def _sample(self, found: re.Match[str], line: Line) -> bool:
        name, written, number, stamp = found.groups()
        labels = _labels_of(written or "")
        if labels is None:
            return False
        if not written and "_" not in name:
            # "Total 12" is a sample for the grammar alone; only `up` is one in earnest.
            return name == "up"
        at_ns = _stamp_ns(stamp) if stamp else line.when_ns
        self._take(name, labels, float(number), line.number, at_ns)
        return True

    def _take(self, name: str, labels: Labels, value: float, line: int, at_ns: int | None) -> None:
        self._samples += 1
        self._understood += 1
        self._timed = self._timed or at_ns is not None
        self._first_line = self._first_line or line
        self._store.add(name, labels, value, line, at_ns)

    def finish(self) -> Parsed:
        """Everything understood so far."""
        if not self._samples:
            return self._listing()
        scrapes = self._store.scrapes()
        times = [scrape.at_ns for scrape in scrapes if scrape.at_ns is not None]
        problems = [*self._store.problems, *unmeasured_tails(scrapes)]
        facts = scrape_facts(scrapes, len(self._store.series))
        return Parsed(
            format=self.format,
            understood=self._understood,
            rejected=self._rejected + len(self._bare),
            facts=facts,
            records=scrapes,
            first_ns=min(times, default=None),
            last_ns=max(times, default=None),
            timed=bool(times),
            problems=tuple(problems),
        )

    def _listing(self) -> Parsed:
        problems: tuple[str, ...] = ()
        if len(self._bare) >= _LISTED_NAMES or self._understood:
            problems = (
                f"line {self._first_line}: this lists metric names without values, as etcd's documentation "
                "does: nothing was measured (get values with `curl -s http://127.0.0.1:2381/metrics`)",
            )
        return Parsed(
            format=self.format,
            rejected=self._rejected,
            facts={"series": 0, "names_without_values": len(self._bare)},
            problems=problems,
        )


@lru_cache(maxsize=16384)
def _series(written: str) -> tuple[str, Labels] | None:
    """Name and labels of a plainly written series, None for anything else; scrapes repeat them."""
    found = _SERIES.fullmatch(written)
    labels = _labels_of(found[2] or "") if found else None
    return (found[1], labels) if found and labels is not None else None


@lru_cache(maxsize=16384)
def _labels_of(written: str) -> Labels | None:
    """Label pairs, sorted; None when the braces hold something else."""
    if not written.strip():
        return ()
    found: list[tuple[str, str]] = []
    at = 0
    while pair := _LABEL.match(written, at):
        found.append((pair[1], _unescape(pair[2])))
        at = pair.end()
    return None if written[at:].strip(" ,") else tuple(sorted(found))


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), text)


def _stamp_ns(text: str) -> int | None:
    """Time of a sample: Prometheus text has milliseconds, OpenMetrics has seconds."""
    value = float(text)
    if not math.isfinite(value):
        return None
    return epoch_ns(value / 1000 if abs(value) >= _MILLISECONDS_FROM else value)


def unmeasured_tails(scrapes: tuple[MetricScrape, ...]) -> list[str]:
    """A sentence for each histogram name whose +Inf bucket and count are both missing."""
    sentences: dict[str, str] = {}
    for scrape in scrapes:
        for histogram in scrape.histograms:
            if histogram.total is None:
                sentences.setdefault(
                    histogram.name,
                    f"line {histogram.line}: {histogram.name}: the +Inf bucket is missing: anything slower "
                    f"than {histogram.bounds[-1]:g} s may be cut off",
                )
    return list(sentences.values())
