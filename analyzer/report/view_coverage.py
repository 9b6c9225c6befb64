"""Words for what was read: two sentences for everybody, a table for who asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analyzer.model.diagnosis import ArtifactView, Diagnosis, NotUnderstood
from analyzer.report.view_types import CoverageRow, CoverageView, StatementView
from analyzer.report.wording import clean, counted, listing, span

COVERAGE_HEADER = (
    "path",
    "format",
    "wrapper",
    "member",
    "lines",
    "understood",
    "not relevant",
    "rejected",
    "time",
    "zone (how known)",
)


def view_coverage(artifacts: Sequence[ArtifactView], not_understood: Sequence[NotUnderstood]) -> CoverageView:
    """Summary sentences, one row per file, and the files nothing could be read from."""
    return CoverageView(
        summary=(_line_counts(artifacts), _formats(artifacts, not_understood)),
        rows=tuple(view_row(artifact) for artifact in artifacts),
        not_understood=tuple(view_not_understood(file) for file in not_understood),
    )


def view_row(artifact: ArtifactView) -> CoverageRow:
    """One row of the coverage table."""
    return CoverageRow(
        path=clean(artifact.path),
        format=clean(artifact.format),
        wrapper=clean(artifact.wrapper),
        member=clean(artifact.member or ""),
        lines=f"{artifact.lines:,}",
        understood=f"{artifact.understood:,}",
        rejected=f"{artifact.rejected:,}",
        not_relevant=f"{artifact.not_relevant:,}",
        span=span(artifact.first_ns, artifact.last_ns),
        zone=view_zone(artifact),
    )


def coverage_cells(row: CoverageRow) -> tuple[str, ...]:
    """A row as cells under ``COVERAGE_HEADER``."""
    return (
        row.path,
        row.format,
        row.wrapper,
        row.member,
        row.lines,
        row.understood,
        row.not_relevant,
        row.rejected,
        row.span,
        row.zone,
    )


def view_zone(artifact: ArtifactView) -> str:
    """``UTC (explicit)``: the zone and how it is known."""
    zone, source = clean(artifact.zone), clean(artifact.zone_source)
    return f"{zone} ({source})" if zone and source else zone or source


def view_not_understood(file: NotUnderstood) -> StatementView:
    """A file nothing could be read from, why, and what to do."""
    reason, hint = clean(file.reason), clean(file.hint)
    return StatementView(clean(file.path), f"{reason}; {hint}" if hint else reason)


def _line_counts(artifacts: Sequence[ArtifactView]) -> str:
    lines = sum(row.lines for row in artifacts)
    if not artifacts:
        return "No file could be read as evidence."
    parts = [
        f"{sum(row.understood for row in artifacts):,} understood",
        f"{sum(row.not_relevant for row in artifacts):,} not relevant",
        f"{sum(row.rejected for row in artifacts):,} rejected",
    ]
    return f"{counted(len(artifacts), 'file')}, {counted(lines, 'line')}: {', '.join(parts)}."


def _formats(artifacts: Sequence[ArtifactView], not_understood: Sequence[NotUnderstood]) -> str:
    tally = Counter(clean(row.format) for row in artifacts)
    words = [f"{name} x{number}" if number > 1 else name for name, number in tally.items()]
    sentence = f"Formats: {', '.join(words) or 'none'}."
    if not_understood:
        paths = listing([clean(file.path) for file in not_understood], limit=3)
        return f"{sentence} Not understood: {counted(len(not_understood), 'file')} ({paths})."
    return f"{sentence} Every file was understood."


def subject(diagnosis: Diagnosis) -> str:
    """What was looked at: members, etcd versions, time span, files."""
    members = [clean(member.name) for member in diagnosis.members]
    versions = list(dict.fromkeys(clean(m.version) for m in diagnosis.members if m.version))
    firsts = [row.first_ns for row in diagnosis.artifacts if row.first_ns is not None]
    lasts = [row.last_ns for row in diagnosis.artifacts if row.last_ns is not None]
    files = len(diagnosis.artifacts) + len(diagnosis.not_understood)
    parts = [
        f"{counted(len(members), 'member')} ({listing(members, limit=5)})" if members else "no member identified",
        f"etcd {listing(versions)}" if versions else "etcd version unknown",
        counted(files, "file"),
    ]
    if firsts and lasts:
        parts.append(span(min(firsts), max(lasts)))
    return "; ".join(parts)
