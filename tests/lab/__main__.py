"""``python -m tests.lab list`` and ``python -m tests.lab run NAME...``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.lab.cluster import ROOT
from tests.lab.incident import make_fixture
from tests.lab.scenarios import SCENARIOS


def main() -> int:
    """Parse the command line and do as told; the exit code is 2 for an unknown scenario."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="name the scenarios and their root causes")
    run = commands.add_parser("run", help="run scenarios and write their fixtures")
    run.add_argument("names", nargs="+", metavar="NAME")
    run.add_argument("--root", type=Path, default=ROOT, help="where the members live (default %(default)s)")
    run.add_argument("--port-offset", type=int, default=0, help="added to every port")
    arguments = parser.parse_args()
    if arguments.command == "list":
        for scenario in SCENARIOS.values():
            print(f"{scenario.name:28} {scenario.root_cause:40} etcd {scenario.line}")
        return 0
    unknown = [name for name in arguments.names if name not in SCENARIOS]
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}")
    for name in arguments.names:
        print(make_fixture(SCENARIOS[name], arguments.root, arguments.port_offset), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
