"""Zone proposals: never automatic, never for periodic series (C3)."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from analyzer.detectors.zone_offset import OFFSETS_MIN, ZoneProposal, propose_zone

from .generators import EPOCH, Random
from .series_generators import autoregressive, bursty_spikes, linked_spikes, sample_times

SPAN = 2 * 86400.0


def unrelated(random: Random) -> ZoneProposal:
    """Propose for unrelated aperiodic events and spikes."""
    covers_from, ts = sample_times(SPAN, 10.0)
    values = bursty_spikes(random, autoregressive(random, ts.size, 0.9), 8, 8.0)
    events = np.sort(random.uniform(0, SPAN, random.randint(5, 16))) + EPOCH
    return propose_zone(events, ts, covers_from, values, either_periodic=False)


def related(random: Random, offset_min: int, linked: float) -> ZoneProposal:
    """Propose for a series whose clock is `offset_min` ahead of UTC."""
    covers_from, ts = sample_times(SPAN, 10.0)
    events = np.sort(random.uniform(0, SPAN, 10)) + EPOCH
    values = linked_spikes(random, ts, 10.0, events, linked, 8.0)
    return propose_zone(events, ts + 60 * offset_min, covers_from + 60 * offset_min, values, False)


def test_unrelated_series_get_no_proposal() -> None:
    """C3: wrong proposals at most 1 %."""
    random = Random(1)
    assert sum(unrelated(random).proposed for _ in range(12)) == 0


@pytest.mark.slow
def test_wrong_proposals_full() -> None:
    """C3 with 300 unrelated and 100 partly linked pairs."""
    random = Random(2024)
    wrong = sum(unrelated(random).proposed for _ in range(300))
    right = 0
    for _ in range(100):
        offset = int(random.choice(OFFSETS_MIN))
        found = related(random, offset, 0.9)
        right += found.proposed and found.offset_min == offset
        wrong += found.proposed and found.offset_min != offset
    sys.stdout.write(f"\naccuracy C3: wrong {wrong}/400, right at 90 % linked {right}/100")
    assert wrong <= 4
    assert right >= 55


@pytest.mark.parametrize("offset", [480, -300, 330, 0])
def test_true_offset_is_proposed(offset: int) -> None:
    """Ten incidents, nine in ten linked."""
    found = related(Random(3), offset, 0.9)
    assert (found.proposed, found.offset_min, found.reason) == (True, offset, "")
    assert found.p_value <= 0.01
    assert found.hits >= 6


def test_periodic_series_are_refused() -> None:
    """C3: a two-hour period divides the zone steps."""
    covers_from, ts = sample_times(SPAN, 10.0)
    events = EPOCH + 3600.0 + 7200.0 * np.arange(24, dtype=np.float64)
    values = linked_spikes(Random(4), ts, 10.0, events, 1.0, 8.0)
    told = propose_zone(events, ts, covers_from, values, either_periodic=True)
    assert not told.proposed
    assert "periodic" in told.reason
    # Even if the caller did not notice the period, the runner-up is as good.
    assert not propose_zone(events, ts, covers_from, values, either_periodic=False).proposed


def test_too_little_evidence_is_refused() -> None:
    """Few events, no samples, no spikes."""
    covers_from, ts = sample_times(SPAN, 10.0)
    flat = np.random.RandomState(1).uniform(0, 1, ts.size)
    for events, values in ((ts[:3], flat), (ts[:10], np.ones(ts.size)), (ts[:10] + 1e9, flat)):
        found = propose_zone(events, ts, covers_from, values, False)
        assert not found.proposed
        assert found.reason
    assert not propose_zone([], [], [], [], False).proposed
