"""Every line of every file is understood, rejected or not relevant: nothing is dropped in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.bundle.walk import Stdin
from analyzer.ingest import read_bundle

from ..parsers.etcd_log.feeding import rules

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "fixtures" / "scenarios").glob("*/bundle"))
SNIPPETS = sorted((ROOT / "fixtures" / "snippets").glob("*"))
CASES = [
    path
    for kind in ("etcd-samples", "formats", "real")
    for path in sorted((ROOT.parent / "shared" / "cases" / kind).glob("*"))
]
LAB = sorted((ROOT.parent / "shared" / "cases" / "lab").glob("*"))


def account(paths: list[Path]) -> int:
    lines = 0
    for path in paths:
        for artifact in read_bundle([str(path)], rules(), Stdin()).artifacts:
            counted = artifact.understood + artifact.rejected + artifact.not_relevant
            assert counted == artifact.lines, (path, artifact.path)
            assert min(artifact.understood, artifact.rejected, artifact.not_relevant) >= 0, (path, artifact.path)
            lines += artifact.lines
    return lines


def test_snippets() -> None:
    assert account(SNIPPETS) > 1000


def test_a_scenario_of_each_kind() -> None:
    assert account(SCENARIOS[::5]) > 5000


def test_the_reference_cases() -> None:
    if not CASES:
        pytest.skip("the reference cases are not beside the repository")
    assert account(CASES) > 10_000


@pytest.mark.slow
def test_every_scenario_and_lab_run() -> None:
    assert account([*SCENARIOS, *LAB]) > 50_000
