"""Words for everything around the causes: incidents, patterns, clocks, coverage, findings, story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analyzer.model.diagnosis import (
    ChainLink,
    CoincidenceResult,
    Diagnosis,
    Incident,
    MemberView,
    NextEvidence,
    Periodicity,
    TimelineEntry,
)
from analyzer.model.finding import Finding
from analyzer.model.ids import State
from analyzer.report.view_causes import view_cites
from analyzer.report.view_types import (
    CaptureView,
    CiteView,
    EntryView,
    FindingView,
    IncidentView,
    LinkView,
    StatementView,
)
from analyzer.report.wording import (
    NS_PER_S,
    chance,
    clean,
    clean_lines,
    counted,
    duration,
    listing,
    place,
    span,
    three_digits,
    utc,
    where,
    window_span,
)

CHAIN_LEGEND = "> = observed in this order; ~ same moment; ! wrong order; (in brackets) not observed"


def view_incidents(incidents: Sequence[Incident]) -> tuple[IncidentView, ...]:
    """Incidents in the order given, numbered."""
    return tuple(_view_incident(number, incident) for number, incident in enumerate(incidents, start=1))


def _view_incident(number: int, incident: Incident) -> IncidentView:
    cites = [cite for link in incident.chain for cite in link.cites]
    lasted_ns = incident.window.end_ns - incident.window.start_ns
    return IncidentView(
        number=number,
        start=utc(incident.window.start_ns),
        lasted=duration(lasted_ns / NS_PER_S),
        members=", ".join(clean(member) for member in incident.members) or "unknown",
        chain=_chain(incident.chain),
        summary=clean(incident.summary),
        see=where(cites[0]) if cites else "",
        links=tuple(_view_link(link) for link in incident.chain),
    )


def _view_link(link: ChainLink) -> LinkView:
    when = "not observed" if link.start_ns is None and link.end_ns is None else span(link.start_ns, link.end_ns)
    return LinkView(clean(link.stage), when, clean(link.order), view_cites(link.cites))


def _chain(links: Sequence[ChainLink]) -> str:
    joins = {"tie": " ~ ", "contradicted": " ! "}
    words = ""
    for link in links:
        stage = clean(link.stage)
        shown = f"({stage})" if link.order == "unobserved" else stage
        words += (joins.get(link.order, " > ") if words else "") + shown
    return words


def view_patterns(diagnosis: Diagnosis) -> tuple[StatementView, ...]:
    """Periodicity sentences first, then coincidences, in the order given."""
    periods = (StatementView(clean(p.subject), _period(p), view_cites(p.cites)) for p in diagnosis.periodicity)
    meetings = (StatementView(clean(c.events), _coincidence(c), view_cites(c.cites)) for c in diagnosis.coincidences)
    return (*periods, *meetings)


def _period(found: Periodicity) -> str:
    """The detector's sentence with its numbers in brackets."""
    facts: list[tuple[str, str]] = []
    if found.claim == "suspected":
        facts.append(("suspected", "suspected, not proven"))
    if found.period_s is not None:
        hit, fit = f"{found.cycles_hit} of {found.cycles}", f"{found.explained} of {found.episodes}"
        every = duration(found.period_s)
        facts.append((every, f"every {every}"))
        facts += [(hit, f"{hit} cycles hit")] if found.cycles else []
        facts += [(fit, f"{fit} episodes fit")] if found.episodes else []
    if found.claim != "none":
        facts.append(("chance", chance(found.p_value)))
    return _with_facts(found.summary, facts)


def _coincidence(found: CoincidenceResult) -> str:
    met, expected = f"{found.hits} of {found.events_total}", three_digits(found.expected_by_chance)
    facts = [(met, f"{met} met"), ("expected by chance", f"{expected} expected by chance")]
    if found.lag_s is not None:
        facts.append(("lag", f"lag {duration(found.lag_s)}"))
    if not ("p <" in found.summary or "p =" in found.summary):
        facts.append(("chance alone", chance(found.p_value)))
    return _with_facts(found.summary, facts)


def _with_facts(summary: str, facts: Sequence[tuple[str, str]]) -> str:
    """Append each (key, fact) whose key the sentence does not hold already: no number is said twice."""
    sentence = clean(summary)
    kept = [fact for key, fact in facts if fact and key not in sentence]
    if not kept:
        return sentence
    return f"{sentence.removesuffix('.')} ({'; '.join(kept)})."


def view_capture(capture: NextEvidence) -> CaptureView:
    """A capture with what it would tell apart."""
    separates = " from ".join(clean(cause) for cause in capture.separates[:2])
    if len(capture.separates) > 2:
        separates = listing([clean(cause) for cause in capture.separates])
    return CaptureView(clean(capture.id), clean_lines(capture.command), clean(capture.why), separates)


def view_finding(finding: Finding) -> FindingView:
    """A finding; what is missing is said in ``needs``."""
    return FindingView(
        state=finding.state.value,
        severity=finding.severity.value,
        id=clean(finding.symptom),
        title=clean(finding.title),
        place=place(finding.member, finding.device),
        threshold=clean(finding.threshold or ""),
        window=window_span(finding.window),
        needs=clean(finding.needs or ""),
        cites=view_cites(finding.cites),
    )


def findings_summary(findings: Sequence[Finding]) -> str:
    """``9 fail, 2 warn, 14 pass, 5 no evidence``; states nothing is in are left out."""
    tally = Counter(finding.state for finding in findings)
    words = [f"{tally[state]} {state.value.replace('-', ' ')}" for state in State if tally[state]]
    return ", ".join(words) or "nothing could be checked"


def view_entry(entry: TimelineEntry) -> EntryView:
    """A line of the story."""
    cite = CiteView(where(entry.cite), clean(entry.cite.text))
    return EntryView(utc(entry.at_ns), clean(entry.member or ""), clean(entry.kind), clean(entry.text), cite)


def view_clocks(diagnosis: Diagnosis) -> tuple[str, ...]:
    """One sentence on the members' clocks and one on the zones the files' times were read in."""
    sentences = []
    skews = [_skew(member) for member in diagnosis.members]
    if skews:
        sentences.append(f"Member clocks against each other: {'; '.join(skews)}.")
    zones = Counter(
        (clean(row.zone), clean(row.zone_source)) for row in diagnosis.artifacts if row.first_ns is not None
    )
    if zones:
        words = [
            f"{zone or 'unknown'} ({source or 'source unknown'}) in {counted(number, 'file')}"
            for (zone, source), number in zones.items()
        ]
        sentences.append(f"Zones of the files: {listing(words)}.")
    return tuple(sentences)


def _skew(member: MemberView) -> str:
    name = clean(member.name)
    if member.skew_s is None:
        return f"{name} not measurable"
    half = "" if member.skew_half_width_s is None else f" +- {duration(member.skew_half_width_s)}"
    sign = "" if member.skew_s < 0 else "+"
    return f"{name} {sign}{duration(member.skew_s)}{half}"
