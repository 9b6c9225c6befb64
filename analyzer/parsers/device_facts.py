"""What a capture says of each device, in its own columns: the facts of ``inspect``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analyzer.parsers.columns import fact_key


class DeviceFacts:
    """Columns, first and second report and maxima of one device (or of the host CPU)."""

    __slots__ = ("_first", "_later_max", "_second", "columns")

    def __init__(self) -> None:
        self.columns: list[str] = []
        self._first: dict[str, float] = {}
        self._second: dict[str, float] = {}
        self._later_max: dict[str, float] = {}

    def add(self, report: int, values: Mapping[str, float]) -> None:
        """Take one report's believable values; ``report`` counts the reports of the capture from 0."""
        if report == 0 or len(values) != len(self.columns):
            self.columns.extend(c for c in values if c not in self.columns)
        if report == 0:
            self._first.update(values)
            return
        if report == 1:
            self._second.update(values)
        highest = self._later_max
        for column, value in values.items():
            if value > highest.get(column, -1.0):
                highest[column] = value

    def facts(self, first_is_since_boot: bool) -> dict[str, Any]:
        """JSON-ready facts.

        ``max`` is over everything the file states for the device, ``interval_max`` only over real
        intervals: it leaves the since-boot averages out and is empty when there is nothing else.
        """
        overall = dict(self._first)
        for column, value in self._later_max.items():
            overall[column] = max(value, overall.get(column, value))
        facts: dict[str, Any] = {"columns": list(self.columns), "first": keyed(self._first)}
        if self._second:
            facts["second"] = keyed(self._second)
        facts["max"] = keyed(overall)
        facts["interval_max"] = keyed(self._later_max if first_is_since_boot else overall)
        return facts


def keyed(values: Mapping[str, float]) -> dict[str, float]:
    """The same values under their fact keys."""
    return {fact_key(column): round(value, 6) for column, value in values.items()}
