"""Caps, latency-bound devices and level changes (L1, L3)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import isnan

import numpy as np
import pytest

from analyzer.detectors.arrays import FloatArray
from analyzer.detectors.ceiling import cap_test, latency_bound, within_declared
from analyzer.detectors.regime import best_split, compare_levels, regime_shift

from . import series_generators as make
from .generators import Random

Load = Callable[[Random, int], tuple[FloatArray, FloatArray, FloatArray]]
LOADS: dict[str, tuple[Load, float, float]] = {
    "cap": (lambda random, count: make.capped(random, count, 1000.0), 0.95, 1.0),
    "burst-to-baseline": (make.burst_then_baseline, 0.85, 1.0),
    "wandering": (make.wandering, 0.0, 0.01),
    "one-writer": (make.one_writer, 0.0, 0.01),
    "idle": (make.idle, 0.0, 0.01),
}


@pytest.mark.parametrize(("runs", "seed"), [(100, 1), pytest.param(1000, 2024, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", LOADS)
def test_cap_claims(name: str, runs: int, seed: int) -> None:
    """L1: a cap is found, a busy device is not called capped."""
    load, least, most = LOADS[name]
    random = Random(seed)
    claimed = sum(cap_test(*load(random, random.randint(120, 1000))).claim for _ in range(runs)) / runs
    sys.stdout.write(f"\naccuracy L1 {name}: claimed {claimed:.3f}")
    assert least <= claimed <= most


def test_plateau_is_measured() -> None:
    """The Ceph volumes of 1000 IOPS: plateau, width and share of the time."""
    ops, util, queue = make.capped(Random(2), 2000, 1000.0)
    found = cap_test(ops, util, queue)
    assert found.plateau == pytest.approx(1000.0, rel=0.01)
    assert found.width <= 0.02
    assert found.above_share <= 0.05
    assert found.time_share == pytest.approx(float((np.abs(ops - found.plateau) <= 30).mean()), abs=0.02)
    assert within_declared(found.plateau, 1000.0)
    assert not within_declared(found.plateau, 1100.0)


def test_burst_credits_running_out_is_one_cut() -> None:
    """Equal halves at 3000 and 900: the later level is the baseline."""
    ops = np.concatenate((np.full(200, 3000.0), np.full(200, 900.0)))
    ops *= 1 + 0.01 * np.random.RandomState(3).normal(size=400)
    found = cap_test(ops, np.full(400, 99.0), np.full(400, 6.0))
    assert found.claim
    assert found.side == "after"
    assert found.split_index == 200
    assert found.plateau == pytest.approx(900.0, rel=0.01)


def test_one_busy_writer_is_latency_bound_not_capped() -> None:
    """Utilisation of 99 % with a queue of one is no saturation."""
    ops, util, queue = make.one_writer(Random(4), 300)
    assert not cap_test(ops, util, queue).claim
    found = latency_bound(util, queue)
    assert found.claim
    assert found.busy == 300
    assert found.median_queue < 1.5
    capped = make.capped(Random(4), 300, 1000.0)
    assert not latency_bound(capped[1], capped[2]).claim
    assert not latency_bound([], []).claim


def test_few_large_writes_per_second_are_no_iops_cap() -> None:
    """1-MB writes at 12 MB/s: 11 or 12 per second. Bytes per second show the limit, I/Os cannot."""
    random = np.random.RandomState(8)
    ops, busy, deep = random.choice([11.0, 12.0], 100, p=[0.97, 0.03]), np.full(100, 99.0), np.full(100, 20.0)
    found = cap_test(ops, busy, deep)
    assert not found.claim
    assert "too few" in found.reason
    assert cap_test(12.58e6 * random.uniform(0.98, 1.0, 100), busy, deep).claim


def test_flat_top_under_a_container_limit_is_only_reported() -> None:
    """w/s flat at a ceiling while %util and the queue stay low: no claim, but the share is there."""
    random = np.random.RandomState(5)
    ops = np.minimum(random.uniform(100, 900, 300), 500.0)
    found = cap_test(ops, np.full(300, 3.0), np.full(300, 0.1))
    assert not found.claim
    assert "saturated samples" in found.reason
    assert found.flat_top == pytest.approx(500.0)
    assert found.flat_top_share == pytest.approx(float((ops > 485).mean()))
    assert isnan(cap_test([], [], []).flat_top)


def changed(random: Random, phi: float, factor: float, count: int = 2000) -> bool:
    """Return the verdict on a level of 10 +- 2 that is multiplied by `factor` at a random place."""
    values = 10.0 + 2.0 * make.autoregressive(random, count, phi)
    values[random.randint(count // 5, 4 * count // 5) :] *= factor
    return regime_shift(values).claim


@pytest.mark.parametrize(("runs", "seed"), [(30, 6), pytest.param(400, 2024, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("phi", "factor", "least", "most"),
    [
        (0.0, 1.0, 0.0, 0.02),
        (0.9, 1.0, 0.0, 0.02),
        (0.97, 1.0, 0.0, 0.02),
        (0.0, 2.0, 0.95, 1.0),
        (0.9, 2.0, 0.95, 1.0),
    ],
)
def test_regime_claims(phi: float, factor: float, least: float, most: float, runs: int, seed: int) -> None:
    """L3: false alarms at most 2 %, a doubled level found in 95 %."""
    random = Random(seed)
    rate = sum(changed(random, phi, factor) for _ in range(runs)) / runs
    sys.stdout.write(f"\naccuracy L3 phi {phi}, factor {factor}: {rate:.3f}")
    assert least <= rate <= most


def test_regime_shift_is_located_and_described() -> None:
    """Where, from what, to what."""
    values = np.concatenate((np.full(300, 2.0), np.full(200, 9.0)))
    values += 0.1 * np.random.RandomState(7).normal(size=500)
    found = regime_shift(values)
    assert (found.claim, found.index, found.direction) == (True, 300, "up")
    assert found.ratio == pytest.approx(4.5, rel=0.02)
    assert regime_shift(values[::-1]).direction == "down"


def test_short_or_constant_series_make_no_regime() -> None:
    """Both sides need 60 samples; a constant has one level."""
    assert regime_shift(np.arange(119.0)).index == -1
    assert not regime_shift(np.ones(500)).claim
    assert not regime_shift(np.zeros(500)).claim
    assert not regime_shift([np.nan] * 500).claim
    assert best_split(np.zeros(10), 6) is None


def test_compare_levels() -> None:
    """The robust screen: distance in outside IQRs, and the ratio."""
    outside = np.tile([9.0, 10.0, 11.0, 10.0], 50)
    found = compare_levels([30.0, 32.0, 31.0, np.nan], outside)
    assert found.usable
    assert found.ratio == pytest.approx(3.1)
    assert found.score == pytest.approx(21.0 / found.spread)
    quiet = compare_levels([5.0, 5.0, 5.0], np.zeros(100))
    assert quiet.usable
    assert np.isinf(quiet.ratio)
    assert not compare_levels([1.0], outside).usable
    assert not compare_levels([1.0, 2.0, 3.0], [1.0]).usable
