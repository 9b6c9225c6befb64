"""Synthetic disk series, event links, raft messages and load patterns with known truth."""

from __future__ import annotations

from typing import Final

import numpy as np

from analyzer.detectors.arrays import FloatArray
from analyzer.detectors.skew import Message

from .generators import EPOCH, Random

MEMBERS: Final = ("m1", "m2", "m3")


def sample_times(span: float, step: float) -> tuple[FloatArray, FloatArray]:
    """Return (covers_from, ts) of back-to-back samples from EPOCH."""
    ts = EPOCH + step * np.arange(1, int(span / step) + 1, dtype=np.float64)
    return ts - step, ts


def autoregressive(random: Random, count: int, phi: float) -> FloatArray:
    """Return a unit-variance AR(1) series."""
    noise = random.normal(size=count) * np.sqrt(1.0 - phi**2)
    values = np.empty(count)
    level = random.normal()
    for index in range(count):
        level = phi * level + noise[index]
        values[index] = level
    return values


def bursty_events(random: Random, span: float, groups: int = 4, size: int = 4) -> FloatArray:
    """Return bursts of events within two minutes of each other."""
    centres = random.uniform(0, span, groups)
    times = (centres[:, None] + random.uniform(0, span / 720.0, (groups, size))).ravel()
    return np.sort(times[times < span]) + EPOCH


def bursty_spikes(random: Random, values: FloatArray, groups: int, height: float) -> FloatArray:
    """Return the series with clusters of spikes added at random places."""
    result = values.copy()
    for centre in random.randint(0, values.size, groups):
        where = (centre + random.randint(0, 12, 3)) % values.size
        result[where] += height
    return result


def linked_spikes(
    random: Random, ts: FloatArray, step: float, events: FloatArray, linked: float, height: float
) -> FloatArray:
    """Return unit noise with a spike at a share of the events and a few at random places."""
    values = random.normal(size=ts.size)
    index = np.clip(np.searchsorted(ts, events), 0, ts.size - 1)
    values[index[random.uniform(size=index.size) < linked]] += height
    values[random.randint(0, ts.size, 3)] += height
    return np.asarray(values, dtype=np.float64)


def elections(random: Random, count: int, skew: dict[str, float], stall_s: float = 2.0) -> list[Message]:
    """Return the vote messages of `count` elections; one random voter of each is stalled.

    Network delays are 0.05 ms plus an exponential 0.2 ms; a stalled peer answers up to `stall_s` later.
    Timestamps are truncated to milliseconds as zap prints them.
    """
    messages: list[Message] = []
    for round_number in range(count):
        at = EPOCH + 3600.0 * (round_number + random.uniform())
        candidate = MEMBERS[random.randint(3)]
        slow = MEMBERS[random.randint(3)]
        for voter in MEMBERS:
            if voter == candidate:
                continue
            there = 5e-5 + random.exponential(2e-4) + (random.uniform(0, stall_s) if voter == slow else 0)
            back = 5e-5 + random.exponential(2e-4) + (random.uniform(0, stall_s) if voter == slow else 0)
            back += random.exponential(5e-4)
            sent, cast, heard = at, at + there, at + there + back
            messages.append((candidate, voter, _stamp(sent + skew[candidate]), _stamp(cast + skew[voter])))
            messages.append((voter, candidate, _stamp(cast + skew[voter]), _stamp(heard + skew[candidate])))
    return messages


def _stamp(seconds: float) -> float:
    """Truncate to milliseconds."""
    return float(np.floor(seconds * 1000.0) / 1000.0)


def capped(random: Random, count: int, cap: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (ops, util %, queue) of a device at its cap 60 % of the time (1 % noise)."""
    demand = cap * np.exp(0.25 + 0.4 * autoregressive(random, count, 0.9))
    ops = np.where(demand > cap, cap * (1 + 0.01 * random.normal(size=count)), demand)
    busy = demand > cap
    util = np.where(busy, random.uniform(97, 100, count), 100 * demand / cap * 0.9)
    queue = np.where(busy, 2.0 + 8 * (demand / cap - 1) + random.exponential(2, count), 0.8)
    return ops, util, queue


def burst_then_baseline(random: Random, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a saturated device whose limit drops from 3000 to 900 when its credits run out."""
    cut = random.randint(int(0.25 * count), int(0.75 * count))
    level = np.where(np.arange(count) < cut, 3000.0, 900.0)
    ops = level * (1 + 0.01 * random.normal(size=count))
    return ops, random.uniform(97, 100, count), 3.0 + random.exponential(3, count)


def wandering(random: Random, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a saturated device without a limit: its throughput wanders with the mix of I/O."""
    ops = 1500.0 * np.exp(0.3 * autoregressive(random, count, 0.9))
    return ops, random.uniform(97, 100, count), 3.0 + random.exponential(3, count)


def one_writer(random: Random, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return one synchronous writer: util 99 %, queue 1, throughput almost constant."""
    ops = 1000.0 * (1 + 0.01 * random.normal(size=count))
    return ops, random.uniform(98, 100, count), random.uniform(0.95, 1.2, count)


def idle(random: Random, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return an idle device."""
    return random.poisson(20.0, count).astype(float), random.uniform(0, 10, count), np.full(count, 0.1)
