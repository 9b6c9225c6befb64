"""The prose of the rulebook: remedies, captures, and the wording of causes.

Checks what a reader at 3 a.m. relies on: nothing is missing or empty, every reference leads somewhere, every
claim has a source, commands are valid shell, and no advice is dangerous. The files are read with ``tomllib``
directly, so a lenient loader cannot hide a fault.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

RULES = Path(__file__).resolve().parents[2] / "rules"

CAUSE_IDS = {
    "slow-disk-sustained",
    "disk-contention-periodic",
    "disk-contention-colocated",
    "storage-iops-cap",
    "shared-network-storage",
    "network-latency",
    "network-partition-or-loss",
    "cpu-starvation",
    "memory-pressure-oom",
    "clock-skew",
    "db-size-or-compaction-stall",
    "db-space-exceeded",
    "large-requests-or-expensive-ranges",
    "too-many-clients-or-watch-load",
    "member-restart-or-crash",
    "misconfiguration-timeouts",
    "misconfiguration-peer-or-tls",
    "data-corruption",
    "planned-leader-transfer-or-maintenance",
    "healthy-no-problem",
}
CAUSE_TEXTS = ("title", "verdict", "mechanism", "not_to_confuse", "false_positives")
CAUSE_LISTS = ("remedies", "captures", "sources")
STEP_KEYS = {"step", "command", "why", "risk", "rollback", "verify", "source"}
CAPTURE_KEYS = {"id", "title", "gives", "command", "why", "cost", "source"}
EVIDENCE_KINDS = {
    "log-all-members",
    "log-long",
    "disk",
    "wal-metrics",
    "fio",
    "host-cpu",
    "host-memory",
    "network",
    "etcdctl",
    "process-io",
    "kernel",
    "device-map",
    "clock",
    "config",
}

URL = re.compile(r"https://[a-z0-9.-]+\.[a-z]{2,}(/[^\s]*)?")
ISSUE = re.compile(r"[\w.-]+/[\w.-]+#\d+")
SOURCE_LINE = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:go|md|libsonnet):\d+@(?:v\d+\.\d+\.\d+|main)")
PLACEHOLDER = re.compile(r"<[A-Za-z0-9][^<>\n]*>")
POINTER = re.compile(r"etcd-doctor explain ([a-z0-9-]+)")


def read(kind: str) -> dict[str, dict[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted((RULES / kind).glob("*.toml"))}


CAUSES, REMEDIES, CAPTURES = read("causes"), read("remedies"), read("captures")
STEPS = [(f"{name}[{number}]", step) for name, rule in REMEDIES.items() for number, step in enumerate(rule["step"])]
COMMANDS = [(name, step["command"]) for name, step in STEPS]
COMMANDS += [(name, rule["command"]) for name, rule in CAPTURES.items()]


def bad_sources(sources: list[str]) -> list[str]:
    """The entries that are neither a URL, nor owner/repo#number, nor path:line@tag."""
    return [one for one in sources if not any(form.fullmatch(one) for form in (URL, ISSUE, SOURCE_LINE))]


def empty_texts(rule: dict[str, Any], keys: set[str]) -> list[str]:
    return sorted(key for key in keys if not (isinstance(rule.get(key), str) and rule[key].strip()))


def shell_of(command: str) -> str:
    return PLACEHOLDER.sub("PLACEHOLDER", command)


def test_the_causes_are_the_public_ones() -> None:
    assert set(CAUSES) == CAUSE_IDS


def test_there_is_enough_to_choose_from() -> None:
    assert len(REMEDIES) >= 20
    assert len(CAPTURES) >= 12


@pytest.mark.parametrize(("name", "rule"), [*CAUSES.items(), *REMEDIES.items(), *CAPTURES.items()])
def test_the_file_name_is_the_id(name: str, rule: dict[str, Any]) -> None:
    assert rule["id"] == name


@pytest.mark.parametrize(("name", "rule"), CAUSES.items())
def test_a_cause_is_worded_completely(name: str, rule: dict[str, Any]) -> None:
    assert not empty_texts(rule, set(CAUSE_TEXTS)), name
    for key in CAUSE_LISTS:
        assert rule.get(key), f"{name}: {key} is empty"
        assert len(rule[key]) == len(set(rule[key])), f"{name}: {key} repeats itself"
    assert not bad_sources(rule["sources"]), name


@pytest.mark.parametrize(("name", "rule"), CAUSES.items())
def test_a_verdict_is_one_sentence_about_a_place(name: str, rule: dict[str, Any]) -> None:
    verdict = rule["verdict"]
    assert set(re.findall(r"\{[^}]*\}", verdict)) == (set() if name == "healthy-no-problem" else {"{where}"})
    assert verdict.endswith(".")
    assert ". " not in verdict
    assert not rule["title"].endswith(".")
    assert len(rule["title"]) <= 72


@pytest.mark.parametrize(("name", "rule"), REMEDIES.items())
def test_a_remedy_is_complete(name: str, rule: dict[str, Any]) -> None:
    assert set(rule) == {"id", "title", "when", "step"}
    assert not empty_texts(rule, {"title", "when"})
    assert "\n" not in rule["when"]
    assert 2 <= len(rule["step"]) <= 5


@pytest.mark.parametrize(("name", "step"), STEPS)
def test_a_step_is_complete(name: str, step: dict[str, str]) -> None:
    assert set(step) == STEP_KEYS
    assert not empty_texts(step, STEP_KEYS)
    assert re.match(r"(none|low|medium|high): \S", step["risk"]), f"{name}: risk {step['risk']!r}"
    assert not bad_sources(step["source"].split("; ")), name


@pytest.mark.parametrize(("name", "rule"), CAPTURES.items())
def test_a_capture_is_complete(name: str, rule: dict[str, Any]) -> None:
    assert set(rule) == CAPTURE_KEYS
    assert not empty_texts(rule, CAPTURE_KEYS - {"gives"})
    assert rule["gives"]
    assert set(rule["gives"]) <= EVIDENCE_KINDS
    assert not bad_sources(rule["source"].split("; ")), name


def test_every_kind_of_evidence_can_be_collected() -> None:
    assert {kind for rule in CAPTURES.values() for kind in rule["gives"]} == EVIDENCE_KINDS


@pytest.mark.parametrize(("kind", "known"), [("remedies", REMEDIES), ("captures", CAPTURES)])
def test_references_lead_somewhere_and_nothing_is_orphaned(kind: str, known: dict[str, Any]) -> None:
    used = {name for rule in CAUSES.values() for name in rule[kind]}
    assert used == set(known)


def test_pointers_inside_commands_lead_somewhere() -> None:
    wanted = {target for _, command in COMMANDS for target in POINTER.findall(command)}
    assert wanted, "the remedies point at each other; if none does, the pattern is wrong"
    assert wanted <= set(REMEDIES) | set(CAPTURES) | set(CAUSES)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash to check syntax")
@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_commands_are_valid_shell(name: str, command: str) -> None:
    run = subprocess.run(["bash", "-n"], input=shell_of(command), text=True, capture_output=True, check=False)
    assert run.returncode == 0, f"{name}: {run.stderr}"


@pytest.mark.parametrize(
    "forbidden",
    [
        r"\brm -[a-z]*f",
        r"defrag\b.*--cluster",
        r"--force-new-cluster",
        r"--unsafe-no-fsync",
        r"nobarrier",
        r"--skip-hash",
    ],
)
def test_no_dangerous_advice(forbidden: str) -> None:
    assert not [name for name, command in COMMANDS if re.search(forbidden, command)]


CHANGES_SOMETHING = re.compile(
    r"etcdctl\b.*\b(put|del|compact|defrag|disarm|move-leader|check perf)\b"
    r"|etcdctl\b.*\bmember (?:add|remove|update|promote)\b"
    r"|systemctl (?:stop|restart|set-property)|kubectl .*\b(delete|patch|scale|taint)\b"
)


@pytest.mark.parametrize(("name", "rule"), CAPTURES.items())
def test_a_capture_only_reads(name: str, rule: dict[str, Any]) -> None:
    assert not CHANGES_SOMETHING.search(rule["command"])
    if re.search(r"^\s*fio\b", rule["command"], re.MULTILINE):
        assert name == "fio-etcd-pattern"
        assert "WARNING" in rule["command"]


def test_the_search_for_changes_finds_changes() -> None:
    remedies = " ".join(command for name, command in COMMANDS if name.startswith("recover-from-nospace"))
    assert CHANGES_SOMETHING.search(remedies)


def test_raised_timeouts_are_never_the_first_advice() -> None:
    first = {name: rule["remedies"][0] for name, rule in CAUSES.items()}
    assert "raise-timeouts-as-stopgap" not in first.values()
    assert "stopgap" in REMEDIES["raise-timeouts-as-stopgap"]["title"]


def test_a_full_database_is_recovered_in_the_right_order() -> None:
    text = "\n".join(step["command"] for step in REMEDIES["recover-from-nospace"]["step"])
    places = [
        text.index(word) for word in ("snapshot save", " compact ", " defrag", "alarm disarm", "--quota-backend-bytes")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["replace-a-member", "recover-from-corruption"])
def test_a_snapshot_comes_before_anything_is_removed(name: str) -> None:
    first = REMEDIES[name]["step"][0]["command"]
    later = "\n".join(step["command"] for step in REMEDIES[name]["step"][1:])
    assert "snapshot save" in first
    assert not re.search(r"member remove|\bmv ", first)
    assert re.search(r"member remove|explain replace-a-member", later)


def test_disk_time_series_carry_an_unambiguous_clock() -> None:
    series = re.compile(r"\b(?:iostat|pidstat|mpstat) -.*> \S")
    kept = {name: command for name, command in COMMANDS if series.search(command)}
    assert "disk-series-over-incident" in kept
    assert not [name for name, command in kept.items() if "S_TIME_FORMAT=ISO" not in command]
    assert not [name for name, command in kept.items() if "LC_ALL=C" not in command]


@pytest.mark.parametrize("text", ["sources: /tmp/x", "wal.go", "https://", "wal.go:12", "see the docs"])
def test_the_source_check_rejects_non_sources(text: str) -> None:
    assert bad_sources([text]) == [text]
