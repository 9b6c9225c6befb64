"""Metric samples of one artifact, grouped into scrapes: by target, and by time where the file says it."""

from __future__ import annotations

import math
from functools import lru_cache

from analyzer.model.facts import Histogram, MetricScrape
from analyzer.parsers.histogram import HistogramParts

Labels = tuple[tuple[str, str], ...]

HISTOGRAMS = frozenset(
    {
        "etcd_disk_wal_fsync_duration_seconds",
        "etcd_disk_wal_write_duration_seconds",
        "etcd_disk_backend_commit_duration_seconds",
        "etcd_disk_backend_snapshot_duration_seconds",
        "etcd_disk_backend_defrag_duration_seconds",
        "etcd_network_peer_round_trip_time_seconds",
        "etcd_server_apply_duration_seconds",
        "etcd_snap_db_fsync_duration_seconds",
        "etcd_snap_fsync_duration_seconds",
        # In milliseconds, as the name says.
        "etcd_debugging_mvcc_db_compaction_total_duration_milliseconds",
        "etcd_debugging_mvcc_db_compaction_pause_duration_milliseconds",
    }
)
"""Histograms worth judging; the buckets of all others are counted and dropped."""

_KEPT = (
    *("etcd_", "process_", "os_fd_", "go_goroutines", "go_threads", "go_memstats_sys_bytes"),
    *("go_memstats_heap_inuse_bytes", "node_disk_", "node_pressure_", "node_cpu_seconds_total"),
    *("node_memory_MemTotal_bytes", "node_memory_MemAvailable_bytes", "node_load1", "node_vmstat_oom_kill"),
    *("node_time_seconds", "node_boot_time_seconds"),
)
# Of the API server, with a series per verb and resource: not etcd's own view.
_DROPPED = ("etcd_request", "etcd_bookmark", "etcd_lease_object")
TARGET_LABELS = frozenset({"instance", "pod", "node", "host", "hostname", "nodename", "member", "cluster", "namespace"})
"""Labels a Prometheus server adds to say which member a sample is of."""
_SUFFIXES = ("_bucket", "_sum", "_count")
_ENOUGH_TO_REPEAT = 3


class _Scrape:
    """Samples of one target at one time."""

    __slots__ = ("at_ns", "first_key", "histograms", "keys", "line", "scalars", "target")

    def __init__(self, target: Labels, at_ns: int | None, line: int) -> None:
        self.target = target
        self.at_ns = at_ns
        self.line = line
        self.first_key: tuple[str, Labels] | None = None
        self.keys = 0
        self.scalars: dict[tuple[str, Labels], tuple[float, int]] = {}
        self.histograms: dict[tuple[str, Labels], HistogramParts] = {}


class ScrapeStore:
    """Collects samples in file order and gives back one MetricScrape per target and time.

    Without time stamps a second scrape in the same file is told by the first series coming again.
    """

    def __init__(self) -> None:
        self._open: dict[tuple[Labels, int | None], _Scrape] = {}
        self._done: list[_Scrape] = []
        self.series: set[tuple[str, Labels]] = set()
        self.problems: list[str] = []

    def add(self, name: str, labels: Labels, value: float, line: int, at_ns: int | None) -> None:
        """Keep one sample, or only count it when it is not worth judging."""
        key = (name, labels)
        self.series.add(key)
        scrape = self._scrape(_target(labels), at_ns, line, key)
        base, kept = _role(name)
        if base is not None:
            _add_to_histogram(scrape, base, name, labels, value, line)
        elif kept and math.isfinite(value):
            scrape.scalars.setdefault(key, (value, line))

    def _scrape(self, target: Labels, at_ns: int | None, line: int, key: tuple[str, Labels]) -> _Scrape:
        place = (target, at_ns)
        scrape = self._open.get(place)
        again = scrape is not None and at_ns is None and scrape.first_key == key
        if scrape is not None and again and scrape.keys > _ENOUGH_TO_REPEAT:
            self._done.append(self._open.pop(place))
            scrape = None
        if scrape is None:
            scrape = self._open[place] = _Scrape(target, at_ns, line)
            scrape.first_key = key
        scrape.keys += 1
        return scrape

    def scrapes(self) -> tuple[MetricScrape, ...]:
        """The scrapes, by time and then in file order; those with nothing worth judging left out."""
        held = [*self._done, *self._open.values()]
        held.sort(key=lambda scrape: (scrape.at_ns is not None, scrape.at_ns or 0, scrape.line))
        built = [self._build(scrape) for scrape in held]
        return tuple(scrape for scrape in built if scrape.scalars or scrape.histograms)

    def _build(self, scrape: _Scrape) -> MetricScrape:
        histograms: list[Histogram] = []
        for parts in scrape.histograms.values():
            built, problem = parts.build()
            if problem and problem not in self.problems:
                self.problems.append(problem)
            if built is not None:
                histograms.append(built)
        scalars = tuple((name, labels, value, at) for (name, labels), (value, at) in scrape.scalars.items())
        starts = [value for name, _, value, _ in scalars if name == "process_start_time_seconds"]
        return MetricScrape(
            line=scrape.line,
            scalars=scalars,
            histograms=tuple(histograms),
            at_ns=scrape.at_ns,
            process_start_s=starts[0] if len(starts) == 1 else None,
        )


@lru_cache(maxsize=16384)
def _target(labels: Labels) -> Labels:
    return tuple(pair for pair in labels if pair[0] in TARGET_LABELS)


@lru_cache(maxsize=4096)
def _role(name: str) -> tuple[str | None, bool]:
    """(histogram the sample is a part of, whether it is a scalar worth keeping)."""
    base = next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name)
    if base in HISTOGRAMS and base != name:
        return base, False
    kept = name.startswith(_KEPT) and not name.startswith(_DROPPED) and not name.endswith("_bucket")
    return None, kept


def _add_to_histogram(scrape: _Scrape, base: str, name: str, labels: Labels, value: float, line: int) -> None:
    own = tuple(pair for pair in labels if pair[0] != "le")
    parts = scrape.histograms.get((base, own))
    if parts is None:
        parts = scrape.histograms[base, own] = HistogramParts(base, own)
    if not math.isfinite(value) or value < 0:
        return
    if name.endswith("_bucket"):
        edge = _edge(labels)
        if edge is not None:
            parts.buckets.setdefault(edge, (value, line))
            parts.line = parts.line or line
    elif name.endswith("_sum"):
        parts.sum = value if parts.sum is None else parts.sum
    else:
        parts.count = value if parts.count is None else parts.count


def _edge(labels: Labels) -> float | None:
    written = next((text for name, text in labels if name == "le"), None)
    try:
        edge = float(written) if written is not None else math.nan
    except ValueError:
        return None
    return None if math.isnan(edge) else edge
