"""``etcdctl -w table``: endpoint status, endpoint health and member list, ASCII or Unicode boxes.

Columns are taken by header NAME: endpoint status has 7 columns up to 3.3, 10 in 3.4-3.5 and 16 from 3.6 on
(etcdctl/ctlv3/command/printer.go at v3.3.0, v3.5.0, v3.6.0). A long cell wraps over several table rows.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar

from analyzer.model.facts import EndpointHealth, EndpointStatus, MemberEntry
from analyzer.model.line import Line, Parsed
from analyzer.parsers import etcdctl_records as records
from analyzer.parsers.quantities import go_duration_s, size_bytes, whole

_BARS = str.maketrans({"│": "|", "┃": "|", "║": "|", "┆": "|"})
_BORDER = re.compile(r"^[\s|+:=\-─━═┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯╞╪╡]+$")
_MOST_ROWS = 10_000
_WIDEST = 4000


def table_cells(text: str) -> list[str] | None:
    """The cells of one row of a drawn table; None when the line is not one."""
    row = text.translate(_BARS).strip()
    if len(row) < 2 or row[0] != "|":
        return None
    return [cell.strip() for cell in row[1:].removesuffix("|").split("|")]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def is_border(text: str) -> bool:
    """Whether the line only draws the box."""
    return bool(_BORDER.match(text)) and bool(text.translate(_BARS).replace("|", "").strip())


class _Row:
    """One logical row: the cells of a table row and of the rows it wrapped over."""

    __slots__ = ("cells", "line", "when_ns")

    def __init__(self, line: Line, cells: dict[str, str]) -> None:
        self.line = line.number
        self.when_ns = line.when_ns
        self.cells = cells

    def join(self, more: dict[str, str]) -> None:
        for name, text in more.items():
            if text:
                self.cells[name] = f"{self.cells.get(name, '')} {text}".strip()

    def get(self, name: str) -> str:
        return self.cells.get(name, "")


class _TableParser(ABC):
    """Rows of one table by header name; subclasses say which header is theirs and read the rows."""

    format: ClassVar[str]
    needs: ClassVar[frozenset[str]]
    """Header names that make a table this one."""
    key: ClassVar[tuple[str, ...]]
    """Columns that are blank in a continuation row."""

    def __init__(self) -> None:
        self.found = records.Findings()
        self._columns: list[str] = []
        self._rows: list[_Row] = []
        self._partial: Line | None = None

    @classmethod
    def _is_header(cls, text: str) -> bool:
        if len(text) > _WIDEST or text.lstrip()[:1] not in {"|", "│", "┃", "║"}:
            return False
        cells = table_cells(text.upper())
        return cells is not None and cls.needs <= set(cells)

    def feed(self, line: Line) -> bool:
        """Consume one line of the table; lines a narrow terminal broke in two are put together again."""
        partial, self._partial = self._partial, None
        if partial is not None:
            if self._continues(partial.text, line.text):
                self.found.understood += 1
                return self._take(Line(partial.number, partial.text + line.text, partial.when_ns))
            self._take_as_it_is(partial)
        return self._take(line)

    def _continues(self, partial: str, text: str) -> bool:
        """Whether a line is the rest of the one before it: it fits the columns, or the header goes on."""
        joined = partial + text
        cells = table_cells(joined)
        if cells is None or is_border(text) or "|" not in text.translate(_BARS) or len(joined) > _WIDEST:
            return False
        if not self._is_header(partial):
            return len(cells) <= len(self._columns)
        return table_cells(text) is None or _indent(text) != _indent(partial)

    def _take(self, line: Line) -> bool:
        text = line.text
        if not text.strip() or is_border(text):
            return True
        cells = table_cells(text)
        header = self._is_header(text)
        if cells is None or not (header or self._columns) or (not header and self._other_header(cells)):
            return False
        closed = text.translate(_BARS).rstrip().endswith("|")
        short = len(cells) < len(self._columns) or not closed
        if len(text) <= _WIDEST and (header or (short and len(cells) <= len(self._columns))):
            self._partial = line
        else:
            self._take_as_it_is(line)
        return True

    def _take_as_it_is(self, line: Line) -> None:
        cells = table_cells(line.text) or []
        if self._is_header(line.text):
            self._columns = [cell.upper() for cell in cells]
            self.found.understood += 1
        elif len(cells) != len(self._columns) or len(self._rows) >= _MOST_ROWS:
            self.found.rejected += 1
        else:
            self._row(line, dict(zip(self._columns, cells, strict=True)))

    @staticmethod
    def _other_header(cells: list[str]) -> bool:
        return len(cells) > 1 and bool({"ENDPOINT", "ID", "NODE"} & {cell.upper() for cell in cells})

    def _row(self, line: Line, cells: dict[str, str]) -> None:
        if any(cells.get(name) for name in self.key):
            self._rows.append(_Row(line, cells))
        elif not any(cells.values()):
            self.found.problems.append(f"line {line.number}: an empty row: one member did not answer etcdctl")
        elif self._rows:
            self._rows[-1].join(cells)
            self.found.understood += 1
        else:
            self.found.rejected += 1

    def finish(self) -> Parsed:
        """Everything understood so far."""
        partial, self._partial = self._partial, None
        if partial is not None:
            self._take_as_it_is(partial)
        for row in self._rows:
            self._read(row)
        self._rows = []
        return records.finish(self.found, self.format)

    @abstractmethod
    def _read(self, row: _Row) -> None:
        """Make a record of a whole row."""


class EndpointStatusTable(_TableParser):
    """``etcdctl endpoint status -w table``. Two tables of one member are two observations."""

    format = records.STATUS
    needs = frozenset({"ENDPOINT", "ID", "DB SIZE"})
    key = ("ENDPOINT", "ID")

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is the header row."""
        return EndpointStatusTable._is_header(text)

    def _read(self, row: _Row) -> None:
        printed = row.get("DB SIZE")
        if printed and size_bytes(printed) is None:
            self.found.problems.append(f"line {row.line}: database size {printed[:20]!r} is not a size")
        status = EndpointStatus(
            line=row.line,
            endpoint=row.get("ENDPOINT"),
            member_id=records.table_id(row.get("ID")),
            version=row.get("VERSION") or None,
            db_size_bytes=size_bytes(printed),
            db_in_use_bytes=size_bytes(row.get("IN USE") or row.get("DB SIZE IN USE")),
            # 0 B: the member runs with the built-in default and does not say which.
            quota_bytes=size_bytes(row.get("QUOTA")) or None,
            is_leader=records.truth(row.get("IS LEADER")),
            raft_term=whole(row.get("RAFT TERM")),
            raft_index=whole(row.get("RAFT INDEX")),
            raft_applied_index=whole(row.get("RAFT APPLIED INDEX")),
            errors=records.error_items(row.get("ERRORS")),
            at_ns=row.when_ns,
        )
        extra = records.StatusExtra(
            is_learner=records.truth(row.get("IS LEARNER")),
            storage_version=row.get("STORAGE VERSION") or None,
            size_as_printed=printed or None,
        )
        records.add_status(self.found, status, extra, row.get("ERRORS"))


class EndpointHealthTable(_TableParser):
    """``etcdctl endpoint health -w table``."""

    format = records.HEALTH
    needs = frozenset({"ENDPOINT", "HEALTH"})
    key = ("ENDPOINT",)

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is the header row."""
        return EndpointHealthTable._is_header(text)

    def _read(self, row: _Row) -> None:
        healthy = records.truth(row.get("HEALTH"))
        if healthy is None:
            self.found.rejected += 1
            return
        health = EndpointHealth(
            line=row.line,
            endpoint=row.get("ENDPOINT"),
            healthy=healthy,
            took_s=go_duration_s(row.get("TOOK")),
            error=row.get("ERROR") or None,
        )
        self.found.seen_at(row.when_ns)
        records.add_health(self.found, health)


class MemberListTable(_TableParser):
    """``etcdctl member list -w table``."""

    format = records.MEMBERS
    needs = frozenset({"ID", "NAME", "PEER ADDRS"})
    key = ("ID",)

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is the header row."""
        return MemberListTable._is_header(text)

    def _read(self, row: _Row) -> None:
        member = MemberEntry(
            line=row.line,
            member_id=records.table_id(row.get("ID")),
            name=row.get("NAME") or None,
            peer_urls=records.urls([row.get("PEER ADDRS")]),
            client_urls=records.urls([row.get("CLIENT ADDRS")]),
            is_learner=records.truth(row.get("IS LEARNER")),
        )
        started = {"started": True, "unstarted": False}.get(row.get("STATUS").lower())
        self.found.seen_at(row.when_ns)
        records.add_member(self.found, member, started)
