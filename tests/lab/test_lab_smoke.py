"""Live end-to-end checks: a real cluster, a real fault, and the verdict the analyzer must reach.

Needs Linux, Go (on the first run), strace and sysstat, but no root: members live in plain directories.
Run with ``pytest -m lab``.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import pytest

import analyzer
from tests.lab import fixture
from tests.lab.faults import delayed_fdatasync, freeze
from tests.lab.incident import Incident, Scenario, capture_incident, new_cluster

pytestmark = pytest.mark.lab

# Away from the scenarios' ports, so that a smoke test and a capture can run side by side.
PORT_OFFSET = 1000
TOOLS = ("strace", "iostat", "pidstat", "vmstat", "findmnt")


def _stay_healthy(incident: Incident) -> None:
    time.sleep(25)


def _stall_leader_disk(incident: Incident) -> None:
    time.sleep(8)
    victim = incident.cluster.leader()
    with incident.window("fdatasync delayed by 1.5 s", victim.name), delayed_fdatasync(victim, 1.5):
        time.sleep(15)
    time.sleep(7)


def _freeze_leader(incident: Incident) -> None:
    time.sleep(8)
    for seconds in (3.0, 4.0):
        victim = incident.cluster.leader()
        with incident.window("frozen (SIGSTOP)", victim.name):
            freeze(victim, seconds)
        time.sleep(8)


SMOKES = (
    Scenario(
        name="healthy",
        line="3.6",
        story="nothing is wrong",
        root_cause="healthy-no-problem",
        act=_stay_healthy,
    ),
    Scenario(
        name="slow-disk-leader",
        line="3.5",
        story="fdatasync of the leader returns late",
        root_cause="slow-disk-sustained",
        also_acceptable=("shared-network-storage",),
        act=_stall_leader_disk,
    ),
    Scenario(
        name="frozen-leader",
        line="3.6",
        story="the leader is stopped for seconds",
        root_cause="cpu-starvation",
        act=_freeze_leader,
    ),
)


@pytest.fixture(autouse=True)
def _needs_linux_and_tools() -> None:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if sys.platform != "linux" or missing:
        pytest.skip(f"the lab needs Linux and {', '.join(missing) or 'more'}")


@pytest.mark.parametrize("smoke", SMOKES, ids=lambda smoke: smoke.name)
def test_verdict_on_a_live_cluster(smoke: Scenario, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    cluster = new_cluster(smoke, tmp_path / "members", PORT_OFFSET, private_volumes=False)

    incident = capture_incident(smoke, cluster, bundle)

    assert incident.load.outcomes["ok"] > 100, incident.load.outcomes
    verdict = analyzer.diagnose([str(bundle)]).verdict
    acceptable = {smoke.root_cause, *smoke.also_acceptable}
    observed = fixture.observe(bundle)
    if smoke.root_cause == "healthy-no-problem":
        assert str(verdict.status) == "healthy", (verdict, observed)
    else:
        assert str(verdict.status) == "problem", (verdict, observed)
        assert str(verdict.cause) in acceptable, (verdict, observed)
