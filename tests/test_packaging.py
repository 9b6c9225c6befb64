"""The wheel holds everything and nothing else, and the installed command works far from the checkout.

Needs PyPI (or PIP_FIND_LINKS) for the build and the installation, hence slow.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from analyzer.version import __version__

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = {
    "rules": "analyzer/_rules",
    "fixtures/scenarios/prometheus-two-hours/bundle": "analyzer/_demo/prometheus-two-hours/bundle",
}
"""Folder of the checkout -> where the wheel keeps it."""

pytestmark = pytest.mark.slow


def succeed(*command: str | Path, cwd: Path) -> str:
    known = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    words = [str(part) for part in command]
    ran = subprocess.run(words, cwd=cwd, env=known, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, f"{command}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}"
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    succeed(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh virtual environment that holds only the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    succeed(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    succeed(folder / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder.parent)
    return folder / "bin"


def test_the_wheel_holds_the_package_its_rules_and_its_example(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[0] for name in names} == {"analyzer", f"etcd_doctor-{__version__}.dist-info"}
    for folder, packed in SHIPPED.items():
        here = {path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
        there = {name.removeprefix(f"{packed}/") for name in names if name.startswith(f"{packed}/")}
        assert here == there and here, folder
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "analyzer").rglob("*.py")}
    assert modules <= names
    assert not [name for name in names if "tests/" in name or name.endswith(".pyc")]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_installed_command_works_far_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    command = installed / "etcd-doctor"
    assert succeed(command, "--version", cwd=tmp_path) == f"etcd-doctor {__version__}\n"
    assert succeed(command, "rules", "check", cwd=tmp_path).startswith("ok: ")
    assert "disk-contention-periodic" in succeed(command, "demo", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_library_is_the_installed_one(installed: Path, tmp_path: Path) -> None:
    script = "import analyzer; print(analyzer.__version__, analyzer.__file__)"
    version, path = succeed(installed / "python", "-c", script, cwd=tmp_path).split()
    assert version == __version__
    assert not Path(path).is_relative_to(ROOT)
    assert succeed(installed / "python", "-m", "pip", "check", cwd=tmp_path).startswith("No broken requirements")
