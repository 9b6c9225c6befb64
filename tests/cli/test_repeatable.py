"""The same bytes every time, and citations that lead somewhere."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .running import SCENARIOS, Run, process


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
