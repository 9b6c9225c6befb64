"""Files as Windows, old Macs and terminals write them."""

from __future__ import annotations

import codecs

import pytest

from ..parsers.etcd_log.feeding import scan

LOG = "".join(
    f'{{"level":"warn","ts":"2024-01-31T16:54:{second:02}.675Z","msg":"slow fdatasync","took":"1.3s"}}\n'
    for second in range(5)
)


@pytest.mark.parametrize(
    "data",
    [
        LOG.encode(),
        codecs.BOM_UTF8 + LOG.encode(),
        codecs.BOM_UTF16_LE + LOG.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + LOG.encode("utf-16-be"),
        codecs.BOM_UTF16_LE + LOG.replace("\n", "\r\n").encode("utf-16-le"),
        LOG.replace("\n", "\r\n").encode(),
        LOG.replace("\n", "\r").encode(),
        LOG.rstrip("\n").encode(),
        LOG.replace("slow", "\x1b[31mslow\x1b[0m").encode(),
    ],
    ids=["utf-8", "bom", "utf-16-le", "utf-16-be", "utf-16-crlf", "crlf", "cr", "no-newline", "ansi"],
)
def test_encodings_and_line_ends(data: bytes) -> None:
    found, artifact = scan(data)
    assert [(e.kind, e.line) for e in found] == [("slow-fdatasync", number) for number in range(1, 6)]
    assert artifact.lines == artifact.understood == 5


def test_damaged_bytes_cost_their_line_at_most() -> None:
    damaged = LOG.encode().replace(b"16:54:02", b"16:54\xff\xfe:02")
    found, artifact = scan(damaged)
    assert {e.line for e in found} >= {1, 2, 4, 5} and artifact.lines == 5
    assert sum(e.ts_ns is not None for e in found) >= 4


def test_a_line_without_end_is_bounded() -> None:
    found, artifact = scan(b"x" * (3 << 20) + b"\n" + LOG.encode())
    assert len(found) == 5 and artifact.lines == 6
