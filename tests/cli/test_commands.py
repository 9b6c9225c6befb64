"""Every command besides ``analyze``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from analyzer.version import __version__

from .running import Run


def test_version_and_help(run: Run) -> None:
    assert run("--version") == (0, f"etcd-doctor {__version__}\n", "")
    for arguments in (["--help"], ["analyze", "-h"], ["rules", "--help"], ["rules", "check", "--help"]):
        ran = run(*arguments)
        assert ran.code == 0 and ran.out.startswith("Usage: etcd-doctor") and ran.err == ""


def test_every_command_shows_examples_that_begin_with_its_name(run: Run) -> None:
    listed = run("--help").out.split("Commands:")[1].split("Exit codes")[0]
    commands = [line.split()[0] for line in listed.splitlines() if re.match(r"  [a-z]", line)]
    assert {"analyze", "inspect", "explain", "schema", "demo", "rules"} <= set(commands)
    for command in (*(c for c in commands if c != "rules"), "rules list", "rules check"):
        text = run(*command.split(), "--help").out
        assert re.search(rf"Examples:\n +etcd-doctor {command}|\| etcd-doctor {command}", text), command


def test_demo_names_the_scheduled_writer(run: Run) -> None:
    report = json.loads(run("demo", "-f", "json").out)
    assert report["verdict"]["cause"] == "disk-contention-periodic"


def test_inspect_describes_every_file(run: Run, bundle: Path) -> None:
    ran = run("inspect", bundle, "-f", "json")
    artifacts = json.loads(ran.out)["artifacts"]
    assert ran.code == 0
    assert {(a["path"], a["format"], a["member"]) for a in artifacts} == {
        ("etcd-0.log", "etcd-log", "etcd-0"),
        ("etcd-1.log", "etcd-log", "etcd-1"),
    }
    assert run("inspect", bundle, "-f", "markdown").code == 2


@pytest.mark.parametrize(
    ("identifier", "kind"),
    [
        ("disk-contention-periodic", "cause"),
        ("fsync-stall", "symptom"),
        ("slow-fdatasync", "event"),
        ("limit-the-neighbour", "remedy"),
        ("metrics-twice", "capture"),
    ],
)
def test_explain_knows_every_kind_of_id(identifier: str, kind: str, run: Run) -> None:
    ran = run("explain", identifier)
    assert ran.code == 0
    assert ran.out.startswith(f"{kind} {identifier}: ")
    assert "ource" in ran.out


def test_rules_list_and_check(run: Run) -> None:
    assert "slow-fdatasync" in run("rules", "list").out
    assert re.match(r"ok: 20 causes, \d+ symptoms, \d+ events, ", run("rules", "check").out)


def test_schema_is_a_schema_the_output_obeys(run: Run, bundle: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for command in ("analyze", "inspect"):
        schema = json.loads(run("schema", command).out)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(json.loads(run(command, bundle, "-f", "json").out), schema)
