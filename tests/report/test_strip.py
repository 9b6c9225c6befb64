"""The strip chart counts what the story holds, and tells quiet from unknown."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

from analyzer.model.diagnosis import TimelineEntry
from analyzer.model.finding import Cite
from analyzer.report.strip import MAX_BINS, build_strip

from .sample import two_hours
from .sample_coverage import ARTIFACTS
from .sample_evidence import HOUR, SECOND, at

LOGS = tuple(row for row in ARTIFACTS if "events" in row.facts)
CITE = Cite("etcd.log", 1)


def entry(when: int, kind: str = "slow-fdatasync") -> TimelineEntry:
    return TimelineEntry(when, "etcd-0", kind, "", CITE)


def test_two_hour_story_shows_thirteen_columns_of_stalls() -> None:
    diagnosis = two_hours()
    strip = build_strip(diagnosis.timeline, diagnosis.artifacts)
    assert strip is not None
    stalls = strip.lanes[0]
    assert stalls.label == "fsync stalls"
    assert stalls.total == 63
    assert sum(int(cell) for cell in stalls.cells if cell.isdigit()) == 63
    columns = [number for number, cell in enumerate(stalls.cells) if cell.isdigit()]
    assert {after - before for before, after in pairwise(columns)} == {4}
    assert len(columns) == 13


def test_lanes_share_one_axis() -> None:
    diagnosis = two_hours()
    strip = build_strip(diagnosis.timeline, diagnosis.artifacts)
    assert strip is not None
    assert len({len(lane.cells) for lane in strip.lanes}) == 1
    assert strip.lanes[0].cells == "..4...5...6...4...5...6...4...5...6...4...5...6...3.."
    assert strip.axis == "|00:00Z     |06:00Z     |12:00Z     |18:00Z     |00:00Z"


def test_marks_stand_at_round_times_wherever_the_axis_begins() -> None:
    start = at("2026-03-10 05:30:00")
    strip = build_strip([entry(start), entry(start + 24 * HOUR)], ())
    assert strip is not None
    assert strip.axis == " |06:00Z     |12:00Z     |18:00Z     |00:00Z"


def test_ten_or_more_is_a_hash() -> None:
    strip = build_strip([entry(at("2026-03-10 01:00:00") + n) for n in range(10)], ())
    assert strip is not None
    assert "#" in strip.lanes[0].cells


def test_time_no_log_covers_is_blank() -> None:
    early = at("2026-03-10 01:00:00")
    log = dataclasses.replace(LOGS[0], first_ns=early, last_ns=early + HOUR)
    other = dataclasses.replace(LOGS[1], first_ns=early + 4 * HOUR, last_ns=early + 5 * HOUR)
    strip = build_strip([entry(early), entry(early + 5 * HOUR)], (log, other))
    assert strip is not None
    assert " " in strip.lanes[0].cells.strip()
    assert "no log covers" in strip.legend


def test_quiet_weeks_around_the_trouble_are_left_out() -> None:
    start = at("2026-03-10 01:00:00")
    log = dataclasses.replace(LOGS[0], first_ns=start - 500 * HOUR, last_ns=start + 500 * HOUR)
    strip = build_strip([entry(start), entry(start + 10 * HOUR)], (log,))
    assert strip is not None
    assert strip.span.startswith("2026-03-10 00:00:00Z to 2026-03-10 12:00:00Z")


def test_a_story_without_lanes_has_no_strip() -> None:
    assert build_strip([entry(0, "something-else")], ARTIFACTS) is None
    assert build_strip([], ARTIFACTS) is None


def test_width_is_bounded_for_any_span() -> None:
    for reach in (0, 1, 59 * SECOND, HOUR, 40 * HOUR, 100_000 * HOUR):
        strip = build_strip([entry(at("2026-03-10 01:00:00")), entry(at("2026-03-10 01:00:00") + reach)], ())
        assert strip is not None
        assert len(strip.lanes[0].cells) <= MAX_BINS
        assert strip.lanes[0].total == 2
