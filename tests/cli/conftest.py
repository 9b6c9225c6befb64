"""The command in this process, and a small bundle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from analyzer import cli

from .running import LOOKS, Ran, Run, stall


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


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Two members: etcd-0 stalls at 01:00 and at 03:00, etcd-1 at 02:00."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "etcd-0.log").write_text(stall("01:00:00") + stall("03:00:00"))
    (folder / "etcd-1.log").write_text(stall("02:00:00"))
    return folder
