"""Reads the lines a diagnosis cites, without the analyzer's own reader."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from analyzer.model.diagnosis import Diagnosis, TimelineEntry
from analyzer.model.finding import Cite


def quoted(diagnosis: Diagnosis) -> tuple[Cite, ...]:
    """Every citation but those of the timeline, whose text already says what the line says."""
    return tuple(dict.fromkeys(_cites(diagnosis)))


def _cites(value: Any) -> Iterator[Cite]:
    if isinstance(value, Cite):
        yield value
    elif isinstance(value, TimelineEntry):
        return
    elif isinstance(value, tuple):
        for item in value:
            yield from _cites(item)
    elif is_dataclass(value):
        for part in fields(value):
            yield from _cites(getattr(value, part.name))


@cache
def lines(path: Path) -> tuple[str, ...]:
    """The lines of a file, unpacked."""
    raw = path.read_bytes()
    return tuple((gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace").split("\n"))


def problem(bundle: Path, cite: Cite) -> str | None:
    """What is wrong with a citation; None when the line is there and begins as quoted."""
    path = bundle / cite.file
    if not path.is_file():
        return f"{cite.file} does not exist"
    if not 1 <= cite.line <= len(lines(path)):
        return f"{cite.file} has {len(lines(path))} lines, cited is {cite.line}"
    line = plain(lines(path)[cite.line - 1])
    if not cite.text.strip() and line.strip():
        return f"{cite.file}:{cite.line} is quoted as nothing"
    if not line.startswith(plain(cite.text.removesuffix("…"))):
        return f"{cite.file}:{cite.line} is {line[:80]!r}, quoted as {cite.text[:80]!r}"
    return None


def plain(text: str) -> str:
    """What no terminal acts on, each other character as a blank."""
    return "".join(char if char.isprintable() else " " for char in text.rstrip("\r\n")).rstrip()
