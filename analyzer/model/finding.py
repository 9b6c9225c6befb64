"""One judged symptom with its evidence."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.model.ids import Severity, State, SymptomId


@dataclass(frozen=True, slots=True, order=True)
class Cite:
    """A line of the bundle. ``text`` is the quoted line (cut, control characters removed) or empty."""

    file: str
    """Path inside the bundle, as the report prints it (``a.tar.gz!/etcd-0/etcd.log``)."""
    line: int
    """1-based."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """A UTC time span, nanoseconds since the epoch, both ends inside."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One symptom judged for one member or device (or for the cluster when both are None)."""

    symptom: SymptomId
    state: State
    severity: Severity
    title: str
    """One sentence with the measured value in it."""
    member: str | None = None
    device: str | None = None
    value: float | None = None
    unit: str | None = None
    threshold: str | None = None
    """The limit and where it comes from, in words."""
    window: Window | None = None
    cites: tuple[Cite, ...] = ()
    needs: str | None = None
    """For no-evidence: the capture id that would settle it."""
