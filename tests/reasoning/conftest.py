"""Bundles written by the tests, read by the real stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from analyzer.bundle.walk import Stdin
from analyzer.ingest import read_bundle
from analyzer.reasoning.case import Case
from analyzer.reasoning.judge import Judged, judge
from analyzer.rulebook import RuleBook, load_rules
from analyzer.timeline import Overrides, assemble

MakeCase = Callable[[Mapping[str, str]], Case]
JudgeFiles = Callable[[Mapping[str, str]], Mapping[str, Judged]]


@cache
def rules() -> RuleBook:
    return load_rules()


@pytest.fixture
def make_case(tmp_path: Path) -> MakeCase:
    def make(files: Mapping[str, str]) -> Case:
        for name, text in files.items():
            path = tmp_path / "bundle" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        evidence = read_bundle([str(tmp_path / "bundle")], rules(), Stdin())
        return Case(assemble(evidence, Overrides()))

    return make


@pytest.fixture
def judge_files(make_case: MakeCase) -> JudgeFiles:
    return lambda files: judge(make_case(files), rules().symptoms)
