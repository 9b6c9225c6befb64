"""What a scenario's script works with: the running cluster, the capture, and a log of what was done when."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.lab import build, fixture
from tests.lab.capture import Capture, utc_iso
from tests.lab.cluster import Cluster
from tests.lab.load import Load
from tests.lab.tls import Certificates

SETTLE_S = 3.0


@dataclass(slots=True)
class Incident:
    """Handed to a scenario's ``act``; ``windows`` collects [what, start, end, member] as it was."""

    cluster: Cluster
    capture: Capture
    load: Load
    windows: list[list[str]] = field(default_factory=list)

    @contextmanager
    def window(self, what: str, member: str) -> Iterator[None]:
        """Note when the block began and ended; ``member`` is a name or "all"."""
        start = utc_iso()
        try:
            yield
        finally:
            self.windows.append([what, start, utc_iso(), member])


@dataclass(frozen=True, slots=True)
class Scenario:
    """One labelled fault: how the cluster is set up, what is done to it, and what the truth is."""

    name: str
    line: str
    story: str
    root_cause: str
    act: Callable[[Incident], None]
    also_acceptable: Sequence[str] = ()
    must_not_say: Sequence[str] = ()
    period_s: float | None = None
    flags: Sequence[str] = ()
    member_flags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    load: Mapping[str, float] = field(default_factory=dict)
    private_volumes: bool = True
    own_networks: bool = False
    clock_offsets_s: Mapping[str, int] = field(default_factory=dict)
    sysstat_dialect: str = "c"
    certificates: Callable[[Path], dict[str, Certificates]] | None = None


def capture_incident(scenario: Scenario, cluster: Cluster, bundle: Path) -> Incident:
    """Run a scenario on a not yet started cluster and leave its whole capture in ``bundle``."""
    shutil.rmtree(bundle, ignore_errors=True)
    with cluster:
        time.sleep(SETTLE_S)
        workload: dict[str, float] = dict(scenario.load)
        load = Load(
            cluster.members,
            workers=int(workload.get("workers", 6)),
            rate=workload.get("rate", 25.0),
            value_bytes=int(workload.get("value_bytes", 512)),
        )
        with Capture(cluster, bundle, scenario.sysstat_dialect) as capture, load:
            incident = Incident(cluster, capture, load)
            scenario.act(incident)
    return incident


def new_cluster(scenario: Scenario, root: Path, port_offset: int, private_volumes: bool) -> Cluster:
    """The scenario's cluster under ``root``, not started."""
    return Cluster(
        build.ensure(scenario.line),
        root,
        port_offset,
        scenario.flags,
        dict(scenario.member_flags),
        private_volumes,
        scenario.own_networks,
        scenario.clock_offsets_s,
        scenario.certificates(root / "pki") if scenario.certificates else {},
    )


def make_fixture(scenario: Scenario, root: Path, port_offset: int = 0) -> Path:
    """Run a scenario and write its fixture directory; returns it."""
    captured = root / "captured" / scenario.name
    cluster = new_cluster(scenario, root, port_offset, scenario.private_volumes)
    incident = capture_incident(scenario, cluster, captured)
    directory = fixture.FIXTURES / scenario.name
    left_out = fixture.trim(captured, directory / "bundle")
    fixture.write_scenario_toml(
        directory / "scenario.toml",
        scenario.name,
        scenario.story,
        _provenance(scenario, incident, left_out),
        _truth(scenario, incident),
        fixture.observe(captured),
    )
    return directory


def _provenance(scenario: Scenario, incident: Incident, left_out: Sequence[str]) -> dict[str, object]:
    outcomes = incident.load.outcomes
    failures = [f"{count} x {text}" for text, count in outcomes.most_common() if text != "ok"][:6]
    volumes = "one ext4 volume per member (file on tmpfs, two stacked loop devices)"
    return {
        "source": f"captured with `python -m tests.lab run {scenario.name}` on Linux; nothing is made up",
        "etcd": build.RECIPES[scenario.line].version,
        "sysstat": _first_line("iostat", "-V"),
        "fio": _first_line("fio", "--version"),
        "strace": _first_line("strace", "--version"),
        "set_up": "three members on one machine with 2 CPUs; "
        + (volumes if scenario.private_volumes else "plain directories on the root file system")
        + ("; one network namespace per member on a bridge" if scenario.own_networks else "")
        + ("; time.Now of a member patched at build time" if scenario.clock_offsets_s else ""),
        "left_out": list(left_out),
        "client_requests_ok": outcomes["ok"],
        "client_errors": failures,
    }


def _truth(scenario: Scenario, incident: Incident) -> dict[str, object]:
    truth: dict[str, object] = {
        "root_cause": scenario.root_cause,
        "also_acceptable": list(scenario.also_acceptable),
        "must_not_say": list(scenario.must_not_say),
    }
    if scenario.period_s is not None:
        truth["period_s"] = scenario.period_s
    truth["windows"] = sorted(incident.windows, key=lambda window: window[1])
    return truth


def _first_line(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).splitlines()[0]
