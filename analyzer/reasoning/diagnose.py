"""The stage: Timeline -> Diagnosis."""

from __future__ import annotations

from dataclasses import replace

from analyzer.model.diagnosis import (
    ArtifactView,
    CoincidenceResult,
    Diagnosis,
    MemberView,
    NotUnderstood,
    Periodicity,
)
from analyzer.model.ids import Confidence, Status
from analyzer.model.timeline import Timeline
from analyzer.reasoning import conclude, story, wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.gaps import next_evidence
from analyzer.reasoning.judge import cites, judge
from analyzer.reasoning.observers.disk_against_log import met_words
from analyzer.reasoning.observers.period import period_words
from analyzer.reasoning.patterns import coincidences, periods
from analyzer.reasoning.rank import rank
from analyzer.rulebook import RuleBook
from analyzer.version import __version__

WORDS = {"prometheus": "Prometheus writing its two-hour block (odd UTC hours)", "cron-hourly": "an hourly cron job"}


def diagnose(timeline: Timeline, rules: RuleBook) -> Diagnosis:
    """Judge every symptom, rank every cause, conclude."""
    case = Case(timeline)
    judged = judge(case, rules.symptoms)
    ranked = rank(judged, rules.causes)
    tops = conclude.hypotheses(ranked, judged, rules)
    verdict = conclude.verdict(case, ranked, judged, tops, rules)
    if not conclude.is_etcd(case):
        summary = conclude.nothing_usable(timeline)
        verdict = replace(verdict, status=Status.NOT_ETCD, cause=None, confidence=Confidence.NONE, summary=summary)
    if verdict.status in (Status.HEALTHY, Status.NOT_ETCD):
        tops = ()
    clean = verdict.status is Status.HEALTHY and verdict.confidence in (Confidence.HIGH, Confidence.MEDIUM)
    ruled_out, not_supported, not_assessable = conclude.sort_out(ranked, judged)
    titles = {rule.id: rule.title for rule in rules.catalogue.rules}
    return Diagnosis(
        verdict=verdict,
        hypotheses=tops,
        ruled_out=ruled_out,
        not_supported=not_supported,
        not_assessable=not_assessable,
        findings=tuple(finding for item in judged.values() for finding in item.findings),
        incidents=story.incidents(case),
        periodicity=_periodicity(case),
        coincidences=_coincidences(case),
        checklist=conclude.checklist(verdict.status, tops, rules),
        next_evidence=() if clean else next_evidence(case, ranked, judged, rules),
        members=_members(timeline),
        artifacts=tuple(artifact_view(artifact) for artifact in timeline.artifacts if artifact.unreadable is None),
        not_understood=not_understood(timeline),
        caveats=timeline.caveats,
        timeline=story.timeline_entries(case, titles),
        rules_digest=rules.digest,
        tool_version=__version__,
    )


def not_understood(timeline: Timeline) -> tuple[NotUnderstood, ...]:
    """Files nothing was read from."""
    return tuple(NotUnderstood(a.path, a.unreadable, a.hint) for a in timeline.artifacts if a.unreadable is not None)


def artifact_view(artifact: object) -> ArtifactView:
    """One coverage row."""
    from analyzer.model.artifact import Artifact

    assert isinstance(artifact, Artifact)
    return ArtifactView(
        artifact.path,
        artifact.format,
        artifact.wrapper,
        artifact.member,
        artifact.lines,
        artifact.understood,
        artifact.rejected,
        artifact.not_relevant,
        artifact.first_ns,
        artifact.last_ns,
        artifact.clock.zone,
        artifact.clock.source,
        artifact.facts,
    )


def _members(timeline: Timeline) -> tuple[MemberView, ...]:
    return tuple(
        MemberView(
            member.name,
            member.id,
            member.version,
            member.heartbeat_s * 1e3,
            member.election_s * 1e3,
            member.wal_device,
            member.skew_s,
            member.skew_half_width_s,
        )
        for member in timeline.members
    )


def _periodicity(case: Case) -> tuple[Periodicity, ...]:
    found = []
    for period in periods(case):
        result = period.result
        words = period_words(period)
        suspect = WORDS.get((result.template or "").partition("-")[0], result.template)
        if result.claim == "claim":
            summary = (
                f"{period.subject} come back about every {words['period']}: {words['hit']} of "
                f"{words['cycles']} cycles hit, {words['explained']} of {words['episodes']} episodes explained, "
                f"phase {words['phase']}"
            )
        elif result.claim == "suspected":
            fits = f"{period.subject} are consistent with a period of about {words['period']}"
            summary = f"{fits}; {words['hours']} of logs would settle it"
        else:
            summary = f"{period.subject} follow no period"
        spots = (
            case.spots(period.rows, 2)
            if period.rows is not None
            else tuple(spot for change in case.unplanned[:2] for spot in change.spots[:1])
        )
        found.append(
            Periodicity(
                period.subject,
                result.period_s if result.claim != "none" else None,
                result.phase_label or None,
                result.cycles_hit,
                result.cycles,
                result.explained,
                result.episodes,
                result.p_value,
                suspect if result.claim != "none" else None,
                result.claim,
                summary,
                cites(case, spots),
            )
        )
    return tuple(found)


def _coincidences(case: Case) -> tuple[CoincidenceResult, ...]:
    found = []
    for met in coincidences(case):
        result = met.result
        if not result.usable:
            continue
        words = met_words(met)
        summary = (
            f"{words['hits']} of {words['total']} {met.subject} on {words['member']} meet a write-time spike of "
            f"{words['device']} ({words['chance']} expected by chance, {words['p']}); "
            f"{words['spikes_with']} of {words['spikes']} spikes have one"
        )
        found.append(
            CoincidenceResult(
                met.subject,
                "write time",
                met.series.subject,
                met.member,
                result.hits,
                result.events_total,
                result.spikes_total,
                result.expected_by_chance,
                result.lag_s if result.lag_s == result.lag_s else None,
                met.p_value,
                summary,
                cites(case, ((met.series.artifact, int(met.series.lines[0])),)),
            )
        )
    return tuple(found)


__all__ = ["artifact_view", "diagnose", "not_understood", "wording"]
