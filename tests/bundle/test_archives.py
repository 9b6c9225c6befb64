"""Archives in any nesting, whole, damaged and hostile."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from analyzer.bundle import archives, inflate
from analyzer.bundle.inflate import StreamBroken

from .feeding import LOG, PACKED, found, tar, zipped

MANY = LOG * 2000


def walked(tmp_path: Path, name: str, data: bytes) -> tuple[dict[str, bytes], dict[str, str]]:
    (tmp_path / name).write_bytes(data)
    return found(tmp_path / name)


@pytest.mark.parametrize("kind", PACKED)
def test_compressed_files_keep_their_own_label(tmp_path: Path, kind: str) -> None:
    assert walked(tmp_path, "etcd.log", PACKED[kind](MANY)) == ({"etcd.log": MANY}, {})


@pytest.mark.parametrize("kind", PACKED)
def test_compressed_members_one_after_another(tmp_path: Path, kind: str) -> None:
    assert walked(tmp_path, "x", PACKED[kind](LOG) + PACKED[kind](MANY) + b"\0" * 512) == ({"x": LOG + MANY}, {})


@pytest.mark.parametrize("kind", ["", *PACKED])
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_tar_in_any_form_and_compression(tmp_path: Path, kind: str, form: int) -> None:
    data = tar({"n1/etcd.log": MANY, "n1/" + "long" * 20 + "/x": LOG, "n1/empty": b""}, form=form)
    content, refused = walked(tmp_path, "b", PACKED[kind](data) if kind else data)
    assert content == {"b!/n1/etcd.log": MANY, "b!/n1/" + "long" * 20 + "/x": LOG, "b!/n1/empty": b""}
    assert not refused


def test_tar_of_before_posix_has_no_signature(tmp_path: Path) -> None:
    header = bytearray(512)
    header[:8] = b"etcd.log"
    mode, owner, group = b"0000644", b"0000000", b"0000000"
    header[100:136] = b"\0".join((mode, owner, group, b"%011o " % len(LOG)))
    header[136:148] = b"00000000000 "
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    data = bytes(header) + LOG.ljust(512, b"\0") + b"\0" * 1024
    assert walked(tmp_path, "old.tar", data) == ({"old.tar!/etcd.log": LOG}, {})


def test_nesting(tmp_path: Path) -> None:
    inner = gzip.compress(tar({"etcd.log.1": gzip.compress(LOG), "etcd.log": MANY}))
    data = zipped({"support/n1.tar.gz": inner, "support/readme": b"hello"})
    content, refused = walked(tmp_path, "support.zip", data)
    assert content == {
        "support.zip!/support/n1.tar.gz!/etcd.log.1": LOG,
        "support.zip!/support/n1.tar.gz!/etcd.log": MANY,
        "support.zip!/support/readme": b"hello",
    }
    assert not refused
    again = tar({"all.zip": data})
    content, refused = walked(tmp_path, "again.tar", again)
    assert len(content) == 3 and not refused, "a zip inside a tar is spooled"


def test_nesting_without_end_stops(tmp_path: Path) -> None:
    data = LOG
    for _ in range(12):
        data = gzip.compress(data)
    content, refused = walked(tmp_path, "deep.gz", data)
    assert not content and "nested deeper" in refused["deep.gz"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip_methods(tmp_path: Path, method: int) -> None:
    assert walked(tmp_path, "b.zip", zipped({"n1/etcd.log": MANY}, method)) == ({"b.zip!/n1/etcd.log": MANY}, {})


def test_hostile_member_names_and_kinds_write_nothing(tmp_path: Path) -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name in ("../../etc/passwd", "/etc/shadow", "./ok.log", "a/../../b\n\x1b[31m"):
            entry = tarfile.TarInfo(name)
            entry.size = len(LOG)
            archive.addfile(entry, io.BytesIO(LOG))
        for kind in (
            tarfile.SYMTYPE,
            tarfile.LNKTYPE,
            tarfile.CHRTYPE,
            tarfile.BLKTYPE,
            tarfile.FIFOTYPE,
            tarfile.DIRTYPE,
        ):
            entry = tarfile.TarInfo("special")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    inside = tmp_path / "inside"
    inside.mkdir()
    content, refused = walked(inside, "b.tar", held.getvalue())
    assert set(content) == {"b.tar!/../../etc/passwd", "b.tar!/etc/shadow", "b.tar!/ok.log", "b.tar!/a/../../b??[31m"}
    assert not refused
    assert {path.name for path in tmp_path.rglob("*")} == {"inside", "b.tar"}


def test_truncated_gzip_keeps_what_was_read_and_says_so(tmp_path: Path) -> None:
    text = b"".join(b"%06d %s" % (number, LOG) for number in range(400))
    data = gzip.compress(text)
    for cut in range(2, len(data) - 1, 7):
        content, refused = walked(tmp_path, "x.gz", data[:cut])
        kept = content.get("x.gz", b"")
        assert text.startswith(kept)
        assert "x.gz" in refused, cut
    assert len(kept) == len(text), "cut inside the trailer nothing is lost"


def test_gzip_with_a_flipped_byte_keeps_what_stands_before_it(tmp_path: Path) -> None:
    import random

    text = b"".join(b"%d %s" % (random.Random(n).getrandbits(200), LOG) for n in range(4000))
    data = bytearray(gzip.compress(text))
    data[len(data) // 2] ^= 0xFF
    content, refused = walked(tmp_path, "x.gz", bytes(data))
    assert "x.gz" in refused
    assert text.startswith(content["x.gz"][: len(text) // 3]) and len(content["x.gz"]) > len(text) // 3


@pytest.mark.parametrize("kind", PACKED)
def test_truncation_of_every_codec(tmp_path: Path, kind: str) -> None:
    data = PACKED[kind](MANY)
    for cut in (8, len(data) // 2, len(data) - 3):
        content, refused = walked(tmp_path, "x", data[:cut])
        assert MANY.startswith(content.get("x", b"")) and "x" in refused


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_truncated_tar_keeps_its_first_members(tmp_path: Path, pack: type[bytes]) -> None:
    members = {f"n{number}/etcd.log": b"%d" % number + MANY for number in range(4)}
    whole = pack(tar(members))
    for cut in range(3000, len(whole) - 12_000, max(len(whole) // 37, 1)):
        content, refused = walked(tmp_path, "b.tar", whole[:cut])
        assert refused, cut
        for label, data in content.items():
            assert members[label.partition("!/")[2]].startswith(data)


def test_a_damaged_zip_member_does_not_hide_the_others(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.log": MANY, "b.log": MANY, "c.log": LOG}))
    first = data.index(b"b.log") + 5 + 40
    data[first : first + 60] = b"\xff" * 60
    content, refused = walked(tmp_path, "b.zip", bytes(data))
    assert content["b.zip!/a.log"] == MANY and content["b.zip!/c.log"] == LOG
    assert "b.zip!/b.log" in refused
    header = data.index(b"PK\x03\x04", 10)
    data[header : header + 4] = b"\0\0\0\0"
    content, refused = walked(tmp_path, "b.zip", bytes(data))
    assert set(content) == {"b.zip!/a.log", "b.zip!/c.log"} and "b.zip!/b.log" in refused


def test_truncated_zip_and_no_zip_at_all(tmp_path: Path) -> None:
    data = zipped({"a.log": MANY})
    for cut in (4, 40, len(data) // 2, len(data) - 4):
        content, refused = walked(tmp_path, "b.zip", data[:cut])
        assert not content and "zip archive cannot be read" in refused["b.zip"]


def test_encrypted_zip_members_are_named(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.log": LOG, "b.log": LOG}))
    central = data.index(b"PK\x01\x02")
    data[central + 8 : central + 10] = struct.pack("<H", 1)
    content, refused = walked(tmp_path, "b.zip", bytes(data))
    assert set(content) == {"b.zip!/b.log"} and "encrypted" in refused["b.zip!/a.log"]


def test_bombs_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inflate, "RATIO_FROM", 1 << 20)
    bomb = b"a" * (4 << 20)
    for name, data in (("b.gz", gzip.compress(bomb)), ("b.zip", zipped({"b": bomb})), ("b.xz", PACKED["xz"](bomb))):
        content, refused = walked(tmp_path, name, data)
        assert any("stopped reading" in reason for reason in refused.values()), name
        assert sum(map(len, content.values())) < len(bomb)
    text = b"".join(b"%d %s" % (number, LOG) for number in range(30_000))
    assert walked(tmp_path, "log.gz", gzip.compress(text)) == ({"log.gz": text}, {}), "a repetitive log is no bomb"


def test_an_archive_of_archives_stops_at_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analyzer.bundle import walk as module
    from analyzer.bundle.source import Budget

    monkeypatch.setattr(module, "Budget", lambda: Budget(10))
    inner = zipped({str(number): b"x" for number in range(6)})
    content, refused = walked(tmp_path, "b.zip", zipped({f"{number}.zip": inner for number in range(6)}))
    assert len(content) == 10 and len(refused) == 1


def test_a_nested_zip_too_large_to_spool_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_SPOOL", 100)
    _, refused = walked(tmp_path, "b.tar", tar({"in.zip": zipped({"a": MANY}, zipfile.ZIP_STORED)}))
    assert "nested zip larger" in refused["b.tar!/in.zip"]


def test_office_documents_are_answered(tmp_path: Path) -> None:
    data = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"})
    assert walked(tmp_path, "ticket.docx", data) == ({}, {"ticket.docx": "office document"})


def test_zstd_without_its_extra_says_what_to_install(tmp_path: Path) -> None:
    pytest.importorskip("sys")
    try:
        import zstandard
    except ImportError:
        _, refused = walked(tmp_path, "x.zst", b"\x28\xb5\x2f\xfd" + b"\0" * 20)
        assert "etcd-doctor[zstd]" in refused["x.zst"]
    else:
        data = zstandard.ZstdCompressor().compress(MANY)
        assert walked(tmp_path, "x.zst", data) == ({"x.zst": MANY}, {})
        content, refused = walked(tmp_path, "x.zst", data[: len(data) // 2])
        assert "x.zst" in refused and MANY.startswith(content.get("x.zst", b""))


def test_the_stream_error_is_not_a_crash() -> None:
    with pytest.raises(StreamBroken):
        list(inflate.inflate("gzip", iter([b"\x1f\x8b\x08garbage that is no header at all"])))
