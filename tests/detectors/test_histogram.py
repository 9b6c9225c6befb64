"""Quantile brackets of cumulative histograms."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.detectors.histogram import count_above, delta, make_buckets, quantile_bracket

# etcd_disk_wal_fsync_duration_seconds: 1 ms doubling up to 8.192 s (server/storage/wal/metrics.go@v3.6.0).
WAL = [0.001 * 2**k for k in range(14)] + [inf]


@given(
    st.lists(st.floats(0.0001, 20.0), min_size=1, max_size=200),
    st.sampled_from([0.0, 0.5, 0.9, 0.99, 0.999, 1.0]),
)
def test_bracket_holds_the_true_quantile(latencies: list[float], quantile: float) -> None:
    """The observation of rank ceil(q n) lies in (low, high]."""
    counts = [sum(value <= bound for value in latencies) for bound in WAL]
    found = quantile_bracket(make_buckets(WAL, counts), quantile)
    rank = max(1, int(np.ceil(round(quantile * len(latencies), 9))))
    true = sorted(latencies)[rank - 1]
    assert found.low < true <= found.high
    assert found.inside == sum(found.low < value <= found.high for value in latencies)
    assert found.total == len(latencies)


def test_p99_hides_four_stalls_but_the_top_buckets_do_not() -> None:
    """Four 9-s stalls among 17,000 syncs: p99 is fine, the count above 1 s is not."""
    counts = [16000, 16900, 16990, *[16996] * 11, 17000]
    buckets = make_buckets(WAL, counts)
    p99 = quantile_bracket(buckets, 0.99)
    assert (p99.low, p99.high) == (0.001, 0.002)
    assert count_above(buckets, 1.024) == (4.0, 4.0)
    assert count_above(buckets, 1.0) == (4.0, 4.0)
    assert count_above(buckets, 0.003) == (10.0, 100.0)
    assert isnan(quantile_bracket(make_buckets(WAL, [0] * 15), 0.99).low)
    assert quantile_bracket(buckets, 1.0).high == inf


def test_delta_between_scrapes_and_counter_reset() -> None:
    """The difference of two snapshots; after a restart the later one alone."""
    before = make_buckets([0.1, 1.0, inf], [10, 12, 12])
    after = make_buckets([0.1, 1.0, inf], [15, 19, 20])
    change = delta(before, after)
    assert change.counts.tolist() == [5.0, 7.0, 8.0]
    assert not change.reset
    restarted = delta(after, before)
    assert restarted.reset
    assert restarted.counts.tolist() == [10.0, 12.0, 12.0]
    assert delta(before, make_buckets([0.1, inf], [1, 2])).reset


def test_damaged_buckets_are_repaired_and_marked() -> None:
    """Unordered, repeated, falling, non-finite, without +Inf."""
    fixed = make_buckets([1.0, 0.1, 0.1, np.nan], [5.0, 7.0, 3.0, 9.0])
    assert fixed.bounds.tolist() == [0.1, 1.0, inf]
    assert fixed.counts.tolist() == [7.0, 7.0, 7.0]
    assert fixed.repaired
    assert not make_buckets([0.1, inf], [1, 2]).repaired
    empty = make_buckets([], [])
    assert empty.total == 0.0
    assert count_above(empty, 1.0) == (0.0, 0.0)
    assert delta(empty, empty).total == 0.0


def test_rank_survives_floating_point() -> None:
    """0.99 of 100 observations is rank 99, not 100."""
    buckets = make_buckets([1.0, 2.0, inf], [99, 100, 100])
    assert quantile_bracket(buckets, 0.99).high == 1.0
    assert quantile_bracket(buckets, 0.991).high == 2.0
    assert quantile_bracket(buckets, 0.99).total == pytest.approx(100.0)
