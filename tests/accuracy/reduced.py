"""What the diagnosis says when only a part of a bundle is held: one member's log, logs alone, no metrics ...

    python -m tests.accuracy.reduced            # own scenarios: some 450 bundles, several minutes
    python -m tests.accuracy.reduced lab        # another set of labelled cases

A part may not show the cause; then the right answer is "cannot tell". Counted are answers that are surely wrong.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from tests.accuracy import parts, table
from tests.accuracy.cases import Case, load
from tests.accuracy.outcome import SURE, WORKERS, Outcome, diagnose_case

HEADER = ("held", "bundles", "right", "no cause named", "surely wrong", "of these HIGH", "harmful", "crashed")
Kept = Callable[[Path], bool]


def holdings(bundle: Path) -> Iterator[tuple[str, Kept]]:
    """(name, which files are kept) of every part worth asking about."""
    logs, metrics = parts.SOURCES["logs"], parts.SOURCES["metrics"]
    for name, source in parts.SOURCES.items():
        yield f"no {name}", _all_but(source)
        yield f"only {name}", source
    yield "logs and iostat", lambda path: logs(path) or path.name.startswith("iostat")
    yield "logs and metrics", lambda path: logs(path) or metrics(path)
    members = {path.parts[0] for path in parts.files(bundle) if logs(path) and len(path.parts) > 1}
    for member in sorted(members):
        yield f"only member {member}", _of(member, lambda _: True)
        yield f"only the log of {member}", _of(member, logs)
        yield f"no log of {member}", _all_but(_of(member, logs))


def _of(member: str, source: Kept) -> Kept:
    return lambda path: path.parts[0] == member and source(path)


def _all_but(source: Kept) -> Kept:
    return lambda path: not source(path)


def reduced(case: Case, root: Path) -> Iterator[tuple[str, Case]]:
    """(name of the part, the case with only that part) for one case; equal and empty parts are left out."""
    bundle = Path(case.paths[0])
    everything = parts.files(bundle)
    for number, (name, kept) in enumerate(holdings(bundle)):
        if 0 < sum(map(kept, everything)) < len(everything):
            out = root / case.name / str(number)
            parts.copy_without(bundle, out, _all_but(kept))
            yield name, replace(case, paths=(str(out),))


def row(name: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The figures of one kind of part."""
    wrong = [one for one in outcomes if surely_wrong(one)]
    return (
        name,
        *(
            str(count)
            for count in (
                len(outcomes),
                sum(one.right and one.named for one in outcomes),
                sum(not one.named and not one.crash for one in outcomes),
                len(wrong),
                sum(one.confidence == "high" for one in wrong),
                sum(bool(one.harmful) for one in outcomes),
                sum(one.crash is not None for one in outcomes),
            )
        ),
    )


def surely_wrong(one: Outcome) -> bool:
    """A cause that is not acceptable, named at medium or high confidence."""
    return one.named and one.confidence in SURE and not one.right


def main(arguments: Sequence[str]) -> int:
    """Run and print; 1 when the analyzer crashed."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = [job for case in load(arguments or ["own"]) for job in reduced(case, Path(folder))]
        with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")) as pool:
            outcomes = list(pool.map(diagnose_case, [case for _, case in jobs], chunksize=4))
    by_kind: dict[str, list[Outcome]] = {}
    for (name, _), one in zip(jobs, outcomes, strict=True):
        by_kind.setdefault(re.sub(r"[\w-]+-?\d+$", "one", name), []).append(one)
    print(table.plain(HEADER, [row(name, found) for name, found in sorted(by_kind.items())]))
    for (name, _), one in zip(jobs, outcomes, strict=True):
        if one.crash or one.harmful or surely_wrong(one):
            print(f"\n{one.case.name}, {name}: {one.answer} {one.confidence}, truth {one.case.root_cause}")
            print(f"    {', '.join(f'{cause} {p:.2f} {word}' for cause, p, word in one.ranked)}\n    {one.summary}")
    return 1 if any(one.crash for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
