"""The terminal report: the answer first, then why, then what to do; the rest under ``verbose``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.model.diagnosis import Diagnosis
from analyzer.report.layout import BLANK, Line, write_plain, write_styled
from analyzer.report.options import RenderOptions
from analyzer.report.quotes import split_cites
from analyzer.report.terminal_blocks import cite_lines, command_lines, heading, seen_at
from analyzer.report.terminal_detail import context_lines, detail_lines, time_lines
from analyzer.report.view import build_view
from analyzer.report.view_types import CauseView, CiteView, EvidenceView, ReportView, StepView
from analyzer.report.wording import listing

DEFAULT_WIDTH = 100
MAX_FOR, MAX_AGAINST, MAX_MISSING, MAX_CAUSES, MAX_STEPS, MAX_CAPTURES = 5, 3, 3, 4, 5, 3

_STATUS_STYLE = {"problem": "bold red", "healthy": "bold green"}


def render(diagnosis: Diagnosis, options: RenderOptions) -> str:
    """Lay a diagnosis out as text; plain unless ``options.colour``."""
    lines = list(report_lines(build_view(diagnosis), options.verbose))
    if options.colour:
        return write_styled(lines, options.width or DEFAULT_WIDTH, elide=not options.verbose)
    return write_plain(lines, options.width)


def report_lines(view: ReportView, verbose: bool) -> Iterator[Line]:
    """All lines of the report in reading order."""
    yield from _verdict(view)
    if view.status == "problem":
        yield from _why(view, verbose)
        yield from _others(view.causes[1:], verbose)
        yield from time_lines(view, verbose)
        yield from _steps(view.checklist, verbose)
        yield from _captures(view, "WHAT WOULD SETTLE IT", verbose)
    else:
        yield from _captures(view, "COLLECT NEXT", verbose)
        yield from _candidates(view, verbose)
        yield from time_lines(view, verbose)
        yield from _steps(view.checklist, verbose)
    yield from context_lines(view, verbose)
    if verbose:
        yield from detail_lines(view)
    yield from _footer(view, verbose)


def _verdict(view: ReportView) -> Iterator[Line]:
    odds = f" ({view.odds})" if view.odds else ""
    style = _STATUS_STYLE.get(view.status, "bold yellow")
    yield Line(f"{view.label}{odds}: ", view.headline, style="bold", prefix_style=style)
    subject = ", ".join(part for part in (view.cause, view.place) if part)
    rows = (
        (
            "Cause",
            f"{subject} (confidence {view.confidence}, severity {view.severity})" if view.cause else "",
        ),
        ("Impact", view.impact),
        ("When", view.window),
        ("Do first", view.do_first),
        ("Looked at", view.subject),
    )
    for label, text in rows:
        if text:
            yield Line(f"  {label:<10}", text, prefix_style="bold")


def _why(view: ReportView, verbose: bool) -> Iterator[Line]:
    if not view.causes:
        return
    leader = view.causes[0]
    yield from heading("WHY", "points: +0.7 doubles the odds, +2.3 is ten times")
    yield Line("  ", leader.mechanism)
    yield from evidence_lines(leader, verbose)


def evidence_lines(cause: CauseView, verbose: bool) -> Iterator[Line]:
    """Ledger of one cause: for, against, missing, each line with its citation."""
    quoted: set[CiteView] = set()
    yield from _ledger("for", cause.speaks_for, None if verbose else MAX_FOR, quoted)
    yield from _ledger("against", cause.speaks_against, None if verbose else MAX_AGAINST, quoted)
    if not cause.speaks_against:
        yield Line("  against  ", "nothing that was collected")
    yield from _missing(cause.not_collected, verbose)
    if verbose:
        yield from _ledger("neutral", cause.neutral, None, quoted)
    yield Line("  sum      ", f"{cause.total}", prefix_style="bold")


def _ledger(label: str, lines: Sequence[EvidenceView], limit: int | None, quoted: set[CiteView]) -> Iterator[Line]:
    """Ledger lines under one label; those beyond ``limit`` are summed so that the points still add up."""
    style = {"for": "green", "against": "red"}.get(label, "dim")
    for number, line in enumerate(lines[:limit]):
        shown = label if number == 0 else ""
        quotes, named = split_cites(line.cites, None if limit is None else 1, quoted)
        also = f" [{'also ' if quotes else ''}{listing([cite.where for cite in named], limit=2)}]" if named else ""
        yield Line(f"  {shown:<8} {line.points:>5}  ", f"{line.text}{also}", prefix_style=style)
        yield from cite_lines(quotes, " " * 18)
    rest = lines[limit:] if limit is not None else ()
    if rest:
        nats = sum(line.nats for line in rest)
        yield Line(f"{'':11}{nats:>+5.1f}  ", f"from {len(rest)} more (-v)", style="dim")


def _missing(lines: Sequence[EvidenceView], verbose: bool) -> Iterator[Line]:
    limit = None if verbose else MAX_MISSING
    for number, line in enumerate(lines[:limit]):
        shown = "missing" if number == 0 else ""
        yield Line(f"  {shown:<8}    ?  ", f"{line.text}{seen_at(line.cites, 2)}", prefix_style="yellow")
    if limit is not None and len(lines) > limit:
        yield Line(f"{'':18}", f"and {len(lines) - limit} more not collected (-v)", style="dim")


def _others(causes: Sequence[CauseView], verbose: bool) -> Iterator[Line]:
    """One paragraph per losing candidate: its odds, its best evidence, and what beats it."""
    if not causes:
        return
    yield from heading("OTHER CANDIDATES")
    limit = len(causes) if verbose else MAX_CAUSES - 1
    for cause in causes[:limit]:
        yield _candidate(cause)
        if verbose:
            yield from evidence_lines(cause, verbose)
    if len(causes) > limit:
        yield Line("  ", f"+{len(causes) - limit} more (-v)", style="dim")


def _candidate(cause: CauseView) -> Line:
    best = ""
    if cause.speaks_for:
        strongest = cause.speaks_for[0]
        best = f" For: {strongest.points} {strongest.text}{seen_at(strongest.cites, 1)}."
    loses = ""
    if cause.loses_because is not None:
        loses = f" Against: {cause.loses_because.text}{seen_at(cause.loses_because.cites, 1)}."
    name = ", ".join(part for part in (cause.cause, cause.place) if part)
    return Line(f"  {cause.rank}. ", f"{name} ({cause.odds}).{best}{loses}", prefix_style="bold")


def _candidates(view: ReportView, verbose: bool) -> Iterator[Line]:
    """Without a named cause: the first two candidates, honestly as candidates."""
    if not view.causes:
        return
    yield from heading("CANDIDATES SO FAR", "none has enough evidence to be named as the cause")
    for cause in view.causes if verbose else view.causes[:2]:
        yield Line(f"  {cause.rank}. {cause.cause}: ", f"{cause.title} ({cause.odds})", prefix_style="bold")
        yield from evidence_lines(cause, verbose)


def _steps(steps: Sequence[StepView], verbose: bool) -> Iterator[Line]:
    if not steps:
        return
    yield from heading("WHAT TO DO NOW")
    limit = len(steps) if verbose else MAX_STEPS
    for step in steps[:limit]:
        yield from _step(step, verbose)
    if len(steps) > limit:
        yield Line("  ", f"+{len(steps) - limit} more steps (-v)", style="dim")


def _step(step: StepView, verbose: bool) -> Iterator[Line]:
    yield Line(f"  {step.number}. ", step.step, style="bold")
    yield from command_lines(step.command)
    safety = (("verify", step.verify), ("risk", step.risk), ("undo", step.rollback))
    yield Line("     ", " | ".join(f"{label}: {text}" for label, text in safety if text))
    if verbose and (step.why or step.source):
        yield Line("     ", f"why: {step.why}" + (f" [{step.source}]" if step.source else ""))


def _captures(view: ReportView, title: str, verbose: bool) -> Iterator[Line]:
    if not view.next_evidence:
        return
    yield from heading(title)
    limit = len(view.next_evidence) if verbose else MAX_CAPTURES
    for place, capture in enumerate(view.next_evidence[:limit]):
        tells = f" (tells {capture.separates})" if capture.separates else ""
        yield Line("  - ", f"{capture.why}{tells}")
        if verbose or place == 0 or view.status != "problem":
            yield from command_lines(capture.command)
        else:
            yield Line("     ", f"command: etcd-doctor explain {capture.id}", style="dim")
    if len(view.next_evidence) > limit:
        yield Line("  ", f"+{len(view.next_evidence) - limit} more (-v)", style="dim")


def _footer(view: ReportView, verbose: bool) -> Iterator[Line]:
    yield BLANK
    hint = "" if verbose else "Everything: -v. "
    explain = f"Meaning, thresholds and sources: etcd-doctor explain {view.cause}. " if view.cause else ""
    yield Line("", f"{explain}{hint}{view.tool}.", style="dim")
