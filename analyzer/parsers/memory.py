"""Memory totals and limits: ``/proc/meminfo``, ``free``, the settings of a virtual machine."""

from __future__ import annotations

import re
from typing import ClassVar

from analyzer.model.facts import MemoryLimit
from analyzer.model.line import Line, Parsed
from analyzer.parsers.quantities import size_bytes

_MEMINFO = re.compile(r"^\s*([A-Z]\w+(?:\(\w+\))?):\s+(\d{1,15})(?: (kB))?\b")
_MEMINFO_KEPT = frozenset({"MemTotal", "MemAvailable", "SwapTotal"})
_FREE_HEADER = re.compile(r"^\s+total\s+used\s+free\b")
_FREE_ROW = re.compile(r"^(Mem|Swap|Total|-/\+ buffers/cache|Low|High):\s+(\S+)(.*)$")
# Proxmox VE qm.conf: `memory` and `balloon` are in MiB (qm.conf(5)).
_VM = re.compile(r"^(memory|balloon):\s+(\d{2,7})\s*$")
_KIB, _MIB = 1024, 1024 * 1024
_LEAST_KB = 400_000


class Memory:
    """Memory sizes as facts; names as the file has them."""

    format: ClassVar[str] = "memory"

    def __init__(self) -> None:
        self._limits: list[MemoryLimit] = []
        self._free = False
        self._understood = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is MemTotal, a header of free, or a memory setting of a VM."""
        if text.lstrip().startswith("MemTotal:"):
            return bool(_MEMINFO.match(text))
        return bool(_FREE_HEADER.match(text) or (text[:1] in "mb" and _VM.match(text)))

    def feed(self, line: Line) -> bool:
        """Consume one line."""
        text = line.text
        if not text.strip():
            return True
        if _FREE_HEADER.match(text):
            self._free = True
        elif found := _VM.match(text):
            self._limits.append(MemoryLimit(line.number, found[1], int(found[2]) * _MIB))
        elif self._free and (found := _FREE_ROW.match(text)):
            self._row(line.number, found)
        elif found := _MEMINFO.match(text):
            if found[1] in _MEMINFO_KEPT and found[3]:
                self._limits.append(MemoryLimit(line.number, found[1], int(found[2]) * _KIB))
        else:
            return False
        self._understood += 1
        return True

    def _row(self, line: int, found: re.Match[str]) -> None:
        if found[1] not in ("Mem", "Swap"):
            return
        written = found[2]
        value = size_bytes(written, letter_base=1024)
        if value is not None and written.isdigit():
            # free prints kB unless told otherwise and never says so; a host has more than 400 MB and less
            # than 400 GB in MiB, so the size of the number tells kB from MiB.
            value *= _KIB if value >= _LEAST_KB or found[1] == "Swap" else _MIB
        if value is not None and value > 0:
            self._limits.append(MemoryLimit(line, "MemTotal" if found[1] == "Mem" else "SwapTotal", value))

    def finish(self) -> Parsed:
        """Everything understood so far."""
        return Parsed(
            format=self.format,
            understood=self._understood,
            facts={
                "memory": [
                    {"name": limit.name, "value_bytes": limit.value_bytes, "line": limit.line} for limit in self._limits
                ]
            },
            records=tuple(self._limits),
        )
