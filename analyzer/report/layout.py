"""Lines of a text report: aligned tables, wrapping, and two ways to write them (plain, styled by rich)."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

MAX_HANG = 28


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph: ``prefix`` (indent and label), then ``text`` hanging beside it."""

    prefix: str
    text: str = ""
    style: str = ""
    """A rich style for the text; ignored in plain output."""
    prefix_style: str = ""
    wraps: bool = True
    """False for commands, quotes and tables: these must stay as they are to be copied."""
    elides: bool = False
    """True for quotes: a screen may cut them to its width (the citation leads on); plain text never does."""

    @property
    def hang(self) -> str:
        """Blanks under the prefix; a long label would leave no room, so its text goes on near the margin."""
        width = display_width(self.prefix)
        return " " * (width if width <= MAX_HANG else width - display_width(self.prefix.lstrip()) + 4)


BLANK = Line("", wraps=False)


def display_width(text: str) -> int:
    """Columns a text takes in a terminal: wide East Asian characters count two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def table(header: Sequence[str], rows: Iterable[Sequence[str]], indent: str = "  ") -> list[str]:
    """Columns aligned with blanks, nothing cut; empty columns are dropped, the last one is not padded."""
    body = [list(row) for row in rows]
    keep = [number for number in range(len(header)) if any(row[number] for row in body)]
    grid = [[row[number] for number in keep] for row in (list(header), *body)]
    widths = [max(display_width(row[column]) for row in grid) for column in range(len(keep))]
    return [indent + "  ".join(_padded(row, widths)).rstrip() for row in grid]


def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]


def wrapped(line: Line, width: int | None) -> list[str]:
    """The text of a line in pieces that fit ``width`` beside its prefix, words whole; None: one piece."""
    first, hang = display_width(line.prefix), len(line.hang)
    if width is None or not line.wraps or first + display_width(line.text) <= width:
        return [line.text]
    pieces = textwrap.wrap(
        line.text,
        max(width - hang, 20),
        initial_indent=" " * max(first - hang, 0),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [piece.lstrip() if number == 0 else piece for number, piece in enumerate(pieces)]


def elided(line: Line, width: int) -> Line:
    """The line with its text cut to the width where that is allowed; ``...`` marks the cut."""
    room = max(width - display_width(line.prefix) - 3, 20)
    if not line.elides or display_width(line.text) <= room + 3:
        return line
    # A structured line says what happened in its message, not in the level and time before it.
    message = line.text.find('"msg":')
    kept = line.text if message <= 0 else f"...{line.text[message:]}"
    if display_width(kept) <= room + 3:
        return replace(line, text=kept)
    kept = kept[:room]
    while display_width(kept) > room:
        kept = kept[:-1]
    return replace(line, text=f"{kept}...")


def write_plain(lines: Iterable[Line], width: int | None = None) -> str:
    """Plain text without a trailing blank on any line; ends with one newline."""
    written: list[str] = []
    for line in lines:
        prefix = line.prefix
        for piece in wrapped(line, width):
            written.append(f"{prefix}{piece}".rstrip())
            prefix = line.hang
    return "\n".join(written) + "\n"


def write_styled(lines: Iterable[Line], width: int, elide: bool) -> str:
    """The same lines with ANSI styles; rich gets ``Text``, never markup: log text stays data."""
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    out = StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        color_system="standard",
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for line in lines:
        line = elided(line, width) if elide else line
        prefix = line.prefix
        for piece in wrapped(line, width):
            styled = Text().append(prefix, line.prefix_style or None).append(piece, line.style or None)
            console.print(styled, soft_wrap=True)
            prefix = line.hang
    return out.getvalue()
