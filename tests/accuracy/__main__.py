"""Measure the diagnosis on every labelled incident at hand.

python -m tests.accuracy                  # all sets, a table
python -m tests.accuracy --set own -v     # one set, with every verdict's sentence
python -m tests.accuracy --write-docs --write-readme
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.accuracy import documents, table
from tests.accuracy.cases import SAMPLES, SETS, load
from tests.accuracy.outcome import Outcome, run
from tests.accuracy.score import Score, score


def main(arguments: list[str] | None = None) -> int:
    """Run, print, write; 1 when the analyzer crashed, 2 when documents cannot be written."""
    parser = argparse.ArgumentParser("python -m tests.accuracy", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--set", action="append", choices=SETS, help="only this set; repeatable")
    parser.add_argument("--write-docs", action="store_true", help="rewrite docs/accuracy.md")
    parser.add_argument("--write-readme", action="store_true", help="rewrite the README's block of figures")
    parser.add_argument("-v", "--verbose", action="store_true", help="every verdict's sentence and candidates")
    options = parser.parse_args(arguments)
    outcomes = run(load(options.set or SETS))
    scores = score_sets(outcomes)
    print(table.report(outcomes, scores, options.verbose))
    problem = _write(outcomes, scores, options) if options.write_docs or options.write_readme else None
    if problem:
        print(problem, file=sys.stderr)
        return 2
    return 1 if any(one.crash for one in outcomes) else 0


def score_sets(outcomes: Sequence[Outcome]) -> dict[str, Score]:
    """The figures of each set at hand, and of all labelled ones when there are several."""
    scores = {}
    for name in SETS:
        chosen = [one for one in outcomes if one.case.set_name == name]
        if chosen:
            scores[name] = score(chosen)
    labelled = [one for one in outcomes if one.case.set_name != SAMPLES]
    if len({one.case.set_name for one in labelled}) > 1:
        scores["all"] = score(labelled)
    return scores


def _write(outcomes: Sequence[Outcome], scores: dict[str, Score], options: argparse.Namespace) -> str | None:
    missing = [name for name in SETS if name not in scores]
    if missing:
        return (
            f"nothing written: no cases of {', '.join(missing)}; the documents show all sets. "
            "Point ETCD_DOCTOR_CASES at the folder of labelled cases and leave out --set."
        )
    if options.write_docs:
        documents.write_docs(outcomes, scores)
    if options.write_readme and not documents.write_readme(scores):
        return f"README.md has no {documents.BEGIN} ... {documents.END}; nothing written there"
    return None


if __name__ == "__main__":
    sys.exit(main())
