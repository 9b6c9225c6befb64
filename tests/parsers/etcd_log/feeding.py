"""A text through the whole reading stage, as one file of a bundle."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from analyzer.bundle.walk import Source, Stdin
from analyzer.ingest.read import Evidence, _Reader
from analyzer.model.artifact import Artifact
from analyzer.model.events import NO_TIME
from analyzer.rulebook import RuleBook, load_rules
from analyzer.timeline import Overrides, assemble

__all__ = ["Seen", "Stdin", "events", "read", "rules", "scan", "settled"]


class Seen(NamedTuple):
    """What one recognised line says."""

    kind: str
    took_s: float | None
    term: int
    member: str | None
    peer: str | None
    ts_ns: int | None
    line: int


@cache
def rules() -> RuleBook:
    return load_rules(None)


def read(files: dict[str, str | bytes]) -> Evidence:
    """The reading stage over files held in memory."""
    reader = _Reader(rules(), None)
    for path, text in files.items():
        data = text.encode() if isinstance(text, str) else text
        reader.take(Source(path, iter([data])))
    return reader.evidence()


def settled(files: dict[str, str | bytes], overrides: Overrides | None = None) -> Any:
    """Reading and timeline over files held in memory."""
    return assemble(read(files), overrides or Overrides())


def events(evidence: Any) -> list[Seen]:
    """Rows of an Evidence or a Timeline, as values."""
    table = evidence.events
    found = []
    for row in table.frame.itertuples():
        found.append(
            Seen(
                table.kinds[row.kind],
                None if math.isnan(row.took_s) else row.took_s,
                row.term,
                table.names[row.member] if row.member >= 0 else None,
                table.names[row.peer] if row.peer >= 0 else None,
                None if row.ts_ns == NO_TIME else row.ts_ns,
                row.line,
            )
        )
    return found


def scan(text: str | bytes, path: str = "etcd.log") -> tuple[list[Seen], Artifact]:
    """Events and coverage row of one file."""
    evidence = read({path: text})
    artifact = evidence.artifacts[0]
    counted = artifact.understood + artifact.rejected + artifact.not_relevant
    assert counted == artifact.lines, (counted, artifact.lines)
    return events(evidence), artifact
