"""Which part of the bundle is asked about, and where its reports go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .running import Run, process, stall, stalls


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
