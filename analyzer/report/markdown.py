"""The Markdown report: pastes into a GitHub or Jira ticket; everything quoted sits inert in code spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzer.model.diagnosis import Diagnosis
from analyzer.report.markdown_text import bold, code, fence, prose, table_rows
from analyzer.report.options import RenderOptions
from analyzer.report.quotes import split_cites
from analyzer.report.view import build_view
from analyzer.report.view_context import CHAIN_LEGEND
from analyzer.report.view_coverage import COVERAGE_HEADER, coverage_cells
from analyzer.report.view_types import (
    CauseView,
    CiteView,
    EvidenceView,
    IncidentView,
    ReportView,
    StatementView,
    StepView,
)
from analyzer.report.wording import listing

MAX_FOR, MAX_AGAINST, MAX_MISSING, MAX_OTHERS, MAX_STEPS, MAX_CAPTURES = 5, 3, 3, 3, 5, 3
MAX_QUOTES, MAX_INCIDENTS, MAX_STATEMENTS = 2, 6, 4


def render(diagnosis: Diagnosis, options: RenderOptions) -> str:
    """Lay a diagnosis out as GitHub-flavoured Markdown; about a hundred lines unless verbose."""
    view = build_view(diagnosis)
    return "\n".join(_report(view, None if options.verbose else 1)) + "\n"


def _report(view: ReportView, brief: int | None) -> Iterator[str]:
    """All lines; ``brief`` times each limit bounds the lists, None lifts the limits."""
    yield from _verdict(view)
    if view.status == "problem":
        yield from _why(view, brief)
        yield from _others(view.causes[1:], brief)
        yield from _steps(view.checklist, brief)
        yield from _captures(view, "What would settle it", brief)
    else:
        yield from _captures(view, "Collect next", brief)
        yield from _candidates(view, brief)
        yield from _steps(view.checklist, brief)
    yield from _when(view, brief)
    yield from _incidents(view.incidents, brief)
    yield from _checked(view, brief)
    yield from _reading(view, brief)
    if brief is None:
        yield from _details(view)


def _limit(number: int, brief: int | None) -> int | None:
    return None if brief is None else number * brief


def _heading(title: str) -> Iterator[str]:
    yield ""
    yield f"### {title}"
    yield ""


def _more(total: int, limit: int | None) -> Iterator[str]:
    if limit is not None and total > limit:
        yield f"- +{total - limit} more"


def _verdict(view: ReportView) -> Iterator[str]:
    odds = f" ({view.odds})" if view.odds else ""
    yield f"## {view.label}{odds}"
    yield ""
    yield bold(view.headline)
    yield ""
    cause = ", ".join(part for part in (code(view.cause) if view.cause else "", prose(view.place)) if part)
    rows = (
        ("Cause", f"{cause} (confidence {view.confidence}, severity {view.severity})" if view.cause else ""),
        ("Impact", prose(view.impact)),
        ("When", prose(view.window)),
        ("Do first", prose(view.do_first)),
        ("Looked at", prose(view.subject)),
    )
    for label, text in rows:
        if text:
            yield f"- **{label}:** {text}"


def _why(view: ReportView, brief: int | None) -> Iterator[str]:
    if not view.causes:
        return
    yield from _heading("Why")
    yield prose(view.causes[0].mechanism)
    yield ""
    yield from _ledger(view.causes[0], brief)


def _ledger(cause: CauseView, brief: int | None) -> Iterator[str]:
    """For, against, missing; points in nats (+0.7 doubles the odds, +2.3 makes them ten times higher)."""
    yield f"Points are natural-log odds: +0.7 doubles them, +2.3 is ten times. Sum: {cause.total}."
    yield ""
    quoted: set[CiteView] = set()
    yield from _evidence("for", cause.speaks_for, _limit(MAX_FOR, brief), quoted)
    yield from _evidence("against", cause.speaks_against, _limit(MAX_AGAINST, brief), quoted)
    if not cause.speaks_against:
        yield "- **against:** nothing that was collected"
    for line in cause.not_collected[: _limit(MAX_MISSING, brief)]:
        yield f"- **missing:** {prose(line.text)}{_named(line.cites)}"
    yield from _more(len(cause.not_collected), _limit(MAX_MISSING, brief))
    if brief is None:
        yield from _evidence("neutral", cause.neutral, None, quoted)


def _evidence(label: str, lines: Sequence[EvidenceView], limit: int | None, quoted: set[CiteView]) -> Iterator[str]:
    for line in lines[:limit]:
        yield f"- **{label} {line.points}** {prose(line.text)}"
        quotes, named = split_cites(line.cites, None if limit is None else MAX_QUOTES, quoted)
        for cite in quotes:
            yield f"  - {_cited(cite)}"
        if named:
            yield f"  - {'also ' if quotes else ''}{listing([code(cite.where) for cite in named], limit=3)}"
    if limit is not None and len(lines) > limit:
        rest = sum(line.nats for line in lines[limit:])
        yield f"- **{label} {rest:+.1f}** from {len(lines) - limit} more"


def _cited(cite: CiteView) -> str:
    return f"{code(cite.where)} {code(cite.text)}" if cite.text else code(cite.where)


def _named(cites: Sequence[CiteView]) -> str:
    return f" [{', '.join(code(cite.where) for cite in cites[:2])}]" if cites else ""


def _others(causes: Sequence[CauseView], brief: int | None) -> Iterator[str]:
    if not causes:
        return
    yield from _heading("Other candidates")
    limit = _limit(MAX_OTHERS, brief)
    for cause in causes[:limit]:
        best = ""
        if cause.speaks_for:
            strongest = cause.speaks_for[0]
            best = f" For: {strongest.points} {prose(strongest.text)}{_named(strongest.cites[:1])}."
        loses = ""
        if cause.loses_because is not None:
            loses = f" Against: {prose(cause.loses_because.text)}{_named(cause.loses_because.cites[:1])}."
        where = f" {prose(cause.place)}" if cause.place else ""
        yield f"{cause.rank}. {code(cause.cause)}{where} ({cause.odds}).{best}{loses}"
        if brief is None:
            yield ""
            yield from _ledger(cause, brief)
            yield ""
    yield from _more(len(causes), limit)


def _candidates(view: ReportView, brief: int | None) -> Iterator[str]:
    if not view.causes:
        return
    yield from _heading("Candidates so far (none has enough evidence to be named as the cause)")
    for cause in view.causes[: _limit(2, brief)]:
        yield f"**{cause.rank}.** {code(cause.cause)} {prose(cause.title)} ({cause.odds})"
        yield ""
        yield from _ledger(cause, brief)
        yield ""


def _steps(steps: Sequence[StepView], brief: int | None) -> Iterator[str]:
    if not steps:
        return
    yield from _heading("What to do now")
    limit = _limit(MAX_STEPS, brief)
    for step in steps[:limit]:
        yield f"- [ ] {bold(f'{step.number}. {step.step}')}"
        yield from fence(step.command, "  ", "sh")
        safety = (("verify", step.verify), ("risk", step.risk), ("undo", step.rollback))
        words = "; ".join(f"{label}: {prose(text)}" for label, text in safety if text)
        yield from ([f"  {words}"] if words else [])
        if brief is None and step.why:
            yield f"  why: {prose(step.why)} {code(step.source) if step.source else ''}".rstrip()
    yield from _more(len(steps), limit)


def _captures(view: ReportView, title: str, brief: int | None) -> Iterator[str]:
    if not view.next_evidence:
        return
    yield from _heading(title)
    limit = _limit(MAX_CAPTURES, brief)
    for capture in view.next_evidence[:limit]:
        tells = f" (tells {prose(capture.separates)})" if capture.separates else ""
        yield f"- {prose(capture.why)}{tells}"
        yield from fence(capture.command, "  ", "sh")
    yield from _more(len(view.next_evidence), limit)


def _when(view: ReportView, brief: int | None) -> Iterator[str]:
    if not view.patterns and view.strip is None:
        return
    yield from _heading("When")
    yield from _statements(view.patterns[: _limit(MAX_STATEMENTS, brief)], labelled=False)
    if view.strip is not None:
        lanes = [f"{lane.label:<16}{lane.cells}  {lane.total}" for lane in view.strip.lanes]
        yield from fence([*lanes, f"{'':<16}{view.strip.axis}", view.strip.legend], "")


def _incidents(incidents: Sequence[IncidentView], brief: int | None) -> Iterator[str]:
    if not incidents:
        return
    yield from _heading(f"Incidents ({len(incidents)})")
    limit = _limit(MAX_INCIDENTS, brief)
    rows = [
        (
            str(i.number),
            i.start,
            i.lasted,
            prose(i.members),
            code(i.chain, in_table=True),
            code(i.see, in_table=True),
        )
        for i in incidents[:limit]
    ]
    yield from table_rows(("#", "start", "lasted", "members", "chain", "first line"), rows)
    more = f" +{len(incidents) - limit} more." if limit is not None and len(incidents) > limit else ""
    yield ""
    yield f"Chain: {code(CHAIN_LEGEND)}.{more}"


def _checked(view: ReportView, brief: int | None) -> Iterator[str]:
    yield from _heading("Checked")
    yield f"- {view.findings_summary}"
    if view.status != "problem" and brief is not None:
        for finding in view.findings:
            if finding.state in ("fail", "warn", "pass"):
                place = f" ({prose(finding.place)})" if finding.place else ""
                yield f"- {finding.state}: {prose(finding.title)}{place}{_named(finding.cites)}"
    limit = _limit(MAX_STATEMENTS, brief)
    yield from _statements(view.ruled_out[:limit], prefix="ruled out: ")
    yield from _more(len(view.ruled_out), limit)
    if view.not_supported:
        yield f"- nothing for: {', '.join(code(cause) for cause in view.not_supported)}"
    yield from _statements(view.not_assessable[:limit], prefix="cannot assess: ")
    yield from _more(len(view.not_assessable), limit)


def _statements(statements: Iterable[StatementView], prefix: str = "", labelled: bool = True) -> Iterator[str]:
    for statement in statements:
        label = f"{code(statement.label)} " if labelled and statement.label else ""
        yield f"- {prefix}{label}{prose(statement.text)}{_named(statement.cites)}"


def _reading(view: ReportView, brief: int | None) -> Iterator[str]:
    """Clocks, caveats and coverage."""
    yield from _heading("Clocks, caveats, coverage")
    for sentence in (*view.clocks, *view.coverage.summary):
        yield f"- {prose(sentence)}"
    limit = _limit(MAX_STATEMENTS, brief)
    yield from _statements(view.caveats[:limit], labelled=False)
    yield from _more(len(view.caveats), limit)
    if view.status == "not-etcd" or brief is None:
        yield from _statements(view.coverage.not_understood)
    yield ""
    yield prose(f"{view.tool}.")


def _details(view: ReportView) -> Iterator[str]:
    yield from _heading("Findings")
    for finding in view.findings:
        notes = (finding.place, finding.threshold and f"limit: {finding.threshold}", finding.needs)
        words = "; ".join(prose(note) for note in notes if note)
        told = f" ({words})" if words else ""
        yield f"- **{finding.state}** {code(finding.id)} {prose(finding.title)}{told}"
        for cite in finding.cites:
            yield f"  - {_cited(cite)}"
    yield from _heading("Files")
    rows = [tuple(prose(cell) for cell in coverage_cells(row)) for row in view.coverage.rows]
    yield from table_rows(COVERAGE_HEADER, rows)
    yield from _heading("Story")
    story = [
        (e.at, prose(e.member), prose(e.kind), prose(e.text), code(e.cite.where, in_table=True)) for e in view.timeline
    ]
    yield from table_rows(("time", "member", "kind", "what", "where"), story)
