"""The project's own scenarios, diagnosed once per test run and shared by all tests that look at them."""

from __future__ import annotations

import multiprocessing
import tomllib
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.accuracy.cases import SCENARIOS, Case, load
from tests.accuracy.outcome import WORKERS, Outcome, outcome

if TYPE_CHECKING:
    from analyzer.model.diagnosis import Diagnosis

NAMES = tuple(sorted(path.parent.name for path in SCENARIOS.glob("*/scenario.toml")))


@dataclass(frozen=True, slots=True)
class Own:
    """One scenario with its diagnosis."""

    case: Case
    diagnosis: Diagnosis
    label: Mapping[str, Any]

    @property
    def bundle(self) -> Path:
        """The folder that was analysed."""
        return Path(self.case.paths[0])

    @property
    def outcome(self) -> Outcome:
        """The diagnosis as it is scored."""
        return outcome(self.case, self.diagnosis)


def diagnose(paths: tuple[str, ...]) -> Diagnosis:
    """In this process."""
    from analyzer.pipeline import diagnose_paths

    return diagnose_paths(paths)


def diagnose_folder(folder: Path) -> Diagnosis:
    """In this process."""
    return diagnose((str(folder),))


@cache
def scenarios() -> dict[str, Own]:
    """All of them, by name."""
    cases = load(["own"])
    with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")) as pool:
        diagnoses = list(pool.map(diagnose, [case.paths for case in cases]))
    labels = [tomllib.loads((SCENARIOS / case.name / "scenario.toml").read_text("utf-8")) for case in cases]
    return {
        case.name: Own(case, diagnosis, label) for case, diagnosis, label in zip(cases, diagnoses, labels, strict=True)
    }
