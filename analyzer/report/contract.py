"""The JSON contract of ``analyze`` and ``inspect``, schema version 1. Additive changes only.

Separate from the model on purpose: the model may change with any release, this may not. Times are RFC 3339 in
UTC, durations seconds, sizes bytes unless the key says otherwise.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field

SCHEMA_VERSION: Final = "1"

Confidence = Literal["high", "medium", "low", "none"]
Order = Literal["ok", "tie", "contradicted", "unobserved"]
Claim = Literal["claim", "suspected", "none"]
Timestamp = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$")]
Probability = Annotated[float, Meta(ge=0.0, le=1.0)]
Count = Annotated[int, Meta(ge=0)]


class Cite(Struct, frozen=True):
    """A line of the bundle, counted from 1."""

    file: str
    line: int


class Span(Struct, frozen=True):
    """A time span, both ends inside; null where an end is not a representable time."""

    start: Timestamp | None = field(name="from")
    end: Timestamp | None = field(name="to")


class Tool(Struct, frozen=True):
    """What made the report."""

    name: str
    version: str
    rules_digest: str


class Impact(Struct, frozen=True):
    """What the trouble cost, as far as the bundle shows."""

    leader_changes: Count
    elections: Count
    slow_fdatasync: Count
    longest_fdatasync_s: float | None
    heartbeat_warnings: Count
    slow_requests: Count
    slowest_request_s: float | None
    client_errors: Count
    counts_are_lower_bounds: bool


class Verdict(Struct, frozen=True):
    """The answer."""

    status: Literal["problem", "healthy", "insufficient", "not-etcd"]
    cause: str | None
    confidence: Confidence
    summary: str
    window: Span | None
    impact: Impact


class Contribution(Struct, frozen=True):
    """One ledger line; the points (nats) of a ledger add up."""

    clue: str
    sighting: Literal["seen", "not-seen", "not-collected"]
    points: float
    because: str
    cites: tuple[Cite, ...]


class Step(Struct, frozen=True):
    """One checklist step."""

    step: str
    command: str
    why: str
    risk: str
    rollback: str
    verify: str
    source: str


class Remedy(Struct, frozen=True):
    """A way out of a cause."""

    id: str
    title: str
    steps: tuple[Step, ...]


class Hypothesis(Struct, frozen=True):
    """A candidate cause."""

    cause: str
    title: str
    probability: Probability
    confidence: Confidence
    ledger: tuple[Contribution, ...]
    remedies: tuple[Remedy, ...]


class RuledOut(Struct, frozen=True):
    """A cause an observation speaks against."""

    cause: str
    because: str
    cites: tuple[Cite, ...]


class NotAssessable(Struct, frozen=True):
    """A cause nothing in the bundle can tell."""

    cause: str
    needs: str


class Finding(Struct, frozen=True):
    """A judged symptom."""

    id: str
    state: Literal["fail", "warn", "pass", "no-evidence", "not-applicable"]
    severity: Literal["critical", "warning", "info"]
    member: str | None
    device: str | None
    title: str
    value: float | None
    unit: str | None
    threshold: str | None
    window: Span | None
    cites: tuple[Cite, ...]


class ChainLink(Struct, frozen=True):
    """A stage of an incident."""

    stage: str
    start: Timestamp | None
    end: Timestamp | None
    order: Order
    cites: tuple[Cite, ...]


class Incident(Struct, frozen=True):
    """An episode of trouble."""

    start: Timestamp | None = field(name="from")
    end: Timestamp | None = field(name="to")
    members: tuple[str, ...]
    chain: tuple[ChainLink, ...]


class Periodicity(Struct, frozen=True):
    """A repeating pattern, or that none was found."""

    subject: str
    period_s: float | None
    phase: str | None
    cycles_hit: Count
    cycles: Count
    explained: Count
    p_value: float | None
    suspect: str | None
    claim: Claim


class Coincidence(Struct, frozen=True):
    """How often events met spikes of a series."""

    events: str
    series: str
    device: str
    hits: Count
    events_total: Count
    spikes_total: Count
    expected_by_chance: float
    lag_s: float | None
    p_value: float | None


class NextEvidence(Struct, frozen=True):
    """What to collect next."""

    command: str
    why: str
    separates: tuple[str, ...]


class Thresholds(Struct, frozen=True):
    """A member's own timing settings."""

    heartbeat_ms: float | None
    election_ms: float | None


class Member(Struct, frozen=True):
    """A member as the bundle shows it."""

    name: str
    id: str | None
    version: str | None
    thresholds: Thresholds
    wal_device: str | None
    skew_s: float | None
    skew_half_width_s: float | None


class Artifact(Struct, frozen=True):
    """A file that was read."""

    path: str
    format: str
    wrapper: str
    member: str | None
    lines: Count
    understood: Count
    rejected: Count
    first: Timestamp | None
    last: Timestamp | None
    zone: str
    zone_source: str


class NotUnderstood(Struct, frozen=True):
    """A file nothing could be read from."""

    path: str
    reason: str
    hint: str


class Caveat(Struct, frozen=True):
    """What to know before trusting a number."""

    code: str
    text: str


class Coverage(Struct, frozen=True):
    """What was read and what was not."""

    artifacts: tuple[Artifact, ...]
    not_understood: tuple[NotUnderstood, ...]
    caveats: tuple[Caveat, ...]


class Entry(Struct, frozen=True):
    """A line of the story."""

    at: Timestamp | None
    member: str | None
    kind: str
    text: str
    cite: Cite


class AnalyzeReport(Struct, frozen=True):
    """The document ``analyze -f json`` writes."""

    schema_version: Literal["1"]
    tool: Tool
    verdict: Verdict
    hypotheses: tuple[Hypothesis, ...]
    ruled_out: tuple[RuledOut, ...]
    not_assessable: tuple[NotAssessable, ...]
    findings: tuple[Finding, ...]
    incidents: tuple[Incident, ...]
    periodicity: tuple[Periodicity, ...]
    coincidences: tuple[Coincidence, ...]
    checklist: tuple[Step, ...]
    next_evidence: tuple[NextEvidence, ...]
    members: tuple[Member, ...]
    coverage: Coverage
    timeline: tuple[Entry, ...]


class InspectArtifact(Artifact, frozen=True):
    """A file with what it says of itself, units in the keys."""

    facts: dict[str, Any]


class InspectReport(Struct, frozen=True):
    """The document ``inspect -f json`` writes."""

    artifacts: tuple[InspectArtifact, ...]
    not_understood: tuple[NotUnderstood, ...]
