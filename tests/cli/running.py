"""Ways to run the command, and the lines it is run on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "fixtures" / "scenarios"
ESCAPE = "\x1b"
LOOKS = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM")
"""Variables by which a user chooses how a report looks; xdist's workers, for one, set COLUMNS."""


class Ran(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def neutral() -> dict[str, str]:
    """The environment without what would change how a report looks."""
    return {key: value for key, value in os.environ.items() if key not in LOOKS} | {"PYTHONPATH": str(ROOT)}


def process(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run ``etcd-doctor ARGUMENTS`` as a process of its own."""
    command = [sys.executable, "-m", "analyzer", *map(str, arguments)]
    environment = {**neutral(), **options.pop("env", {})}
    return subprocess.run(command, capture_output=True, check=False, timeout=120, env=environment, **options)


def stall(time: str, took: str = "1.5s") -> str:
    fields = {
        "level": "warn", "ts": f"2026-03-11T{time}.000Z", "caller": "wal/wal.go:805",
        "msg": "slow fdatasync", "took": took, "expected-duration": "1s",
    }  # fmt: skip
    return json.dumps(fields, separators=(",", ":")) + "\n"


def stalls(ran: Ran) -> int:
    count = json.loads(ran.out)["verdict"]["impact"]["slow_fdatasync"]
    assert isinstance(count, int)
    return count
