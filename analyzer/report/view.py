"""Turn a Diagnosis into words, once: every judgement is in the Diagnosis, here it is only worded."""

from __future__ import annotations

from analyzer.model.diagnosis import Diagnosis, Impact
from analyzer.model.ids import Confidence, Status
from analyzer.report.strip import build_strip
from analyzer.report.view_causes import view_causes, view_cites, view_steps
from analyzer.report.view_context import (
    findings_summary,
    view_capture,
    view_clocks,
    view_entry,
    view_finding,
    view_incidents,
    view_patterns,
)
from analyzer.report.view_coverage import subject, view_coverage
from analyzer.report.view_types import ReportView, StatementView
from analyzer.report.wording import clean, counted, duration, odds, place, window_span

_LABELS = {
    Status.HEALTHY: "NO PROBLEM FOUND",
    Status.INSUFFICIENT: "CANNOT TELL",
    Status.NOT_ETCD: "NOT ETCD",
}


def build_view(diagnosis: Diagnosis) -> ReportView:
    """Word a diagnosis; pure and deterministic."""
    verdict = diagnosis.verdict
    causes = view_causes(diagnosis.hypotheses)
    checklist = view_steps(diagnosis.checklist)
    captures = tuple(view_capture(capture) for capture in diagnosis.next_evidence)
    return ReportView(
        status=verdict.status.value,
        severity=verdict.severity.value,
        label=_label(diagnosis),
        headline=clean(verdict.summary),
        cause=clean(verdict.cause or ""),
        place=_verdict_place(diagnosis),
        odds=_verdict_odds(diagnosis),
        confidence=verdict.confidence.value,
        impact=_verdict_impact(diagnosis),
        window=_verdict_window(diagnosis),
        do_first=_do_first(diagnosis),
        subject=subject(diagnosis),
        tool=f"etcd-doctor {clean(diagnosis.tool_version)}, rules {clean(diagnosis.rules_digest)}",
        causes=causes,
        patterns=view_patterns(diagnosis),
        strip=build_strip(diagnosis.timeline, diagnosis.artifacts),
        incidents=view_incidents(diagnosis.incidents),
        checklist=checklist,
        next_evidence=captures,
        ruled_out=_ruled_out(diagnosis),
        not_supported=tuple(clean(cause) for cause in diagnosis.not_supported),
        not_assessable=tuple(StatementView(clean(n.cause), clean(n.needs)) for n in diagnosis.not_assessable),
        findings=tuple(view_finding(finding) for finding in diagnosis.findings),
        findings_summary=findings_summary(diagnosis.findings),
        clocks=view_clocks(diagnosis),
        caveats=_caveats(diagnosis),
        coverage=view_coverage(diagnosis.artifacts, diagnosis.not_understood),
        timeline=tuple(view_entry(entry) for entry in diagnosis.timeline),
    )


def _ruled_out(diagnosis: Diagnosis) -> tuple[StatementView, ...]:
    return tuple(
        StatementView(clean(out.cause), clean(out.because), view_cites(out.cites)) for out in diagnosis.ruled_out
    )


def _caveats(diagnosis: Diagnosis) -> tuple[StatementView, ...]:
    return tuple(
        StatementView(clean(caveat.code), clean(caveat.text), view_cites(caveat.cites)) for caveat in diagnosis.caveats
    )


def _label(diagnosis: Diagnosis) -> str:
    """A cause that is only possible is not announced as the root cause."""
    verdict = diagnosis.verdict
    if verdict.status is not Status.PROBLEM:
        return _LABELS[verdict.status]
    if verdict.confidence is Confidence.HIGH:
        return "ROOT CAUSE"
    return {Confidence.MEDIUM: "LIKELY CAUSE", Confidence.LOW: "POSSIBLE CAUSE"}.get(
        verdict.confidence, "PROBLEM, CAUSE OPEN"
    )


_LOOKED_AT = {
    Confidence.HIGH: "full logs and measurements were looked at",
    Confidence.MEDIUM: "full logs were looked at, little else",
    Confidence.LOW: "but little was looked at",
}
"""How much a clean result is worth."""


def _verdict_odds(diagnosis: Diagnosis) -> str:
    verdict = diagnosis.verdict
    if verdict.status is Status.NOT_ETCD or verdict.confidence is Confidence.NONE:
        return ""
    if verdict.status is Status.HEALTHY:
        return _LOOKED_AT[verdict.confidence]
    return odds(verdict.confidence)


def _verdict_place(diagnosis: Diagnosis) -> str:
    """Where the named cause sits, as its hypothesis says."""
    for hypothesis in diagnosis.hypotheses:
        if hypothesis.cause == diagnosis.verdict.cause:
            return place(hypothesis.member, hypothesis.device)
    return ""


def _verdict_impact(diagnosis: Diagnosis) -> str:
    """Said where there is something to say; a problem without visible cost says that too."""
    if diagnosis.verdict.status is Status.PROBLEM or diagnosis.verdict.impact != Impact():
        return impact_words(diagnosis.verdict.impact)
    return ""


def _verdict_window(diagnosis: Diagnosis) -> str:
    words = window_span(diagnosis.verdict.window)
    if words and diagnosis.incidents:
        return f"{words}, in {counted(len(diagnosis.incidents), 'incident')}"
    return words


def _do_first(diagnosis: Diagnosis) -> str:
    """The one thing to do now: the first remedy step, or the first capture when the cause is open."""
    if diagnosis.verdict.status in (Status.PROBLEM, Status.HEALTHY) and diagnosis.checklist:
        return clean(diagnosis.checklist[0].step)
    if diagnosis.next_evidence:
        return f"collect {clean(diagnosis.next_evidence[0].id)}: {clean(diagnosis.next_evidence[0].why)}"
    return clean(diagnosis.checklist[0].step) if diagnosis.checklist else ""


def impact_words(impact: Impact) -> str:
    """What the trouble cost, in one line; counts that may be too low carry ``>=``."""
    low = impact.counts_are_lower_bounds
    tallies = (
        (impact.leader_changes, "leader change", None),
        (impact.elections, "election", None),
        (impact.slow_fdatasync, "slow fdatasync", impact.longest_fdatasync_s),
        (impact.heartbeat_warnings, "late-heartbeat warning", None),
        (impact.slow_requests, "slow request", impact.slowest_request_s),
        (impact.client_errors, "client error", None),
    )
    words = []
    for number, noun, worst_s in tallies:
        if number:
            plural = noun if noun.endswith("sync") else None
            worst = "" if worst_s is None else f" (worst {duration(worst_s)})"
            words.append(f"{counted(number, noun, plural, low)}{worst}")
    return ", ".join(words) or "none visible in what was collected"
