"""The command line as a stranger meets it: exit codes, streams, files, and the same bytes every time."""

from __future__ import annotations

import gzip
import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from analyzer import cli
from analyzer.version import __version__

ROOT = Path(__file__).resolve().parents[1]
SCENARIOS = ROOT / "fixtures" / "scenarios"
ESCAPE = "\x1b"
LOOKS = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM")
"""Variables by which a user chooses how a report looks; xdist's workers, for one, set COLUMNS."""


class Ran(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``etcd-doctor ARGUMENTS`` in this process."""

    def call(*arguments: str | Path) -> Ran:
        for name in LOOKS:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(sys, "argv", ["etcd-doctor", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        code = stopped.value.code
        return Ran(code if isinstance(code, int) else int(code is not None), *capsys.readouterr())

    return call


def neutral() -> dict[str, str]:
    """The environment without what would change how a report looks."""
    return {key: value for key, value in os.environ.items() if key not in LOOKS} | {"PYTHONPATH": str(ROOT)}


def process(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run ``etcd-doctor ARGUMENTS`` as a process of its own."""
    command = [sys.executable, "-m", "analyzer", *map(str, arguments)]
    environment = {**neutral(), **options.pop("env", {})}
    return subprocess.run(command, capture_output=True, check=False, timeout=120, env=environment, **options)


def stall(time: str, took: str = "1.5s") -> str:
    fields = {
        "level": "warn", "ts": f"2026-03-11T{time}.000Z", "caller": "wal/wal.go:805",
        "msg": "slow fdatasync", "took": took, "expected-duration": "1s",
    }  # fmt: skip
    return json.dumps(fields, separators=(",", ":")) + "\n"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Two members: etcd-0 stalls at 01:00 and at 03:00, etcd-1 at 02:00."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "etcd-0.log").write_text(stall("01:00:00") + stall("03:00:00"))
    (folder / "etcd-1.log").write_text(stall("02:00:00"))
    return folder


def stalls(ran: Ran) -> int:
    count = json.loads(ran.out)["verdict"]["impact"]["slow_fdatasync"]
    assert isinstance(count, int)
    return count


# -- exit codes and streams --------------------------------------------------------------------------------------


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


# -- other commands ----------------------------------------------------------------------------------------------


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


# -- the part of the bundle asked about --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ([], 3),
        (["--since", "2026-03-11T01:30:00Z"], 2),
        (["--until", "2026-03-11T01:30"], 1),
        (["--since", "2026-03-11T01:30:00Z", "--until", "2026-03-11T02:30:00Z"], 1),
        (["--around", "2026-03-11T03:05:00Z"], 1),
        (["--around", "2026-03-11T03:30:00Z"], 0),
        (["--member", "etcd-0"], 2),
        (["--member", "etcd-1"], 1),
        (["--member-of", "etcd-1.log=zeta", "--member", "zeta"], 1),
    ],
)
def test_a_window_and_a_member_can_be_chosen(options: list[str], left: int, run: Run, bundle: Path) -> None:
    assert stalls(run("analyze", bundle, "-f", "json", *options)) == left


def test_a_zone_moves_stamps_that_carry_none(run: Run, tmp_path: Path) -> None:
    line = "2026-03-11 09:00:00.000000 W | wal: sync duration of 1.5s, expected less than 1s\n"
    (tmp_path / "etcd-0.log").write_text(line)
    for zone, hour in (("Asia/Shanghai", "01"), ("+08:00", "01"), ("-01:00", "10")):
        ran = run("inspect", tmp_path, "-f", "json", "--tz", f"etcd-0.log={zone}")
        (artifact,) = json.loads(ran.out)["artifacts"]
        assert artifact["first"].startswith(f"2026-03-11T{hour}:00:00")
        assert artifact["zone_source"] == "--tz"


def test_a_year_is_given_to_stamps_that_carry_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "journal.txt").write_text(
        f"Mar 11 01:00:00 node1 etcd[911]: {stall('01:00:00')}".replace("2026-", "20xx-")
    )
    ran = run("inspect", tmp_path, "-f", "json", "--year", "2019")
    (artifact,) = json.loads(ran.out)["artifacts"]
    assert artifact["first"].startswith("2019-03-11")


def test_standard_input(tmp_path: Path) -> None:
    ran = process("analyze", "-", "-f", "json", input=(stall("01:00:00") * 2).encode())
    assert ran.returncode == 0
    report = json.loads(ran.stdout)
    assert report["verdict"]["impact"]["slow_fdatasync"] == 2
    assert [a["path"] for a in report["coverage"]["artifacts"]] == ["-"]


# -- reports as files --------------------------------------------------------------------------------------------


def test_o_is_repeatable_and_the_suffix_tells_the_format(run: Run, bundle: Path, tmp_path: Path) -> None:
    names = ("a.txt", "b.json", "c.md")
    ran = run("analyze", bundle, *(part for name in names for part in ("-o", tmp_path / name)))
    text, data, markdown = ((tmp_path / name).read_text("utf-8") for name in names)
    assert ran.err == "".join(f"wrote {tmp_path / name}\n" for name in names)
    assert text == ran.out
    assert data == run("analyze", bundle, "-f", "json").out
    assert markdown == run("analyze", bundle, "-f", "markdown").out
    assert run("analyze", bundle, "-q", "-o", tmp_path / "a.txt").err == ""


def test_a_report_replaces_the_old_one_in_one_step(
    run: Run, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.json"
    target.write_text("the old report")
    seen: list[str] = []
    replace = Path.replace

    def spy(self: Path, to: str | Path) -> Path:
        seen.append(target.read_text())
        assert json.loads(self.read_text("utf-8"))["schema_version"] == "1"
        return replace(self, to)

    monkeypatch.setattr(Path, "replace", spy)
    run("analyze", bundle, "-o", target)
    assert seen == ["the old report"]
    assert json.loads(target.read_text("utf-8"))["schema_version"] == "1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle", "report.json"]


# -- terminals, pipes, locales -----------------------------------------------------------------------------------


def on_a_terminal(*arguments: str | Path, **environment: str) -> str:
    """What a terminal of 100 columns would be sent."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "analyzer", *map(str, arguments)]
    known = {**neutral(), "TERM": "xterm", **environment}
    child = subprocess.Popen(command, stdout=terminal, stderr=terminal, env=known)
    os.close(terminal)
    received = io.BytesIO()
    try:
        while data := os.read(controller, 65536):
            received.write(data)
    except OSError:  # Linux reports the closed other end of a terminal as an error
        pass
    os.close(controller)
    assert child.wait(60) == 0
    return received.getvalue().decode()


def test_colour_only_on_a_terminal_that_wants_it(bundle: Path) -> None:
    assert ESCAPE in on_a_terminal("analyze", bundle)
    assert ESCAPE not in on_a_terminal("analyze", bundle, NO_COLOR="1")
    assert ESCAPE not in on_a_terminal("analyze", bundle, TERM="dumb")


def test_a_pipe_gets_plain_full_lines_in_utf_8_whatever_the_locale(bundle: Path) -> None:
    plain = process("analyze", bundle)
    narrow = process("analyze", bundle, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "FORCE_COLOR": "1"})
    assert plain.stdout == narrow.stdout
    assert ESCAPE.encode() not in plain.stdout
    assert max(len(line) for line in plain.stdout.decode().splitlines()) > 120
    assert plain.stderr == b""


def test_a_reader_that_stops_reading_is_no_error() -> None:
    shell = f"'{sys.executable}' -m analyzer schema | head -c 1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(bundle: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "analyzer", "analyze", str(bundle)]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, timeout=60, check=False)
    assert ran.returncode == 2
    assert ran.stderr == b"etcd-doctor: standard output: No space left on device\n"


@pytest.mark.parametrize("arguments", ["['--help']", "['analyze', '--help']", "['--version']", "['schema', 'nothing']"])
def test_help_loads_nothing_heavy(arguments: str) -> None:
    script = (
        "import sys; from analyzer import cli\n"
        f"sys.argv[1:] = {arguments}\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print('LOADED', sorted({'numpy', 'pandas', 'scipy', 'rich', 'jinja2'} & set(sys.modules)))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert ran.stdout.splitlines()[-1] == "LOADED []", ran.stderr


# -- the same bytes, and citations that lead somewhere -----------------------------------------------------------


@pytest.mark.parametrize("name", ["prometheus-two-hours"])
def test_the_same_bundle_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "bundle"
    shutil.copytree(SCENARIOS / name / "bundle", copy)
    runs = []
    for seed, folder, where in (("1", SCENARIOS / name, "bundle"), ("31337", copy.parent, "./bundle/")):
        reports = [tmp_path / f"{seed}.{suffix}" for suffix in ("txt", "json", "md")]
        outputs = [part for path in reports for part in ("-o", path)]
        ran = process(
            "analyze", where, *outputs, "-q", cwd=folder, env={"PYTHONHASHSEED": seed, "TZ": f"UTC-{seed[0]}"}
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        runs.append([ran.stdout, *(path.read_bytes() for path in reports)])
    assert runs[0] == runs[1]
    assert str(tmp_path).encode() not in b"".join(runs[1])


def cited(value: Any) -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        if set(value) == {"file", "line"}:
            yield value["file"], value["line"]
        for item in value.values():
            yield from cited(item)
    elif isinstance(value, list):
        for item in value:
            yield from cited(item)


@cache
def line_count(path: Path) -> int:
    data = path.read_bytes()
    return len((gzip.decompress(data) if path.suffix == ".gz" else data).splitlines())


@pytest.mark.parametrize("name", ["nospace-3.5", "slow-disk-3.4-capnslog", "healthy-3.6"])
def test_every_citation_leads_to_a_line_of_the_bundle(name: str, run: Run) -> None:
    folder = SCENARIOS / name / "bundle"
    found = set(cited(json.loads(run("analyze", folder, "-f", "json").out)))
    assert len(found) >= 5
    wrong = [f"{file}:{line}" for file, line in found if not 1 <= line <= line_count(folder / file)]
    assert wrong == []
