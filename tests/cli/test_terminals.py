"""Terminals, pipes, locales and full disks; help that loads nothing heavy."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from .running import ESCAPE, ROOT, neutral, process


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
