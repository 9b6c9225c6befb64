"""What the analyzer said about one case, reduced to what is scored."""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.accuracy.cases import Case

if TYPE_CHECKING:
    from analyzer.model.diagnosis import Diagnosis

SURE = ("high", "medium")
HEALTHY = "healthy-no-problem"
WORD_VALUE = {"high": 0.9, "medium": 0.7, "low": 0.45}
"""A healthy verdict has no posterior: the Brier score takes the middle of what its word promises."""
DENIAL = re.compile(r"\b(no|not|nothing|never|without|rather than|instead of)\b", re.IGNORECASE)
WORKERS = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer."""

    case: Case
    status: str
    answer: str | None
    """The verdict's cause, or the first hypothesis' when the verdict names none."""
    named: bool
    """Whether the verdict itself names the cause."""
    confidence: str
    """Of the verdict."""
    probability: float | None
    """Of the answer; None when there is no answer."""
    ranked: tuple[tuple[str, float, str], ...]
    """(cause, probability, confidence) of every hypothesis."""
    phrases_said: tuple[str, ...]
    keywords_found: int
    seconds: float
    summary: str
    crash: str | None = None

    @property
    def right(self) -> bool:
        """The answer is one of the acceptable ones."""
        return self.answer in self.case.acceptable

    @property
    def strictly_right(self) -> bool:
        """The answer is the root cause of the label."""
        return self.answer is not None and self.answer == self.case.root_cause

    @property
    def in_top_three(self) -> bool:
        """An acceptable cause is the answer or among the first three hypotheses."""
        return self.right or any(cause in self.case.acceptable for cause, _, _ in self.ranked[:3])

    @property
    def harmful(self) -> tuple[str, ...]:
        """What must not be said and was, at medium or high confidence."""
        said = {cause for cause, _, word in self.ranked if word in SURE}
        if self.answer is not None and self.confidence in SURE:
            said.add(self.answer)
        return (*sorted(said & self.case.must_not), *self.phrases_said)

    @property
    def misleading(self) -> bool:
        """Something that must not be said leads, at low confidence: not harmful by the rule, nor good."""
        return self.named and self.answer in self.case.must_not and self.confidence not in SURE


def diagnose_case(case: Case) -> Outcome:
    """Analyse one case. A crash is an outcome, not an end."""
    from analyzer.errors import EtcdDoctorError
    from analyzer.pipeline import diagnose_paths

    started = time.perf_counter()
    try:
        diagnosis = diagnose_paths(case.paths)
    except EtcdDoctorError as refusal:
        return _refused(case, "refused", str(refusal), None, time.perf_counter() - started)
    except Exception as crash:  # whatever is raised here is a bug, and is reported as one
        words = f"{type(crash).__name__}: {crash}"
        return _refused(case, "crash", words, words, time.perf_counter() - started)
    return outcome(case, diagnosis, time.perf_counter() - started)


def outcome(case: Case, diagnosis: Diagnosis, seconds: float = 0.0) -> Outcome:
    """Reduce a diagnosis to what is scored."""
    verdict = diagnosis.verdict
    ranked = tuple((str(h.cause), h.probability, h.confidence.value) for h in diagnosis.hypotheses)
    answer = str(verdict.cause) if verdict.cause is not None else (ranked[0][0] if ranked else None)
    probability = next((p for cause, p, _ in ranked if cause == answer), None)
    if answer == HEALTHY:
        probability = WORD_VALUE.get(verdict.confidence.value)
    told = " ".join(
        part.lower() for step in diagnosis.checklist for part in (step.step, step.command, step.why, step.verify)
    )
    return Outcome(
        case,
        verdict.status.value,
        answer,
        verdict.cause is not None,
        verdict.confidence.value,
        probability,
        ranked,
        phrases_said(case.must_not_phrases, diagnosis),
        sum(word.lower() in told for word in case.keywords),
        seconds,
        verdict.summary,
    )


def phrases_said(phrases: Sequence[str], diagnosis: Diagnosis) -> tuple[str, ...]:
    """Forbidden phrases a medium or high verdict says in its summary, its title or its first remedy's title.

    Steps and ledgers are left out on purpose: "check the network" in a step blames nothing. So are sentences that
    deny ("the disk is not slow").
    """
    if diagnosis.verdict.confidence.value not in SURE:
        return ()
    texts = re.split(r"(?<=[.;])\s", diagnosis.verdict.summary)
    if diagnosis.hypotheses and diagnosis.verdict.cause is not None:
        lead = diagnosis.hypotheses[0]
        texts += [lead.title, *(remedy.title for remedy in lead.remedies[:1])]
    return tuple(phrase for phrase in phrases if any(_blames(text, phrase) for text in texts))


def _blames(text: str, phrase: str) -> bool:
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    found = re.search(rf"\b{words}\b", text, re.IGNORECASE)
    return found is not None and DENIAL.search(text[: found.start()]) is None


def run(cases: Sequence[Case], workers: int = WORKERS) -> tuple[Outcome, ...]:
    """All outcomes, in the order of the cases; from fresh processes, which share neither state nor hash order."""
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        return tuple(pool.map(diagnose_case, cases))


def _refused(case: Case, status: str, words: str, crash: str | None, seconds: float) -> Outcome:
    return Outcome(case, status, None, False, "none", None, (), (), 0, seconds, words, crash)
