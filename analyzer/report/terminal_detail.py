"""The second half of the terminal report: when, what is excluded, clocks, coverage; and ``-v``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.report.layout import Line, table
from analyzer.report.terminal_blocks import cite_lines, heading, statement_lines
from analyzer.report.view_context import CHAIN_LEGEND
from analyzer.report.view_coverage import COVERAGE_HEADER, coverage_cells
from analyzer.report.view_types import FindingView, IncidentView, ReportView, StatementView, StripView

MAX_INCIDENTS, MAX_PATTERNS, MAX_EXCLUDED, MAX_CAVEATS, MAX_CHECKED = 6, 4, 4, 4, 6


def time_lines(view: ReportView, verbose: bool) -> Iterator[Line]:
    """When it happened, and the incidents."""
    yield from _when(view, verbose)
    yield from _incidents(view.incidents, verbose)


def context_lines(view: ReportView, verbose: bool) -> Iterator[Line]:
    """What is excluded or open, clocks, coverage."""
    yield from _checked(view, verbose)
    yield from _clocks(view, verbose)
    yield from _coverage(view)


def _when(view: ReportView, verbose: bool) -> Iterator[Line]:
    if not view.patterns and view.strip is None:
        return
    yield from heading("WHEN", view.strip.span if view.strip else "")
    shown = view.patterns if verbose else view.patterns[:MAX_PATTERNS]
    yield from statement_lines(StatementView("", pattern.text, pattern.cites) for pattern in shown)
    if view.strip is not None:
        yield from strip_lines(view.strip)


def strip_lines(strip: StripView) -> Iterator[Line]:
    """The strip chart, one lane per line over one axis."""
    for lane in strip.lanes:
        yield Line(f"  {lane.label:<16}", f"{lane.cells}  {lane.total}", wraps=False)
    yield Line(f"  {'':<16}", strip.axis, wraps=False)
    yield Line(f"  {'':<16}", strip.legend, style="dim")


def _incidents(incidents: Sequence[IncidentView], verbose: bool) -> Iterator[Line]:
    if not incidents:
        return
    shown = incidents if verbose else incidents[:MAX_INCIDENTS]
    together = len({incident.members for incident in incidents}) == 1
    title = f"INCIDENTS ({len(incidents)}" + (f", on {incidents[0].members})" if together else ")")
    yield from heading(title, CHAIN_LEGEND)
    rows = [(str(i.number), i.start, i.lasted, "" if together else i.members, i.chain, i.see) for i in shown]
    for number, row in enumerate(table(("#", "start", "lasted", "members", "chain", "first line"), rows)):
        yield Line("", row, wraps=False, style="dim" if number == 0 else "")
        if verbose and number:
            yield from _chain(shown[number - 1])
    if len(incidents) > len(shown):
        yield Line("  ", f"+{len(incidents) - len(shown)} more (-v)", style="dim")


def _chain(incident: IncidentView) -> Iterator[Line]:
    if incident.summary:
        yield Line("       ", incident.summary)
    for link in incident.links:
        told = link.span if link.order == "unobserved" else f"{link.span}, {link.order}"
        yield Line(f"       {link.stage:<14}", told)
        yield from cite_lines(link.cites, " " * 21)


def _checked(view: ReportView, verbose: bool) -> Iterator[Line]:
    """What was looked at and found innocent, and what nothing in the bundle can tell."""
    yield from heading("CHECKED", view.findings_summary)
    if view.status != "problem" and not verbose:
        yield from _judged(view.findings)
    limit = None if verbose else MAX_EXCLUDED
    ruled_out = [StatementView(out.label, out.text, out.cites) for out in view.ruled_out]
    yield from statement_lines(ruled_out[:limit], "  ruled out       ")
    if limit is not None and len(ruled_out) > limit:
        yield Line("  ruled out       ", ", ".join(out.label for out in ruled_out[limit:]))
    if view.not_supported:
        yield Line("  nothing for     ", ", ".join(view.not_supported))
    yield from statement_lines(view.not_assessable[:limit], "  cannot assess   ")
    if limit is not None and len(view.not_assessable) > limit:
        yield Line("  cannot assess   ", ", ".join(open_.label for open_ in view.not_assessable[limit:]))


def _judged(findings: Sequence[FindingView]) -> Iterator[Line]:
    """Without a named cause what was checked is the message: trouble first, then what is in order."""
    for state in ("fail", "warn", "pass"):
        of_state = [finding for finding in findings if finding.state == state]
        shown = (StatementView("", _with_place(finding), finding.cites) for finding in of_state[:MAX_CHECKED])
        yield from statement_lines(shown, f"  {state:<16}")
        if len(of_state) > MAX_CHECKED:
            yield Line(f"  {state:<16}", f"+{len(of_state) - MAX_CHECKED} more (-v)", style="dim")


def _with_place(finding: FindingView) -> str:
    return f"{finding.title} ({finding.place})" if finding.place else finding.title


def _clocks(view: ReportView, verbose: bool) -> Iterator[Line]:
    if not view.clocks and not view.caveats:
        return
    yield from heading("CLOCKS AND CAVEATS")
    for sentence in view.clocks:
        yield Line("  - ", sentence)
    shown = view.caveats if verbose else view.caveats[:MAX_CAVEATS]
    yield from statement_lines(StatementView("", caveat.text, caveat.cites) for caveat in shown)
    if len(view.caveats) > len(shown):
        yield Line("  ", f"+{len(view.caveats) - len(shown)} more (-v)", style="dim")


def _coverage(view: ReportView) -> Iterator[Line]:
    yield from heading("READ")
    for sentence in view.coverage.summary:
        yield Line("  ", sentence)
    if view.status == "not-etcd":
        yield from statement_lines(view.coverage.not_understood)


def detail_lines(view: ReportView) -> Iterator[Line]:
    """What only ``-v`` shows: every finding, every file, the story."""
    yield from _findings(view.findings)
    yield from _files(view)
    if view.timeline:
        yield from heading("STORY")
        rows = [(entry.at, entry.member, entry.kind, entry.text, entry.cite.where) for entry in view.timeline]
        yield from _table(("time", "member", "kind", "what", "where"), rows)


def _findings(findings: Sequence[FindingView]) -> Iterator[Line]:
    if not findings:
        return
    yield from heading("FINDINGS")
    for finding in findings:
        limit = f"; limit: {finding.threshold}" if finding.threshold else ""
        needs = f"; needs {finding.needs}" if finding.needs else ""
        text = f"{finding.id}: {_with_place(finding)}{limit}{needs}"
        yield Line(f"  {finding.state:<15} {finding.severity:<9} ", text)
        yield from cite_lines(finding.cites, " " * 28)


def _files(view: ReportView) -> Iterator[Line]:
    yield from heading("FILES")
    yield from _table(COVERAGE_HEADER, [coverage_cells(row) for row in view.coverage.rows])
    yield from statement_lines(view.coverage.not_understood, "  not understood  ")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    for number, row in enumerate(table(header, rows)):
        yield Line("", row, wraps=False, style="dim" if number == 0 else "")
