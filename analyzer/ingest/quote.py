"""A second walk over the bundle that fetches the lines a report cites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.bundle.blocks import line_blocks, settled
from analyzer.bundle.inflate import StreamBroken
from analyzer.bundle.walk import Source, Stdin, walk
from analyzer.ingest.clean import clean_text

MAX_QUOTE = 400


def quote_lines(paths: Sequence[str], stdin: Stdin, wanted: Mapping[str, set[int]]) -> dict[tuple[str, int], str]:
    """Text of the wanted lines: {(path, line): text}, each cut to ``MAX_QUOTE`` characters.

    Files are matched by label and by order of appearance; only wanted ones are read.
    """
    found: dict[tuple[str, int], str] = {}
    left = {path: set(lines) for path, lines in wanted.items() if lines}
    for source in walk(paths, stdin):
        if not left:
            break
        lines = left.pop(source.path, None)
        if lines and isinstance(source, Source):
            try:
                _collect(source, lines, found)
            except StreamBroken:
                continue
    return found


def _collect(source: Source, lines: set[int], found: dict[tuple[str, int], str]) -> None:
    first = 1
    pending = sorted(lines)
    for block in line_blocks(settled(source.chunks)):
        count = block.count(b"\n") + (not block.endswith(b"\n"))
        if pending[0] < first + count:
            split = block.split(b"\n")
            while pending and pending[0] < first + count:
                number = pending.pop(0)
                found[source.path, number] = printable(clean_text(split[number - first]))
        if not pending:
            return
        first += count


def printable(text: str) -> str:
    """A quoted line: tabs to blanks, control and direction characters removed, cut."""
    kept = "".join(c if c.isprintable() else " " for c in text.replace("\t", " "))
    return kept if len(kept) <= MAX_QUOTE else kept[: MAX_QUOTE - 1] + "…"
