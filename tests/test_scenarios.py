"""Every shipped scenario: the right answer, nothing harmful, and a report whose every figure leads to a line."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from analyzer.model.diagnosis import Diagnosis
from analyzer.model.ids import Sighting
from analyzer.report.options import RenderOptions
from analyzer.report.registry import render
from tests.accuracy import citations, goldens
from tests.accuracy.cases import REPOSITORY
from tests.accuracy.own import NAMES, Own, diagnose_folder, scenarios

RERUN = ("periodic-neighbour-3.5", "slow-disk-3.4-capnslog")
COUNTED = {"slow_fdatasync": "slow_fdatasync", "late_heartbeat": "heartbeat_warnings"}
"""[observed] of a scenario -> the same count in the verdict's impact."""


@pytest.fixture(params=NAMES)
def own(request: pytest.FixtureRequest) -> Own:
    return scenarios()[request.param]


def test_the_verdict_names_an_acceptable_cause(own: Own) -> None:
    said = own.outcome
    assert said.named, f"{said.status}: {said.summary}"
    assert said.right, f"{said.answer} ({said.confidence}) instead of {own.case.root_cause}: {said.ranked}"


def test_nothing_harmful_is_said_with_confidence(own: Own) -> None:
    assert own.outcome.harmful == (), own.outcome.ranked


def test_the_impact_counts_what_the_capture_was_seen_to_hold(own: Own) -> None:
    members = [entry for entry in own.label["observed"].values() if isinstance(entry, dict)]
    impact = own.diagnosis.verdict.impact
    for key, name in COUNTED.items():
        if members:
            assert getattr(impact, name) == sum(entry.get(key, 0) for entry in members), name
    if "slow_fdatasync_lines" in own.label["observed"]:
        assert impact.slow_fdatasync == own.label["observed"]["slow_fdatasync_lines"]


def test_the_members_are_those_of_the_cluster_and_no_others(own: Own) -> None:
    names = {member.name for member in own.diagnosis.members}
    hosts = {entry for entry in own.label["observed"] if entry.startswith("etcd-")}
    assert names == (hosts or {"etcd-1", "etcd-2", "etcd-3"})


def test_every_line_of_a_ledger_that_counts_is_cited(own: Own) -> None:
    for hypothesis in own.diagnosis.hypotheses:
        assert math.isfinite(math.fsum(line.points for line in hypothesis.ledger))
        assert 0.0 <= hypothesis.probability <= 1.0
        for line in hypothesis.ledger:
            where = f"{hypothesis.cause}: {line.clue} ({line.sighting}, {line.points:+.2f}) {line.because}"
            if line.sighting is Sighting.NOT_COLLECTED:
                assert line.points == 0.0, where
            elif line.points != 0.0:
                assert line.cites, where


def test_no_clue_counts_twice_in_a_ledger(own: Own) -> None:
    for hypothesis in own.diagnosis.hypotheses:
        clues = [line.clue for line in hypothesis.ledger]
        assert len(clues) == len(set(clues)), hypothesis.cause


def test_what_is_ruled_out_is_ruled_out_by_a_line(own: Own) -> None:
    for out in own.diagnosis.ruled_out:
        assert out.because and out.cites, out.cause


def test_every_citation_leads_to_a_line_that_begins_as_quoted(own: Own) -> None:
    cites = citations.quoted(own.diagnosis)
    assert cites
    problems = [found for cite in cites if (found := citations.problem(own.bundle, cite))]
    assert problems == []


def test_every_line_of_the_timeline_exists(own: Own) -> None:
    for entry in own.diagnosis.timeline:
        path = own.bundle / entry.cite.file
        assert path.is_file(), entry
        assert 1 <= entry.cite.line <= len(citations.lines(path)), entry


def test_hypotheses_come_best_first_and_the_verdict_is_the_first(own: Own) -> None:
    diagnosis = own.diagnosis
    if diagnosis.hypotheses and diagnosis.verdict.cause is not None:
        assert diagnosis.verdict.cause == diagnosis.hypotheses[0].cause
        assert diagnosis.verdict.confidence == diagnosis.hypotheses[0].confidence


def test_a_problem_comes_with_steps_that_can_be_checked_and_undone(own: Own) -> None:
    if own.diagnosis.verdict.status.value == "problem":
        assert own.diagnosis.checklist
    for step in own.diagnosis.checklist:
        assert step.step and step.verify and step.risk and step.rollback and step.source


def test_the_reports_are_as_accepted(own: Own) -> None:
    difference = goldens.difference(own.case.name)
    assert not difference, f"{difference}\naccept with: {goldens.ACCEPT}"


@pytest.mark.parametrize("name", RERUN)
def test_another_run_with_other_hashes_gives_the_same_bytes(name: str) -> None:
    again = _by_command(scenarios()[name], "17")
    assert again == _json(scenarios()[name].diagnosis)


@pytest.mark.slow
def test_every_rerun_gives_the_same_bytes(own: Own) -> None:
    assert _json(diagnose_folder(own.bundle)) == _json(own.diagnosis)


def _json(diagnosis: Diagnosis) -> str:
    return render(diagnosis, "json", RenderOptions())


def _by_command(own: Own, hash_seed: str) -> str:
    command = [sys.executable, "-m", "analyzer", "analyze", str(own.bundle), "-f", "json"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, timeout=120, check=True)
    return done.stdout.decode()
