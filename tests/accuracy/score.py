"""Figures of a set of outcomes: shares, calibration, confusion."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.accuracy.outcome import Outcome

NORMAL_95 = 1.959963984540054
LABELS = ("high", "medium", "low")
NO_ANSWER = "(no answer)"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    total: int

    @property
    def ratio(self) -> float | None:
        """None of nothing."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the share after Wilson (1927): honest for few cases and at the ends."""
        if not self.total:
            return None
        n, p, z = self.total, self.hits / self.total, NORMAL_95
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        return f"{self.hits}/{self.total}"


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one set."""

    cases: int
    top_one: Share
    strict: Share
    """Of the cases whose root cause is one of the known causes."""
    top_three: Share
    harmful: Share
    misleading: int
    precision: dict[str, Share]
    """By the verdict's confidence, over the cases that have a right answer or need none."""
    brier: float | None
    healthy: int
    insufficient: int
    refused: int
    crashed: int
    keywords: Share
    confusion: tuple[tuple[str, str, int], ...]
    """(root cause, answer, cases) of every wrong answer, most frequent first."""
    seconds: tuple[float, ...]


def score(outcomes: Sequence[Outcome]) -> Score:
    """The figures of these outcomes."""
    answerable = [one for one in outcomes if one.case.has_answer]
    told = [one for one in answerable if one.probability is not None]
    return Score(
        len(outcomes),
        _share(answerable, lambda one: one.right),
        _share([one for one in answerable if one.case.root_cause], lambda one: one.strictly_right),
        _share(answerable, lambda one: one.in_top_three),
        _share(outcomes, lambda one: bool(one.harmful)),
        sum(one.misleading for one in outcomes),
        {word: _share([one for one in _judged(outcomes) if one.confidence == word], _right) for word in LABELS},
        math.fsum(((one.probability or 0.0) - one.right) ** 2 for one in told) / len(told) if told else None,
        sum(one.status == "healthy" for one in outcomes),
        sum(one.status == "insufficient" for one in outcomes),
        sum(one.status == "refused" for one in outcomes),
        sum(one.crash is not None for one in outcomes),
        Share(sum(one.keywords_found for one in outcomes), sum(len(one.case.keywords) for one in outcomes)),
        _confusion(answerable),
        tuple(one.seconds for one in outcomes),
    )


def _judged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Verdicts whose label can be checked: a confident name for an unknown truth counts as wrong, samples do not."""
    return [one for one in outcomes if one.named and (one.case.has_answer or one.case.set_name != "samples")]


def _right(one: Outcome) -> bool:
    return one.right


def _share(outcomes: Sequence[Outcome], test: Callable[[Outcome], bool]) -> Share:
    return Share(sum(test(one) for one in outcomes), len(outcomes))


def _confusion(outcomes: Sequence[Outcome]) -> tuple[tuple[str, str, int], ...]:
    pairs = Counter((one.case.root_cause or "(other)", one.answer or NO_ANSWER) for one in outcomes if not one.right)
    ordered = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return tuple((truth, answer, count) for (truth, answer), count in ordered)
