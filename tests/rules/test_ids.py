"""Ids are spelled once: what Python names exists in rules/, and what rules/ names exists in Python.

A misspelt event id in code would not fail anywhere else: it would silently never match.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.model.ids import HEALTHY
from analyzer.reasoning.observers import OBSERVERS
from analyzer.rulebook import RuleBook, load_rules

PACKAGE = Path(__file__).resolve().parents[2] / "analyzer"
_CAUSES = """
    slow-disk-sustained disk-contention-periodic disk-contention-colocated storage-iops-cap shared-network-storage
    network-latency network-partition-or-loss cpu-starvation memory-pressure-oom clock-skew
    db-size-or-compaction-stall db-space-exceeded large-requests-or-expensive-ranges too-many-clients-or-watch-load
    member-restart-or-crash misconfiguration-timeouts misconfiguration-peer-or-tls data-corruption
    planned-leader-transfer-or-maintenance healthy-no-problem
"""
_EVENTS = """
    slow-fdatasync heartbeat-late apply-slow request-slow trace-slow readindex-slow readindex-timeout
    server-overloaded leader-changed leader-elected leader-lost became-leader became-candidate
    became-pre-candidate became-follower election-started leader-stepped-down leadership-transferred tick-missed
    peer-inactive peer-active peer-stream-lost peer-unhealthy raft-message-dropped clock-drift rejected-connection
    compaction-started compaction-finished defrag-started defrag-finished snapshot-saved snapshot-sent
    snapshot-received quota-exceeded alarm-raised alarm-cleared server-started server-stopping server-panic
    data-corrupt wal-damaged cluster-id-mismatch too-many-requests
"""
PUBLIC_CAUSES, PUBLIC_EVENTS = set(_CAUSES.split()), set(_EVENTS.split())
"""Public since 0.1: they stand in reports, in JSON and in other people's scripts."""
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
EVENT_READERS = {"rows", "of", "_votes"}
"""Functions whose string arguments are event ids."""
EVENT_TABLES = re.compile(r"(.*_EVENTS|LATE|SLOW|STAGES|TIERS)$")
"""Module constants that hold event ids."""


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load_rules()


def strings(node: ast.AST) -> Iterator[tuple[str, int]]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value, part.lineno


def event_literals(path: Path) -> Iterator[tuple[str, int]]:
    """The string literals of a module that stand where an event id is expected."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            if called in EVENT_READERS:
                for argument in node.args:
                    if isinstance(argument, ast.Constant | ast.Tuple | ast.List | ast.Set | ast.IfExp):
                        yield from strings(argument)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and EVENT_TABLES.match(target.id) for target in targets):
                yield from strings(node.value)


def test_the_public_ids_are_all_there(book: RuleBook) -> None:
    assert set(book.causes) == PUBLIC_CAUSES
    assert set(book.catalogue.kinds) >= PUBLIC_EVENTS
    assert HEALTHY in PUBLIC_CAUSES


def test_all_ids_are_kebab_case_words(book: RuleBook) -> None:
    ids = [*book.causes, *book.symptoms, *book.remedies, *book.captures, *book.catalogue.kinds]
    assert [name for name in ids if not KEBAB.fullmatch(name)] == []


@pytest.mark.parametrize("folder", ["reasoning", "timeline", "parsers"])
def test_event_ids_in_code_exist(book: RuleBook, folder: str) -> None:
    known = set(book.catalogue.kinds)
    stages = {"disk", "fsync", "heartbeat", "election", "leader-change", "client-error"}
    unknown = [
        f"{path.relative_to(PACKAGE)}:{line}: {text!r}"
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for text, line in event_literals(path)
        if KEBAB.fullmatch(text) and "-" in text and text not in known | stages
    ]
    assert not unknown, "no such event in rules/events:\n" + "\n".join(unknown)


def test_the_search_for_event_ids_finds_them() -> None:
    found = {text for path in (PACKAGE / "reasoning").rglob("*.py") for text, _ in event_literals(path)}
    assert {"slow-fdatasync", "heartbeat-late", "became-leader", "clock-drift", "defrag-started"} <= found
    assert len(found & PUBLIC_EVENTS) >= 15


def test_cause_and_symptom_ids_in_code_exist(book: RuleBook) -> None:
    known = {"CauseId": set(book.causes), "SymptomId": set(book.symptoms)}
    unknown = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in known:
                literals = [a for a in node.args if isinstance(a, ast.Constant)]
                wrong = [str(a.value) for a in literals if a.value not in known[node.func.id]]
                unknown += [f"{path.relative_to(PACKAGE)}:{node.lineno}: {name!r}" for name in wrong]
    assert not unknown, "\n".join(unknown)


def test_error_classes_in_code_exist(book: RuleBook) -> None:
    known = {rule.id for rule in book.catalogue.error_classes}
    named = set()
    for path in sorted((PACKAGE / "reasoning").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            if called == "with_error" and isinstance(node, ast.Call):
                tuples = [argument for argument in node.args[1:] if isinstance(argument, ast.Tuple)]
                named |= {text for argument in tuples for text, _ in strings(argument)}
    assert "no-space" in named
    assert named <= known


def test_error_classes_in_symptoms_exist(book: RuleBook) -> None:
    known = {rule.id for rule in book.catalogue.error_classes}
    for name, rule in book.symptoms.items():
        for key in ("errors", "but_errors"):
            assert set(rule.params.get(key, ())) <= known, f"{name}: {key}"


def test_detectors_and_symptoms_name_each_other(book: RuleBook) -> None:
    named = {rule.detector for rule in book.symptoms.values()}
    assert named - set(OBSERVERS) == set(), "symptoms name detectors that do not exist"
    assert set(OBSERVERS) - named == set(), "detectors no symptom uses"


def test_every_symptom_is_used(book: RuleBook) -> None:
    used = {clue.symptom for cause in book.causes.values() for clue in cause.clue}
    used |= {item.symptom for cause in book.causes.values() for item in cause.against}
    used |= {name for cause in book.causes.values() for name in cause.gate}
    orphans = [name for name, rule in book.symptoms.items() if name not in used and rule.severity != "info"]
    assert not orphans, f"no cause looks at {orphans}: link them, or make them plain information (severity info)"


def test_every_cause_can_be_recognised_and_acted_on(book: RuleBook) -> None:
    for name, cause in book.causes.items():
        assert cause.remedies and cause.captures and cause.sources, name
        if name == HEALTHY:
            assert cause.prior == 0 and not cause.clue, "healthy is a verdict, not a cause to be ranked"
            continue
        assert len(cause.clue) >= 2, f"{name}: one clue is no diagnosis"
        assert 0 < cause.prior < 0.5 and cause.prior_why, name
        strong = [clue for clue in cause.clue if clue.strength in ("certain", "usual", "often")]
        assert strong, f"{name}: nothing shows in it more often than not"
        twice = {clue.symptom for clue in cause.clue} & {item.symptom for item in cause.against}
        assert not twice, f"{name}: {twice} speaks for and against"


def test_no_symptom_counts_twice_in_one_cause(book: RuleBook) -> None:
    for name, cause in book.causes.items():
        for named in ([clue.symptom for clue in cause.clue], [item.symptom for item in cause.against], cause.gate):
            assert len(named) == len(set(named)), name
        assert set(cause.gate) <= {clue.symptom for clue in cause.clue}, f"{name}: gated by what is no clue of it"


def test_symptoms_are_measurable_and_worded(book: RuleBook) -> None:
    for name, rule in book.symptoms.items():
        assert 0 < rule.leak < 1, name
        assert rule.sources and rule.meaning and rule.seen and rule.not_seen and rule.missing, name
        assert not rule.title.endswith("."), name


def test_every_trouble_event_is_explained(book: RuleBook) -> None:
    silent = [rule.id for rule in book.catalogue.rules if rule.trouble and len(rule.meaning) < 20]
    assert silent == []
