"""One device table of an iostat report: header by name, rows whole or wrapped over two lines."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from analyzer.parsers.columns import KNOWN_COLUMNS, parse_cell

_NAME: Final = re.compile(r"\w[\w./:@+!-]*")
_DEVICE: Final = ("Device", "Device:")


class Row(NamedTuple):
    """One device row; ``values`` may be one short when the last cell was cut off."""

    device: str
    values: list[float]


class DeviceTable:
    """The table being read: its columns and, when a row was wrapped, the part of it already seen."""

    def __init__(self) -> None:
        self.columns: list[str] = []
        self.device_last = False
        self._pending: list[str] = []
        self.pending_lines = 0
        """Lines of a row that is not complete yet."""

    def clear(self) -> None:
        """No table is open any more."""
        self.columns, self.device_last = [], False

    def open(self, tokens: list[str]) -> bool:
        """Take a header line; False when it is none."""
        found = header_columns(tokens)
        if found is None:
            return False
        self.columns, self.device_last = found
        return True

    def extend(self, tokens: list[str]) -> bool:
        """Take the rest of a header that a terminal wrapped; False when the line is something else."""
        if self.device_last or not self.columns or not all(t in KNOWN_COLUMNS for t in tokens):
            return False
        self.columns.extend(tokens)
        return True

    def row(self, tokens: list[str]) -> Row | None:
        """A complete row of this table, or None."""
        if not self.columns or len(tokens) != len(self.columns) + 1:
            return None
        name, cells = self._split(tokens)
        values = _numbers(cells, self.columns) if _is_name(name) else None
        return None if values is None else Row(name, _without_cut_tail(cells, values))

    def begin_wrapped(self, tokens: list[str]) -> bool:
        """Take the first part of a row: fewer cells than columns, or (``-h`` before 11.7) its name alone."""
        if not self.columns or self.device_last or len(tokens) > len(self.columns):
            return False
        if not _is_name(tokens[0]) or _numbers(tokens[1:], self.columns) is None:
            return False
        self._pending, self.pending_lines = tokens, 1
        return True

    def join(self, tokens: list[str]) -> tuple[bool, Row | None]:
        """Whether the line continues the wrapped row, and the row once it is complete."""
        joined = [*self._pending, *tokens]
        if not self.pending_lines or len(joined) > len(self.columns) + 1:
            return False, None
        values = _numbers(joined[1:], self.columns)
        if values is None:
            return False, None
        self._pending = joined
        self.pending_lines += 1
        complete = len(values) == len(self.columns)
        return True, Row(joined[0], values) if complete else None

    def drop_wrapped(self) -> int:
        """Forget the part of a row that was being joined; gives its number of lines."""
        lines, self.pending_lines, self._pending = self.pending_lines, 0, []
        return lines

    def looks_like_row(self, tokens: list[str], devices: set[str]) -> bool:
        """Whether an unreadable line still is a row of this table (damaged)."""
        if not self.columns:
            return False
        name, cells = self._split(tokens)
        figures = sum(parse_cell(cell, "") is not None for cell in cells)
        return name in devices or (_is_name(name) and 2 * figures > len(cells) > 2)

    def _split(self, tokens: list[str]) -> tuple[str, list[str]]:
        return (tokens[-1], tokens[:-1]) if self.device_last else (tokens[0], tokens[1:])


def header_columns(tokens: list[str]) -> tuple[list[str], bool] | None:
    """The columns of a device header and whether the device stands last, or None."""
    if len(tokens) < 3:
        return None
    if tokens[0] in _DEVICE:
        columns, last = tokens[1:], False
    elif tokens[-1] in _DEVICE:
        columns, last = tokens[:-1], True
    else:
        return None
    return (columns, last) if sum(c in KNOWN_COLUMNS for c in columns) >= 2 else None


def read_cells(cells: list[str], columns: list[str]) -> list[float] | None:
    """All cells of a line of figures, or None when one is not a number or their count differs."""
    return _numbers(cells, columns) if len(cells) == len(columns) else None


def _is_name(token: str) -> bool:
    return bool(_NAME.fullmatch(token)) and parse_cell(token, "") is None


def _numbers(cells: list[str], columns: list[str]) -> list[float] | None:
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        pass  # decimal commas, percent signs, size suffixes, or no row at all
    values: list[float] = []
    for cell, column in zip(cells, columns, strict=False):
        value = parse_cell(cell, column)
        if value is None:
            return None
        values.append(value)
    return values


def _without_cut_tail(cells: list[str], values: list[float]) -> list[float]:
    """Drop a last cell with fewer decimals than its neighbour: the file ended in the middle of it."""
    if len(cells) < 2 or not cells[-1][-1:].isdigit() or not cells[-2][-1:].isdigit():
        return values
    return values[:-1] if _decimals(cells[-1]) < _decimals(cells[-2]) else values


def _decimals(cell: str) -> int:
    for mark in (".", ","):
        if mark in cell:
            return len(cell) - cell.index(mark) - 1
    return 0
