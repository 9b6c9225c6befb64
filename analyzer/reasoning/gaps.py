"""What is not in the bundle, and which capture would settle the question at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.model.diagnosis import NextEvidence
from analyzer.model.facts import EndpointStatus, FioRun, Flag, MetricScrape, Mount
from analyzer.model.ids import CaptureId, CauseId
from analyzer.reasoning.case import Case
from analyzer.reasoning.judge import Judged
from analyzer.reasoning.patterns import best_period
from analyzer.reasoning.rank import Ranked, cause_id
from analyzer.rulebook import RuleBook

LONG_LOG_S = 10 * 3600.0
"""Five cycles of two hours: below it a two-hourly pattern can only be suspected."""
MAX_CAPTURES = 4


def collected(case: Case) -> set[str]:
    """Kinds of evidence the bundle holds, in the words of rules/captures ``gives``."""
    found = set()
    members = {span.member for span in case.timeline.logs if span.member}
    known = [member for member in case.timeline.members if member.id]
    if len(members) >= max(3, len(known)):
        found.add("log-all-members")
    span, best = case.span_s, best_period(case)
    suspected = best is not None and best.result.claim == "suspected"
    if span is not None and (not suspected or span[1] - span[0] >= LONG_LOG_S):
        found.add("log-long")  # a longer log is only missed where a period is in question
    if any(s.timed for s in case.series("write_time_ratio")):
        found.add("disk")
    checks: tuple[tuple[str, bool], ...] = (
        ("wal-metrics", len(case.records(MetricScrape)) >= 2),
        ("network", _has_metric(case, "etcd_network_peer_round_trip_time_seconds")),
        ("fio", any(run.gradeable for _, run in case.records(FioRun))),
        ("etcdctl", bool(case.records(EndpointStatus))),
        (
            "host-cpu",
            bool(case.series("cpu_throttled_ratio") or case.series("proc_wait_ratio") or case.series("run_queue")),
        ),
        ("host-memory", bool(case.series("mem_free_bytes"))),
        ("process-io", bool(case.series("proc_write_bytes_s"))),
        ("device-map", bool(case.records(Mount)) or any(m.wal_device for m in case.timeline.members)),
        ("config", bool(case.records(Flag))),
    )
    found.update(name for name, there in checks if there)
    return found


def _has_metric(case: Case, name: str) -> bool:
    return any(h.name == name for _, scrape in case.records(MetricScrape) for h in scrape.histograms)


def next_evidence(
    case: Case, ranked: Sequence[Ranked], judged: Mapping[str, Judged], rules: RuleBook
) -> tuple[NextEvidence, ...]:
    """The captures that would tell the leading causes apart, cheapest and most telling first.

    Each missing symptom a leading cause has a strong opinion on votes for the capture that provides it; a longer log
    comes first when a period is suspected but too few cycles were seen.
    """
    have = collected(case)
    leaders = [item for item in ranked[:3] if item.probability >= 0.05] or list(ranked[:2])
    votes: dict[str, float] = {}
    separates: dict[str, list[CauseId]] = {}
    best = best_period(case)
    if best is not None and best.result.claim == "suspected":
        votes["disk-series-24h"] = votes["logs-all-members"] = 5.0
    for order, item in enumerate(leaders):
        for place, capture in enumerate(item.cause.captures):
            votes[capture] = votes.get(capture, 0.0) + item.probability / (1.0 + place) / (1.0 + order)
            separates.setdefault(capture, []).append(cause_id(item))
    for name, entry in judged.items():
        if entry.observed is None and entry.rule.capture:
            weight = sum(i.probability for i in leaders for c in i.cause.clue if c.symptom == name)
            votes[entry.rule.capture] = votes.get(entry.rule.capture, 0.0) + 0.5 * weight
    found = []
    for name in sorted(votes, key=lambda key: (-votes[key], key)):
        rule = rules.captures.get(name)
        if rule is None or all(kind in have for kind in rule.gives):
            continue
        apart = tuple(dict.fromkeys(separates.get(name, [cause_id(item) for item in leaders[:2]])))
        found.append(NextEvidence(CaptureId(name), rule.command.strip(), rule.why, apart))
    return tuple(found[:MAX_CAPTURES])
