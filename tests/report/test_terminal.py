"""The terminal report: the answer first, short enough, whole off a terminal."""

from __future__ import annotations

import re

import pytest

from analyzer.model.diagnosis import Diagnosis
from analyzer.report import terminal
from analyzer.report.layout import table
from analyzer.report.options import RenderOptions, terminal_options

from .sample import SAMPLES, two_hours
from .sample_evidence import LATE_TEXT, STALL_TEXT

PLAIN = RenderOptions()
VERBOSE = RenderOptions(verbose=True)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def plain(diagnosis: Diagnosis, options: RenderOptions = PLAIN) -> str:
    return terminal.render(diagnosis, options)


def test_first_line_is_the_answer_and_how_sure() -> None:
    first = plain(two_hours()).splitlines()[0]
    assert first.startswith("ROOT CAUSE (very likely, about 9 in 10): Prometheus'")


@pytest.mark.parametrize(
    ("name", "start"),
    [("healthy", "NO PROBLEM FOUND"), ("insufficient", "CANNOT TELL: "), ("not-etcd", "NOT ETCD: ")],
)
def test_verdicts_without_a_cause_say_so_first(name: str, start: str) -> None:
    assert plain(SAMPLES[name]()).startswith(start)


def test_the_two_hour_story_fits_two_screens() -> None:
    assert 60 <= len(plain(two_hours()).splitlines()) <= 95


def test_sections_come_in_the_order_a_reader_needs_them() -> None:
    text = plain(two_hours())
    titles = ["ROOT CAUSE", "WHY", "OTHER CANDIDATES", "WHEN", "INCIDENTS (13"]
    titles += ["WHAT TO DO NOW", "WHAT WOULD SETTLE IT", "CHECKED", "CLOCKS AND CAVEATS", "READ"]
    places = [text.index(f"\n{title}" if title != "ROOT CAUSE" else title) for title in titles]
    assert places == sorted(places)


def test_without_a_cause_collecting_comes_before_the_candidates() -> None:
    text = plain(SAMPLES["insufficient"]())
    assert text.index("COLLECT NEXT") < text.index("CANDIDATES SO FAR")
    assert "none has enough evidence" in text


def test_every_step_says_how_to_verify() -> None:
    diagnosis = two_hours()
    assert plain(diagnosis).count("verify: ") == len(diagnosis.checklist)


def test_ledger_shown_adds_up_to_the_sum_shown() -> None:
    why = plain(two_hours()).split("\nWHY")[1].split("\nOTHER")[0]
    shown = re.findall(r"^(?:  for|  against)? +([+-]\d+\.\d)  ", why, re.MULTILINE)
    total = re.search(r"^  sum +([+-]\d+\.\d)$", why, re.MULTILINE)
    assert total is not None
    assert len(shown) == 7
    assert sum(map(float, shown)) == pytest.approx(float(total[1]), abs=0.01)


def test_off_a_terminal_nothing_is_cut() -> None:
    text = plain(two_hours(), terminal_options(is_tty=False, environ={}, columns=80))
    assert STALL_TEXT in text
    assert "..." not in text.split("\nWHEN")[0]
    assert LATE_TEXT in plain(two_hours(), VERBOSE)
    assert "\x1b" not in text


def test_on_a_terminal_lines_fit_and_quotes_show_their_message() -> None:
    text = terminal.render(two_hours(), RenderOptions(colour=True, width=110))
    assert "\x1b[" in text
    lines = ANSI.sub("", text).splitlines()
    prose = [line for line in lines if "$ " not in line and "support.tar.gz!" not in line]
    assert max(len(line) for line in prose) <= 110
    assert any('..."msg":"slow fdatasync"' in line for line in lines)


def test_colour_says_nothing_plain_text_does_not() -> None:
    coloured = terminal.render(two_hours(), RenderOptions(colour=True, width=100_000, verbose=True))
    bare = "\n".join(line.rstrip() for line in ANSI.sub("", coloured).splitlines()) + "\n"
    assert bare == plain(two_hours(), RenderOptions(verbose=True))


@pytest.mark.parametrize(
    ("is_tty", "environ", "colour", "width"),
    [
        (True, {}, True, 120),
        (True, {"NO_COLOR": "1"}, False, None),
        (True, {"NO_COLOR": ""}, True, 120),
        (True, {"TERM": "dumb"}, False, None),
        (True, {"COLUMNS": "90"}, True, 90),
        (False, {}, False, None),
        (False, {"COLUMNS": "90"}, False, 90),
        (False, {"COLUMNS": "many"}, False, None),
        (False, {"COLUMNS": "²"}, False, None),
    ],
)
def test_the_environment_is_honoured(is_tty: bool, environ: dict[str, str], colour: bool, width: int | None) -> None:
    assert terminal_options(is_tty, environ, 120) == RenderOptions(colour=colour, width=width)


def test_wrapping_loses_no_word() -> None:
    wide = plain(two_hours(), VERBOSE).split()
    narrow = plain(two_hours(), RenderOptions(verbose=True, width=80)).split()
    assert wide == narrow


def test_verbose_holds_every_finding_file_incident_and_story_line() -> None:
    diagnosis = two_hours()
    text = plain(diagnosis, VERBOSE)
    assert all(finding.title in text for finding in diagnosis.findings)
    assert all(row.path in text for row in diagnosis.artifacts)
    assert all(f"{entry.cite.file}:{entry.cite.line}" in text for entry in diagnosis.timeline)
    assert "more (-v)" not in text


def test_brief_says_how_much_it_left_out() -> None:
    text = plain(two_hours())
    assert "+7 more (-v)" in text
    assert "from 1 more (-v)" in text


def test_no_line_ends_in_a_blank() -> None:
    for make in SAMPLES.values():
        assert not [line for line in plain(make(), VERBOSE).splitlines() if line != line.rstrip()]


def test_tables_align_wide_characters() -> None:
    rows = table(("file", "n"), [("磁盘.log", "1"), ("disk.log", "2")], indent="")
    assert rows == ["file      n", "磁盘.log  1", "disk.log  2"]
