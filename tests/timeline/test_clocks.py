# ruff: noqa: E501 - log lines stand as they are written
"""Zones and years: every rule, in order, and every assumption told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from analyzer.errors import UsageError
from analyzer.timeline import Overrides, assemble
from analyzer.timeline.clocks import zone_of
from analyzer.timeline.years import years_of

from ..parsers.etcd_log.feeding import events, read, settled

SYNC = "wal: sync duration of 1.33s, expected less than 1s"


def ns(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1e6) * 1000


def times(timeline: Any) -> list[int | None]:
    return [event.ts_ns for event in events(timeline)]


def one(text: str, **overrides: Any) -> tuple[int | None, Any, list[str]]:
    """(time of the only event, clock of its file, caveat codes)."""
    timeline = settled({"etcd.log": text}, Overrides(**overrides))
    (at,) = times(timeline)
    return at, timeline.artifacts[0].clock, [caveat.code for caveat in timeline.caveats]


def test_explicit_offsets_need_nothing() -> None:
    at, clock, codes = one(
        '{"level":"warn","ts":"2024-01-31T16:54:41.675186+0800","msg":"slow fdatasync","took":"7.45s"}'
    )
    assert at == ns("2024-01-31T08:54:41.675186+00:00")
    assert clock.zone == "UTC" and not clock.assumed and codes == []


@pytest.mark.parametrize(
    ("outer", "zone"),
    [
        ("2020-10-20T12:15:22.088482999Z", "UTC"),
        ("2020-10-20T04:15:22.188482999Z", "+08:00"),
        ("2020-10-20T12:15:23.088482999+08:00", "+08:00"),
        ("2020-10-20T06:45:20.1Z", "+05:30"),
        ("2020-10-20T16:15:22.1Z", "-04:00"),
    ],
)
def test_a_wrapper_that_knows_utc_tells_the_zone_of_naive_stamps(outer: str, zone: str) -> None:
    at, clock, codes = one(f"{outer} stderr F 2020-10-20 12:15:22.088482 W | {SYNC}")
    assert clock.zone == zone and "around it" in clock.source and not clock.assumed and codes == []
    assert at is not None and abs(at - ns(outer.replace("Z", "+00:00"))) < 3e9


def test_json_records_tell_the_zone_and_year_of_the_syslog_stamps_around_them() -> None:
    record = '{"level":"info","ts":"2024-02-29T16:54:41.675Z","msg":"hello"}'
    text = f"Mar  1 00:54:41 n1 k3s[9]: {record}\nMar  1 00:55:01 n1 k3s[9]: sync duration of 1.33s, expected less than 1s\n"
    at, clock, codes = one(text)
    assert at == ns("2024-02-29T16:55:01+00:00")
    assert clock.zone == "+08:00" and "zone-assumed" not in codes


def test_the_zone_of_json_records_is_the_zone_of_capnslog_lines_of_one_process() -> None:
    """etcd 3.4 writes both into one file, in the same local time."""
    record = '{"level":"info","ts":"2020-10-20T12:15:20.675+0800","msg":"hello"}'
    at, clock, codes = one(f"{record}\n2020-10-20 12:15:22.088482 W | {SYNC}\n{record}\n")
    assert at == ns("2020-10-20T04:15:22.088482+00:00")
    assert clock.zone == "+08:00" and codes == []


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        ("Europe/Paris", "2020-10-20T10:15:22+00:00"),
        ("+08:00", "2020-10-20T04:15:22+00:00"),
        ("+0530", "2020-10-20T06:45:22+00:00"),
        ("-04", "2020-10-20T16:15:22+00:00"),
        ("UTC", "2020-10-20T12:15:22+00:00"),
    ],
)
@pytest.mark.parametrize("key", ["etcd.log", "*.log"])
def test_the_user_says_the_zone(zone: str, at: str, key: str) -> None:
    found, clock, codes = one(f"2020-10-20 12:15:22.000000 W | {SYNC}", tz={key: zone})
    assert found == ns(at) and clock.source == "--tz" and codes == []


@pytest.mark.parametrize("zone", ["Europe/Pariss", "+25:00", "8", "", "../../etc/passwd", "America", "+8:0:0", "١٢"])
def test_no_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(UsageError):
        zone_of(zone)


def test_a_zone_for_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"other\.log"):
        settled({"etcd.log": "x"}, Overrides(tz={"other.log": "UTC"}))


def test_utc_is_assumed_last_and_told() -> None:
    at, clock, codes = one(f"2020-10-20 12:15:22.088482 W | {SYNC}")
    assert at == ns("2020-10-20T12:15:22.088482+00:00") and clock.assumed and codes == ["zone-assumed"]


def test_the_year_comes_from_dated_neighbours_then_from_the_bundle_then_from_the_user() -> None:
    line = "Oct 20 10:58:29 n1 etcd[9]: sync duration of 1.03s, expected less than 1s\n"
    own = settled({"etcd.log": f'{{"level":"info","ts":"2021-11-02T00:00:00Z","msg":"x"}}\n{line}'})
    assert times(own) == [ns("2021-10-20T10:58:29+00:00")]
    other = settled({"a.log": line, "b.log": '{"level":"info","ts":"2019-01-02T00:00:00Z","msg":"x"}'})
    assert times(other) == [ns("2018-10-20T10:58:29+00:00")]
    stated = settled({"a.log": line}, Overrides(year=2017))
    assert times(stated) == [ns("2017-10-20T10:58:29+00:00")]
    assert any("2017 taken from --year" in caveat.text for caveat in stated.caveats)


def test_the_modification_time_is_the_last_resort_for_the_year() -> None:
    evidence = read({"a.log": "Dec 30 10:58:29 n1 etcd[9]: sync duration of 1.03s, expected less than 1s"})
    evidence.mtimes[0] = ns("2023-01-04T00:00:00+00:00")
    timeline = assemble(evidence, Overrides())
    assert times(timeline) == [ns("2022-12-30T10:58:29+00:00")]


@pytest.mark.parametrize("backwards", [False, True])
def test_december_before_january(backwards: bool) -> None:
    stamps = ["Dec 30 23:00:00", "Dec 31 23:59:59", "Jan  1 00:00:05", "Jan  2 12:00:00"]
    lines = [f"{stamp} n1 etcd[9]: sync duration of 1.03s, expected less than 1s" for stamp in stamps]
    timeline = settled({"etcd.log": "\n".join(reversed(lines) if backwards else lines)}, Overrides(year=2024))
    wanted = ["2023-12-30T23:00:00", "2023-12-31T23:59:59", "2024-01-01T00:00:05", "2024-01-02T12:00:00"]
    assert times(timeline) == [ns(f"{at}+00:00") for at in wanted]
    artifact, span = timeline.artifacts[0], timeline.logs[0]
    assert (artifact.first_ns, artifact.last_ns) == (ns(f"{wanted[0]}+00:00"), ns(f"{wanted[-1]}+00:00"))
    assert (span.start_ns, span.end_ns) == (ns(f"{wanted[0]}+00:00"), ns(f"{wanted[-1]}+00:00") + 10**9)


def test_a_leap_day_moves_no_other_day() -> None:
    days = ["Feb 27", "Feb 28", "Mar  1", "Mar  2"]
    lines = [f"{day} 12:00:00 n1 etcd[9]: sync duration of 1.03s, expected less than 1s" for day in days]
    for year in (2023, 2024):
        found = times(settled({"etcd.log": "\n".join(lines)}, Overrides(year=year)))
        wanted = [datetime(year, *day, 12, tzinfo=UTC) for day in ((2, 27), (2, 28), (3, 1), (3, 2))]  # type: ignore[arg-type]
        assert found == [int(at.timestamp()) * 10**9 for at in wanted]


def test_years_of_random_logs() -> None:
    """Any log shorter than half a year keeps its order and its distances."""
    start = datetime(2019, 1, 1, tzinfo=UTC)
    for offset in range(0, 1400, 13):
        moments = [start + timedelta(days=offset + 2.7 * step) for step in range(30)]
        yearless = [int(at.replace(year=1972).timestamp()) for at in moments]
        anchor = int(moments[-1].timestamp())
        for order in (yearless, yearless[::-1]):
            import numpy as np

            moved = years_of(order, anchor, fixed=False).move(np.array(yearless, dtype=np.int64) * 10**9)
            assert [at.timestamp() for at in moments] == (moved // 10**9).tolist(), offset
