"""The formats are one report: same causes, same numbers, same citations; same bytes every time."""

from __future__ import annotations

import html
import json
import subprocess
import sys

import pytest

from analyzer.report.options import RenderOptions
from analyzer.report.registry import RENDERERS, SUFFIXES, format_of, render

from .sample import SAMPLES, two_hours

VERBOSE = RenderOptions(verbose=True)
TEXTS = ["terminal", "markdown"]


def readable(text: str) -> str:
    """What a reader of the rendered Markdown sees, near enough to search in."""
    return html.unescape(text.replace("\\", ""))


@pytest.mark.parametrize("name", TEXTS)
def test_causes_are_the_same_in_the_same_order(name: str) -> None:
    text = render(two_hours(), name, RenderOptions())
    order = [hypothesis["cause"] for hypothesis in json.loads(render(two_hours(), "json", VERBOSE))["hypotheses"]]
    assert order == ["disk-contention-periodic", "slow-disk-sustained", "network-latency"]
    places = [text.index(cause) for cause in order]
    assert places == sorted(places)


@pytest.mark.parametrize("name", TEXTS)
def test_every_citation_of_the_json_is_in_the_text(name: str) -> None:
    report = json.loads(render(two_hours(), "json", VERBOSE))
    cites = [cite for hypothesis in report["hypotheses"] for line in hypothesis["ledger"] for cite in line["cites"]]
    cites += [cite for finding in report["findings"] for cite in finding["cites"]]
    cites += [cite for out in report["ruled_out"] for cite in out["cites"]]
    cites += [entry["cite"] for entry in report["timeline"]]
    text = render(two_hours(), name, VERBOSE)
    assert len(cites) > 300
    assert not [cite for cite in cites if f"{cite['file']}:{cite['line']}" not in text]


@pytest.mark.parametrize("name", TEXTS)
def test_every_sentence_of_the_json_is_in_the_text(name: str) -> None:
    report = json.loads(render(two_hours(), "json", VERBOSE))
    sentences = [report["verdict"]["summary"]]
    sentences += [line["because"] for hypothesis in report["hypotheses"] for line in hypothesis["ledger"]]
    sentences += [finding["title"] for finding in report["findings"]]
    sentences += [part for step in report["checklist"] for part in (step["step"], step["verify"])]
    sentences += [line for step in report["checklist"] for line in step["command"].splitlines()]
    sentences += [step["command"] for step in report["next_evidence"]]
    sentences += [caveat["text"] for caveat in report["coverage"]["caveats"]]
    text = readable(render(two_hours(), name, VERBOSE))
    assert not [sentence for sentence in sentences if sentence not in text]


@pytest.mark.parametrize("name", TEXTS)
def test_numbers_are_rounded_alike(name: str) -> None:
    text = readable(render(two_hours(), name, RenderOptions()))
    for words in (
        ">= 63 slow fdatasync (worst 2.14 s)",
        "58 of 63 met; 3.1 expected by chance; lag -400 ms",
        "13 of 13 cycles",
        "very likely, about 9 in 10",
        "etcd-2 -138 ms +- 20 ms",
        "609,317 lines",
        "+2.9",
        "+9.4",
    ):
        assert words in text


@pytest.mark.parametrize("name", TEXTS)
def test_no_probability_is_printed_as_a_decimal(name: str) -> None:
    assert "0.93" not in render(two_hours(), name, VERBOSE)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", RENDERERS)
def test_same_diagnosis_same_bytes(name: str, sample: str) -> None:
    assert render(SAMPLES[sample](), name, VERBOSE) == render(SAMPLES[sample](), name, VERBOSE)


@pytest.mark.parametrize("sample", SAMPLES)
def test_markdown_is_short_enough_for_a_ticket(sample: str) -> None:
    assert len(render(SAMPLES[sample](), "markdown", RenderOptions()).splitlines()) <= 120


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", RENDERERS)
def test_reports_end_in_one_newline(name: str, sample: str) -> None:
    text = render(SAMPLES[sample](), name, RenderOptions())
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_suffixes_name_formats_that_exist() -> None:
    assert set(SUFFIXES.values()) <= set(RENDERERS)
    assert format_of("Report.JSON") == "json"
    assert format_of("a.b.md") == "markdown"
    assert format_of("report") is None
    assert format_of("report.docx") is None


def test_the_registry_costs_no_imports_until_asked() -> None:
    script = (
        "import sys, analyzer.report.registry, analyzer.report.terminal; "
        "print([n for n in ('rich', 'jinja2', 'pandas', 'numpy', 'msgspec') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
