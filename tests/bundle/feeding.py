"""Small bundles built in memory, and what a walk finds in them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from analyzer.bundle.inflate import StreamBroken
from analyzer.bundle.walk import Source, Stdin, Unreadable, walk

LOG = (
    b'{"level":"warn","ts":"2024-01-31T16:54:41.675Z","caller":"wal/wal.go:806","msg":"slow fdatasync","took":"1.3s"}\n'
)
PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def tar(members: Mapping[str, bytes], mode: str = "w", form: int = tarfile.PAX_FORMAT) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return held.getvalue()


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def found(*paths: Path | str, stdin: Stdin | None = None) -> tuple[dict[str, bytes], dict[str, str]]:
    """({label: content}, {label: reason}) of a walk; a file that breaks is in both."""
    content: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    for source in walk([str(path) for path in paths], stdin or Stdin()):
        if isinstance(source, Unreadable):
            assert source.reason and source.hint
            refused[source.path] = source.reason
            continue
        assert isinstance(source, Source) and source.path not in content
        content[source.path] = b""
        try:
            for chunk in source.chunks:
                content[source.path] += chunk
        except StreamBroken as error:
            refused[source.path] = str(error)
    return content, refused
