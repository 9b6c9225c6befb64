"""Answers of the Prometheus HTTP API (``query`` and ``query_range``): vectors and matrices.

Series that still carry a metric name are raw samples and become scrapes, one per target and time. An
expression (``histogram_quantile(...)``, ``rate(...)``) has lost its name: a quantile can neither be averaged
nor merged, so such a series is only described.
"""

from __future__ import annotations

import math
from statistics import median
from typing import Any, ClassVar

from analyzer.model.line import Document, Parsed
from analyzer.parsers.document_lines import LineFinder
from analyzer.parsers.metrics import unmeasured_tails
from analyzer.parsers.quantities import epoch_ns
from analyzer.parsers.scrape_facts import scrape_facts
from analyzer.parsers.scrape_store import Labels, ScrapeStore

_MOST_EXPRESSIONS = 200


class PrometheusJson:
    """``{"status": "success", "data": {"resultType": "matrix"|"vector", "result": [...]}}``."""

    format: ClassVar[str] = "prometheus-json"

    @staticmethod
    def accepts(value: Any) -> bool:
        """Whether it is a vector or a matrix; Loki's ``streams`` are not."""
        data = value.get("data") if isinstance(value, dict) else None
        return (
            isinstance(data, dict)
            and data.get("resultType") in ("vector", "matrix")
            and isinstance(data.get("result"), list)
        )

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        reader = _Reader(document)
        data = document.value.get("data") if isinstance(document.value, dict) else None
        result = data.get("result") if isinstance(data, dict) else None
        for item in result if isinstance(result, list) else []:
            reader.item(item)
        return reader.parsed()


class _Reader:
    """State of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._finder = LineFinder(document.lines)
        self._store = ScrapeStore()
        self._expressions: list[dict[str, Any]] = []
        self._times: list[int] = []
        self._unreadable = 0
        self._not_a_number = 0

    def item(self, item: Any) -> None:
        """Read one series."""
        metric = item.get("metric") if isinstance(item, dict) else None
        if not isinstance(metric, dict):
            self._unreadable += 1
            return
        labels = tuple(sorted((str(key), str(value)) for key, value in metric.items() if key != "__name__"))
        name = metric.get("__name__")
        line = self._finder.find('"metric"')
        points = item.get("values") if isinstance(item.get("values"), list) else [item.get("value")]
        samples = [sample for point in points if (sample := self._point(point)) is not None]
        if isinstance(name, str) and name:
            for at_ns, value in samples:
                self._store.add(name, labels, value, line, at_ns)
        elif samples:
            self._expression(labels, samples, line)
        self._times.extend(at_ns for at_ns, _ in samples)
        self._finder.step()

    def _point(self, point: Any) -> tuple[int, float] | None:
        if not (isinstance(point, list) and len(point) == 2 and isinstance(point[0], int | float)):
            self._unreadable += 1
            return None
        try:
            at_ns = epoch_ns(float(point[0]))
            value = float(point[1])
        except (TypeError, ValueError, OverflowError):
            self._unreadable += 1
            return None
        if at_ns is None or not math.isfinite(value):
            self._not_a_number += 1
            return None
        return at_ns, value

    def _expression(self, labels: Labels, samples: list[tuple[int, float]], line: int) -> None:
        values = [value for _, value in samples]
        if len(self._expressions) < _MOST_EXPRESSIONS:
            self._expressions.append(
                {
                    "labels": dict(labels),
                    "points": len(values),
                    "min": min(values),
                    "median": median(values),
                    "max": max(values),
                    "line": line,
                }
            )

    def parsed(self) -> Parsed:
        """Everything understood."""
        scrapes = self._store.scrapes()
        facts: dict[str, Any] = {}
        problems = [*self._store.problems, *unmeasured_tails(scrapes)]
        first = self._finder.first
        if self._store.series:
            facts.update(scrape_facts(scrapes, len(self._store.series)))
        if self._expressions:
            facts["expressions"] = self._expressions
            problems.append(
                f"line {first}: {len(self._expressions)} series have no metric name: results of an "
                "expression, quoted but not judged (query the raw _bucket series instead)"
            )
        if self._unreadable or self._not_a_number:
            problems.append(
                f"line {first}: {self._unreadable} points could not be read, {self._not_a_number} are NaN or infinite"
            )
        if not self._document.complete:
            problems.append(f"line {first}: the JSON is cut off: what follows is missing")
        lines = sum(1 for line in self._document.lines if line.text.strip())
        return Parsed(
            format=PrometheusJson.format,
            understood=lines if self._times else 0,
            rejected=0 if self._times else min(lines, self._unreadable),
            facts=facts,
            records=scrapes,
            first_ns=min(self._times, default=None),
            last_ns=max(self._times, default=None),
            timed=bool(self._times),
            problems=tuple(problems),
        )
