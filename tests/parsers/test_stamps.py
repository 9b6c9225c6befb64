from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.parsers.stamps import iso_date, read_date, read_stamp, resolve

SECOND = 1_000_000_000
AT = 1_795_201_159 * SECOND  # 2026-11-20T18:59:19Z


@pytest.mark.parametrize(
    ("text", "naive"),
    [
        ("2026-11-20T18:59:19Z", False),
        ("2026-11-20T19:59:19+0100", False),
        ("2026-11-20 13:29:19 -05:30", False),
        ("1795201159", False),
        ("1795201159000", False),
        ("Fri Nov 20 18:59:19 UTC 2026", False),
        ("11/20/26 18:59:19", True),
        ("20/11/2026 18:59:19", True),
        ("11/20/2026 06:59:19 PM", True),
        ("20.11.2026 18:59:19", True),
        ("20-11-26 18:59:19", True),
        ("2026/11/20 18:59:19", True),
        ("2026年11月20日 18时59分19秒", True),
        ("Fri Nov 20 18:59:19 2026", True),
        ("Fri 20 Nov 2026 06:59:19 PM CET", True),
    ],
)
def test_forms(text: str, naive: bool) -> None:
    resolved = resolve([read_stamp(text)])
    assert (resolved.times_ns, resolved.naive) == ((AT,), naive)


def test_fractions_are_kept() -> None:
    assert resolve([read_stamp("2026-11-20T18:59:19.617Z")]).times_ns == (AT + 617_000_000,)
    assert resolve([read_stamp("1795201159.25")]).times_ns == (AT + 250_000_000,)


@pytest.mark.parametrize(
    "text",
    ["", "hello", "12:53", "99/99/26 10:00:00", "2026-11-20", "25:00:00", "13:00:00 PM", "123456789012"],
)
def test_what_is_no_stamp(text: str) -> None:
    assert read_stamp(text) is None


def test_bare_dates() -> None:
    def iso(text: str) -> str | None:
        found = read_date(text)
        return iso_date(*found) if found else None

    assert iso("11/30/2021") == iso("30/11/21") == iso("30.11.2021") == iso("2021-11-30") == "2021-11-30"
    assert iso("06/01/20") == "2020-06-01"
    assert iso("31/31/20") is None
    assert iso("11/30/2021 x") is None


@given(st.text(max_size=40))
def test_any_text_never_raises(text: str) -> None:
    stamp = read_stamp(text)
    read_date(text)
    resolve([stamp, None, stamp], read_date("06/01/20"))
