"""Incidents and story lines: thirteen bursts, two hours apart."""

from __future__ import annotations

from analyzer.model.diagnosis import (
    ChainLink,
    Incident,
    TimelineEntry,
)
from analyzer.model.finding import Cite, Window

from .sample_evidence import BURSTS, IOSTAT, LOG, SECOND, STALL_TEXT


def incident(number: int, burst: int) -> Incident:
    line = 18233 + 5874 * number
    stall, heartbeat, change = Cite(LOG, line), Cite(LOG, line + 1), Cite(LOG, line + 18)
    return Incident(
        window=Window(burst, burst + 41 * SECOND + number % 4 * 3 * SECOND),
        members=("etcd-2", "etcd-0", "etcd-1"),
        chain=(
            ChainLink("disk", burst, burst + 40 * SECOND, "ok", (Cite(IOSTAT, 900 + number * 400),)),
            ChainLink("fsync", burst + 5 * SECOND, burst + 8 * SECOND, "ok", (stall,)),
            ChainLink(
                "heartbeat",
                burst + 8 * SECOND,
                burst + 9 * SECOND,
                "tie" if number % 3 == 1 else "ok",
                (heartbeat,),
            ),
            ChainLink("election", burst + 8 * SECOND, burst + 9 * SECOND, "ok", (change,)),
            ChainLink("client-error", None, None, "unobserved", ()),
        ),
        summary="vdb saturated, etcd-2 lost leadership",
    )


def story() -> tuple[TimelineEntry, ...]:
    """Per burst: five stalls, eight late heartbeats, an election, slow requests, one client error."""
    entries: list[TimelineEntry] = []
    for number, burst in enumerate(BURSTS):
        line = 18233 + 5874 * number
        plan = (
            ("slow-fdatasync", 3 if number == 12 else 4 + number % 3, "fdatasync took 1.31 s"),
            ("heartbeat-late", 8, "heartbeat to etcd-0 late by 1.93 s"),
            ("leader-changed", 0 if number == 4 else 1, "leader changed from etcd-2 to etcd-0 at term 3112"),
            ("apply-slow", 11 + number % 5, "apply took 2.91 s"),
            ("client-error", number % 2, "etcdserver: leader changed"),
        )
        for step, (kind, times, text) in enumerate(plan):
            for nth in range(times):
                where = Cite(LOG, line + step * 20 + nth, STALL_TEXT if kind == "slow-fdatasync" else "")
                entries.append(TimelineEntry(burst + (8 + step + nth) * SECOND, "etcd-2", kind, text, where))
    return tuple(sorted(entries, key=lambda entry: (entry.at_ns, entry.cite)))
