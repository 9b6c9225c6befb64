"""Words for the candidate causes: ledger lines sorted into for, against and missing; checklist steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzer.model.diagnosis import Contribution, Hypothesis, Remedy, Step
from analyzer.model.finding import Cite
from analyzer.model.ids import Sighting
from analyzer.report.view_types import CauseView, CiteView, EvidenceView, RemedyView, StatementView, StepView
from analyzer.report.wording import clean, clean_lines, odds, place, points, tenth, where

NEGLIGIBLE = 0.05
"""Nats below which a line is printed as 0.0: neither for nor against."""


def view_cites(cites: Iterable[Cite]) -> tuple[CiteView, ...]:
    """Citations in the order given, repeats dropped."""
    return tuple(dict.fromkeys(CiteView(where(cite), clean(cite.text)) for cite in cites))


def view_causes(hypotheses: Sequence[Hypothesis]) -> tuple[CauseView, ...]:
    """All candidates in the order ranked, each with the reason it is not first."""
    causes: list[CauseView] = []
    for hypothesis in hypotheses:
        leader = causes[0] if causes else None
        causes.append(_view_cause(len(causes) + 1, hypothesis, leader))
    return tuple(causes)


def _view_cause(rank: int, hypothesis: Hypothesis, leader: CauseView | None) -> CauseView:
    collected = [line for line in hypothesis.ledger if line.sighting is not Sighting.NOT_COLLECTED]
    speaks_for = _evidence([c for c in collected if c.points >= NEGLIGIBLE])
    speaks_against = _evidence(sorted((c for c in collected if c.points <= -NEGLIGIBLE), key=lambda c: c.points))
    total = points(sum(tenth(line.points) for line in hypothesis.ledger))
    return CauseView(
        rank=rank,
        cause=clean(hypothesis.cause),
        title=clean(hypothesis.title),
        place=place(hypothesis.member, hypothesis.device),
        odds=odds(hypothesis.confidence, hypothesis.probability),
        confidence=hypothesis.confidence.value,
        mechanism=clean(hypothesis.mechanism),
        total=total,
        speaks_for=speaks_for,
        speaks_against=speaks_against,
        not_collected=_evidence(c for c in hypothesis.ledger if c.sighting is Sighting.NOT_COLLECTED),
        neutral=_evidence(c for c in collected if abs(c.points) < NEGLIGIBLE),
        loses_because=None if leader is None else _loses_because(speaks_against, total, leader),
        remedies=tuple(view_remedy(remedy) for remedy in hypothesis.remedies),
    )


def _evidence(lines: Iterable[Contribution]) -> tuple[EvidenceView, ...]:
    return tuple(
        EvidenceView(points(line.points), tenth(line.points), clean(line.because), view_cites(line.cites))
        for line in lines
    )


def _loses_because(against: tuple[EvidenceView, ...], total: str, leader: CauseView) -> StatementView:
    """The strongest line against a candidate, or else the plain comparison of the sums."""
    if against:
        return StatementView("", f"{against[0].points} {against[0].text}", against[0].cites)
    sums = f"its evidence adds up to {total}, that of {leader.cause} to {leader.total}"
    if float(total) >= float(leader.total):
        sums = f"nothing that was collected: {sums}, which is the commoner cause"
    return StatementView("", sums)


def view_remedy(remedy: Remedy) -> RemedyView:
    """A way out with its steps."""
    return RemedyView(clean(remedy.id), clean(remedy.title), view_steps(remedy.steps))


def view_steps(steps: Iterable[Step]) -> tuple[StepView, ...]:
    """Checklist steps, numbered."""
    return tuple(
        StepView(
            number=number,
            step=clean(step.step),
            command=clean_lines(step.command),
            why=clean(step.why),
            risk=clean(step.risk),
            rollback=clean(step.rollback),
            verify=clean(step.verify),
            source=clean(step.source),
        )
        for number, step in enumerate(steps, start=1)
    )
