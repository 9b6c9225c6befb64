"""The JSON contract: valid, complete, and the checked-in schema is the one the code writes."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import numpy as np
import pytest

from analyzer.report import contract, json_report
from analyzer.report.contract_build import timestamp, to_contract
from analyzer.report.options import RenderOptions

from .sample import SAMPLES, two_hours
from .sample_coverage import ARTIFACTS
from .sample_evidence import at

SCHEMA_DIR = Path(__file__).parents[2] / "docs" / "schema"


def document(name: str = "two-hours") -> dict[str, Any]:
    loaded = json.loads(json_report.render(SAMPLES[name](), RenderOptions()))
    assert isinstance(loaded, dict)
    return loaded


@pytest.mark.parametrize("command", ["analyze", "inspect"])
def test_the_schema_on_disk_is_current(command: str) -> None:
    on_disk = (SCHEMA_DIR / f"{command}-v1.json").read_text(encoding="utf-8")
    assert on_disk == json_report.schema(command)
    jsonschema.Draft202012Validator.check_schema(json.loads(on_disk))


@pytest.mark.parametrize("name", SAMPLES)
def test_reports_validate(name: str) -> None:
    jsonschema.Draft202012Validator(json.loads(json_report.schema())).validate(document(name))


@pytest.mark.parametrize(
    ("path", "value"),
    [(("verdict", "status"), "fine"), (("schema_version",), "2"), (("hypotheses", 0, "probability"), 1.2)],
)
def test_the_schema_refuses_what_the_contract_does_not_allow(path: tuple[Any, ...], value: object) -> None:
    broken = document()
    target: Any = broken
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json.loads(json_report.schema())).validate(broken)


@pytest.mark.parametrize("name", SAMPLES)
def test_reports_round_trip(name: str) -> None:
    written = json_report.render(SAMPLES[name](), RenderOptions())
    read = msgspec.json.decode(written, type=contract.AnalyzeReport)
    assert read == to_contract(SAMPLES[name]())
    assert json_report.write(read) == written


def test_keys_are_those_of_the_contract_in_its_order() -> None:
    report = document()
    assert list(report) == [
        "schema_version",
        "tool",
        "verdict",
        "hypotheses",
        "ruled_out",
        "not_assessable",
        "findings",
        "incidents",
        "periodicity",
        "coincidences",
        "checklist",
        "next_evidence",
        "members",
        "coverage",
        "timeline",
    ]
    assert list(report["verdict"]) == ["status", "cause", "confidence", "summary", "window", "impact"]
    assert list(report["incidents"][0]) == ["from", "to", "members", "chain"]
    assert list(report["verdict"]["window"]) == ["from", "to"]
    assert list(report["coverage"]) == ["artifacts", "not_understood", "caveats"]
    assert list(report["members"][0]["thresholds"]) == ["heartbeat_ms", "election_ms"]


def test_ledger_points_are_exact() -> None:
    diagnosis = two_hours()
    written = [line["points"] for line in document()["hypotheses"][0]["ledger"]]
    assert written == [line.points for line in diagnosis.hypotheses[0].ledger]


def test_times_are_rfc3339_without_idle_digits() -> None:
    base = at("2026-03-11 01:02:03")
    assert timestamp(base) == "2026-03-11T01:02:03Z"
    assert timestamp(base + 138_000_000) == "2026-03-11T01:02:03.138Z"
    assert timestamp(base + 1_234) == "2026-03-11T01:02:03.000001Z"
    assert timestamp(None) is None
    assert timestamp(10**30) is None


def test_numbers_json_cannot_hold_become_null() -> None:
    base = two_hours()
    impact = dataclasses.replace(base.verdict.impact, longest_fdatasync_s=math.nan)
    odd = dataclasses.replace(base, verdict=dataclasses.replace(base.verdict, impact=impact))
    assert json.loads(json_report.render(odd, RenderOptions()))["verdict"]["impact"]["longest_fdatasync_s"] is None


def test_numpy_numbers_are_written_as_numbers() -> None:
    base = two_hours()
    impact = dataclasses.replace(base.verdict.impact, elections=np.int64(13))  # type: ignore[arg-type]
    first = dataclasses.replace(base.hypotheses[0], probability=np.float64(0.93))
    odd = dataclasses.replace(
        base,
        verdict=dataclasses.replace(base.verdict, impact=impact),
        hypotheses=(first, *base.hypotheses[1:]),
    )
    assert json_report.render(odd, RenderOptions()) == json_report.render(base, RenderOptions())


def test_inspect_writes_the_facts_of_every_file() -> None:
    report = json.loads(json_report.render_inspect(ARTIFACTS, two_hours().not_understood))
    jsonschema.Draft202012Validator(json.loads(json_report.schema("inspect"))).validate(report)
    assert [row["path"] for row in report["artifacts"]] == [row.path for row in ARTIFACTS]
    assert report["artifacts"][4]["facts"]["jobs"][0]["p99_fdatasync_ms"] == 2.408
    assert report["not_understood"][0]["path"].endswith("notes.docx")


def test_inspect_facts_of_any_shape_are_plain_json() -> None:
    odd: dict[Any, Any] = {
        "set": {"b", "a"},
        "numpy": np.float64(1.5),
        "nan": math.nan,
        7: ("tuple", None, True),
        "object": SCHEMA_DIR.parent.name,
        "array": [np.int64(3)],
    }
    row = dataclasses.replace(ARTIFACTS[0], facts=odd)
    facts = json.loads(json_report.render_inspect((row,), ()))["artifacts"][0]["facts"]
    assert facts == {
        "set": ["a", "b"],
        "numpy": 1.5,
        "nan": None,
        "7": ["tuple", None, True],
        "object": "docs",
        "array": [3],
    }
