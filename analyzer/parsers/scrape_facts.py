"""What scrapes say, as `inspect` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.model.facts import MetricScrape
from analyzer.parsers.histogram import histogram_facts
from analyzer.parsers.scrape_store import TARGET_LABELS, Labels

_SCALARS = {
    "db_total_size_bytes": ("etcd_mvcc_db_total_size_in_bytes", "etcd_debugging_mvcc_db_total_size_in_bytes"),
    "db_in_use_bytes": ("etcd_mvcc_db_total_size_in_use_in_bytes",),
    "quota_backend_bytes": ("etcd_server_quota_backend_bytes",),
    "has_leader": ("etcd_server_has_leader",),
    "is_leader": ("etcd_server_is_leader",),
    "leader_changes": ("etcd_server_leader_changes_seen_total",),
    "proposals_pending": ("etcd_server_proposals_pending",),
    "proposals_failed": ("etcd_server_proposals_failed_total",),
    "slow_apply": ("etcd_server_slow_apply_total",),
    "slow_read_indexes": ("etcd_server_slow_read_indexes_total",),
    "heartbeat_send_failures": ("etcd_server_heartbeat_send_failures_total",),
    "resident_memory_bytes": ("process_resident_memory_bytes",),
    "goroutines": ("go_goroutines",),
}
_HISTOGRAMS = {
    "etcd_disk_wal_fsync_duration_seconds": "wal_fsync",
    "etcd_disk_backend_commit_duration_seconds": "backend_commit",
}
_PEER_RTT = "etcd_network_peer_round_trip_time_seconds"


def scrape_facts(scrapes: Sequence[MetricScrape], series: int) -> dict[str, Any]:
    """Facts of the last scrape of each target (counters only grow, so the last one says most).

    One target: its facts at the top. Several (members pasted together): a list under ``targets``.
    """
    last: dict[Labels, MetricScrape] = {}
    for scrape in scrapes:
        last[target_of(scrape)] = scrape
    facts: dict[str, Any] = {"series": series, "scrapes": len(scrapes)}
    if len(last) == 1:
        facts.update(_one(next(iter(last.values()))))
    elif last:
        facts["targets"] = [{"labels": dict(target), **_one(scrape)} for target, scrape in last.items()]
    return facts


def target_of(scrape: MetricScrape) -> Labels:
    """The labels that name the member a scrape is of; empty for a plain scrape of /metrics."""
    held = [labels for _, labels, _, _ in scrape.scalars[:1]]
    held += [histogram.labels for histogram in scrape.histograms[:1]]
    labels = held[0] if held else ()
    return tuple(pair for pair in labels if pair[0] in TARGET_LABELS)


def _one(scrape: MetricScrape) -> dict[str, Any]:
    values: dict[str, float] = {}
    facts: dict[str, Any] = {}
    for name, labels, value, _ in scrape.scalars:
        values.setdefault(name, value)
        if name == "etcd_server_version":
            facts["version"] = dict(labels).get("server_version")
        elif name == "etcd_server_id":
            facts["server_id"] = dict(labels).get("server_id")
    for key, names in _SCALARS.items():
        found = next((values[name] for name in names if name in values), None)
        if found is not None:
            facts[key] = int(found) if found == int(found) else found
    if scrape.process_start_s is not None:
        facts["process_start_s"] = scrape.process_start_s
    for histogram in scrape.histograms:
        key = _HISTOGRAMS.get(histogram.name, "")
        if key:
            facts[key] = histogram_facts(histogram)
        elif histogram.name == _PEER_RTT:
            peer = dict(histogram.labels).get("To", "")
            facts.setdefault("peer_rtt", {})[peer] = histogram_facts(histogram)
    return facts
