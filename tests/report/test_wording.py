"""The one place that formats times, durations, counts and odds."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.ids import Confidence
from analyzer.report.wording import (
    chance,
    clean,
    clean_lines,
    counted,
    duration,
    listing,
    odds,
    points,
    span,
    three_digits,
    utc,
)

from .sample_evidence import at


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0 s"),
        (2.14025047, "2.14 s"),
        (0.138, "138 ms"),
        (0.99949, "999 ms"),
        (0.9996, "1 s"),
        (0.00035, "350 us"),
        (1e-9, "< 1 us"),
        (41.0, "41 s"),
        (59.97, "1 min"),
        (500.0, "8 min 20 s"),
        (4080.0, "1 h 08 min"),
        (7200.0, "2 h"),
        (3599.9, "1 h"),
        (172_800.0 + 14_400.0, "2 d 04 h"),
        (-0.4, "-400 ms"),
        (math.nan, "unknown"),
        (math.inf, "unknown"),
        (None, "unknown"),
    ],
)
def test_durations(seconds: float | None, words: str) -> None:
    assert duration(seconds) == words


def test_times_are_utc_to_the_second() -> None:
    assert utc(at("2026-03-11 01:02:03") + 999_999_999) == "2026-03-11 01:02:03Z"


def test_times_no_calendar_holds_do_not_raise() -> None:
    assert utc(10**30) == "time unknown"
    assert utc(None) == "time unknown"
    assert span(None, None) == "no times"


def test_span_tells_both_ends_and_how_long() -> None:
    words = span(at("2026-03-11 01:00:02"), at("2026-03-11 03:01:12"))
    assert words == "2026-03-11 01:00:02Z to 2026-03-11 03:01:12Z (2 h 01 min)"


def test_lower_bounds_are_marked() -> None:
    assert counted(63, "stall", None, True) == ">= 63 stalls"
    assert counted(1, "election") == "1 election"
    assert counted(1, "election", None, True) == ">= 1 elections"
    assert counted(1_204_331, "line") == "1,204,331 lines"


@pytest.mark.parametrize(
    ("confidence", "probability", "words"),
    [
        (Confidence.HIGH, 0.999, "very likely, about 9 in 10"),
        (Confidence.MEDIUM, 0.97, "likely, about 3 in 4"),
        (Confidence.LOW, None, "possible, about 1 in 2"),
        (Confidence.NONE, None, "not established"),
        (Confidence.NONE, 0.4, "open, about 1 in 2"),
        (Confidence.NONE, 0.2, "doubtful, about 1 in 4"),
        (Confidence.NONE, 0.08, "unlikely, about 1 in 10"),
        (Confidence.NONE, 0.001, "very unlikely, less than 1 in 20"),
    ],
)
def test_odds_are_words_and_a_coarse_range(confidence: Confidence, probability: float | None, words: str) -> None:
    assert odds(confidence, probability) == words
    assert "." not in words


def test_points_carry_a_sign_and_one_decimal() -> None:
    assert [points(2.94), points(-0.04), points(-1.25), points(math.nan)] == ["+2.9", "+0.0", "-1.2", "+0.0"]


def test_chance_is_coarse() -> None:
    assert chance(0.0004).endswith("once in 1,000")
    assert chance(0.3).endswith("about once in 3")
    assert chance(None) == ""


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_three_digits_stay_within_half_a_percent(value: float) -> None:
    assert float(three_digits(value).replace(",", "")) == pytest.approx(value, rel=0.0051)


def test_listing() -> None:
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(["a", "b", "c", "d"], limit=2) == "a, b and 2 more"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("\x1b]0;never closed", "0;never closed"),
        ("a\nb\tc\u2028d", "a b c d"),
        ("\u202eevil\u202c", "evil"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\x9b31mred", "red"),
        ("bell\x07", "bell"),
        ("half \udce9", "half \ufffd"),
        ("磁盘 慢", "磁盘 慢"),
        ("  spaced   out ", "spaced out"),
    ],
)
def test_clean(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@settings(max_examples=200)
@given(st.text())
def test_clean_leaves_one_printable_line_and_is_idempotent(raw: str) -> None:
    shown = clean(raw)
    assert shown.isprintable()
    assert clean(shown) == shown
    shown.encode("utf-8")


def test_clean_is_linear() -> None:
    started = time.perf_counter()
    clean("\x1b]" * 200_000 + "\x1b[" + "0" * 200_000)
    assert time.perf_counter() - started < 2.0


def test_commands_keep_their_indentation_and_lose_controls() -> None:
    assert clean_lines("a\n  b\x1b[31m\n\n") == ("a", "  b")
