"""Paragraph shapes the sections of the terminal report share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analyzer.report.layout import BLANK, Line
from analyzer.report.view_types import CiteView, StatementView


def heading(title: str, note: str = "") -> Iterator[Line]:
    """A blank line and a section title."""
    yield BLANK
    yield Line(f"{title}  " if note else title, note, style="dim", prefix_style="bold")


def cite_lines(cites: Sequence[CiteView], indent: str) -> Iterator[Line]:
    """Citations with their quotes, one per line."""
    for cite in cites:
        yield Line(f"{indent}{cite.where}  ", cite.text, style="dim", prefix_style="cyan", wraps=False, elides=True)


def command_lines(command: Sequence[str]) -> Iterator[Line]:
    """A command to copy: never wrapped, never cut."""
    for number, text in enumerate(command):
        yield Line("     $ " if number == 0 else "       ", text, style="cyan", wraps=False)


def statement_lines(statements: Iterable[StatementView], mark: str = "  - ") -> Iterator[Line]:
    """Sentences with their first citations behind them."""
    for statement in statements:
        label = f"{statement.label}: " if statement.label else ""
        yield Line(mark, f"{label}{statement.text}{seen_at(statement.cites, 2)}")


def seen_at(cites: Sequence[CiteView], limit: int) -> str:
    """`` [file:line, file:line]``: the first citations of a sentence, or nothing."""
    return f" [{', '.join(cite.where for cite in cites[:limit])}]" if cites else ""
