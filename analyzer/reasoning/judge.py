"""Readings -> findings, in the words of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.model.finding import Cite, Finding
from analyzer.model.ids import Severity, State, SymptomId
from analyzer.reasoning.case import Case
from analyzer.reasoning.observers import OBSERVERS
from analyzer.reasoning.reading import Reading
from analyzer.rulebook.schema import SymptomRule


@dataclass(frozen=True, slots=True)
class Judged:
    """One symptom with everything measured for it."""

    rule: SymptomRule
    readings: tuple[Reading, ...]
    findings: tuple[Finding, ...]

    @property
    def observed(self) -> bool | None:
        """True seen, False looked for and not there, None nothing to judge from."""
        if any(reading.state.seen for reading in self.readings):
            return True
        return False if any(reading.state is State.PASS for reading in self.readings) else None

    @property
    def failed(self) -> bool:
        """Whether any reading passed the rule's upper limit."""
        return any(reading.state is State.FAIL for reading in self.readings)

    @property
    def p_value(self) -> float | None:
        """The best p-value of a statistical symptom; None for plain observations."""
        known = [r.strength for r in self.readings if r.strength is not None and r.state.seen]
        return min(known, default=None)

    @property
    def finding(self) -> Finding:
        """The finding that speaks for the symptom."""
        return self.findings[0]


class _Words(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"


def judge(case: Case, symptoms: Mapping[str, SymptomRule]) -> dict[str, Judged]:
    """Every symptom of the rules measured and put into words."""
    judged = {}
    for name, rule in symptoms.items():
        readings = tuple(OBSERVERS[rule.detector](case, rule.params))
        ordered = tuple(sorted(readings, key=lambda r: {State.FAIL: 0, State.WARN: 1}.get(r.state, 2)))
        findings = tuple(_finding(case, rule, reading) for reading in ordered) or (_missing(rule),)
        judged[name] = Judged(rule, ordered, findings)
    return judged


def _finding(case: Case, rule: SymptomRule, reading: Reading) -> Finding:
    template = rule.seen if reading.state.seen else rule.not_seen
    severity = Severity(rule.severity) if reading.state.seen else Severity.INFO
    if reading.state is State.WARN and severity is Severity.CRITICAL:
        severity = Severity.WARNING
    return Finding(
        SymptomId(rule.id),
        reading.state,
        severity,
        template.format_map(_Words(reading.words)),
        reading.member,
        reading.device,
        reading.value,
        reading.unit,
        rule.threshold or None,
        reading.window,
        cites(case, reading.at),
    )


def _missing(rule: SymptomRule) -> Finding:
    return Finding(SymptomId(rule.id), State.NO_EVIDENCE, Severity.INFO, rule.missing, needs=rule.capture or None)


def cites(case: Case, spots: tuple[tuple[int, int], ...]) -> tuple[Cite, ...]:
    """Citations with their paths; quotes are filled in at the end."""
    artifacts = case.timeline.artifacts
    distinct = dict.fromkeys(spots)
    return tuple(Cite(artifacts[index].path, line) for index, line in distinct if line > 0)
