"""Coincidence of incidents with spikes: counts, null, power (C1, C2) and cycle tables."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.detectors.arrays import FloatArray
from analyzer.detectors.circular import shifted_sums, upper_p_value, window_maximum
from analyzer.detectors.coincidence import Coincidence, coincidence
from analyzer.detectors.cycles import cycle_table, fisher_greater
from analyzer.detectors.significance import binomial_tail

from .generators import EPOCH, Random, periodic
from .series_generators import (
    autoregressive,
    bursty_events,
    bursty_spikes,
    linked_spikes,
    sample_times,
)

DAY = 86400.0


def unrelated(random: Random, span: float, step: float, phi: float) -> Coincidence:
    """Test bursty events against an unrelated autocorrelated, spiky series."""
    covers_from, ts = sample_times(span, step)
    values = bursty_spikes(random, autoregressive(random, ts.size, phi), 8, 8.0)
    events = bursty_events(random, span, random.randint(2, 7), random.randint(2, 5))
    return coincidence(events, events + random.uniform(0.5, 3.0, events.size), ts, covers_from, values)


def linked(random: Random, step: float, count: int, share: float, height: float, span: float = DAY) -> Coincidence:
    """Test events of which a share is truly linked to a spike of `height` sigmas."""
    covers_from, ts = sample_times(span, step)
    events = np.sort(random.uniform(0, span, count)) + EPOCH
    values = linked_spikes(random, ts, step, events, share, height)
    return coincidence(events, events + 1.0, ts, covers_from, values)


def false_alarm_rate(span: float, step: float, phi: float, runs: int, seed: int) -> float:
    """Return how often unrelated pairs pass at 1 %."""
    random = Random(seed)
    return sum(unrelated(random, span, step, phi).p_value <= 0.01 for _ in range(runs)) / runs


@pytest.mark.parametrize(("span", "step"), [(6 * 3600.0, 10.0), (3600.0, 1.0), (300.0, 1.0), (600.0, 5.0)])
def test_unrelated_series_rarely_pass(span: float, step: float) -> None:
    """C1, 40 runs for each of three autocorrelations: nominal 1 %, demanded 2.5 %."""
    assert sum(false_alarm_rate(span, step, phi, 40, 3) for phi in (0.0, 0.9, 0.97)) * 40 <= 6


@pytest.mark.slow
@pytest.mark.parametrize("phi", [0.0, 0.9, 0.97])
@pytest.mark.parametrize(("span", "step"), [(DAY, 60.0), (DAY, 10.0), (3600.0, 1.0), (600.0, 1.0), (300.0, 5.0)])
def test_unrelated_series_full(span: float, step: float, phi: float) -> None:
    """C1 with 400 runs per cell."""
    rate = false_alarm_rate(span, step, phi, 400, 2024)
    sys.stdout.write(f"\naccuracy C1 span {span:.0f} s, step {step:.0f} s, phi {phi}: {rate:.2%}")
    assert rate <= 0.025


def test_a_binomial_null_would_fail_on_bursts() -> None:
    """C1, regression guard: why the shift null is used. Same pairs, naive formula."""
    random, naive, shifted = Random(4), 0, 0
    for _ in range(100):
        covers_from, ts = sample_times(6 * 3600.0, 10.0)
        values = np.exp(bursty_spikes(random, autoregressive(random, ts.size, 0.9), 6, 6.0))
        events = bursty_events(random, 6 * 3600.0, 3, 5)
        found = coincidence(events, events + 1.0, ts, covers_from, values)
        naive += binomial_tail(found.hits, found.events_total, found.spike_share) <= 0.05
        shifted += found.eca_p <= 0.05
    assert naive >= 8  # 8 % and more at nominal 5 %
    assert shifted <= naive / 2


@pytest.mark.parametrize(("step", "runs"), [(10.0, 20), (60.0, 30)])
def test_five_incidents_suffice(step: float, runs: int) -> None:
    """C2: five incidents, 80 % linked, found at 1 %."""
    random = Random(5)
    assert sum(linked(random, step, 5, 0.8, 8.0).p_value <= 0.01 for _ in range(runs)) >= 0.9 * runs


def test_diluted_spikes_are_found_by_superposed_epochs() -> None:
    """C2: spikes of 1.5 sigmas in 60-s averages, ten events."""
    random = Random(6)
    found = [linked(random, 60.0, 10, 1.0, 1.5) for _ in range(40)]
    assert sum(item.sea_p <= 0.01 for item in found) >= 36
    assert sum(item.eca_p <= 0.01 for item in found) <= 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "count", "share", "height", "least"),
    [(10.0, 5, 0.8, 8.0, 0.95), (60.0, 5, 0.8, 8.0, 0.95), (60.0, 10, 1.0, 1.5, 0.90)],
)
def test_power_full(step: float, count: int, share: float, height: float, least: float) -> None:
    """C2 with 300 runs."""
    random = Random(2024)
    rate = sum(linked(random, step, count, share, height).p_value <= 0.01 for _ in range(300)) / 300
    sys.stdout.write(f"\naccuracy C2 step {step:.0f} s, {count} events, {height} sd: {rate:.3f}")
    assert rate >= least


def write_time(events: FloatArray, span: float, step: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (covers_from, ts, values) of a quiet device with one spike per event."""
    covers_from, ts = sample_times(span, step)
    values = np.random.RandomState(0).uniform(18.0, 22.0, ts.size)
    values[np.searchsorted(ts, events)] = 900.0
    return covers_from, ts, values


def test_counts_read_like_a_sentence() -> None:
    """11 of 12 incidents have a spike, 11 of 13 spikes have an incident, little by chance."""
    events = EPOCH + np.array([3, 7, 20, 26, 31, 44, 49, 58, 63, 70, 77]) * 1000.0 + 3.0
    covers_from, ts, values = write_time(np.append(events, EPOCH + np.array([12e3, 80e3])), DAY, 10.0)
    every = np.append(events, EPOCH + 40_000.0)
    found = coincidence(every, every + 2.0, ts, covers_from, values)
    assert (found.hits, found.events_total) == (11, 12)
    assert (found.spikes_with_event, found.spikes_total) == (11, 13)
    assert found.expected_by_chance < 0.2
    assert found.p_value <= 0.001
    assert found.coverage == 1.0
    assert found.usable
    assert found.resolution_s == 10.0
    assert abs(found.lag_s) <= 10.0


def test_sample_covers_the_interval_before_its_stamp() -> None:
    """A 60-s sample stamped after the event holds it; one that begins after tolerance does not."""
    covers_from, ts = sample_times(DAY, 60.0)
    values = np.random.RandomState(1).normal(20.0, 1.0, ts.size)
    values[[100, 400, 900, 1300]] = 900.0
    inside = covers_from[[100, 400, 900, 1300]] + 5.0
    assert coincidence(inside, inside, ts, covers_from, values).hits == 4
    late = ts[[100, 400, 900, 1300]] + 11.0
    assert coincidence(late, late, ts, covers_from, values).hits == 0
    # An event is an interval [ts - took, ts]: a stall that began inside the sample touches it.
    assert coincidence(late - 20.0, late, ts, covers_from, values).hits == 4


def test_write_time_booked_after_the_stall_and_stalled_samples() -> None:
    """A dead device: nothing but %util while it hangs, the spike comes when the I/O completes."""
    covers_from, ts = sample_times(3 * 3600.0, 1.0)
    values = np.random.RandomState(2).normal(20.0, 1.0, ts.size)
    stalled = np.zeros(ts.size, dtype=bool)
    starts = np.array([700, 2900, 4100, 7300, 9800])
    for start in starts:
        values[start : start + 30] = 0.0
        stalled[start : start + 30] = True
    begins = EPOCH + starts + 1.0
    without = coincidence(begins, begins + 2.0, ts, covers_from, values)
    marked = coincidence(begins, begins + 2.0, ts, covers_from, values, stalled=stalled)
    assert without.hits == 0
    assert marked.hits == 5
    assert marked.p_value <= 0.01


def test_both_periodic_is_one_observation() -> None:
    """Ten two-hourly hits are one phase: p stays above 2 delta / P, the cycles decide."""
    random = Random(7)
    events = periodic(random, 7200.0, 24, 0.001, 0.3, 0.0, phase=3600.0)
    covers_from, ts, values = write_time(events, 48 * 3600.0, 10.0)
    found = coincidence(events, events + 1.0, ts, covers_from, values, common_period_s=7200.0)
    assert found.hits == found.events_total
    assert found.p_value >= 20.0 / 7200.0
    assert "one phase" in found.method
    table = cycle_table(7200.0, EPOCH + 3600.0, events, events, EPOCH, EPOCH + 48 * 3600.0)
    assert table.both == events.size
    assert table.both + table.neither == table.cycles == 24
    assert table.p_value < 1e-4


def test_cycle_table_without_skipped_cycles_says_nothing() -> None:
    """If every cycle has both there is nothing to compare."""
    times = EPOCH + 3600.0 + 7200.0 * np.arange(12)
    table = cycle_table(7200.0, EPOCH + 3600.0, times, times, EPOCH, EPOCH + DAY)
    assert (table.both, table.cycles, table.p_value, table.informative) == (12, 12, 1.0, False)
    assert not cycle_table(0.0, EPOCH, times, times, EPOCH, EPOCH + DAY).informative
    assert not cycle_table(7200.0, EPOCH, times, times, EPOCH + DAY, EPOCH).informative


def test_fisher_exact_reference() -> None:
    """The tea tasting (Fisher 1935): 3 of 4 right is p = 17/70."""
    assert fisher_greater(3, 1, 1, 3) == pytest.approx(17.0 / 70.0)
    assert fisher_greater(4, 0, 0, 4) == pytest.approx(1.0 / 70.0)


def test_unusable_inputs_say_why() -> None:
    """Too few samples, too few events inside, constant series."""
    covers_from, ts = sample_times(DAY, 10.0)
    values = np.random.RandomState(3).normal(size=ts.size)
    events = EPOCH + np.array([1000.0, 2000.0, 3000.0])
    assert "samples" in coincidence(events, events, ts[:5], covers_from[:5], values[:5]).reason
    outside = coincidence(events + 10 * DAY, events + 10 * DAY, ts, covers_from, values)
    assert not outside.usable
    assert outside.coverage == 0.0
    assert "0 of 3 events" in outside.reason
    assert "constant" in coincidence(events, events, ts, covers_from, np.ones(ts.size)).reason


def test_events_in_a_gap_of_the_capture_are_not_counted() -> None:
    """Not collected is not the same as not present."""
    covers_from, ts = sample_times(DAY, 10.0)
    keep = (ts < EPOCH + 20_000) | (ts > EPOCH + 40_000)
    values = np.random.RandomState(3).normal(size=ts.size)
    events = EPOCH + np.array([5000.0, 10000.0, 30000.0, 35000.0, 50000.0])
    found = coincidence(events, events, ts[keep], covers_from[keep], values[keep])
    assert found.events_total == 3
    assert found.coverage == pytest.approx(0.6)


def test_shifted_sums_equal_brute_force() -> None:
    """The FFT null is the plain count at every shift."""
    random = np.random.RandomState(8)
    levels = (random.uniform(size=97) < 0.2).astype(float)
    first, width = random.randint(0, 97, 9), random.randint(1, 6, 9)
    fast = shifted_sums(levels, first, width)
    for shift in range(97):
        slow = sum(max(levels[(f + shift + k) % 97] for k in range(w)) for f, w in zip(first, width, strict=True))
        assert fast[shift] == pytest.approx(slow)
    assert window_maximum(levels, 1000).max() == levels.max()
    assert upper_p_value(3.0, np.array([0.0, 1.0, 3.0])) == 0.5


FLOATS = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=40)


@settings(max_examples=40, deadline=None)
@given(FLOATS, FLOATS, FLOATS)
def test_hostile_input_never_raises(events: list[float], ts: list[float], values: list[float]) -> None:
    """Whatever the parsers let through."""
    found = coincidence(events, events, ts, [t - 1.0 for t in ts], values)
    assert 0.0 <= found.p_value <= 1.0
