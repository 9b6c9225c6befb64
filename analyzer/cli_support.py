"""What the commands share: options, progress, output files. Imported only by commands that run."""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import UsageError
from analyzer.pipeline import Focus, Options
from analyzer.report.options import RenderOptions, terminal_options
from analyzer.report.registry import render

if TYPE_CHECKING:
    from analyzer.ingest.read import Progress
    from analyzer.model.diagnosis import Diagnosis

AROUND_NS = 15 * 60 * 10**9
QUIET_FIRST_S = 1.0


def terminal_look(verbose: bool) -> RenderOptions:
    """How a report on standard output is to look."""
    columns = shutil.get_terminal_size((100, 40)).columns
    return terminal_options(sys.stdout.isatty(), os.environ, columns, verbose)


def options_of(
    rules: Path | None,
    tz: Sequence[str] | None,
    member_of: Sequence[str] | None,
    year: int | None,
    focus: Focus,
) -> Options:
    """The analysis options of the command line.

    Raises:
        UsageError: for a malformed FILE=VALUE pair, a bad zone or a missing rules folder.
    """
    from analyzer.timeline.assemble import Overrides
    from analyzer.timeline.clocks import zone_of

    if rules is not None and not rules.is_dir():
        raise UsageError(f"--rules {rules}: no such folder")
    zones = _pairs("--tz", tz)
    for zone in zones.values():
        zone_of(zone)
    if year is not None and not 1990 <= year <= 2200:
        raise UsageError(f"--year {year}: not a year a log could be from")
    return Options(rules, Overrides(zones, _pairs("--member-of", member_of), year), focus)


def _pairs(flag: str, values: Sequence[str] | None) -> dict[str, str]:
    pairs = {}
    for value in values or ():
        key, sign, text = value.rpartition("=")
        if not sign or not key or not text:
            raise UsageError(f"{flag} {value!r}: write FILE=VALUE")
        pairs[key] = text
    return pairs


def focus_of(since: str | None, until: str | None, around: str | None, member: str | None) -> Focus:
    """The part of the bundle asked about.

    Raises:
        UsageError: for a time that cannot be read, or --around together with --since or --until.
    """
    if around is not None:
        if since is not None or until is not None:
            raise UsageError("--around goes alone: it sets both ends")
        middle = _moment("--around", around)
        return Focus(middle - AROUND_NS, middle + AROUND_NS, member)
    start = _moment("--since", since) if since is not None else None
    end = _moment("--until", until) if until is not None else None
    if start is not None and end is not None and start > end:
        raise UsageError("--since is after --until")
    return Focus(start, end, member)


def _moment(flag: str, text: str) -> int:
    from analyzer.parsers.etcd_log.stamps import iso

    stamp = iso(text) or iso(f"{text}:00") or iso(f"{text}T00:00:00")
    if stamp is None:
        raise UsageError(f"{flag} {text!r}: write a UTC time like 2026-03-11T01:02:00Z")
    return stamp.ns


@contextmanager
def progress_line(quiet: bool) -> Iterator[Progress | None]:
    """A line on stderr while long work runs; only on a terminal, only after a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    begun = last = time.monotonic()
    shown = False

    def show(path: str, size: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - begun < QUIET_FIRST_S or now - last < 0.2:
            return
        last, shown = now, True
        name = path if len(path) <= 60 else f"…{path[-59:]}"
        sys.stderr.write(f"\r\x1b[Kreading {name} ({size / 1e6:,.0f} MB)")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def emit(text: str) -> None:
    """Write a report to standard output.

    Off a terminal always UTF-8, whatever the locale: the same bundle gives the same bytes. A reader that stops
    reading (``| head``) is no error.

    Raises:
        UsageError: when standard output cannot be written, e.g. a full disk.
    """
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # the interpreter flushes once more at exit: let that go nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"standard output: {error.strerror or error}") from error


def write_report(path: Path, diagnosis: Diagnosis, format_name: str, verbose: bool) -> None:
    """Write a report beside its final name and rename it there: never half a file.

    Raises:
        UsageError: when the file cannot be written.
    """
    text = render(diagnosis, format_name, RenderOptions(verbose=verbose))
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(f"-o {path}: {error.strerror or error}") from error


def demo_bundle() -> Path:
    """The example bundle: in the wheel, or in the checkout's fixtures."""
    here = Path(__file__).resolve().parent
    packaged = here / "_demo" / "prometheus-two-hours" / "bundle"
    return packaged if packaged.is_dir() else here.parent / "fixtures/scenarios/prometheus-two-hours/bundle"
