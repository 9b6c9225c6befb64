"""What parsers are fed and what they give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from analyzer.model.series import Series


class Line(NamedTuple):
    """One line of an artifact, wrappers peeled off, without its line ending."""

    number: int
    """1-based line number in the (decompressed) artifact."""
    text: str
    """Payload text; control characters other than tab are left as they are (renderers escape)."""
    when_ns: int | None = None
    """UTC time the wrapper gave this line (CRI, docker, journald), if any. Nanoseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How the time stamps of an artifact were understood."""

    zone: str
    """``UTC``, ``+08:00``, ``Europe/Paris`` or ``none`` when the artifact has no time stamps."""
    source: str
    """How the zone is known, in words: ``explicit offset``, ``assumed``, ``--tz``, ``file name`` ..."""
    assumed: bool = False
    """True when nothing in the bundle says so: the report must print the assumption."""


@dataclass(slots=True)
class Parsed:
    """What one parser understood of one artifact (or of one segment of it)."""

    format: str
    """Public format id, e.g. ``iostat``, ``fio``, ``diskstats``, ``etcdctl-endpoint-status``, ``metrics``."""
    understood: int = 0
    """Lines that carried meaning for this parser."""
    rejected: int = 0
    """Lines that belong to this format but could not be read (damaged, cut, impossible values)."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """JSON-ready description for ``inspect``: names and units per docs/contract (unit in the key)."""
    records: tuple[Any, ...] = ()
    """Typed facts (model.facts) for the detectors; each carries its own line number."""
    series: tuple[Series, ...] = ()
    """Samples. Times without a zone are given as if UTC, with ``naive_time`` set."""
    first_ns: int | None = None
    last_ns: int | None = None
    naive_time: bool = False
    """True when the time stamps carry no offset: the timeline decides the zone and says how."""
    timed: bool = False
    """True when the records or samples carry time stamps at all."""
    problems: tuple[str, ...] = ()
    """Sentences for a person: what could not be read and what to do (with line numbers)."""


class LineParser(Protocol):
    """A parser of one line-oriented text format, used by the segmenter.

    The segmenter asks ``starts`` on every line no parser currently owns; the parser that says yes is
    created and fed line by line. ``feed`` returns False when the line is not part of this format: the
    segment ends there, ``finish`` is called, and the line is offered to the others. Blank lines are fed
    too and should be accepted. Never raises on bad input.
    """

    format: ClassVar[str]

    @staticmethod
    def starts(text: str) -> bool:
        """Whether this line alone is a sure sign of the format (cheap: called on every unknown line)."""
        ...

    def feed(self, line: Line) -> bool:
        """Consume one line; False when the line does not belong here."""
        ...

    def finish(self) -> Parsed:
        """Everything understood so far."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document found in an artifact: alone, after text, or pasted in the middle of a ticket."""

    value: Any
    """The decoded JSON."""
    lines: tuple[Line, ...]
    """The text lines it was read from, for citations."""
    complete: bool
    """False when the text was cut off and open brackets had to be closed."""


class DocumentParser(Protocol):
    """A parser of one JSON document format, told by its keys."""

    format: ClassVar[str]

    @staticmethod
    def accepts(value: Any) -> bool:
        """Whether the document's own keys say it is of this format."""
        ...

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        ...
