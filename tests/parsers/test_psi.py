import pytest

from analyzer.parsers.psi import Psi

from .feeding import one, values

ROWS = "some avg10=1.38 avg60=2.25 avg300=1.52 total=%d\nfull avg10=0.10 avg60=0.20 avg300=0.30 total=%d\n"


def test_series_by_difference_of_totals() -> None:
    text = "".join(
        f"2026-11-20T19:25:4{i}Z\n/proc/pressure/io:"
        + (ROWS % (1_000_000 + 250_000 * i, 5)).replace("\nfull", "\n/proc/pressure/io:full")
        for i in range(3)
    )
    parsed = one(text, Psi, lead=True)
    assert values(parsed, "psi_io_some_ratio") == pytest.approx([0.25, 0.25])
    assert (parsed.timed, parsed.naive_time) == (True, False)


def test_resource_named_above_the_rows() -> None:
    parsed = one(
        "==> /proc/pressure/memory <==\n" + ROWS % (7, 5) + "\n==> /proc/pressure/cpu <==\n" + ROWS % (9, 0),
        Psi,
    )
    assert set(parsed.facts["pressure"]) == {"memory", "cpu"}
    assert parsed.facts["pressure"]["memory"]["some"]["avg300_percent"] == 1.52
    assert parsed.problems == ()


def test_unnamed_resource_is_told() -> None:
    parsed = one(ROWS % (10_218_053, 5), Psi)
    assert parsed.facts["pressure"]["unnamed"]["some"]["total_s"] == pytest.approx(10.218053)
    assert "does not say which resource" in parsed.problems[0]
    assert parsed.series == ()
