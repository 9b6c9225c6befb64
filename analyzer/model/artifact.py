"""One file of the bundle and how it was understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from analyzer.model.line import Clock


@dataclass(slots=True)
class Artifact:
    """A coverage row in the making: filled by the ingest stage, dated and named by the timeline stage.

    The only mutable type that crosses a stage; after ``timeline.assemble`` nothing changes it.
    """

    index: int
    path: str
    """Path inside the bundle as reports print it."""
    formats: list[str] = field(default_factory=list)
    """Formats found, in order of first appearance."""
    wrappers: list[str] = field(default_factory=list)
    lines: int = 0
    understood: int = 0
    rejected: int = 0
    not_relevant: int = 0
    """Prose, blank lines, other programs: lines == understood + rejected + not_relevant."""
    first_ns: int | None = None
    last_ns: int | None = None
    clock: Clock = field(default_factory=lambda: Clock("none", "no time stamps"))
    member: str | None = None
    member_source: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    records: list[Any] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unreadable: str | None = None
    """Why nothing could be read at all (truncated archive, binary format ...)."""
    hint: str = ""
    """What to do about it."""
    log: LogSummary | None = None

    @property
    def format(self) -> str:
        """Format column of the coverage row."""
        return "+".join(self.formats) if self.formats else "unknown"

    @property
    def wrapper(self) -> str:
        """Wrapper column of the coverage row."""
        return "+".join(self.wrappers) if self.wrappers else "none"


@dataclass(slots=True)
class LogSummary:
    """What the log lines of one artifact say besides the recognised events."""

    lines: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    naive_lines: int = 0
    """Lines whose own time stamp has no offset."""
    yearless_lines: int = 0
    offset_seconds: int | None = None
    """Offset of the naive time stamps as told by a wrapper that knows UTC."""
    offset_source: str | None = None
    seconds: Mapping[int, int] = field(default_factory=dict)
    """Log lines per UTC second (before zone correction), for silence and sampling."""
    merged: int = 0
    """Lines folded by capnslog's ``[merged N repeated lines]``."""
    member_ids: dict[str, int] = field(default_factory=dict)
    """How often each hex id spoke of itself (local-member-id, raft lines)."""
    names: dict[str, int] = field(default_factory=dict)
    """Member names stated by server start lines."""
    versions: dict[str, int] = field(default_factory=dict)
    """Server version -> line of its first statement."""
    programs: dict[str, int] = field(default_factory=dict)
    """syslog idents seen (etcd, k3s, kernel ...)."""
