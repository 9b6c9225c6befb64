"""The blocks of the documents that are made from the program itself.

    python -m tests.docs_blocks            # says which are out of date; exit code 1 when any is
    python -m tests.docs_blocks --write    # writes them again (``make docs``)

A block stands between ``<!-- name:begin -->`` and ``<!-- name:end -->``. The block ``accuracy`` is written by
``python -m tests.accuracy --write-readme``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from analyzer import cli
from analyzer.cli_support import demo_bundle
from analyzer.detectors import ceiling, coincidence, periodicity
from analyzer.model.ids import HEALTHY
from analyzer.parsers.registry import DOCUMENT_PARSERS, LINE_PARSERS
from analyzer.pipeline import diagnose_paths
from analyzer.reasoning import case, conclude, rank
from analyzer.report.options import RenderOptions
from analyzer.report.registry import render
from analyzer.rulebook import load_rules

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 112
"""Columns of the report shown: what a browser shows without a scroll bar."""
CUT = "[...]"


def help_text() -> str:
    """``etcd-doctor analyze --help`` at 80 columns."""
    return fenced(output_of("analyze", "--help"))


def output_of(*arguments: str) -> str:
    """What a command prints, run in this process at 80 columns."""
    argv, columns = sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = ["etcd-doctor", *arguments], "80"
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            cli.main()
    finally:
        sys.argv = argv
        del os.environ["COLUMNS"]
        if columns is not None:
            os.environ["COLUMNS"] = columns
    return printed.getvalue()


def report_excerpt() -> str:
    """The answer, the proof, the first incidents and the first steps of the demo's report; cuts are marked."""
    report = render(diagnose_paths([str(demo_bundle())]), "terminal", RenderOptions(width=WIDTH))
    sections = re.split(r"\n\n(?=[A-Z])", report.rstrip("\n"))
    why, todo, incidents = (
        next(part for part in sections if part.startswith(head)) for head in ("WHY", "WHAT TO DO NOW", "INCIDENTS")
    )
    steps = re.split(r"\n(?=  3\. )", todo)[0]
    rows = "\n".join(incidents.splitlines()[:5])
    return fenced("\n\n".join(map(shortened, (sections[0], why, f"{rows}\n  {CUT}", f"{steps}\n  {CUT}"))))


def shortened(text: str) -> str:
    """Quoted lines and commands do not wrap: cut them to the width, with a visible mark."""
    keep = WIDTH - len(CUT) - 1
    return "\n".join(s if len(s) <= WIDTH else f"{s[:keep].rstrip()} {CUT}" for s in text.splitlines())


def causes_table() -> str:
    """Every cause that can be named, from rules/causes."""
    causes = load_rules().causes
    rows = [f"| `{name}` | {causes[name].title} |" for name in sorted(causes) if name != HEALTHY]
    return "\n".join(["| id | what it means |", "|---|---|", *rows])


def formats_list() -> str:
    """The format ids ``inspect`` and the JSON report print, from the parser registry."""
    return ", ".join(f"`{name}`" for name in format_ids())


def format_ids() -> list[str]:
    """Every format id, sorted."""
    return sorted({"etcd-log", *(p.format for p in LINE_PARSERS), *(p.format for p in DOCUMENT_PARSERS)})


def limits_table() -> str:
    """The constants the explanation speaks of, read from the modules that use them."""
    rows = [
        f"| {words} | {getattr(module, name):g} | `{module.__name__.removeprefix('analyzer.')}.{name}` |"
        for module, name, words in LIMITS
    ]
    return "\n".join(["| limit | value | in `analyzer.` |", "|---|---|---|", *rows])


def fenced(text: str) -> str:
    """As a code block."""
    return f"```text\n{text.strip(chr(10))}\n```"


LIMITS: tuple[tuple[ModuleType, str, str], ...] = (
    (case, "EPISODE_GAP_S", "seconds between events of one episode"),
    (periodicity, "LEVEL", "significance a period needs, before correction"),
    (periodicity, "FEWEST_CYCLES", "cycles met before a period is claimed"),
    (periodicity, "LEAST_OCCUPANCY", "share of all cycles met"),
    (coincidence, "TOLERANCE_S", "seconds between a stall and a write spike that meet"),
    (ceiling, "SATURATED_UTIL_PERCENT", "percent busy of a saturated sample"),
    (ceiling, "SATURATED_QUEUE", "queue of a saturated sample"),
    (rank, "TEMPERING", "how much symptoms of one group are taken to agree"),
    (rank, "ITEM_CAP", "nats one observation adds at most"),
    (rank, "STATISTICAL_CAP", "nats a p-value adds at most"),
    (rank, "DECISIVE_CAP", "nats of an observation that states the cause"),
    (rank, "MOST_CAUSES", "causes a specific symptom explains at most"),
    (rank, "HIGH", "posterior of high confidence"),
    (rank, "MEDIUM", "posterior of medium confidence"),
    (rank, "LOW", "posterior of low confidence"),
    (conclude, "RULED_OUT", "posterior of a cause ruled out, at most"),
    (conclude, "WORTH_READING", "posterior of a cause that is listed at all"),
)

BLOCKS: dict[str, tuple[str, Callable[[], str]]] = {
    "help": ("README.md", help_text),
    "report": ("README.md", report_excerpt),
    "causes": ("README.md", causes_table),
    "formats": ("docs/inputs.md", formats_list),
    "limits": ("docs/how-it-decides.md", limits_table),
}
"""Name of the block -> the document it stands in, and what makes it."""


def parts_of(text: str, name: str) -> tuple[str, str, str]:
    """(before, block, after); ValueError when the markers are missing."""
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, found, rest = text.partition(begin)
    block, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"no <!-- {name}:begin --> ... <!-- {name}:end -->")
    return before + begin, block, end + after


def outdated() -> Iterator[tuple[str, Path, str]]:
    """(name, document, its text with the block as it should be) of every block that is not current."""
    for name, (document, make) in BLOCKS.items():
        path = ROOT / document
        before, block, after = parts_of(path.read_text("utf-8"), name)
        wanted = make()
        if block != f"{wanted}\n":
            yield name, path, f"{before}{wanted}\n{after}"


def main(arguments: list[str]) -> int:
    """Check or write."""
    stale = []
    for name, path, text in outdated():
        stale.append(f"{path.relative_to(ROOT)}: {name}")
        if "--write" in arguments:
            path.write_text(text, encoding="utf-8")
    sys.stdout.write("".join(f"{'written' if '--write' in arguments else 'out of date'}: {line}\n" for line in stale))
    return 0 if "--write" in arguments or not stale else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
