"""Spike flags, averaging to a grid, coverage cap."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.detectors.spikes import (
    clean_samples,
    coverage_cap,
    dilated_length,
    flag_spikes,
    limit_coverage,
    rolling_median,
    stalled_samples,
    to_grid,
)


def flags(values: list[float] | np.ndarray) -> list[int]:
    """Return the flagged indices of a one-per-second series."""
    series = np.asarray(values, dtype=float)
    return [int(i) for i in np.flatnonzero(flag_spikes(np.arange(series.size), series))]


def test_spikes_above_noise_are_flagged_and_noise_is_not() -> None:
    """Four robust sigmas above the rolling median."""
    series = np.random.RandomState(1).normal(100, 5, 600)
    series[[50, 300, 301, 555]] += 200
    assert flags(series) == [50, 300, 301, 555]


def test_slow_trend_is_not_a_spike() -> None:
    """The rolling median follows a day's load curve."""
    trend = 100 + 80 * np.sin(np.linspace(-1.5, 1.5, 8640))
    series = trend + np.random.RandomState(2).uniform(-1.5, 1.5, 8640)
    series[1000] += 60
    assert flags(series) == [1000]


def test_mostly_zero_series() -> None:
    """With a zero median deviation the quantile decides, and zeros are never flagged."""
    series = np.zeros(400)
    series[[10, 200, 390]] = [5.0, 1.0, 900.0]
    assert flags(series) == [10, 200, 390]
    assert flags(np.zeros(400)) == []
    assert flags(np.full(400, 0.1) + 1e-17) == []


@pytest.mark.parametrize("size", [12, 30, 59, 60, 61, 62])
def test_short_series(size: int) -> None:
    """Fewer samples than the window still yield their outlier."""
    series = np.random.RandomState(3).normal(10, 0.1, size)
    series[size // 2] = 50.0
    assert flags(series) == [size // 2]


def test_thirty_samples_with_four_stalls() -> None:
    """Five minutes of 10-s samples: more than 5 % may stand out."""
    series = np.random.RandomState(4).normal(10, 0.1, 30)
    series[[3, 10, 17, 24]] = 40.0
    assert flags(series) == [3, 10, 17, 24]


def test_sustained_plateau_is_not_a_spike() -> None:
    """A level that lasts longer than half a window is a regime, not a spike."""
    series = np.random.RandomState(5).normal(10, 0.5, 600)
    series[200:400] += 500
    assert set(flags(series)) <= {199, 200, 399, 400}


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 9.0, 1.0], [np.nan] * 10, [np.inf, 1e300] * 9])
def test_hopeless_series_flag_nothing(values: list[float]) -> None:
    """No samples, no spikes, no exception."""
    assert flags(values) == []


def test_gaps_and_bad_samples_are_dropped() -> None:
    """Empty, reversed, overlapping and non-finite samples do not reach the statistics."""
    samples = clean_samples([0, 10, 5, 30, 40, 50], [10, 20, 20, 30, np.nan, 60], [1, 2, 3, 4, 5, np.inf])
    assert samples.ts.tolist() == [10.0, 20.0]
    assert samples.covers_from.tolist() == [0.0, 10.0]


def test_one_second_samples_are_averaged_to_ten() -> None:
    """Weighted means per cell; a gap stays a gap; coarse series pass through."""
    ts = np.concatenate((np.arange(1, 21), np.arange(41, 61))).astype(float)
    grid = to_grid(clean_samples(ts - 1, ts, ts))
    assert grid.ts.tolist() == [10.0, 20.0, 50.0, 60.0]
    assert grid.covers_from.tolist() == [0.0, 10.0, 40.0, 50.0]
    assert grid.values.tolist() == [5.5, 15.5, 45.5, 55.5]
    assert to_grid(grid) is grid


def test_coverage_cap_keeps_the_strongest() -> None:
    """A day of 10-s samples: at most 5 % of the time within ten seconds of a spike."""
    ts = 10.0 * np.arange(1, 8641)
    values = np.zeros(8640)
    where = np.random.RandomState(6).permutation(8640)[:400]
    values[where] = np.arange(1, 401)
    samples = clean_samples(ts - 10, ts, values)
    kept = limit_coverage(samples, flag_spikes(ts, values), 10.0)
    length = dilated_length(samples.covers_from[kept], samples.ts[kept], 10.0)
    assert length <= 0.05 * 86400
    assert values[kept].min() > np.median(values[where])
    assert kept[where[-1]]


def test_cap_widens_in_captures_of_minutes_but_never_drops_the_top_spike() -> None:
    """5 % of a day, a quarter of five minutes."""
    assert [coverage_cap(span) for span in (300.0, 1200.0, 86400.0)] == [0.25, 0.15, 0.05]
    samples = clean_samples([0.0, 10.0, 20.0], [10.0, 20.0, 30.0], [0.0, 9.0, 0.0])
    assert limit_coverage(samples, np.array([False, True, False]), 60.0).tolist() == [False, True, False]


def test_rolling_median_ignores_single_outliers() -> None:
    """Same shape, outlier gone."""
    values = np.full(200, 3.0)
    values[100] = 1e6
    assert rolling_median(values).tolist() == [3.0] * 200


def test_a_dead_device_looks_idle_but_is_marked() -> None:
    """Busy and nothing finished."""
    assert stalled_samples([100, 100, 3, 99.5], [0, 12, 0, 0]).tolist() == [True, False, False, True]
