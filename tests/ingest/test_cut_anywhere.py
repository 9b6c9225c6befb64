"""A file cut at any byte never raises; copies, order and partition of files change no verdict."""

from __future__ import annotations

import gzip
import random
import shutil
from pathlib import Path

import pytest

from analyzer.model.diagnosis import Diagnosis
from analyzer.pipeline import diagnose_paths

from ..parsers.etcd_log.feeding import read, settled
from .test_ticket import TICKET

ROOT = Path(__file__).parents[2]
SNIPPETS = [path for path in sorted((ROOT / "fixtures" / "snippets").glob("*/*")) if path.is_file()]
SCENARIOS = ROOT / "fixtures" / "scenarios"
SMALL = ("slow-disk-3.4-capnslog", "nospace-3.5", "killed-member-3.5")


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def cut(data: bytes, count: int, seed: int) -> dict[str, str | bytes]:
    places = random.Random(seed).sample(range(len(data) + 1), min(count, len(data) + 1))
    return {f"cut-{place}": data[:place] for place in places} | {f"tail-{place}": data[place:] for place in places[:3]}


def test_every_snippet_cut_anywhere() -> None:
    for seed, path in enumerate(SNIPPETS):
        timeline = settled(cut(content(path)[:20_000], 5, seed))
        for artifact in timeline.artifacts:
            assert artifact.understood + artifact.rejected + artifact.not_relevant == artifact.lines, path


def test_a_ticket_cut_at_every_seventh_byte() -> None:
    data = TICKET.encode()
    evidence = read({str(place): data[:place] for place in range(0, len(data), 7)})
    assert len(evidence.artifacts) > 300


def test_a_ticket_with_bytes_struck_out() -> None:
    data, dice = TICKET.encode(), random.Random(1)
    files: dict[str, str | bytes] = {}
    for number in range(100):
        damaged = bytearray(data)
        for _ in range(30):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        files[str(number)] = bytes(damaged)
    assert len(settled(files).artifacts) == 100


def test_diagnose_survives_cuts(tmp_path: Path) -> None:
    data, dice = TICKET.encode(), random.Random(2)
    for place in dice.sample(range(len(data)), 6):
        (tmp_path / "t.txt").write_bytes(data[:place])
        assert diagnose_paths([str(tmp_path / "t.txt")]).verdict.summary


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.name)
def test_snippets_cut_at_many_places(path: Path) -> None:
    settled(cut(content(path)[:50_000], 300, 9))


def logs_of(name: str) -> list[Path]:
    found = sorted((SCENARIOS / name / "bundle").rglob("*etcd*.log*"))
    assert found, name
    return found


def same(one: Diagnosis, other: Diagnosis) -> None:
    assert one.verdict.status == other.verdict.status and one.verdict.cause == other.verdict.cause
    assert one.verdict.impact == other.verdict.impact
    before = {h.cause: h.probability for h in one.hypotheses}
    after = {h.cause: h.probability for h in other.hypotheses}
    assert before.keys() == after.keys()
    assert all(abs(before[cause] - after[cause]) <= 0.02 for cause in before), (before, after)


@pytest.fixture(scope="module", params=SMALL)
def scenario(request: pytest.FixtureRequest) -> tuple[Path, Diagnosis]:
    bundle = SCENARIOS / request.param / "bundle"
    return bundle, diagnose_paths([str(bundle)])


def test_ten_copies_of_the_logs_change_nothing(scenario: tuple[Path, Diagnosis], tmp_path: Path) -> None:
    bundle, plain = scenario
    shutil.copytree(bundle, tmp_path / "bundle")
    for path in logs_of(bundle.parent.name):
        for number in range(10):
            name = f"{path.parent.name}-{number}-{path.name}"
            (tmp_path / "bundle" / "again").mkdir(exist_ok=True)
            shutil.copy(path, tmp_path / "bundle" / "again" / name)
    same(plain, diagnose_paths([str(tmp_path / "bundle")]))


def test_split_logs_change_nothing(scenario: tuple[Path, Diagnosis], tmp_path: Path) -> None:
    bundle, plain = scenario
    shutil.copytree(bundle, tmp_path / "bundle")
    for path in logs_of(bundle.parent.name):
        lines = content(path).splitlines(keepends=True)
        copy = tmp_path / "bundle" / path.relative_to(bundle)
        copy.write_bytes(b"".join(lines[len(lines) // 2 :]))
        copy.with_name(copy.name + ".1").write_bytes(b"".join(lines[: len(lines) // 2 + 5]))
    same(plain, diagnose_paths([str(tmp_path / "bundle")]))


def test_the_order_of_arguments_changes_nothing(scenario: tuple[Path, Diagnosis]) -> None:
    bundle, _ = scenario
    parts = [str(path) for path in sorted(bundle.iterdir())]
    same(diagnose_paths(parts), diagnose_paths(parts[::-1]))
