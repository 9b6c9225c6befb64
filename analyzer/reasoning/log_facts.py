"""What each log says, for ``inspect``: events with counts and longest durations, levels, settings."""

from __future__ import annotations

from analyzer.model.facts import Flag
from analyzer.model.timeline import Timeline


def add_log_facts(timeline: Timeline) -> None:
    """Fill ``facts`` of every artifact that holds log lines or flags."""
    frame = timeline.events.frame
    kinds = timeline.events.kinds
    for artifact in timeline.artifacts:
        flags = {f.name: f.value for f in artifact.records if isinstance(f, Flag)}
        if flags:
            artifact.facts.setdefault("flags", flags)
        if artifact.log is None:
            continue
        mine = frame[frame["artifact"] == artifact.index]
        grouped = mine.groupby("kind", sort=True).agg(count=("count", "sum"), longest=("took_s", "max"))
        artifact.facts["events"] = {
            kinds[int(kind)]: {  # type: ignore[call-overload]
                "count": int(row["count"]),
                "max_took_s": float(row["longest"]) if row["longest"] == row["longest"] else None,
            }
            for kind, row in grouped.iterrows()
        }
        artifact.facts["level_counts"] = dict(sorted(artifact.log.levels.items()))
        if artifact.log.versions:
            artifact.facts["versions"] = list(artifact.log.versions)
