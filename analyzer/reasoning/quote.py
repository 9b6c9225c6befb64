"""Fills in the text of every cited line of a diagnosis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from analyzer.model.diagnosis import Diagnosis
from analyzer.model.finding import Cite

Fetch = Callable[[Mapping[str, set[int]]], dict[tuple[str, int], str]]


def with_quotes(diagnosis: Diagnosis, fetch: Fetch) -> Diagnosis:
    """The same diagnosis with quoted citations; ``fetch`` reads the wanted lines once.

    Timeline entries are not quoted: their text already says what the line says.
    """
    shown = replace(diagnosis, timeline=())
    wanted: dict[str, set[int]] = defaultdict(set)
    _collect(shown, wanted)
    if not wanted:
        return diagnosis
    quoted = cast(Diagnosis, _fill(shown, fetch(wanted)))
    return replace(quoted, timeline=diagnosis.timeline)


def _collect(value: Any, wanted: dict[str, set[int]]) -> None:
    if isinstance(value, Cite):
        wanted[value.file].add(value.line)
    elif isinstance(value, tuple):
        for item in value:
            _collect(item, wanted)
    elif is_dataclass(value):
        for part in fields(value):
            _collect(getattr(value, part.name), wanted)


def _fill(value: Any, texts: Mapping[tuple[str, int], str]) -> Any:
    if isinstance(value, Cite):
        return replace(value, text=texts.get((value.file, value.line), ""))
    if isinstance(value, tuple):
        filled = tuple(_fill(item, texts) for item in value)
        return value if all(a is b for a, b in zip(filled, value, strict=True)) else filled
    if is_dataclass(value) and not isinstance(value, type):
        changes = {}
        for part in fields(value):
            old = getattr(value, part.name)
            new = _fill(old, texts)
            if new is not old:
                changes[part.name] = new
        return replace(value, **changes) if changes else value
    return value
