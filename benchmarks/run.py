"""Side by side: a whole diagnosis of a large etcd log, and jq extracting the same records from it.

    python -m benchmarks.run                      300 MiB logs, 5 rounds, writes benchmarks/results.md
    python -m benchmarks.run --size 30MiB --rounds 3 --output -

See README.md for what each side does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.generate_log import byte_count, write_log
from benchmarks.measure import Contestant, interleaved

HERE = Path(__file__).resolve().parent
SMALL_BUNDLES = ("prometheus-two-hours", "periodic-neighbour-3.5", "healthy-3.6")
DIAGNOSE = "import sys, analyzer; print(analyzer.diagnose(sys.argv[1]).verdict.summary)"
HELP = "import sys; sys.argv[0] = 'etcd-doctor'; from analyzer.cli import main; sys.exit(main())"
COUNT = (
    "import sys; from analyzer.bundle.walk import Stdin; from analyzer.ingest import read_bundle; "
    "from analyzer.rulebook import load_rules; "
    "print(len(read_bundle([sys.argv[1]], load_rules(None), Stdin()).events.frame))"
)
OURS = "etcd-doctor, the whole diagnosis"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=byte_count, default=byte_count("300MiB"), help="of each log; default 300MiB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "etcd-doctor-benchmarks")
    parser.add_argument("--output", default=str(HERE / "results.md"), help="- for standard output only")
    given = parser.parse_args()
    text = report(given.size, given.rounds, given.cache)
    print(text)
    if given.output != "-":
        Path(given.output).write_text(text)


def report(size: int, rounds: int, cache: Path) -> str:
    """Measure everything; the results as Markdown."""
    parts = [heading(size, rounds)]
    for variant in ("noisy", "quiet"):
        path = cached_log(variant, size, cache)
        parts.append(large_log(variant, path, rounds))
    parts.append(small(rounds))
    return "\n".join(parts)


def cached_log(variant: str, size: int, cache: Path) -> Path:
    """The log of this variant and size, written once."""
    cache.mkdir(parents=True, exist_ok=True)
    path = cache / f"{variant}-{size >> 10}KiB.log"
    if not path.exists():
        unfinished = path.with_suffix(".part")
        write_log(variant, size, unfinished)
        unfinished.rename(path)
    return path


def heading(size: int, rounds: int) -> str:
    version = ".".join(map(str, sys.version_info[:3]))
    return (
        "# Benchmark results\n\n"
        f"{os.cpu_count()} cores, page cache warm, CPython {version}, {jq_version()}. Logs of {size >> 20} MiB\n"
        f"written by `generate_log.py`; {rounds} rounds, interleaved, every run a fresh process; medians.\n"
        "How to read it: README.md.\n"
    )


def jq_version() -> str:
    if shutil.which("jq") is None:
        sys.exit("jq is not installed: there is nothing to compare with")
    return subprocess.run(["jq", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def large_log(variant: str, path: Path, rounds: int) -> str:
    """One log: a table of what each contestant cost."""
    contestants = [
        Contestant(OURS, [sys.executable, "-c", DIAGNOSE, str(path)]),
        Contestant("jq, regular expression", ["jq", "-c", "-f", str(HERE / "records_regex.jq"), str(path)]),
        Contestant("jq, table lookup", ["jq", "-nc", "-f", str(HERE / "records.jq"), str(path)]),
        Contestant("cat", ["cat", str(path)]),
    ]
    interleaved(contestants, rounds)
    ours = contestants[0].median()
    lines = [
        f"\n## {variant.capitalize()} log\n\n{count_line(path)}\n",
        "| what | wall s | min..max | CPU s | peak MiB | wall / ours | CPU / ours |",
        "|---|---|---|---|---|---|---|",
    ]
    for contestant in contestants:
        cost, (low, high) = contestant.median(), contestant.wall_range()
        lines.append(
            f"| {contestant.name} | {cost.wall_s:.2f} | {low:.2f}..{high:.2f} | {cost.cpu_s:.2f} "
            f"| {cost.peak_mib:.0f} | {cost.wall_s / ours.wall_s:.2f} | {cost.cpu_s / ours.cpu_s:.2f} |"
        )
    return "\n".join(lines)


def count_line(path: Path) -> str:
    """How many records each side finds: the comparison means something only when it is the same number."""
    with path.open("rb") as log:
        lines = sum(1 for _ in log)
    ours = int(subprocess.run([sys.executable, "-c", COUNT, str(path)], capture_output=True, check=True).stdout)
    found = []
    for name, options in (("records.jq", "-nc"), ("records_regex.jq", "-c")):
        jq = subprocess.Popen(["jq", options, "-f", str(HERE / name), str(path)], stdout=subprocess.PIPE)
        assert jq.stdout is not None
        found.append(sum(1 for _ in jq.stdout))
        jq.wait()
    if set(found) != {ours}:
        sys.exit(f"{path.name}: {ours} records here, {found} by jq: they do not do the same work")
    return f"{path.stat().st_size / 1e6:.0f} MB, {lines:,} lines, {ours:,} records found by either side."


def small(rounds: int) -> str:
    """Small bundles and --help: what start-up costs."""
    contestants = [
        Contestant(f"diagnosis of {name}", [sys.executable, "-c", DIAGNOSE, str(bundle_folder(name))])
        for name in SMALL_BUNDLES
        if bundle_folder(name).is_dir()
    ]
    contestants.append(Contestant("etcd-doctor --help", [sys.executable, "-c", HELP, "--help"]))
    contestants.append(Contestant("python -c pass", [sys.executable, "-c", "pass"]))
    interleaved(contestants, 1)  # compiles what is not yet compiled
    for contestant in contestants:
        contestant.costs.clear()
    interleaved(contestants, rounds)
    lines = ["\n\n## Small bundles and start-up\n"]
    lines += ["| what | wall s | min..max | CPU s | peak MiB |", "|---|---|---|---|---|"]
    for contestant in contestants:
        cost, (low, high) = contestant.median(), contestant.wall_range()
        lines.append(
            f"| {contestant.name} | {cost.wall_s:.2f} | {low:.2f}..{high:.2f} | {cost.cpu_s:.2f} "
            f"| {cost.peak_mib:.0f} |"
        )
    return "\n".join(lines) + "\n"


def bundle_folder(name: str) -> Path:
    return HERE.parent / "fixtures" / "scenarios" / name / "bundle"


if __name__ == "__main__":
    main()
