"""Taking evidence away never makes a wrong cause surer; repeating it makes nothing surer."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.model.diagnosis import Diagnosis
from tests.accuracy import parts
from tests.accuracy.own import diagnose_folder, scenarios

ORDER = ("none", "low", "medium", "high")
REDUCED = ("slow-disk-leader-3.5", "cpu-quota-3.6", "network-partition-3.5", "periodic-neighbour-3.5")
FAST_SOURCES = [
    source if source in ("disk captures", "metrics") else pytest.param(source, marks=pytest.mark.slow)
    for source in parts.SOURCES
]
REPEATED = {
    "slow-disk-3.4-capnslog": "etcd-1/etcd.log.gz",
    "frozen-leader-3.6": "etcd-2/etcd.log.gz",
    "network-partition-3.5": "etcd-0/etcd.log.gz",
}
UNTOUCHED = {
    "clock-skew-3.6": "etcd-0",
    "cpu-quota-3.6": "etcd-1",
    "expensive-ranges-3.5": "etcd-0",
    "large-values-3.6": "etcd-1",
    "mismatched-timeouts-3.5": "etcd-0",
}
"""Members whose own log shows little or nothing of the cluster's trouble."""
DOWN = {"killed-member-3.5": "etcd-0", "out-of-memory-3.6": "etcd-0"}
"""Members that died: without their log, only their peers' lost streams are left."""
TIMES = 10
TOLERANCE = 0.02


def _labels(diagnosis: Diagnosis) -> dict[str, int]:
    return {str(item.cause): ORDER.index(item.confidence.value) for item in diagnosis.hypotheses}


@pytest.mark.parametrize("source", FAST_SOURCES)
@pytest.mark.parametrize("name", REDUCED)
def test_without_a_source_no_wrong_cause_becomes_sure(name: str, source: str, tmp_path: Path) -> None:
    """ "Possibly" may appear where what spoke against it was taken away; "likely" may not."""
    whole = scenarios()[name]
    gone = parts.copy_without(whole.bundle, tmp_path / "bundle", parts.SOURCES[source])
    assert gone or source == "host captures", f"{name} has no {source}"
    before, after = _labels(whole.diagnosis), _labels(diagnose_folder(tmp_path / "bundle"))
    allowed = ORDER.index("low")
    surer = {
        cause: (ORDER[before.get(cause, 0)], ORDER[label])
        for cause, label in after.items()
        if cause not in whole.case.acceptable and label > max(before.get(cause, 0), allowed)
    }
    assert surer == {}, f"without {source}: {surer}"


@pytest.mark.slow
@pytest.mark.parametrize("source", parts.SOURCES)
@pytest.mark.parametrize("name", REDUCED)
def test_with_one_source_alone_nothing_harmful_is_said(name: str, source: str, tmp_path: Path) -> None:
    whole = scenarios()[name]
    parts.copy_without(whole.bundle, tmp_path / "bundle", lambda path: not parts.SOURCES[source](path))
    if not (tmp_path / "bundle").exists():
        pytest.skip(f"{name} has no {source}")
    labels = _labels(diagnose_folder(tmp_path / "bundle"))
    assert {cause for cause in whole.case.must_not if labels.get(cause, 0) > ORDER.index("low")} == set()


@pytest.mark.parametrize("name", UNTOUCHED)
def test_one_quiet_log_of_three_does_not_make_a_cluster_surely_healthy(name: str, tmp_path: Path) -> None:
    whole = scenarios()[name]
    keep = parts.SOURCES["logs"]
    out = tmp_path / "bundle"
    parts.copy_without(whole.bundle, out, lambda path: path.parts[0] != UNTOUCHED[name] or not keep(path))
    verdict = diagnose_folder(out).verdict
    assert (verdict.status.value, verdict.confidence.value) != ("healthy", "high"), verdict.summary


@pytest.mark.parametrize("name", DOWN)
def test_a_member_whose_log_is_missing_is_not_taken_for_running(name: str, tmp_path: Path) -> None:
    """Whether a lost peer was down cannot be told without its log: then the network is not surely to blame."""
    whole = scenarios()[name]
    log = Path(DOWN[name])
    out = tmp_path / "bundle"
    assert parts.copy_without(whole.bundle, out, lambda path: path.parts[0] == log.name and parts.SOURCES["logs"](path))
    labels = _labels(diagnose_folder(out))
    network = {cause: labels.get(cause, 0) for cause in ("network-partition-or-loss", "network-latency")}
    assert max(network.values()) <= ORDER.index("low"), network


@pytest.mark.parametrize("name", REPEATED)
def test_a_log_repeated_under_other_names_changes_no_probability(name: str, tmp_path: Path) -> None:
    whole = scenarios()[name]
    parts.repeat(whole.bundle, tmp_path / "bundle", Path(REPEATED[name]), TIMES)
    before = {str(item.cause): item.probability for item in whole.diagnosis.hypotheses}
    again = diagnose_folder(tmp_path / "bundle")
    after = {str(item.cause): item.probability for item in again.hypotheses}
    moved = {
        cause: (before.get(cause, 0.0), after.get(cause, 0.0))
        for cause in {*before, *after}
        if abs(before.get(cause, 0.0) - after.get(cause, 0.0)) > TOLERANCE
    }
    # A cause below the threshold of what is listed has no probability to compare: 0 stands for it.
    moved = {cause: pair for cause, pair in moved.items() if max(pair) > 0.08 + TOLERANCE}
    assert moved == {}
    assert again.verdict.impact.slow_fdatasync == whole.diagnosis.verdict.impact.slow_fdatasync
