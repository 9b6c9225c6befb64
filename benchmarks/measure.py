"""Runs one command in a fresh process and says what it cost."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Cost(NamedTuple):
    """What one run cost."""

    wall_s: float
    cpu_s: float
    peak_mib: float


@dataclass
class Contestant:
    """A command and its runs so far."""

    name: str
    argv: Sequence[str]
    costs: list[Cost] = field(default_factory=list)

    def run(self) -> None:
        """Run once. Output is thrown away.

        Raises:
            RuntimeError: the command failed; its time would mean nothing.
        """
        begin = time.perf_counter()
        process = subprocess.Popen(self.argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{self.name}: exit code {process.returncode}")
        self.costs.append(Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))

    def median(self) -> Cost:
        """Median of each figure."""
        return Cost(*(statistics.median(figures) for figures in zip(*self.costs, strict=True)))

    def wall_range(self) -> tuple[float, float]:
        """Fastest and slowest run."""
        walls = [cost.wall_s for cost in self.costs]
        return min(walls), max(walls)


def interleaved(contestants: Sequence[Contestant], rounds: int) -> None:
    """A B C, A B C ...: whatever else the machine does hits all of them alike."""
    for _ in range(rounds):
        for contestant in contestants:
            contestant.run()
