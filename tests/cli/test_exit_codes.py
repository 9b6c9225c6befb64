"""Exit codes, and what goes to which stream."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from .running import SCENARIOS, Run, stall


def test_an_analysis_ends_with_0_and_prints_the_report_only(run: Run, bundle: Path) -> None:
    ran = run("analyze", bundle)
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith(("ROOT CAUSE", "LIKELY CAUSE", "POSSIBLE CAUSE", "CANNOT TELL"))
    assert "etcd-0.log:1" in ran.out


def test_fail_on_turns_findings_into_10(run: Run, bundle: Path) -> None:
    assert run("analyze", bundle, "--fail-on", "warning").code == 10
    assert run("analyze", bundle, "--fail-on", "none").code == 0


def test_fail_on_does_not_fail_a_healthy_cluster(run: Run) -> None:
    healthy = SCENARIOS / "healthy-3.6" / "bundle"
    assert run("analyze", healthy, "--fail-on", "critical").code == 0


def test_fail_on_critical_sees_a_full_database(run: Run) -> None:
    assert run("analyze", SCENARIOS / "nospace-3.5" / "bundle", "--fail-on", "critical").code == 10


ERRORS: dict[str, tuple[list[str], int, str]] = {
    "missing path": (["analyze", "nowhere"], 3, "nowhere: no such file or folder"),
    "empty folder": (["analyze", "empty"], 3, "there is no file in it"),
    "empty file": (["analyze", "empty.log"], 3, "empty file"),
    "another program": (["analyze", "nginx.log"], 3, "no line is of a known format"),
    "binary": (["analyze", "shot.png"], 3, "PNG image"),
    "nothing in several": (["analyze", "nginx.log", "shot.png"], 3, "2 files"),
    "hopeless gzip": (["analyze", "cut.log.gz"], 3, "gzip"),
    "inspect nothing": (["inspect", "nginx.log"], 3, "nothing in it could be read"),
    "zone without a file": (["analyze", "etcd.log", "--tz", "Europe/Paris"], 2, "write FILE=VALUE"),
    "no such zone": (["analyze", "etcd.log", "--tz", "etcd.log=Mars/Base"], 2, "'Mars/Base' is no time zone"),
    "suffix": (["analyze", "etcd.log", "-o", "report.pdf"], 2, "use .txt, .json or .md"),
    "time": (["analyze", "etcd.log", "--since", "tomorrow"], 2, "write a UTC time like"),
    "times crossed": (["analyze", "etcd.log", "--since", "2026-03-12", "--until", "2026-03-11"], 2, "--since is after"),
    "around and since": (
        ["analyze", "etcd.log", "--around", "2026-03-11T01:00:00Z", "--since", "2026-03-11"], 2, "--around goes alone",
    ),
    "member": (["analyze", "etcd.log", "--member", "nobody"], 2, "'nobody' is not in the bundle"),
    "year": (["analyze", "etcd.log", "--year", "12"], 2, "--year 12"),
    "rules folder": (["analyze", "etcd.log", "--rules", "nowhere"], 2, "no such folder"),
    "output folder": (["analyze", "etcd.log", "-o", "nowhere/report.md"], 2, "nowhere/report.md: No such file"),
    "output is a folder": (["analyze", "etcd.log", "-o", "folder.md"], 2, "folder.md: Is a directory"),
    "unknown id": (["explain", "slow-fdatasyn"], 2, "Did you mean slow-fdatasync"),
    "unknown id far off": (["explain", "xyzzy"], 2, "rules list"),
    "schema": (["schema", "demo"], 2, "'demo' has no JSON output"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_line_on_stderr(case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "empty.log").touch()
    (tmp_path / "etcd.log").write_text(stall("01:00:00"))
    (tmp_path / "nginx.log").write_text('10.0.0.1 - - "GET / HTTP/1.1" 200 612\n' * 5)
    (tmp_path / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(stall("01:00:00").encode())[:12])
    arguments, code, message = ERRORS[case]
    ran = run(*arguments)
    assert ran.code == code
    assert message in ran.err
    assert ran.err.startswith("etcd-doctor: ") and ran.err.endswith("\n") and ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    assert ran.out == "" or arguments[0] == "inspect"
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    "arguments", [["analyze"], ["analyze", "x", "--bogus"], ["analyze", "x", "-f", "pdf"], ["frob"]]
)
def test_usage_errors_end_with_2_and_print_no_report(arguments: list[str], run: Run) -> None:
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error" in ran.err


def test_json_says_not_etcd_as_data_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the printer is out of paper\n")
    ran = run("analyze", tmp_path / "notes.txt", "-f", "json")
    assert ran.code == 3
    assert json.loads(ran.out)["verdict"]["status"] == "not-etcd"


def test_a_cut_gzip_file_is_read_up_to_the_cut_and_reported(run: Run, tmp_path: Path) -> None:
    whole = gzip.compress("".join(stall(f"01:{m:02d}:{s:02d}") for m in range(60) for s in range(60)).encode())
    (tmp_path / "etcd-0.log.gz").write_bytes(whole[: len(whole) // 2])
    ran = run("analyze", tmp_path / "etcd-0.log.gz", "-f", "json")
    report = json.loads(ran.out)
    assert ran.code == 0
    assert 0 < report["verdict"]["impact"]["slow_fdatasync"] < 3600
    assert "ends early" in json.dumps(report["coverage"])


def test_rules_that_do_not_load_are_listed_with_file_and_key(run: Run, tmp_path: Path) -> None:
    (tmp_path / "causes").mkdir()
    (tmp_path / "causes" / "gremlins.toml").write_text('id = "gremlins"\ntitel = "Gremlins"\n')
    ran = run("rules", "check", "--rules", tmp_path)
    assert ran.code == 2
    assert "causes/gremlins.toml" in ran.err and "titel" in ran.err


def test_a_bug_is_not_hidden(run: Run, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("analyzer.pipeline.diagnose_paths", broken)
    with pytest.raises(ZeroDivisionError):
        run("analyze", bundle)
