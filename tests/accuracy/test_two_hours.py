"""The two-hourly story: surely named on a whole day, doubted on a third of it, not named when it is a decoy."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from analyzer.model.diagnosis import Diagnosis, Periodicity
from tests.accuracy.cases import DISK_CAUSES, REPOSITORY
from tests.accuracy.own import diagnose_folder, scenarios

GENERATOR = REPOSITORY / "fixtures" / "generators" / "prometheus_two_hours.py"
PERIODIC = "disk-contention-periodic"
PERIOD_S = 7200.0
NEEDED_CYCLES = 5
"""Below five cycles no period is claimed, and none makes an answer sure."""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two-hours")


@cache
def _made(workshop: Path, *options: str) -> Diagnosis:
    out = workshop / "-".join(option.strip("-") for option in options)
    command = [sys.executable, "-B", str(GENERATOR), "--out", str(out), *options]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return diagnose_folder(out / "bundle")


def _periods(diagnosis: Diagnosis, claim: str) -> list[Periodicity]:
    return [one for one in diagnosis.periodicity if one.claim == claim]


def _confidence(diagnosis: Diagnosis, causes: frozenset[str]) -> set[str]:
    return {item.confidence.value for item in diagnosis.hypotheses if item.cause in causes}


def test_a_whole_day_names_the_periodic_neighbour_surely() -> None:
    diagnosis = scenarios()["prometheus-two-hours"].diagnosis
    assert (diagnosis.verdict.cause, diagnosis.verdict.confidence.value) == (PERIODIC, "high")
    claims = _periods(diagnosis, "claim")
    assert claims
    assert all(one.period_s is not None and abs(one.period_s - PERIOD_S) < 0.01 * PERIOD_S for one in claims)
    assert all(one.cycles >= NEEDED_CYCLES for one in claims)


def test_a_whole_day_names_prometheus_as_the_suspect() -> None:
    suspects = {one.suspect for one in scenarios()["prometheus-two-hours"].diagnosis.periodicity if one.suspect}
    assert any("prometheus" in suspect.lower() for suspect in suspects), suspects


def test_a_whole_day_is_tied_to_the_device_against_chance() -> None:
    found = scenarios()["prometheus-two-hours"].diagnosis.coincidences
    assert any(one.device == "vdb" and one.p_value is not None and one.p_value <= 0.01 for one in found)


def test_eight_hours_are_too_few_cycles_for_a_claim(workshop: Path) -> None:
    diagnosis = _made(workshop, "--hours", "8")
    assert diagnosis.verdict.cause in {PERIODIC, "disk-contention-colocated"}
    assert _periods(diagnosis, "claim") == []
    suspected = _periods(diagnosis, "suspected")
    assert suspected and all(one.cycles < NEEDED_CYCLES for one in suspected)
    assert not (diagnosis.verdict.cause == PERIODIC and diagnosis.verdict.confidence.value == "high")


def test_eight_hours_say_what_they_are_consistent_with_and_how_much_more_is_needed(workshop: Path) -> None:
    for one in _periods(_made(workshop, "--hours", "8"), "suspected"):
        assert "consistent with" in one.summary
        hours = re.search(r"(\d+) h(?: \d+ min)? of logs would settle it", one.summary)
        assert hours and int(hours.group(1)) >= NEEDED_CYCLES * PERIOD_S / 3600, one.summary


def test_eight_hours_ask_for_a_day_of_logs(workshop: Path) -> None:
    asked = " ".join(f"{item.why} {item.command}" for item in _made(workshop, "--hours", "8").next_evidence)
    assert re.search(r"period|cycle", asked), asked
    assert "-24h" in asked


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_periodic_bursts_that_hurt_nobody_are_not_blamed(seed: int, workshop: Path) -> None:
    diagnosis = _made(workshop, "--decoy", "--hours", "8", "--seed", str(seed))
    assert _confidence(diagnosis, DISK_CAUSES) & {"high", "medium"} == set()
    assert diagnosis.verdict.cause not in DISK_CAUSES
    assert _periods(diagnosis, "claim") == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_other_days_of_the_same_story_are_named_too(seed: int, workshop: Path) -> None:
    diagnosis = _made(workshop, "--hours", "24", "--seed", str(seed))
    assert diagnosis.verdict.cause == PERIODIC
    assert _periods(diagnosis, "claim")


@pytest.mark.slow
def test_another_period_is_not_pinned_on_prometheus_by_its_phase(workshop: Path) -> None:
    """Three hours are no head cut: the pattern is named, and only pidstat may name the process."""
    diagnosis = _made(workshop, "--hours", "24", "--period", "10800")
    assert diagnosis.verdict.cause in {PERIODIC, "disk-contention-colocated"}
    for one in _periods(diagnosis, "claim"):
        assert one.period_s is not None and abs(one.period_s - 10800.0) < 108.0
