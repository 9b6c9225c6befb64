"""The view words what the diagnosis says and adds nothing."""

from __future__ import annotations

import dataclasses

import pytest

from analyzer.model.diagnosis import Impact
from analyzer.model.ids import Confidence, Status
from analyzer.report.view import build_view, impact_words
from analyzer.report.view_context import view_patterns

from .sample import SAMPLES, two_hours
from .sample_causes import PERIODIC


def test_every_ledger_line_is_on_exactly_one_list() -> None:
    for cause, hypothesis in zip(build_view(two_hours()).causes, two_hours().hypotheses, strict=True):
        lists = (cause.speaks_for, cause.speaks_against, cause.not_collected, cause.neutral)
        told = sorted(line.text for lines in lists for line in lines)
        assert told == sorted(line.because for line in hypothesis.ledger)


def test_strongest_evidence_comes_first() -> None:
    nats = [line.nats for line in build_view(two_hours()).causes[0].speaks_for]
    assert nats == sorted(nats, reverse=True)


def test_losers_say_what_beats_them() -> None:
    causes = build_view(two_hours()).causes
    assert causes[0].loses_because is None
    assert causes[1].loses_because is not None
    assert causes[1].loses_because.text == "-2.4 Between the bursts vdb's median w_await is 1.1 ms"
    assert causes[1].loses_because.cites[0].where.endswith("iostat-xt.txt:402")


def test_a_loser_with_nothing_against_it_is_compared_by_its_sum() -> None:
    base = two_hours()
    weak = dataclasses.replace(base.hypotheses[2], ledger=base.hypotheses[2].ledger[:1])
    loser = build_view(dataclasses.replace(base, hypotheses=(PERIODIC, weak))).causes[1]
    assert loser.loses_because is not None
    assert loser.loses_because.text == "its evidence adds up to +0.4, that of disk-contention-periodic to +9.4"


@pytest.mark.parametrize(
    ("confidence", "label"),
    [
        (Confidence.HIGH, "ROOT CAUSE"),
        (Confidence.MEDIUM, "LIKELY CAUSE"),
        (Confidence.LOW, "POSSIBLE CAUSE"),
        (Confidence.NONE, "PROBLEM, CAUSE OPEN"),
    ],
)
def test_only_a_sure_cause_is_called_the_root_cause(confidence: Confidence, label: str) -> None:
    base = two_hours()
    verdict = dataclasses.replace(base.verdict, confidence=confidence)
    assert build_view(dataclasses.replace(base, verdict=verdict)).label == label


def test_each_status_has_its_own_words() -> None:
    labels = {make().verdict.status: build_view(make()).label for make in SAMPLES.values()}
    assert len(set(labels.values())) == len(labels) == len(Status)


def test_do_first_is_the_first_step_or_the_first_capture() -> None:
    assert build_view(two_hours()).do_first == two_hours().checklist[0].step
    assert "writers-by-process" in build_view(SAMPLES["insufficient"]()).do_first
    assert build_view(SAMPLES["healthy"]()).do_first == ""


def test_impact_without_lower_bounds_has_no_marks() -> None:
    assert impact_words(Impact(leader_changes=1, slow_fdatasync=3)) == "1 leader change, 3 slow fdatasync"
    assert impact_words(Impact()) == "none visible in what was collected"


def test_numbers_a_detector_already_said_are_not_repeated() -> None:
    base = two_hours()
    said = dataclasses.replace(
        base.periodicity[0], summary="Every 2 h, 13 of 13 cycles, 63 of 63 stalls; by chance: no."
    )
    told = view_patterns(dataclasses.replace(base, periodicity=(said,), coincidences=()))
    assert told[0].text == said.summary


def test_a_pattern_that_is_only_suspected_says_so() -> None:
    base = two_hours()
    weak = dataclasses.replace(base.periodicity[0], claim="suspected")
    assert "suspected, not proven" in view_patterns(dataclasses.replace(base, periodicity=(weak,)))[0].text


def test_no_period_claims_no_odds() -> None:
    base = two_hours()
    none = dataclasses.replace(base.periodicity[0], claim="none", period_s=None, summary="No period found.")
    assert view_patterns(dataclasses.replace(base, periodicity=(none,)))[0].text == "No period found."


def test_chains_tell_ties_gaps_and_contradictions() -> None:
    base = two_hours()
    links = base.incidents[1].chain
    odd = dataclasses.replace(links[3], order="contradicted")
    incident = dataclasses.replace(base.incidents[1], chain=(*links[:3], odd, links[4]))
    chain = build_view(dataclasses.replace(base, incidents=(incident,))).incidents[0].chain
    assert chain == "disk > fsync ~ heartbeat ! election > (client-error)"
