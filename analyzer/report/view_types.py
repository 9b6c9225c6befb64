"""The words of a report as data: what every renderer lays out, and nothing it would have to compute.

All text here is already cleaned (``wording.clean``): one line each, no control characters. Renderers escape
it for their own syntax and place it; they never sort, round or judge.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CiteView:
    """A citation: ``where`` is ``file:line``, ``text`` the quoted line or empty."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One ledger line."""

    points: str
    """Signed nats to a tenth (``+2.9``)."""
    nats: float
    """The same number, so that sums of what is shown add up as shown."""
    text: str
    cites: tuple[CiteView, ...]


@dataclass(frozen=True, slots=True)
class CauseView:
    """One candidate with everything for it, against it and missing."""

    rank: int
    cause: str
    title: str
    place: str
    odds: str
    confidence: str
    mechanism: str
    total: str
    """Sum of the points as printed."""
    speaks_for: tuple[EvidenceView, ...]
    """Strongest first, as ``speaks_against``."""
    speaks_against: tuple[EvidenceView, ...]
    not_collected: tuple[EvidenceView, ...]
    neutral: tuple[EvidenceView, ...]
    loses_because: StatementView | None
    """For candidates below the first: why they are there."""
    remedies: tuple[RemedyView, ...]


@dataclass(frozen=True, slots=True)
class StepView:
    """One checklist step; ``command`` is its lines."""

    number: int
    step: str
    command: tuple[str, ...]
    why: str
    risk: str
    rollback: str
    verify: str
    source: str


@dataclass(frozen=True, slots=True)
class RemedyView:
    """One way out."""

    id: str
    title: str
    steps: tuple[StepView, ...]


@dataclass(frozen=True, slots=True)
class StatementView:
    """A sentence with its citations; ``label`` is a cause id, a caveat code or empty."""

    label: str
    text: str
    cites: tuple[CiteView, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkView:
    """One stage of an incident's chain."""

    stage: str
    span: str
    order: str
    cites: tuple[CiteView, ...]


@dataclass(frozen=True, slots=True)
class IncidentView:
    """One row of the incidents table."""

    number: int
    start: str
    lasted: str
    members: str
    chain: str
    """``disk > fsync > (heartbeat) > election``; see ``view_context.CHAIN_LEGEND``."""
    summary: str
    see: str
    """``file:line`` of the first citation of the chain."""
    links: tuple[LinkView, ...]


@dataclass(frozen=True, slots=True)
class LaneView:
    """One lane of the strip: a label, one character per time bin, and what it holds in all."""

    label: str
    cells: str
    total: int


@dataclass(frozen=True, slots=True)
class StripView:
    """The strip chart: lanes over one shared time axis."""

    lanes: tuple[LaneView, ...]
    axis: str
    """Time-of-day marks under the cells, same width."""
    span: str
    legend: str


@dataclass(frozen=True, slots=True)
class CaptureView:
    """What to collect next."""

    id: str
    command: tuple[str, ...]
    why: str
    separates: str


@dataclass(frozen=True, slots=True)
class FindingView:
    """One judged symptom."""

    state: str
    severity: str
    id: str
    title: str
    place: str
    threshold: str
    window: str
    needs: str
    cites: tuple[CiteView, ...]


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One file that was read."""

    path: str
    format: str
    wrapper: str
    member: str
    lines: str
    understood: str
    rejected: str
    not_relevant: str
    span: str
    zone: str


@dataclass(frozen=True, slots=True)
class CoverageView:
    """What was read, in two sentences and as a table."""

    summary: tuple[str, ...]
    rows: tuple[CoverageRow, ...]
    not_understood: tuple[StatementView, ...]


@dataclass(frozen=True, slots=True)
class EntryView:
    """One line of the story."""

    at: str
    member: str
    kind: str
    text: str
    cite: CiteView


@dataclass(frozen=True, slots=True)
class ReportView:
    """A whole report in words."""

    status: str
    """problem, healthy, insufficient, not-etcd."""
    severity: str
    label: str
    """VERDICT's kind in capitals: ROOT CAUSE, NO PROBLEM FOUND, CANNOT TELL, NOT ETCD."""
    headline: str
    cause: str
    """Cause id or empty."""
    place: str
    odds: str
    confidence: str
    impact: str
    window: str
    do_first: str
    subject: str
    """What was looked at: members, version, files, time span."""
    tool: str
    causes: tuple[CauseView, ...]
    patterns: tuple[StatementView, ...]
    """Periodicity and coincidence sentences."""
    strip: StripView | None
    incidents: tuple[IncidentView, ...]
    checklist: tuple[StepView, ...]
    next_evidence: tuple[CaptureView, ...]
    ruled_out: tuple[StatementView, ...]
    not_supported: tuple[str, ...]
    not_assessable: tuple[StatementView, ...]
    findings: tuple[FindingView, ...]
    findings_summary: str
    clocks: tuple[str, ...]
    caveats: tuple[StatementView, ...]
    coverage: CoverageView
    timeline: tuple[EntryView, ...]
