"""The reports of the project's own scenarios, kept so that a change of wording or order is seen in review.

python -m tests.accuracy.goldens            # what differs
python -m tests.accuracy.goldens --write    # accept
"""

from __future__ import annotations

import argparse
import difflib
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.accuracy.cases import REPOSITORY, SCENARIOS
from tests.accuracy.own import NAMES, scenarios

if TYPE_CHECKING:
    from analyzer.model.diagnosis import Diagnosis

REPORTS = {"terminal.txt": "terminal", "report.md": "markdown", "report.json": "json"}
ACCEPT = "python -m tests.accuracy.goldens --write"
SHOWN_LINES = 60


def rendered(diagnosis: Diagnosis) -> dict[str, str]:
    """The golden files of a diagnosis: plain, full width, as written off a terminal.

    The digest of the rules and the version are masked: a new comment in a rule must not change every file.
    """
    from analyzer.report.options import RenderOptions
    from analyzer.report.registry import render

    steady = replace(diagnosis, rules_digest="0" * len(diagnosis.rules_digest), tool_version="0.0.0")
    return {name: render(steady, format_name, RenderOptions()) for name, format_name in REPORTS.items()}


def difference(name: str) -> str:
    """A unified diff of what is kept and what a scenario's reports say now; empty when they agree."""
    return "".join(_file_difference(name, file, now) for file, now in rendered(scenarios()[name].diagnosis).items())


def _file_difference(name: str, file: str, now: str) -> str:
    path = SCENARIOS / name / "golden" / file
    label = path.relative_to(REPOSITORY).as_posix()
    if not path.exists():
        return f"{label} does not exist\n"
    kept = path.read_text(encoding="utf-8")
    if kept == now:
        return ""
    lines = list(difflib.unified_diff(kept.splitlines(), now.splitlines(), label, f"{label} (now)", lineterm="", n=1))
    more = [f"... {len(lines) - SHOWN_LINES} more lines of difference"] if len(lines) > SHOWN_LINES else []
    return "\n".join([*lines[:SHOWN_LINES], *more]) + "\n"


def write() -> int:
    """Write all golden files; how many changed."""
    changed = 0
    for name in NAMES:
        folder = SCENARIOS / name / "golden"
        folder.mkdir(exist_ok=True)
        for file, text in rendered(scenarios()[name].diagnosis).items():
            path = folder / file
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                changed += 1
    return changed


def main(arguments: list[str] | None = None) -> int:
    """Compare or accept; 1 when something differs."""
    parser = argparse.ArgumentParser("python -m tests.accuracy.goldens", description="Golden reports of the scenarios.")
    parser.add_argument("--write", action="store_true", help="accept what the reports say now")
    if parser.parse_args(arguments).write:
        print(f"{write()} golden files written")
        return 0
    differences = "".join(difference(name) for name in NAMES)
    print(f"{differences}\naccept with: {ACCEPT}" if differences else "no difference")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
