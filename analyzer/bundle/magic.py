"""Content signatures: compression, archives, and binary formats a person must convert first."""

from __future__ import annotations

from typing import NamedTuple

HEAD = 4096
"""Bytes of a file that are looked at to tell its kind."""


class Foreign(NamedTuple):
    """A binary format that is recognised but not read."""

    name: str
    hint: str


COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}

_SYSSTAT = Foreign(
    "sysstat activity file (saDD)", "sadf -j {name} -- -d > sa.json   (on a host of the same sysstat version)"
)
_FOREIGN = (
    (b"LPKSHHRH", Foreign("systemd journal", "journalctl --file {name} -o short-iso-precise > journal.log")),
    (b"\x89PNG", Foreign("PNG image", "a screenshot cannot be read: paste the text, or collect the log file itself")),
    (b"\xff\xd8\xff", Foreign("JPEG image", "a screenshot cannot be read: paste the text, or collect the log file")),
    (b"GIF8", Foreign("GIF image", "a screenshot cannot be read: paste the text, or collect the log file itself")),
    (b"%PDF", Foreign("PDF document", "pdftotext -layout {name} report.txt")),
    (b"age-encryption.org/", Foreign("age-encrypted file", "age -d -i <key> {name} > bundle.tar")),
    (b"SQLite format 3", Foreign("SQLite database", "not etcd: kine or dqlite keep their data in SQL")),
    (b"\x7fELF", Foreign("program binary", "nothing to read in a program")),
    (b"7z\xbc\xaf", Foreign("7-Zip archive", "7z x {name} and pass the folder")),
    (b"\x96\xd5", _SYSSTAT),
    (b"\xd5\x96", _SYSSTAT),
)
_TEXT = bytes([8, 9, 10, 12, 13, 27, *range(32, 127), *range(128, 256)])
"""Bytes of text in any encoding, with what terminals leave: backspace, form feed, escape."""
_BOLT = b"\xed\xda\x0c\xed"
"""bbolt page magic, byte 16 of the file (bbolt db.go:26@v1.4.3, little endian)."""


def compression(head: bytes) -> str | None:
    """Name of the compression a stream begins with, or None."""
    for signature, name in COMPRESSED.items():
        if head.startswith(signature):
            return name
    return None


def archive(head: bytes) -> str | None:
    """``zip`` or ``tar`` when the stream begins as one, else None."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    return "tar" if head[257:262] == b"ustar" or _old_tar(head) else None


def _old_tar(head: bytes) -> bool:
    """A tar of before POSIX has no signature, only a header whose bytes add up to its checksum field."""
    header = head[:512]
    stated = header[148:156].strip(b" \0")
    if len(header) < 512 or not stated.isdigit() or b"8" in stated or b"9" in stated:
        return False
    return int(stated, 8) == sum(header) - sum(header[148:156]) + 8 * 32


def foreign(head: bytes) -> Foreign | None:
    """The unreadable binary format a file begins with, or None when it looks like text."""
    for signature, kind in _FOREIGN:
        if head.startswith(signature):
            return kind
    if head[16:20] == _BOLT:
        hint = "not read: it holds keys; use etcdutl snapshot status {name} instead"
        return Foreign("etcd database file (bbolt)", hint)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    if head.count(b"\0") > len(head) // 50 + 1 or len(head.translate(None, _TEXT)) > len(head) // 20 + 8:
        return Foreign("binary file", "not text: collect the text output of the tool that wrote it")
    return None
