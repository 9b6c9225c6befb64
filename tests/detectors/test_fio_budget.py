"""Time budget of published fio runs (L2): the figures are those of the articles' listings."""

from __future__ import annotations

import pytest

from analyzer.detectors.fio_budget import (
    FioRun,
    comparable,
    fio_budget,
    gained_from_provisioning,
)

#: "etcd performance testing guide" (NVMe disk, fio-3.28, 100 MiB in 2300-byte writes).
NVME = FioRun(
    iops=909, mean_latency_s=354.86e-6, mean_sync_s=740.77e-6, runtime_s=50.122, operations=45590,
    disk_reads=25460, disk_writes=92028, in_queue_s=54.818,
)  # fmt: skip
#: Rancher's "Performance and Optimization" (fio-3.15, the same job).
RANCHER = FioRun(
    iops=1196, mean_latency_s=9191.92e-9, mean_sync_s=822.36e-6, runtime_s=38.105, operations=45590,
    disk_reads=0, disk_writes=96829, in_queue_s=47.432,
)  # fmt: skip
#: "etcd: getting 30% more write/s": 22 MiB in 2300-byte writes; the latency lines are cut.
OPERATIONS = 22 * 1024**2 // 2300
GP2_900 = FioRun(
    iops=709, mean_sync_s=1422.54e-6, operations=OPERATIONS, disk_reads=0, disk_writes=21315,
    in_queue_s=13.865, declared_iops=900,
)  # fmt: skip
GP3_3000 = FioRun(
    iops=1105, mean_sync_s=700.24e-6, operations=OPERATIONS, disk_reads=5628, disk_writes=10328,
    in_queue_s=9.688, declared_iops=3000,
)  # fmt: skip
GP3_6000 = FioRun(iops=1129, mean_sync_s=611.54e-6, operations=OPERATIONS, declared_iops=6000)


@pytest.mark.parametrize(("run", "expected"), [(NVME, 0.996), (RANCHER, 0.995)])
def test_budget_of_the_published_runs(run: FioRun, expected: float) -> None:
    """L2: within 1 %."""
    found = fio_budget(run)
    assert found.budget == pytest.approx(expected, rel=0.01)
    assert found.verdict == "closed-loop"
    assert found.bound_per_s == pytest.approx(run.iops, rel=0.01)
    assert found.queue is not None
    assert 0.98 <= found.queue <= 1.25


@pytest.mark.parametrize(("run", "share"), [(GP2_900, 1.009), (GP3_3000, 0.774), (GP3_6000, 0.690)])
def test_sync_share_where_the_latency_is_cut(run: FioRun, share: float) -> None:
    """L2: a lower bound of the budget, never a full one."""
    found = fio_budget(run)
    assert found.sync_share == pytest.approx(share, rel=0.002)
    assert found.budget is None
    assert found.bound_per_s is None


def test_gp2_and_gp3_runs_are_not_comparable() -> None:
    """L2: 2.13 writes per fio write against 1.03, and reads on one side: two different workloads."""
    old, new = fio_budget(GP2_900), fio_budget(GP3_3000)
    assert old.writes_per_operation == pytest.approx(2.13, abs=0.01)
    assert old.device_writes_per_s == pytest.approx(1507, rel=0.01)
    assert new.writes_per_operation == pytest.approx(1.03, abs=0.01)
    assert new.device_reads_per_s == pytest.approx(620, rel=0.01)
    verdict = comparable(old, new)
    assert not verdict.comparable
    assert len(verdict.reasons) == 2
    assert not comparable(new, fio_budget(GP3_6000)).comparable
    assert comparable(fio_budget(NVME), fio_budget(NVME)).comparable


def test_gp3_run_is_latency_bound_and_more_iops_bought_nothing() -> None:
    """L2: one request in flight, far below the declared limit: never an IOPS cap."""
    assert fio_budget(GP3_3000).verdict == "latency-bound"
    assert gained_from_provisioning(GP3_3000, GP3_6000) is False
    assert gained_from_provisioning(GP2_900, GP3_3000) is True
    assert gained_from_provisioning(GP3_3000, GP3_3000) is None
    # The gp2 device wrote more than its declared 900 per second: a cap is not excluded there.
    assert fio_budget(GP2_900).verdict == "incomplete"


def test_other_verdicts() -> None:
    """Queueing, misread units, nothing to go by."""
    assert fio_budget(FioRun(909, 740.77e-6, 354.86e-6, 50.0, in_queue_s=90.0)).verdict == "queueing"
    assert fio_budget(FioRun(909, 740.77e-3, 354.86e-3)).verdict == "inconsistent"
    assert fio_budget(FioRun(909, 740.77e-3)).verdict == "inconsistent"
    assert fio_budget(FioRun(909)).verdict == "incomplete"
    assert fio_budget(FioRun(0.0, 0.0, float("nan"), 0.0)).verdict == "incomplete"
