"""The ranked answer: everything a report needs, nothing a report must compute."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from analyzer.model.finding import Cite, Finding, Window
from analyzer.model.ids import CaptureId, CauseId, Confidence, RemedyId, Severity, Sighting, Status, SymptomId


@dataclass(frozen=True, slots=True)
class Contribution:
    """One line of a hypothesis' ledger. The points of all lines add up to the reported log-odds gain."""

    clue: SymptomId
    sighting: Sighting
    points: float
    """Nats: positive speaks for the cause, negative against it, zero when not collected."""
    because: str
    """The finding's sentence, or what is missing."""
    cites: tuple[Cite, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a remediation checklist."""

    step: str
    command: str
    why: str
    risk: str
    rollback: str
    verify: str
    source: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way out of a cause."""

    id: RemedyId
    title: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One candidate cause with its ledger."""

    cause: CauseId
    title: str
    probability: float
    """Model-based posterior 0..1; reports print words and a coarse range, never decimals."""
    confidence: Confidence
    mechanism: str
    """Why this cause makes these symptoms, one or two sentences."""
    ledger: tuple[Contribution, ...]
    remedies: tuple[Remedy, ...]
    member: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A cause that a direct observation speaks against."""

    cause: CauseId
    because: str
    cites: tuple[Cite, ...]


@dataclass(frozen=True, slots=True)
class NotAssessable:
    """A cause nothing in the bundle speaks for or against."""

    cause: CauseId
    needs: str


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One stage of an incident's causal chain."""

    stage: str
    """disk, fsync, heartbeat, election, leader-change, client-error."""
    start_ns: int | None
    end_ns: int | None
    order: str
    """Against the previous observed stage: ok, tie, contradicted, unobserved."""
    cites: tuple[Cite, ...]


@dataclass(frozen=True, slots=True)
class Incident:
    """One episode of trouble across members."""

    window: Window
    members: tuple[str, ...]
    chain: tuple[ChainLink, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Periodicity:
    """What was found about a repeating pattern of one kind of episode."""

    subject: str
    period_s: float | None
    phase: str | None
    """In words, e.g. ``01:00 +- 1 min, odd UTC hours``."""
    cycles_hit: int
    cycles: int
    explained: int
    episodes: int
    p_value: float | None
    suspect: str | None
    claim: str
    """claim, suspected, none."""
    summary: str
    cites: tuple[Cite, ...] = ()


@dataclass(frozen=True, slots=True)
class CoincidenceResult:
    """How often episodes of events met spikes of a series, against chance."""

    events: str
    series: str
    device: str
    member: str | None
    hits: int
    events_total: int
    spikes_total: int
    expected_by_chance: float
    lag_s: float | None
    p_value: float | None
    summary: str
    cites: tuple[Cite, ...] = ()


@dataclass(frozen=True, slots=True)
class NextEvidence:
    """The capture that would settle what this bundle cannot."""

    id: CaptureId
    command: str
    why: str
    separates: tuple[CauseId, ...]


@dataclass(frozen=True, slots=True)
class MemberView:
    """One member as the bundle shows it."""

    name: str
    id: str | None
    version: str | None
    heartbeat_ms: float | None
    election_ms: float | None
    wal_device: str | None
    skew_s: float | None
    skew_half_width_s: float | None


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """One coverage row."""

    path: str
    format: str
    wrapper: str
    member: str | None
    lines: int
    understood: int
    rejected: int
    not_relevant: int
    first_ns: int | None
    last_ns: int | None
    zone: str
    zone_source: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A file nothing could be read from."""

    path: str
    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Caveat:
    """Something the reader must know before trusting a number."""

    code: str
    text: str
    cites: tuple[Cite, ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One line of the story."""

    at_ns: int
    member: str | None
    kind: str
    text: str
    cite: Cite


@dataclass(frozen=True, slots=True)
class Impact:
    """What the trouble cost, as far as the bundle shows."""

    leader_changes: int = 0
    elections: int = 0
    slow_fdatasync: int = 0
    longest_fdatasync_s: float | None = None
    heartbeat_warnings: int = 0
    slow_requests: int = 0
    slowest_request_s: float | None = None
    client_errors: int = 0
    counts_are_lower_bounds: bool = False
    """True when etcd's own log sampling or merging may have dropped lines."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The first sentence of every report."""

    status: Status
    cause: CauseId | None
    confidence: Confidence
    summary: str
    window: Window | None
    impact: Impact
    severity: Severity = Severity.INFO


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One analysed bundle."""

    verdict: Verdict
    hypotheses: tuple[Hypothesis, ...]
    ruled_out: tuple[RuledOut, ...]
    not_supported: tuple[CauseId, ...]
    not_assessable: tuple[NotAssessable, ...]
    findings: tuple[Finding, ...]
    incidents: tuple[Incident, ...]
    periodicity: tuple[Periodicity, ...]
    coincidences: tuple[CoincidenceResult, ...]
    checklist: tuple[Step, ...]
    next_evidence: tuple[NextEvidence, ...]
    members: tuple[MemberView, ...]
    artifacts: tuple[ArtifactView, ...]
    not_understood: tuple[NotUnderstood, ...]
    caveats: tuple[Caveat, ...]
    timeline: tuple[TimelineEntry, ...]
    rules_digest: str
    tool_version: str
