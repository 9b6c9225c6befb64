"""``etcdctl check perf``: a progress bar, then PASS/FAIL lines.

The words alone mislead: ``Slowest request took too long`` and ``Stddev too high`` carry no FAIL prefix, and a
run under a larger load can pass where a smaller one failed. The load is taken from the command line, or from
the throughput of a run that kept up with its limit (etcdctl/ctlv3/command/check.go@v3.5.0).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

from analyzer.model.facts import PerfCheck
from analyzer.model.line import Line, Parsed
from analyzer.parsers.quantities import number

LOAD_WRITES_PER_S = {"s": 150, "m": 1000, "l": 8000, "xl": 15000}
"""Limit per load: ``checkPerfCfgMap``, etcdctl/ctlv3/command/check.go@v3.5.0."""
_KEPT_UP = (0.9, 1.1)
"""A run passes its throughput above 0.9 of the limit (same source); a burst may exceed the limit a little."""

_BAR = re.compile(r"^\s*\d+ / \d+ (?: *\[?[-=>_Bo!….]+\]?)? *\d+(?:\.\d+)?%")
_ETA = re.compile(r"^\s*(?:\d+ p/s|\d+m\d+s|\d+s)")
_COMMAND = re.compile(r"^\s*(?:\S+[#$>]\s*|[#$>]\s*)?(?:\w+=\S+\s+)*(?:\S*/)?etcdctl\s(?:.*\s)?check\s+perf\b(.*)$")
_LOAD = re.compile(r"--load[= ]\W?(xl|xLarge|l|large|m|medium|s|small)\b", re.IGNORECASE)
_LONGEST_COMMAND = 2000
_NAMES = {"small": "s", "medium": "m", "large": "l", "xlarge": "xl"}
_RESULT = re.compile(
    r"^(?:(?P<word>PASS|FAIL): )?(?:"
    r"Throughput (?:is|too low:) (?P<rate>\d+) writes/s"
    r"|Slowest request took (?P<slow_bad>too long: )?(?P<slow>[\d.]+)s"
    r"|Stddev (?:is|(?P<dev_bad>too high:)) (?P<dev>[\d.]+|NaN)s"
    r"|(?P<many>too many errors)"
    r"|ERROR\((?P<error>.*)\) -> (?P<times>\d+))\s*$"
)
_SIGNS = (" / ", "writes/s", "request took", "Stddev", "too many errors")
_VERDICT = re.compile(r"^(PASS|FAIL)\s*$")


@dataclass(slots=True)
class _Run:
    line: int
    load: str | None = None
    throughput: float | None = None
    slowest_s: float | None = None
    stddev_s: float | None = None
    passed: bool | None = None
    errors: list[str] = field(default_factory=list)
    error_count: int = 0
    cells: int = 0

    def record(self) -> PerfCheck:
        load = self.load or _load_of(self.throughput)
        return PerfCheck(
            self.line, load, self.throughput, self.slowest_s, self.stddev_s, self.passed, tuple(self.errors)
        )

    def facts(self) -> dict[str, Any]:
        record = self.record()
        return {
            "load": record.load,
            "load_writes_per_s": LOAD_WRITES_PER_S.get(record.load or ""),
            "throughput": record.throughput,
            "slowest_s": record.slowest_s,
            "stddev_s": record.stddev_s,
            "pass": record.passed,
            "errors": list(record.errors),
            "failed_writes": self.error_count,
            "line": record.line,
        }


def _load_of(throughput: float | None) -> str | None:
    """The load a run kept up with; None when it did not keep up with any (it could be any larger one)."""
    for load, limit in LOAD_WRITES_PER_S.items():
        if throughput is not None and _KEPT_UP[0] * limit < throughput <= _KEPT_UP[1] * limit:
            return load
    return None


def _command(text: str) -> re.Match[str] | None:
    return _COMMAND.match(text) if "etcdctl" in text and len(text) < _LONGEST_COMMAND else None


def _pieces(text: str) -> list[str]:
    """What a terminal would show one after the other: the bar redraws itself with carriage returns."""
    pieces = []
    for piece in text.split("\r"):
        bar = _BAR.match(piece)
        pieces += [bar[0], _ETA.sub("", piece[bar.end() :])] if bar else [piece]
    return [piece.strip() for piece in pieces if piece.strip()]


class CheckPerf:
    """Output of one or more runs."""

    format: ClassVar[str] = "check-perf"

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._load: str | None = None
        self._understood = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is the command, the progress bar or a result line."""
        if _command(text):
            return True
        if not any(sign in text for sign in _SIGNS):
            return False
        pieces = _pieces(text[:100_000])
        return any(_BAR.match(piece) for piece in pieces) or any(
            (found := _RESULT.match(piece)) and (found["word"] or found["slow_bad"] or found["dev_bad"])
            for piece in pieces
        )

    def feed(self, line: Line) -> bool:
        """Consume one line."""
        command = _command(line.text)
        if command:
            load = _LOAD.search(command[1])
            self._load = _NAMES.get(load[1].lower(), load[1].lower()) if load else "s"
            self._understood += 1
            return True
        pieces = _pieces(line.text[:100_000])
        known = [self._piece(piece, line.number) for piece in pieces]
        if any(known):
            self._understood += 1
        # The client writes its own JSON warnings between two drawings of the bar.
        return all(known) or (any(known) and any(_BAR.match(piece) for piece in pieces))

    def _piece(self, piece: str, line: int) -> bool:
        if _BAR.match(piece):
            return True
        verdict = _VERDICT.match(piece)
        if verdict:
            run = self._run(line)
            run.passed = verdict[1] == "PASS"
            return True
        found = _RESULT.match(piece)
        if not found:
            return False
        self._result(self._run(line), found)
        return True

    def _run(self, line: int) -> _Run:
        if not self._runs or self._runs[-1].passed is not None:
            self._runs.append(_Run(line, self._load))
            self._load = None
        return self._runs[-1]

    @staticmethod
    def _result(run: _Run, found: re.Match[str]) -> None:
        run.cells += 1
        if found["rate"]:
            run.throughput = number(found["rate"])
        elif found["slow"]:
            run.slowest_s = number(found["slow"])
        elif found["dev"]:
            run.stddev_s = number(found["dev"])
        elif found["error"] is not None:
            run.errors.append(found["error"][:300])
            run.error_count += int(found["times"][:18])

    def finish(self) -> Parsed:
        """Everything understood so far."""
        problems = tuple(
            f"line {run.line}: the run has no final PASS or FAIL line: the output was cut off"
            for run in self._runs
            if run.passed is None
        )
        return Parsed(
            format=self.format,
            understood=self._understood if self._runs else 0,
            facts={"runs": [run.facts() for run in self._runs]},
            records=tuple(run.record() for run in self._runs),
            problems=problems,
        )
