"""Model to contract: the only place that knows both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any, get_args

from analyzer.model import diagnosis as model
from analyzer.model.finding import Cite, Finding, Window
from analyzer.report import contract
from analyzer.report.wording import moment

# A word the contract does not know claims the least.
_ORDERS: dict[str, contract.Order] = {word: word for word in get_args(contract.Order)}
_CLAIMS: dict[str, contract.Claim] = {word: word for word in get_args(contract.Claim)}


def to_contract(diagnosis: model.Diagnosis) -> contract.AnalyzeReport:
    """The JSON document of a diagnosis, in the order given."""
    return contract.AnalyzeReport(
        schema_version=contract.SCHEMA_VERSION,
        tool=contract.Tool("etcd-doctor", diagnosis.tool_version, diagnosis.rules_digest),
        verdict=_verdict(diagnosis.verdict),
        hypotheses=tuple(_hypothesis(hypothesis) for hypothesis in diagnosis.hypotheses),
        ruled_out=tuple(contract.RuledOut(out.cause, out.because, _cites(out.cites)) for out in diagnosis.ruled_out),
        not_assessable=tuple(contract.NotAssessable(n.cause, n.needs) for n in diagnosis.not_assessable),
        findings=tuple(_finding(finding) for finding in diagnosis.findings),
        incidents=tuple(_incident(incident) for incident in diagnosis.incidents),
        periodicity=tuple(_periodicity(found) for found in diagnosis.periodicity),
        coincidences=tuple(_coincidence(found) for found in diagnosis.coincidences),
        checklist=tuple(_step(step) for step in diagnosis.checklist),
        next_evidence=tuple(
            contract.NextEvidence(n.command, n.why, tuple(n.separates)) for n in diagnosis.next_evidence
        ),
        members=tuple(_member(member) for member in diagnosis.members),
        coverage=contract.Coverage(
            tuple(contract.Artifact(**_artifact(row)) for row in diagnosis.artifacts),
            not_understood_rows(diagnosis.not_understood),
            tuple(contract.Caveat(caveat.code, caveat.text) for caveat in diagnosis.caveats),
        ),
        timeline=tuple(_entry(entry) for entry in diagnosis.timeline),
    )


def to_inspect_contract(
    artifacts: Sequence[model.ArtifactView], not_understood: Sequence[model.NotUnderstood]
) -> contract.InspectReport:
    """The JSON document of ``inspect``, in the order given."""
    rows = tuple(contract.InspectArtifact(**_artifact(row), facts=_plain(row.facts)) for row in artifacts)
    return contract.InspectReport(rows, not_understood_rows(not_understood))


def timestamp(ns: int | None) -> str | None:
    """RFC 3339 in UTC to the microsecond, without trailing zeros; None when not representable."""
    at = None if ns is None else moment(ns)
    if at is None:
        return None
    whole = at.replace(tzinfo=None, microsecond=0).isoformat()
    fraction = f".{at.microsecond:06d}".rstrip("0").rstrip(".")
    return f"{whole}{fraction}Z"


def finite(value: float | None) -> float | None:
    """JSON knows no NaN and no infinity: a number that is none is not known."""
    return None if value is None or not math.isfinite(value) else float(value)


def _known(value: float) -> float:
    return float(value) if math.isfinite(value) else 0.0


def _cites(cites: Iterable[Cite]) -> tuple[contract.Cite, ...]:
    return tuple(contract.Cite(cite.file, cite.line) for cite in cites)


def _span(window: Window | None) -> contract.Span | None:
    return None if window is None else contract.Span(timestamp(window.start_ns), timestamp(window.end_ns))


def _verdict(verdict: model.Verdict) -> contract.Verdict:
    impact = asdict(verdict.impact)
    for key in ("longest_fdatasync_s", "slowest_request_s"):
        impact[key] = finite(impact[key])
    return contract.Verdict(
        status=verdict.status.value,
        cause=verdict.cause,
        confidence=verdict.confidence.value,
        summary=verdict.summary,
        window=_span(verdict.window),
        impact=contract.Impact(**impact),
    )


def _hypothesis(hypothesis: model.Hypothesis) -> contract.Hypothesis:
    ledger = tuple(
        contract.Contribution(c.clue, c.sighting.value, _known(c.points), c.because, _cites(c.cites))
        for c in hypothesis.ledger
    )
    remedies = tuple(
        contract.Remedy(remedy.id, remedy.title, tuple(_step(step) for step in remedy.steps))
        for remedy in hypothesis.remedies
    )
    return contract.Hypothesis(
        cause=hypothesis.cause,
        title=hypothesis.title,
        probability=min(max(_known(hypothesis.probability), 0.0), 1.0),
        confidence=hypothesis.confidence.value,
        ledger=ledger,
        remedies=remedies,
    )


def _step(step: model.Step) -> contract.Step:
    return contract.Step(**asdict(step))


def _finding(finding: Finding) -> contract.Finding:
    return contract.Finding(
        id=finding.symptom,
        state=finding.state.value,
        severity=finding.severity.value,
        member=finding.member,
        device=finding.device,
        title=finding.title,
        value=finite(finding.value),
        unit=finding.unit,
        threshold=finding.threshold,
        window=_span(finding.window),
        cites=_cites(finding.cites),
    )


def _incident(incident: model.Incident) -> contract.Incident:
    chain = tuple(
        contract.ChainLink(
            stage=link.stage,
            start=timestamp(link.start_ns),
            end=timestamp(link.end_ns),
            order=_ORDERS.get(link.order, "unobserved"),
            cites=_cites(link.cites),
        )
        for link in incident.chain
    )
    window = incident.window
    return contract.Incident(timestamp(window.start_ns), timestamp(window.end_ns), tuple(incident.members), chain)


def _periodicity(found: model.Periodicity) -> contract.Periodicity:
    return contract.Periodicity(
        subject=found.subject,
        period_s=finite(found.period_s),
        phase=found.phase,
        cycles_hit=found.cycles_hit,
        cycles=found.cycles,
        explained=found.explained,
        p_value=finite(found.p_value),
        suspect=found.suspect,
        claim=_CLAIMS.get(found.claim, "none"),
    )


def _coincidence(found: model.CoincidenceResult) -> contract.Coincidence:
    return contract.Coincidence(
        events=found.events,
        series=found.series,
        device=found.device,
        hits=found.hits,
        events_total=found.events_total,
        spikes_total=found.spikes_total,
        expected_by_chance=_known(found.expected_by_chance),
        lag_s=finite(found.lag_s),
        p_value=finite(found.p_value),
    )


def _member(member: model.MemberView) -> contract.Member:
    return contract.Member(
        name=member.name,
        id=member.id,
        version=member.version,
        thresholds=contract.Thresholds(finite(member.heartbeat_ms), finite(member.election_ms)),
        wal_device=member.wal_device,
        skew_s=finite(member.skew_s),
        skew_half_width_s=finite(member.skew_half_width_s),
    )


def _artifact(row: model.ArtifactView) -> dict[str, Any]:
    return {
        "path": row.path,
        "format": row.format,
        "wrapper": row.wrapper,
        "member": row.member,
        "lines": row.lines,
        "understood": row.understood,
        "rejected": row.rejected,
        "first": timestamp(row.first_ns),
        "last": timestamp(row.last_ns),
        "zone": row.zone,
        "zone_source": row.zone_source,
    }


def not_understood_rows(files: Sequence[model.NotUnderstood]) -> tuple[contract.NotUnderstood, ...]:
    """Files nothing could be read from."""
    return tuple(contract.NotUnderstood(file.path, file.reason, file.hint) for file in files)


def _entry(entry: model.TimelineEntry) -> contract.Entry:
    cite = contract.Cite(entry.cite.file, entry.cite.line)
    return contract.Entry(timestamp(entry.at_ns), entry.member, entry.kind, entry.text, cite)


def _plain(value: Any) -> Any:
    """Facts as JSON knows them: string keys, lists, finite numbers, sorted sets; the rest as its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((_plain(item) for item in value), key=str)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return finite(value)
    # A number of numpy says what it is worth in Python.
    item = getattr(value, "item", None)
    return _plain(item()) if callable(item) else str(value)
