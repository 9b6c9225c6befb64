"""The timeline with what several judgements share, computed once and on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from analyzer.detectors.spans import merge_intervals
from analyzer.model.artifact import Artifact
from analyzer.model.series import Series
from analyzer.model.timeline import LogSpan, Timeline
from analyzer.reasoning.downtime import down_windows
from analyzer.reasoning.elections import LeaderChange, in_plan, leader_changes, planned_windows, start_windows
from analyzer.reasoning.reading import Spot

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

SECOND = 1e9
EPISODE_GAP_S = 45.0
"""Single-linkage gap of episodes; same as detectors.spans, see its docstring."""

TROUBLE_EVENTS = (
    "slow-fdatasync",
    "heartbeat-late",
    "readindex-timeout",
    "request-timeout",
    "no-leader-error",
    "leader-changed-error",
    "health-check-failed",
)


@dataclass(frozen=True, slots=True)
class Episodes:
    """Merged intervals, seconds since the epoch."""

    starts: NDArray[np.float64]
    ends: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.starts)


class Row(NamedTuple):
    """One recognised record, for the few that are looked at one by one."""

    ts_ns: int
    start_ns: int
    took_s: float
    value: float
    kind: int
    term: int
    who: str
    artifact: int
    line: int


def each(frame: pd.DataFrame) -> Iterator[Row]:
    """The rows of an event frame as typed tuples."""
    for values in zip(*(frame[name].tolist() for name in Row._fields), strict=True):
        yield Row(*values)


@dataclass
class Case:
    """A timeline under examination. Observers only read it."""

    timeline: Timeline
    facts: dict[type, list[tuple[Artifact, object]]] = field(default_factory=dict)
    memo: dict[str, Any] = field(default_factory=dict)
    """Results shared by several observers and by the report (patterns.py)."""

    # -- log ------------------------------------------------------------------------------------------------

    def rows(self, kinds: Iterable[str]) -> pd.DataFrame:
        """Recognised records of these ids, in time order."""
        return self.timeline.of(*kinds)

    def with_error(self, frame: pd.DataFrame, errors: Iterable[str]) -> pd.DataFrame:
        """The rows whose error text is of one of these classes."""
        known = [error for error in errors if error in self.timeline.events.errors]
        return self.timeline.events.with_error(frame, *known)

    def spots(self, frame: pd.DataFrame, most: int = 3) -> tuple[Spot, ...]:
        """Citations of the first rows."""
        head = frame.head(most)
        return tuple(zip(head["artifact"].tolist(), head["line"].tolist(), strict=True))

    @cached_property
    def etcd_logs(self) -> frozenset[int]:
        """Artifacts whose log is etcd's: a recognised record, or a member that names itself.

        Other programs write zap JSON and journald lines, too; their silence about etcd means nothing.
        """
        recognised = set(self.timeline.events.frame["artifact"].unique().tolist())
        named = {
            artifact.index
            for artifact in self.timeline.artifacts
            if artifact.log and (artifact.log.names or artifact.log.member_ids or artifact.log.versions)
        }
        return frozenset(recognised | named)

    @cached_property
    def peers_named(self) -> frozenset[str]:
        """Members other members speak of, by name where it is known, by id where not."""
        names = self.timeline.events.names
        known = {member.id: member.name for member in self.timeline.members if member.id}
        rows = self.rows(("peer-active", "peer-stream-established", "member-added", "vote-requested", "vote-received"))
        codes = [code for code in rows["peer"].unique().tolist() if code >= 0]
        return frozenset(known.get(names[code], names[code]) for code in codes)

    @cached_property
    def complete_logs(self) -> tuple[LogSpan, ...]:
        """Logs of etcd whose silence means something."""
        return tuple(span for span in self.timeline.logs if span.complete and span.artifact in self.etcd_logs)

    def log_spots(self, most: int = 2) -> tuple[Spot, ...]:
        """Citations that stand for 'this log was read': its first line."""
        return tuple((span.artifact, 1) for span in self.complete_logs[:most])

    # -- raft -----------------------------------------------------------------------------------------------

    @cached_property
    def planned(self) -> NDArray[np.float64]:
        """(n, 2) windows in which an operator moved the leader or stopped a member, seconds."""
        return planned_windows(self.timeline)

    def in_plan(self, rows: pd.DataFrame) -> NDArray[np.bool_]:
        """Which rows fall into a planned window (or, undated, below a planned action of the same file)."""
        return in_plan(self.timeline, rows, self.planned)

    @cached_property
    def starting(self) -> NDArray[np.float64]:
        """(n, 2) windows right after a member started, seconds."""
        return start_windows(self.timeline)

    @cached_property
    def down(self) -> NDArray[np.float64]:
        """(n, 2) windows in which some member was not running, padded, seconds."""
        return down_windows(self.timeline)

    @cached_property
    def changes(self) -> tuple[LeaderChange, ...]:
        """Elections, one per term, told apart from bootstrap and from planned moves."""
        return leader_changes(self.timeline, self.planned, self.starting)

    @cached_property
    def unplanned(self) -> tuple[LeaderChange, ...]:
        """Elections nobody asked for."""
        return tuple(change for change in self.changes if change.kind == "unplanned")

    # -- trouble --------------------------------------------------------------------------------------------

    def intervals(self, frame: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(starts, ends) in seconds of dated rows."""
        dated = frame[frame["timed"]]
        return dated["start_ns"].to_numpy() / SECOND, dated["ts_ns"].to_numpy() / SECOND

    @cached_property
    def stalls(self) -> pd.DataFrame:
        """Slow fdatasync records."""
        return self.rows(("slow-fdatasync",))

    @cached_property
    def trouble(self) -> Episodes:
        """Episodes of trouble across all members."""
        return self.trouble_of(None)

    def trouble_of(self, member: str | None) -> Episodes:
        """Episodes of trouble of one member (its own records and the elections), or of all."""
        rows = self.rows(TROUBLE_EVENTS)
        rows = rows[(rows["count"] > 0) & rows["timed"]]
        if member is not None:
            rows = rows[(rows["who"] == member) | (rows["who"] == "")]
        starts, ends = self.intervals(rows)
        moments = np.array([change.at_s for change in self.unplanned if change.at_s is not None])
        outside = ~self.inside(ends, self.planned)
        return self.merge(np.concatenate([starts[outside], moments]), np.concatenate([ends[outside], moments]))

    @staticmethod
    def merge(starts: NDArray[np.float64], ends: NDArray[np.float64], gap_s: float = EPISODE_GAP_S) -> Episodes:
        """Episodes of intervals by single linkage."""
        if len(starts) == 0:
            return Episodes(np.array([]), np.array([]))
        order = np.argsort(starts, kind="stable")
        merged = merge_intervals(starts[order], ends[order], gap_s)
        return Episodes(merged.starts, merged.ends)

    @staticmethod
    def inside(times: NDArray[np.float64], windows: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which times lie in any of the windows."""
        if len(windows) == 0 or len(times) == 0:
            return np.zeros(len(times), dtype=bool)
        # of the windows that began by then, does any last so long? A table of all pairs took 0.8 s on 10^6 rows
        windows = windows[np.argsort(windows[:, 0], kind="stable")]
        begun = np.searchsorted(windows[:, 0], times, side="right")
        latest = np.maximum.accumulate(windows[:, 1])
        return np.asarray((begun > 0) & (latest[begun - 1] >= times))

    @cached_property
    def span_s(self) -> tuple[float, float] | None:
        """First and last dated moment of the logs, seconds; None without dated logs."""
        spans = self.timeline.logs
        if not spans:
            return None
        return min(s.start_ns for s in spans) / SECOND, max(s.end_ns for s in spans) / SECOND

    # -- samples --------------------------------------------------------------------------------------------

    def series(self, metric: str, member: str | None = None, subject: str | None = None) -> list[Series]:
        """Timed or ordered series of a metric, one per (member, subject): the finest and surest capture."""
        best: dict[tuple[str | None, str], Series] = {}
        for candidate in self.timeline.series:
            if candidate.metric != metric or len(candidate.values) == 0:
                continue
            if member is not None and candidate.member not in (member, None):
                continue
            if subject is not None and candidate.subject != subject:
                continue
            key = (candidate.member, candidate.subject)
            if key not in best or self._surer(candidate, best[key]):
                best[key] = candidate
        return [best[key] for key in sorted(best, key=lambda k: (k[0] or "", k[1]))]

    def _surer(self, one: Series, other: Series) -> bool:
        def rank(series: Series) -> tuple[bool, bool, int]:
            assumed = self.timeline.artifacts[series.artifact].clock.assumed
            return series.timed, not assumed, len(series.values)

        return rank(one) > rank(other)

    def wal_series(self, metric: str) -> list[Series]:
        """Series of the devices that carry a WAL; of every written device where the bundle does not tell."""
        chosen = []
        for series in self.series(metric):
            member = self.timeline.member(series.member)
            device = member.wal_device if member else self._only_device
            if device is None or series.subject == device:
                chosen.append(series)
        return chosen

    @cached_property
    def _only_device(self) -> str | None:
        devices = {member.wal_device for member in self.timeline.members if member.wal_device}
        return devices.pop() if len(devices) == 1 else None

    def partner(self, series: Series, metric: str) -> Series | None:
        """Another metric of the same capture and device."""
        for other in self.timeline.series:
            if (other.metric, other.artifact, other.subject) == (metric, series.artifact, series.subject):
                return other
        return None

    def aligned(self, series: Series, metric: str) -> NDArray[np.float64] | None:
        """Values of another metric of the same device at this series' instants, NaN where it has none.

        Parsers leave out what is undefined (the mean wait of no writes), so lengths differ within one capture.
        """
        other = self.partner(series, metric)
        if other is None:
            return None
        if len(other.ts_ns) == len(series.ts_ns) and bool((other.ts_ns == series.ts_ns).all()):
            return other.values
        at = np.searchsorted(other.ts_ns, series.ts_ns)
        at = np.minimum(at, len(other.ts_ns) - 1)
        return np.where(other.ts_ns[at] == series.ts_ns, other.values[at], np.nan)

    # -- facts ----------------------------------------------------------------------------------------------

    def records(self, kind: type[T]) -> list[tuple[Artifact, T]]:
        """Typed facts of one kind with their artifact, in bundle order."""
        if kind not in self.facts:
            self.facts[kind] = [
                (artifact, record)
                for artifact in self.timeline.artifacts
                for record in artifact.records
                if isinstance(record, kind)
            ]
        return self.facts[kind]  # type: ignore[return-value]
