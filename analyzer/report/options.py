"""How a report is to look; nothing of what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Choices of the reader."""

    verbose: bool = False
    """Everything, instead of what fits two screens."""
    colour: bool = False
    """Terminal only: ANSI styles."""
    width: int | None = None
    """Terminal only: wrap prose at this many columns; None writes full width."""


def terminal_options(is_tty: bool, environ: Mapping[str, str], columns: int, verbose: bool = False) -> RenderOptions:
    """Plain and full width off a terminal, with NO_COLOR or TERM=dumb; COLUMNS, when set, wraps even then.

    NO_COLOR counts when present and not empty (https://no-color.org).
    """
    asked = environ.get("COLUMNS", "")
    asked_width = int(asked) if asked.isascii() and asked.isdigit() and int(asked) >= 40 else None
    if not is_tty:
        return RenderOptions(verbose=verbose, width=asked_width)
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return RenderOptions(verbose=verbose, width=asked_width)
    return RenderOptions(verbose=verbose, colour=True, width=asked_width or max(columns, 40))
