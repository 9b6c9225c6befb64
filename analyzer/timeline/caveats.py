"""What the reader must know before trusting a number: one line per matter, not one per file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from analyzer.model.artifact import Artifact
from analyzer.model.diagnosis import Caveat
from analyzer.model.events import EventTable

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.detectors.skew import SkewTable

SHOWN = 4
"""Files a line names; the coverage table has them all."""
PROBLEMS_PER_FILE = 3
SAMPLING_LIMIT = 100
"""zap keeps 100 equal messages a second, then every 100th (logutil/zap.go:39-42@v3.5.33)."""


def caveats(
    artifacts: Sequence[Artifact], table: EventTable, duplicates: int, copies: Mapping[int, int], skew: SkewTable | None
) -> tuple[Caveat, ...]:
    """All caveats of a bundle, in a fixed order."""
    found = _zones(artifacts)
    found += _problems(artifacts)
    merged = [a for a in artifacts if a.log is not None and a.log.merged]
    if merged:
        count = sum(a.log.merged for a in merged if a.log is not None)
        where = _listed([a.path for a in merged])
        found.append(Caveat("merged", f"{count} repeats folded by etcd were counted: {where}"))
    if _sampled(table.frame):
        text = "etcd keeps 100 equal log lines a second and drops the rest: counts are 'at least'"
        found.append(Caveat("sampled", text))
    by_original: dict[str, list[str]] = {}
    for index, original in copies.items():
        by_original.setdefault(artifacts[original].path, []).append(artifacts[index].path)
    for path, same in by_original.items():
        found.append(Caveat("copies", f"same content as {path}, counted once: {_listed(same)}"))
    if duplicates:
        found.append(Caveat("duplicates", f"{duplicates} records stand in more than one file and were counted once"))
    for entry in skew.members if skew else ():
        if entry.stepped:
            found.append(Caveat("clock-step", f"the clock of {entry.member} jumped during the capture"))
    return tuple(found)


def _zones(artifacts: Sequence[Artifact]) -> list[Caveat]:
    paths = [a.path for a in artifacts if a.clock.assumed]
    if not paths:
        return []
    option = f"--tz '{paths[0]}=<zone>'" if len(paths) == 1 else "--tz 'FILE=<zone>', FILE may be a glob"
    return [Caveat("zone-assumed", f"stamps carry no zone, UTC assumed; pass {option} if not: {_listed(paths)}")]


def _problems(artifacts: Sequence[Artifact]) -> list[Caveat]:
    paths: dict[str, list[str]] = {}
    for artifact in artifacts:
        if artifact.unreadable is None:
            for problem in dict.fromkeys(artifact.problems[:PROBLEMS_PER_FILE]):
                paths.setdefault(problem, []).append(artifact.path)
    return [
        Caveat("input", f"{same[0]}: {problem}" if len(same) == 1 else f"{problem}: {_listed(same)}")
        for problem, same in paths.items()
    ]


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - SHOWN
    return ", ".join(paths[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _sampled(frame: pd.DataFrame) -> bool:
    timed = frame[frame["timed"]]
    if len(timed) < SAMPLING_LIMIT:
        return False
    per_second = timed.groupby(["artifact", "kind", timed["ts_ns"] // 10**9], sort=False).size()
    return bool((per_second >= SAMPLING_LIMIT).any())
