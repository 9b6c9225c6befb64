"""H statistic against an independent direct evaluation, and the shipped null tables."""

from __future__ import annotations

from cmath import exp, pi
from itertools import pairwise

import numpy as np
import pytest

from analyzer.detectors import null_table
from analyzer.detectors.h_test import (
    OVERSAMPLING,
    h_statistic,
    search_frequencies,
    strongest_frequency,
)
from analyzer.detectors.significance import binomial_tail, blind_p_value, scan_gain, single_p_value

from .generate_null_table import simulate_blind, simulate_single


def direct_h(times: list[float], frequency: float) -> float:
    """Evaluate the published formula with plain complex sums, no shared code."""
    best, power = 0.0, 0.0
    for harmonic in range(1, 7):
        total = sum(exp(2j * pi * harmonic * frequency * t) for t in times)
        power += 2.0 * abs(total) ** 2 / len(times)
        best = power if harmonic == 1 else max(best, power - 4.0 * (harmonic - 1))
    return best


def test_h_equals_direct_evaluation_on_200_random_sets() -> None:
    """P9: the vectorised statistic is the published one."""
    random = np.random.RandomState(1)
    for _ in range(200):
        times = random.uniform(0, 1000.0, random.randint(4, 40))
        frequencies = random.uniform(0.002, 0.1, 3)
        expected = [direct_h(list(times), float(f)) for f in frequencies]
        np.testing.assert_allclose(h_statistic(times, frequencies), expected, atol=1e-9)


def test_search_grid_bounds() -> None:
    """The grid starts at 2.5 cycles and allows at most 60 % empty ones."""
    grid = search_frequencies(1000.0, 10, np.inf)
    assert grid[0] == pytest.approx(2.5e-3)
    assert grid[-1] == pytest.approx(10 / 400.0)
    assert np.diff(grid) == pytest.approx(1.0 / (OVERSAMPLING * 1000.0))
    assert search_frequencies(1000.0, 10, 0.01)[-1] == pytest.approx(0.01)


def test_fft_scan_finds_the_same_frequency_as_the_direct_scan() -> None:
    """Above 400 events the screening FFT must not lose the maximum."""
    random = np.random.RandomState(2)
    times = np.sort(np.concatenate((300.0 * np.arange(600) + random.normal(0, 3, 600) + 40, [7.0])))
    frequency, height = strongest_frequency(times, 180_000.0, 1 / 120.0)
    assert (1.0 / frequency) % 300.0 == pytest.approx(0.0, abs=1.0) or 300.0 * frequency == pytest.approx(
        round(300.0 * frequency), abs=0.01
    )
    assert height > 1000.0


def test_thousands_of_uniform_events_show_no_low_frequency_peak() -> None:
    """Edge leakage of a capture that holds a fraction of a cycle is no signal."""
    random = np.random.RandomState(3)
    for _ in range(5):
        _, height = strongest_frequency(random.uniform(0, 86400.0, 2000), 86400.0, 1 / 120.0)
        assert blind_p_value(height, 2000) > 1e-3


@pytest.mark.parametrize("count", [5, 8, 12, 20])
def test_null_tables_hold_on_a_fresh_seed(count: int) -> None:
    """The checked-in thresholds are exceeded as often as they say."""
    random = np.random.RandomState(99)
    row = null_table.COUNTS.index(count)
    single = simulate_single(random, count, 50_000)
    assert (single > null_table.SINGLE[row][3]).mean() == pytest.approx(0.01, abs=0.002)
    blind = simulate_blind(random, count, 1500)
    assert (blind > null_table.BLIND[row][1]).mean() == pytest.approx(0.05, abs=0.02)


def test_null_table_shape() -> None:
    """Thresholds rise with rarity; every row has one entry per level."""
    for levels, table in (
        (null_table.BLIND_LEVELS, null_table.BLIND),
        (null_table.SINGLE_LEVELS, null_table.SINGLE),
    ):
        assert len(table) == len(null_table.COUNTS)
        for row in table:
            assert len(row) == len(levels)
            assert list(row) == sorted(row)


def test_p_values_follow_the_table_and_fall_with_h() -> None:
    """Exact at the levels, monotone between and beyond them."""
    row = null_table.COUNTS.index(12)
    assert blind_p_value(null_table.BLIND[row][3], 12) == pytest.approx(0.01)
    assert single_p_value(null_table.SINGLE[row][6], 12) == pytest.approx(0.001)
    for function in (blind_p_value, single_p_value):
        values = [function(h, 12) for h in np.linspace(0, 100, 400)]
        assert all(a >= b for a, b in pairwise(values))
        assert values[0] > 0.5
        assert function(50.0, 3) == 1.0
        assert function(float("nan"), 12) == 1.0
    # More onsets mean more trials, so the same height proves less.
    assert blind_p_value(40.0, 1000) > blind_p_value(40.0, 100)


def test_binomial_tail_and_scan_gain() -> None:
    """Closed-form values."""
    assert binomial_tail(3, 3, 0.1) == pytest.approx(1e-3)
    assert binomial_tail(1, 5, 0.5) == pytest.approx(1 - 0.5**5)
    assert binomial_tail(0, 5, 0.5) == 1.0
    assert binomial_tail(6, 5, 0.5) == 0.0
    assert scan_gain(10, 10, 0.02) == pytest.approx(10 * np.log(50))
    assert scan_gain(1, 100, 0.02) == 0.0
