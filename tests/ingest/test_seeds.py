"""Published troubleshooting write-ups: every fio run and log line is read, the prose is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analyzer.model.diagnosis import ArtifactView
from analyzer.pipeline import inspect_paths

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"


def seed(number: str) -> tuple[ArtifactView | None, Any]:
    found = sorted(SEEDS.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the write-ups are not beside the repository")
    views, refused = inspect_paths([str(found[0])])
    return (views[0] if views else None), refused


@pytest.mark.parametrize(
    ("number", "p99_ms"), [("000", [2.671, 1.45, 0.963, 2.376]), ("001", [1.205]), ("004", [2.245])]
)
def test_every_fio_run(number: str, p99_ms: list[float]) -> None:
    view, _ = seed(number)
    assert view is not None
    assert [job["p99_fdatasync_ms"] for job in view.facts["jobs"]] == pytest.approx(p99_ms)
    assert "events" not in view.facts, "a log line quoted inside a sentence is no log line"
    assert view.lines == view.understood + view.rejected + view.not_relevant


def test_the_tail_of_the_second_is_read() -> None:
    view, _ = seed("001")
    assert view is not None and view.facts["jobs"][0]["p999_fdatasync_ms"] == pytest.approx(71.828)


def test_a_text_without_evidence_gives_none() -> None:
    view, refused = seed("002")
    assert view is None and refused[0].reason and refused[0].hint


def test_every_log_line_of_the_election_story() -> None:
    from analyzer.pipeline import diagnose_paths

    view, _ = seed("003")
    assert view is not None and view.format == "etcd-log"
    assert view.facts["events"] == {
        "slow-fdatasync": {"count": 1, "max_took_s": 2.14025047},
        "leader-changed": {"count": 1, "max_took_s": None},
        "readindex-slow": {"count": 1, "max_took_s": None},
        "leader-changed-error": {"count": 1, "max_took_s": None},
        "context-deadline": {"count": 1, "max_took_s": None},
    }
    assert view.understood == 5 and view.rejected == 0
    diagnosis = diagnose_paths([str(next(SEEDS.glob("003_*.txt")))])
    assert [m.name for m in diagnosis.members] == ["member 255a2e4092d561fb"], "no ticket's name, but who speaks in it"
