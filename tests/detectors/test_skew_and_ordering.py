"""Clock skew bounds and the order of stages (D1-D3)."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from analyzer.detectors.ordering import (
    StageStart,
    Verdict,
    direction,
    order_edge,
    start_in_sample,
    start_of_event,
)
from analyzer.detectors.skew import SkewTable, member_skew

from .generators import EPOCH, Random
from .series_generators import MEMBERS, elections


def skew_errors(runs: int, count: int, seed: int) -> tuple[list[float], int]:
    """Return (absolute errors, how many lie within the stated half width)."""
    random, errors, covered = Random(seed), [], 0
    for _ in range(runs):
        truth = {member: random.uniform(-2, 2) for member in MEMBERS}
        table = member_skew(elections(random, count, truth))
        for entry in table.members:
            if entry.member != table.reference:
                error = abs(entry.offset_s - (truth[entry.member] - truth[table.reference]))
                errors.append(error)
                covered += error <= entry.half_width_s
                assert not entry.stepped
    return errors, covered


@pytest.mark.parametrize(("runs", "seed"), [(100, 1), pytest.param(1000, 2024, marks=pytest.mark.slow)])
@pytest.mark.parametrize("count", [4, 8])
def test_skew_error_and_half_width(count: int, runs: int, seed: int) -> None:
    """D2: p95 at most 5 ms from four elections on, half width covers 99 %."""
    errors, covered = skew_errors(runs, count, seed)
    p95 = float(np.quantile(errors, 0.95))
    sys.stdout.write(f"\naccuracy D2 {count} elections: p95 {p95:.4f} s, cover {covered / len(errors):.4f}")
    assert p95 <= 0.005
    assert covered >= 0.99 * len(errors)


def incident(random: Random, skew: dict[str, float], table: SkewTable) -> tuple[Verdict, bool]:
    """Return (verdict with start and skew, order by printed timestamps) of stall then election.

    The leader's fsync hangs 1.5-4 s; the election begins 1.0-1.5 s into it, on another member.
    """
    leader, other = random.permutation(MEMBERS)[:2]
    begin, took = EPOCH + random.uniform(0, 86400), random.uniform(1.5, 4.0)
    election = begin + random.uniform(1.0, 1.5)
    line, vote = begin + took + skew[leader], election + skew[other]
    first, second = table.of(str(leader)), table.of(str(other))
    assert first is not None
    assert second is not None
    verdict = order_edge(
        start_of_event(line - first.offset_s, took, first.half_width_s),
        start_of_event(vote - second.offset_s, 0.0, second.half_width_s),
    )
    return verdict, line < vote


@pytest.mark.parametrize(("runs", "seed"), [(200, 2), pytest.param(2000, 2024, marks=pytest.mark.slow)])
def test_election_follows_the_stall(runs: int, seed: int) -> None:
    """D1: two elections, 2 s of skew. Printed timestamps give the wrong order (regression guard)."""
    random, verdicts, printed = Random(seed), [], 0
    for _ in range(runs):
        skew = {member: random.uniform(-1, 1) for member in MEMBERS}
        table = member_skew(elections(random, 2, skew))
        verdict, naive = incident(random, skew, table)
        verdicts.append(verdict)
        printed += naive
    decided = [verdict for verdict in verdicts if verdict != "tie"]
    share = decided.count("ok") / len(decided)
    ties = 1 - len(decided) / runs
    sys.stdout.write(f"\naccuracy D1: ok {share:.4f}, tie {ties:.3f}, printed {printed / runs:.3f}")
    assert share >= 0.98
    assert len(decided) >= 0.9 * runs
    assert printed <= 0.35 * runs


def test_coarse_samples_never_claim_before() -> None:
    """D3: 60-s samples, lag 2 s: the edge is a tie nearly always and the direction never claimed."""
    random = Random(3)
    for _ in range(20):
        verdicts = []
        for begin in random.uniform(0, 86400, 200):
            sample = np.floor(begin / 60.0) * 60.0
            verdicts.append(order_edge(start_in_sample(sample, sample + 60.0), start_of_event(begin + 2.0, 0.0, 0.1)))
        summary = direction(verdicts)
        assert not summary.claimed
        assert summary.ties >= 0.9 * 200


def test_fine_samples_may_claim_before() -> None:
    """With 1-s samples and a lag of 2 s every episode is decidable."""
    verdicts = [order_edge(start_in_sample(t, t + 1.0), start_of_event(t + 5.5, 3.0, 0.01)) for t in range(0, 100, 10)]
    assert set(verdicts) == {"ok"}
    assert direction(verdicts).claimed


def test_order_edge_verdicts() -> None:
    """Overlap is a tie; a stage nobody could see is not contradicted."""
    early, late = StageStart(0.0, 1.0), StageStart(2.0, 3.0)
    assert order_edge(early, late) == "ok"
    assert order_edge(late, early) == "contradicted"
    assert order_edge(early, StageStart(0.5, 2.5)) == "tie"
    assert order_edge(None, late) == order_edge(early, None) == "unobserved"
    assert order_edge(start_of_event(float("nan")), late) == "unobserved"


def test_direction_needs_five_decidable_episodes_and_four_in_five() -> None:
    """The sign test and its thresholds."""
    assert not direction(["ok"] * 4).claimed
    assert direction(["ok"] * 5).claimed
    assert direction(["ok"] * 5).p_value == pytest.approx(1 / 32)
    good: Verdict = "ok"
    bad: Verdict = "contradicted"
    unseen: Verdict = "unobserved"
    assert not direction([good] * 7 + [bad] * 3).claimed
    assert direction([good] * 8 + [bad] * 2 + [unseen] * 9).claimed
    assert direction([]).p_value == 1.0


def test_chain_of_members_and_one_way_messages() -> None:
    """Bounds travel through a middle member; one direction alone bounds nothing."""
    there = [("a", "b", 0.0, 1.001), ("b", "c", 0.0, -0.999)]
    messages = [*there, ("b", "a", 10.0, 9.002), ("c", "b", 5.0, 6.002)]
    table = member_skew(messages, reference="a")
    assert [entry.member for entry in table.members] == ["a", "b", "c"]
    found = table.of("c")
    assert found is not None
    assert found.offset_s == pytest.approx(0.0, abs=0.002)
    assert found.half_width_s <= 0.01
    alone = member_skew([("a", "b", 0.0, 1.0)], reference="a").of("b")
    assert alone is not None
    assert np.isnan(alone.offset_s)
    assert np.isinf(alone.half_width_s)


def test_stepped_clock_is_blamed_on_the_right_member() -> None:
    """m3 jumps by 30 s half-way: its bounds contradict, the others' do not."""
    random = Random(4)
    before = elections(random, 6, {"m1": 0.0, "m2": 0.5, "m3": 0.0})
    after = elections(random, 6, {"m1": 0.0, "m2": 0.5, "m3": 30.0})
    table = member_skew(before + after)
    assert [entry.stepped for entry in table.members] == [False, False, True]
    assert table.reference in ("m1", "m2")


def test_no_messages_and_bad_messages() -> None:
    """Self-messages and non-finite stamps are ignored."""
    assert member_skew([]).members == ()
    assert member_skew([("a", "a", 0.0, 1.0), ("a", "b", float("nan"), 1.0)]).members == ()
    assert member_skew([], reference="m1").of("m1") is None
