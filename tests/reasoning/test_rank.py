"""The ranking is arithmetic: check it against the formula worked out by hand, and against its own promises."""

from __future__ import annotations

import math

import pytest

from analyzer.model.finding import Finding
from analyzer.model.ids import Confidence, Severity, Sighting, State, SymptomId
from analyzer.reasoning.judge import Judged
from analyzer.reasoning.rank import ITEM_CAP, rank, sellke_bound
from analyzer.reasoning.reading import Reading
from analyzer.rulebook.schema import Against, CauseRule, Clue, SymptomRule


def symptom(name: str, leak: float = 0.05, group: str = "", evidence: str = "log", **more: object) -> SymptomRule:
    return SymptomRule(
        id=name, title=name, meaning="", detector="", evidence=evidence, group=group or name, severity="warning",
        leak=leak, seen=f"{name} seen", not_seen=f"{name} not seen", missing=f"no {name}", sources=["x"], **more,
    )  # fmt: skip


def cause(
    name: str, prior: float, clues: dict[str, str], against: dict[str, str] | None = None, **more: object
) -> CauseRule:
    decisive = more.pop("decisive", ())
    return CauseRule(
        id=name, title=name, verdict="", mechanism="", remedies=[], sources=[], prior=prior,
        clue=[Clue(symptom=s, strength=w, decisive=s in decisive) for s, w in clues.items()],  # type: ignore[operator]
        against=[Against(symptom=s, strength=w) for s, w in (against or {}).items()], **more,
    )  # fmt: skip


def judged(rule: SymptomRule, state: State | None, p: float | None = None) -> Judged:
    readings = () if state is None else (Reading(state, strength=p),)
    told = state or State.NO_EVIDENCE
    finding = Finding(SymptomId(rule.id), told, Severity.WARNING, f"{rule.id} {told}")
    return Judged(rule, readings, (finding,))


def world(*items: Judged) -> dict[str, Judged]:
    return {item.rule.id: item for item in items}


def test_posterior_of_one_cause_and_one_symptom_is_bayes() -> None:
    items = world(judged(symptom("a", leak=0.1), State.FAIL))
    (ranked,) = rank(items, {"c": cause("c", 0.2, {"a": "usual"})})
    given = 1 - 0.9 * 0.2
    expected = 0.2 * given / (0.2 * given + 0.8 * 0.1)
    assert ranked.probability == pytest.approx(expected)


def test_the_ledger_adds_up_to_the_log_odds() -> None:
    items = world(
        judged(symptom("a"), State.FAIL), judged(symptom("b"), State.PASS), judged(symptom("d"), State.WARN)
    )  # fmt: skip
    for item in rank(items, {"c": cause("c", 0.1, {"a": "usual", "b": "often"}, {"d": "often"})}):
        assert item.log_odds == pytest.approx(math.log(0.1 / 0.9) + sum(line.points for line in item.ledger), abs=1e-9)


def test_what_was_not_collected_changes_nothing() -> None:
    causes = {"c": cause("c", 0.1, {"a": "usual", "b": "certain"})}
    without = rank(world(judged(symptom("a"), State.FAIL), judged(symptom("b"), None)), causes)[0]
    alone = rank(world(judged(symptom("a"), State.FAIL)), {"c": cause("c", 0.1, {"a": "usual"})})[0]
    assert without.probability == pytest.approx(alone.probability)
    missing = next(line for line in without.ledger if line.clue == "b")
    assert (missing.sighting, missing.points) == (Sighting.NOT_COLLECTED, 0.0)


def test_a_missing_consequence_is_no_argument() -> None:
    causes = {"c": cause("c", 0.1, {"a": "usual", "b": "certain"})}
    present = world(judged(symptom("a"), State.FAIL), judged(symptom("b", consequence=True), State.PASS))
    assert rank(present, causes)[0].probability == pytest.approx(
        rank(world(judged(symptom("a"), State.FAIL), judged(symptom("b"), None)), causes)[0].probability
    )


def test_contrary_evidence_never_raises_and_a_sibling_explains_away() -> None:
    causes = {
        "disk": cause("disk", 0.1, {"stall": "usual"}, {"idle": "often"}),
        "cpu": cause("cpu", 0.1, {"stall": "often", "idle": "usual"}),
    }
    before = {
        r.cause.id: r for r in rank(world(judged(symptom("stall"), State.FAIL), judged(symptom("idle"), None)), causes)
    }
    after = {
        r.cause.id: r
        for r in rank(world(judged(symptom("stall"), State.FAIL), judged(symptom("idle"), State.WARN)), causes)
    }
    assert after["disk"].probability < before["disk"].probability
    assert after["cpu"].probability > before["cpu"].probability


def test_two_symptoms_of_one_group_count_less_than_two_of_two_groups() -> None:
    causes = {"c": cause("c", 0.1, {"a": "usual", "b": "usual"})}
    same = rank(world(judged(symptom("a", group="g"), State.FAIL), judged(symptom("b", group="g"), State.FAIL)), causes)
    apart = rank(world(judged(symptom("a"), State.FAIL), judged(symptom("b"), State.FAIL)), causes)
    assert same[0].log_odds == pytest.approx(math.log(1 / 9) + (apart[0].log_odds - math.log(1 / 9)) / 1.6)


def test_a_p_value_weighs_at_most_its_bayes_factor_bound() -> None:
    causes = {"c": cause("c", 0.1, {"a": "certain"})}
    weak = rank(world(judged(symptom("a", leak=0.01), State.FAIL, p=0.05)), causes)[0]
    assert weak.ledger[0].points == pytest.approx(sellke_bound(0.05))
    assert sellke_bound(0.05) == pytest.approx(0.9, abs=0.01)
    assert sellke_bound(0.01) == pytest.approx(2.08, abs=0.01)
    assert sellke_bound(0.5) == 0.0


def test_no_single_observation_decides_unless_it_states_the_cause() -> None:
    items = world(judged(symptom("a", leak=0.0001), State.FAIL))
    plain = rank(items, {"c": cause("c", 0.05, {"a": "certain"})})[0]
    stated = rank(items, {"c": cause("c", 0.05, {"a": "certain"}, decisive=("a",))})[0]
    assert plain.ledger[0].points == ITEM_CAP
    assert stated.ledger[0].points > ITEM_CAP
    assert plain.confidence is not Confidence.HIGH
    assert stated.confidence is Confidence.HIGH


def test_high_wants_three_groups_and_two_sources() -> None:
    clues = {"a": "certain", "b": "certain", "d": "certain"}
    causes = {"c": cause("c", 0.2, clues)}
    one_source = world(*(judged(symptom(name, leak=0.02), State.FAIL) for name in clues))
    two_sources = world(
        *(judged(symptom(name, leak=0.02, evidence="disk" if name == "a" else "log"), State.FAIL) for name in clues)
    )
    assert rank(one_source, causes)[0].confidence is Confidence.MEDIUM
    assert rank(two_sources, causes)[0].confidence is Confidence.HIGH


def test_what_everything_explains_names_nothing() -> None:
    """Ten causes share one symptom: the likeliest by prior must not be named for it."""
    causes = {f"c{n}": cause(f"c{n}", 0.3 if n == 0 else 0.02, {"slow": "usual"}) for n in range(10)}
    best = rank(world(judged(symptom("slow", leak=0.02), State.FAIL)), causes)[0]
    assert best.cause.id == "c0"
    assert best.confidence is Confidence.NONE


def test_a_gate_keeps_a_cause_out_whatever_else_speaks_for_it() -> None:
    causes = {"periodic": cause("periodic", 0.5, {"stall": "certain", "period": "certain"}, gate=["period"])}
    items = world(judged(symptom("stall", leak=0.01), State.FAIL), judged(symptom("period"), None))
    assert rank(items, causes)[0].probability == 0.0


def test_the_second_cause_is_named_only_for_what_the_first_leaves_unexplained() -> None:
    shared = {"a": "certain", "b": "certain", "d": "certain"}
    causes = {"first": cause("first", 0.3, shared), "second": cause("second", 0.29, shared)}
    items = world(
        *(
            judged(symptom(name, leak=0.01, evidence=e), State.FAIL)
            for name, e in zip(shared, ("log", "disk", "fio"), strict=True)
        )
    )
    ranked = rank(items, causes)
    assert ranked[1].confidence in (Confidence.LOW, Confidence.NONE)
