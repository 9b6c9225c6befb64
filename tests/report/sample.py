"""Diagnoses the report tests render: the two-hour story, and the three verdicts that name no cause."""

from __future__ import annotations

import dataclasses

from analyzer.model.diagnosis import (
    Caveat,
    CoincidenceResult,
    Diagnosis,
    Impact,
    NextEvidence,
    NotAssessable,
    NotUnderstood,
    Periodicity,
    RuledOut,
    Verdict,
)
from analyzer.model.finding import Cite, Window
from analyzer.model.ids import (
    HEALTHY,
    CaptureId,
    CauseId,
    Confidence,
    Severity,
    Status,
)

from .sample_causes import MOVE_STEPS, NETWORK, PERIODIC, SUSTAINED
from .sample_coverage import ARTIFACTS, FINDINGS, MEMBERS, NEXT_EVIDENCE
from .sample_evidence import BURSTS, DISK, END, IOSTAT, IOSTAT_TEXT, PING, ROOT, SECOND, STALL, START
from .sample_incidents import incident, story


def two_hours() -> Diagnosis:
    """Prometheus compacting every two hours on the leader's disk."""
    return Diagnosis(
        verdict=Verdict(
            status=Status.PROBLEM,
            cause=PERIODIC.cause,
            confidence=Confidence.HIGH,
            summary=(
                "Prometheus' 2 h block writes saturate vdb, the disk under etcd-2's WAL; "
                "every odd UTC hour fdatasync stalls for up to 2.14 s and etcd-2 loses leadership."
            ),
            window=Window(BURSTS[0], BURSTS[-1] + 41 * SECOND),
            impact=Impact(12, 13, 63, 2.14025047, 104, 166, 2.91, 6, True),
            severity=Severity.CRITICAL,
        ),
        hypotheses=(PERIODIC, SUSTAINED, NETWORK),
        ruled_out=(
            RuledOut(
                CauseId("network-partition-or-loss"),
                "No peer went inactive; 0 of 3,600 pings were lost",
                (PING,),
            ),
            RuledOut(
                CauseId("db-space-exceeded"),
                "Database at 41 % of its 2 GiB quota, no alarm",
                (Cite(f"{ROOT}/status.json", 1, '{"dbSize":880803840}'),),
            ),
        ),
        not_supported=(CauseId("too-many-clients-or-watch-load"), CauseId("misconfiguration-timeouts")),
        not_assessable=(
            NotAssessable(CauseId("cpu-starvation"), "vmstat or pidstat that covers a burst"),
            NotAssessable(CauseId("memory-pressure-oom"), "dmesg or the kernel journal of etcd-2"),
        ),
        findings=FINDINGS,
        incidents=tuple(incident(number, burst) for number, burst in enumerate(BURSTS)),
        periodicity=(
            Periodicity(
                "slow-fdatasync on etcd-2",
                7200.0,
                "01:00 +- 1 min, odd UTC hours",
                13,
                13,
                63,
                63,
                1e-7,
                "prometheus-block-write",
                "claim",
                "Stalls on etcd-2 come every 2 h, within 1 min of the odd UTC hours, "
                "which is when Prometheus writes a block.",
                (STALL,),
            ),
        ),
        coincidences=(
            CoincidenceResult(
                "slow-fdatasync",
                "f_await",
                "vdb",
                "etcd-2",
                58,
                63,
                13,
                3.1,
                -0.4,
                1e-9,
                "fdatasync stalls of etcd-2 meet f_await spikes of vdb.",
                (STALL, DISK),
            ),
        ),
        checklist=MOVE_STEPS,
        next_evidence=NEXT_EVIDENCE,
        members=MEMBERS,
        artifacts=ARTIFACTS,
        not_understood=(NotUnderstood(f"{ROOT}/notes.docx", "a Word document", "export the text and add it as .txt"),),
        caveats=(
            Caveat(
                "naive-clock",
                "iostat of etcd-2 carries no zone; read as UTC (the stalls line up with it to 0.4 s)",
                (Cite(IOSTAT, 3, "03/10/2026 12:20:00 AM"),),
            ),
            Caveat(
                "sampled-log",
                "etcd drops repeated warnings beyond 100 in a second, so counts are lower bounds",
                (),
            ),
            Caveat(
                "since-boot",
                "The first iostat report is the average since boot and was left out",
                (Cite(IOSTAT, 7, IOSTAT_TEXT),),
            ),
        ),
        timeline=story(),
        rules_digest="3f9a1c0b77de",
        tool_version="0.1.0",
    )


def _without_cause(status: Status, confidence: Confidence, summary: str) -> Diagnosis:
    base = two_hours()
    verdict = Verdict(status, None, confidence, summary, None, Impact())
    return dataclasses.replace(
        base,
        verdict=verdict,
        hypotheses=(),
        incidents=(),
        periodicity=(),
        coincidences=(),
        checklist=(),
        timeline=(),
    )


def healthy() -> Diagnosis:
    """Nothing wrong: what was checked is the message."""
    base = _without_cause(
        Status.HEALTHY,
        Confidence.HIGH,
        "No sign of trouble in 25 h 45 min of three members' logs and etcd-2's disk: "
        "no stall, no election, fio p99 2.41 ms.",
    )
    return dataclasses.replace(
        base,
        verdict=dataclasses.replace(base.verdict, cause=HEALTHY, window=Window(START, END)),
        findings=tuple(finding for finding in FINDINGS if not finding.state.seen),
        next_evidence=(),
        caveats=(),
        not_understood=(),
    )


def insufficient() -> Diagnosis:
    """Two candidates that the evidence at hand cannot tell apart."""
    base = _without_cause(
        Status.INSUFFICIENT,
        Confidence.NONE,
        "etcd-2 lost leadership 12 times, but nothing in the bundle tells a slow disk from a starved CPU.",
    )
    open_disk = dataclasses.replace(SUSTAINED, probability=0.44, confidence=Confidence.NONE)
    starved = dataclasses.replace(
        NETWORK, cause=CauseId("cpu-starvation"), title="etcd does not get enough CPU time", probability=0.38
    )
    return dataclasses.replace(
        base, hypotheses=(open_disk, starved), next_evidence=NEXT_EVIDENCE, findings=FINDINGS[2:]
    )


def not_etcd() -> Diagnosis:
    """Logs of something else."""
    base = _without_cause(
        Status.NOT_ETCD,
        Confidence.NONE,
        "These are logs of microk8s with dqlite, not of etcd: nothing here can say how an etcd cluster is.",
    )
    return dataclasses.replace(
        base,
        ruled_out=(),
        not_supported=(),
        not_assessable=(),
        findings=(),
        next_evidence=(
            NextEvidence(
                CaptureId("etcd-logs"),
                "kubectl -n kube-system logs etcd-<node> --timestamps > etcd.log",
                "The log of each etcd member",
                (),
            ),
        ),
        members=(),
        artifacts=(),
        caveats=(),
        not_understood=(
            NotUnderstood("k8s-dqlite.log", "dqlite log, 10,233 lines", "dqlite replaces etcd in microk8s"),
        ),
    )


SAMPLES = {"two-hours": two_hours, "healthy": healthy, "insufficient": insufficient, "not-etcd": not_etcd}
