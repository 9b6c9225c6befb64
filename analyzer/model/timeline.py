"""Everything on one UTC axis: what the timeline stage hands to the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.model.artifact import Artifact
from analyzer.model.diagnosis import Caveat
from analyzer.model.events import EventTable
from analyzer.model.series import Series

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Member:
    """One etcd member as the bundle shows it."""

    name: str
    id: str | None
    version: str | None
    heartbeat_s: float
    election_s: float
    timeouts_stated: bool
    """False when heartbeat and election are etcd's defaults because nothing in the bundle says otherwise."""
    wal_device: str | None
    device_source: str | None
    skew_s: float | None = None
    skew_half_width_s: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LogSpan:
    """What one artifact's log covers for one member."""

    member: str | None
    artifact: int
    start_ns: int
    end_ns: int
    lines: int
    complete: bool
    """Long and ordinary enough that a message NOT in it was not logged: no excerpt, no grep result."""
    seconds: NDArray[np.int64]
    """UTC seconds in which the log has at least one line, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """The assembled bundle. ``events.frame`` has three more columns than the table documents:

    ``who`` (member name or empty), ``start_ns`` (``ts_ns`` minus ``took_s``: when a stall BEGAN), ``timed`` (bool).
    Rows are sorted by ``ts_ns``; duplicates of rotated or repeated files are counted once.
    """

    events: EventTable
    series: tuple[Series, ...]
    artifacts: tuple[Artifact, ...]
    members: tuple[Member, ...]
    logs: tuple[LogSpan, ...]
    caveats: tuple[Caveat, ...]
    duplicates: int = 0

    def member(self, name: str | None) -> Member | None:
        """The member of this name."""
        return next((member for member in self.members if member.name == name), None)

    def of(self, *kinds: str) -> pd.DataFrame:
        """Recognised records of these event ids."""
        return self.events.of(*[kind for kind in kinds if kind in self.events.kinds])
