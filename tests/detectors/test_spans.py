"""Merging intervals into episodes and adaptive declustering."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.detectors.spans import adaptive_onsets, gap_floor, gap_variation, merge_intervals

TIMES = st.lists(st.floats(0, 1e5), max_size=60)


def test_single_linkage_joins_through_long_intervals() -> None:
    """A long interval keeps an episode open for what starts inside it."""
    merged = merge_intervals([0.0, 100.0, 5.0, 400.0], [90.0, 101.0, 6.0, 401.0], gap_s=45.0)
    assert merged.starts.tolist() == [0.0, 400.0]
    assert merged.ends.tolist() == [101.0, 401.0]
    assert merged.label.tolist() == [0, 0, 0, 1]
    assert merged.first_index.tolist() == [0, 3]


def test_bad_intervals_are_left_out_not_raised() -> None:
    """Non-finite ends get label -1, an end before its start is a point."""
    merged = merge_intervals([0.0, np.nan, 10.0], [np.inf, 1.0, 5.0], gap_s=1.0)
    assert merged.label.tolist() == [-1, -1, 0]
    assert merged.ends.tolist() == [10.0]
    assert len(merge_intervals([], [])) == 0


@given(TIMES, st.floats(0, 1e4))
def test_episodes_are_further_apart_than_the_gap(times: list[float], gap: float) -> None:
    """Every input is in exactly one episode; neighbours are separated by more than the gap."""
    merged = merge_intervals(times, times, gap)
    assert merged.label.size == len(times)
    assert set(merged.label.tolist()) == set(range(len(merged)))
    assert bool((merged.starts[1:] - merged.ends[:-1] > gap).all())


def test_bursts_become_one_onset_each() -> None:
    """Five lines per incident, incidents two hours apart: the incidents are counted."""
    centres = 7200.0 * np.arange(12)
    lines = (centres[:, None] + np.array([0, 2, 7, 30, 55])).ravel()
    onsets = adaptive_onsets(lines, 86400.0)
    assert onsets.times.tolist() == centres.tolist()
    assert onsets.usable
    assert onsets.gap_cv == pytest.approx(0.0)


def test_slow_bursts_widen_the_gap() -> None:
    """Lines five minutes apart inside a burst are not joined by 60 s, but by a wider gap."""
    random = np.random.RandomState(4)
    centres = np.sort(random.uniform(0, 172800, 8))
    lines = np.sort((centres[:, None] + np.cumsum(random.uniform(60, 290, (8, 5)), axis=1)).ravel())
    onsets = adaptive_onsets(lines, 172800.0)
    assert onsets.gap_s >= 300.0
    assert onsets.times.size <= 10


def test_gap_floor_scales_with_the_capture() -> None:
    """Two seconds in a five-minute capture, a minute from six hours up."""
    assert [gap_floor(span) for span in (300.0, 3600.0, 6 * 3600.0, 7 * 86400.0)] == [2.0, 10.0, 60.0, 60.0]
    assert adaptive_onsets([0.0, 60.0, 120.0, 180.0], 240.0).times.size == 4


def test_retries_inside_one_incident_of_a_long_capture_are_one_onset() -> None:
    """An even five-second retry train is not hundreds of periodic episodes."""
    train = np.concatenate((1000.0 + 5.0 * np.arange(60), 90000.0 + 5.0 * np.arange(60)))
    assert adaptive_onsets(train, 172800.0).times.size == 2


@pytest.mark.parametrize("times", [[], [1.0], [1.0, 2.0], [5.0] * 10, [np.nan, np.inf]])
def test_degenerate_input(times: list[float]) -> None:
    """Too few onsets are never usable, and nothing raises."""
    assert not adaptive_onsets(times).usable
    assert np.isnan(gap_variation(np.array([1.0, 2.0])))
