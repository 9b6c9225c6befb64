"""Writes etcd 3.5 logs of any size for the benchmarks: zap JSON, the same bytes for the same seed.

    python -m benchmarks.generate_log noisy 300MiB noisy.log

Two mixtures. ``noisy``: 89 % of the lines tell of slowness (slow applies with their request dumps, traces, request
stats), as on a member whose disk is too slow for its API server. ``quiet``: 6 % do, the rest is health checks,
rejected connections and housekeeping, some of which the event catalogue knows as well.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import messages
from benchmarks.messages import Writer

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_LINES_PER_WRITE = 4096


class Kind(NamedTuple):
    """One message: how often each mixture has it (shares of 1000), and what writes it."""

    noisy: float
    quiet: float
    make: Callable[[Writer], str]


KINDS = (
    Kind(250, 8, messages.apply_range),
    Kind(140, 5, messages.apply_txn),
    Kind(60, 2, messages.apply_read_txn),
    Kind(175, 5, messages.trace),
    Kind(175, 3, messages.request_stats),
    Kind(15, 2, messages.slow_fdatasync),
    Kind(25, 3, messages.late_heartbeat),
    Kind(15, 1, messages.read_index),
    Kind(10, 1, messages.dropped_message),
    Kind(10, 2, messages.unhealthy_peer),
    Kind(4, 1, messages.lost_stream),
    Kind(1, 1, messages.raft_line),
    Kind(12, 28, messages.compacted),
    Kind(15, 30, messages.compact_index),
    Kind(45, 515, messages.health),
    Kind(25, 225, messages.rejected),
    Kind(8, 45, messages.wal_segment),
    Kind(5, 35, messages.snapshot_begins),
    Kind(5, 35, messages.snapshot_saved),
    Kind(5, 45, messages.purged),
    Kind(0, 8, messages.user_added),
)
"""Relevant are all down to ``compacted``: 892 of 1000 noisy lines, 62 of 1000 quiet ones."""


def write_log(variant: str, size: int, path: Path, seed: int = 20260101) -> int:
    """Write whole lines until the file holds at least ``size`` bytes; the number of lines."""
    writer = Writer(seed)
    makers = [kind.make for kind in KINDS]
    weights = [kind.noisy if variant == "noisy" else kind.quiet for kind in KINDS]
    written = lines = 0
    with path.open("wb") as out:
        while written < size:
            chosen = writer.draw.choices(makers, weights, k=_LINES_PER_WRITE)
            texts = []
            for make in chosen:
                writer.advance()
                texts.append(make(writer))
            data = "".join(texts).encode()
            out.write(data)
            written += len(data)
            lines += len(texts)
    return lines


def byte_count(text: str) -> int:
    """``300MiB`` -> bytes."""
    for unit, scale in _UNITS.items():
        if text.endswith(unit):
            return int(float(text.removesuffix(unit)) * scale)
    return int(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate_log", description=__doc__.splitlines()[0])
    parser.add_argument("variant", choices=("noisy", "quiet"))
    parser.add_argument("size", type=byte_count, help="for example 300MiB")
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=20260101)
    given = parser.parse_args()
    lines = write_log(given.variant, given.size, given.path, given.seed)
    print(f"{given.path}: {lines} lines, {given.path.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
