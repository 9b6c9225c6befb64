"""Folders, files, pipes and standard input: everything is found, in a fixed order, or refused with a reason."""

from __future__ import annotations

import io
import os
import socket
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from analyzer.bundle.walk import Stdin, check
from analyzer.errors import UnusableInput

from .feeding import LOG, found


def test_a_folder_is_walked_in_a_fixed_order(tmp_path: Path) -> None:
    for name in ("b/2.log", "a/1.log", "c.log", "a/0.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    content, refused = found(tmp_path)
    assert list(content) == ["c.log", "a/0.log", "a/1.log", "b/2.log"]
    assert not refused


def test_one_file_is_labelled_by_its_name_and_several_arguments_by_theirs(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "etcd.log").write_bytes(LOG)
    assert list(found(tmp_path / "x" / "etcd.log")[0]) == ["etcd.log"]
    assert list(found(tmp_path / "x")[0]) == ["etcd.log"]
    assert list(found(tmp_path / "x", tmp_path / "x" / "etcd.log")[0]) == ["x/etcd.log", "etcd.log"]


def test_arguments_of_one_name_keep_labels_of_their_own(tmp_path: Path) -> None:
    for node in ("n1", "n2"):
        (tmp_path / node).mkdir()
        (tmp_path / node / "etcd.log").write_bytes(node.encode())
    content, _ = found(tmp_path / "n1" / "etcd.log", tmp_path / "n2" / "etcd.log")
    assert content == {"n1/etcd.log": b"n1", "n2/etcd.log": b"n2"}
    twice, _ = found(tmp_path / "n1" / "etcd.log", tmp_path / "n1" / "etcd.log")
    assert len(twice) == 2


def test_links_are_followed_inside_the_bundle_only(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    (bundle / "real.log").write_bytes(LOG)
    (bundle / "inside").symlink_to(bundle / "real.log")
    (bundle / "escape").symlink_to(outside / "secret")
    (bundle / "folder").symlink_to(outside)
    (bundle / "nowhere").symlink_to(tmp_path / "missing")
    (bundle / "circle").symlink_to(bundle / "circle")
    (bundle / "up").symlink_to(bundle)
    content, refused = found(bundle)
    assert content == {"real.log": LOG, "inside": LOG}
    assert "leaves the bundle" in refused["escape"] and "leaves the bundle" in refused["folder"]
    assert "to nothing" in refused["nowhere"] and "circle" in refused


def test_pipes_and_sockets_in_a_folder_do_not_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # socket paths are short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        content, refused = found(tmp_path)
    assert not content
    assert refused == {"pipe": "not a regular file", "socket": "not a regular file"}


def test_a_pipe_given_by_name_is_read_once_and_walked_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LOG,))
    writer.start()
    stdin = Stdin()
    first, second = found(pipe, stdin=stdin), found(pipe, stdin=stdin)
    writer.join(5)
    assert first == second == ({"pipe": LOG}, {})


def test_standard_input_is_spooled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LOG)))
    stdin = Stdin()
    assert found("-", stdin=stdin) == found("-", stdin=stdin) == ({"-": LOG}, {})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_and_folders_without_permission_are_rows(tmp_path: Path) -> None:
    (tmp_path / "shut.log").write_bytes(LOG)
    (tmp_path / "shut.log").chmod(0)
    (tmp_path / "folder").mkdir(mode=0)
    _, refused = found(tmp_path)
    (tmp_path / "folder").chmod(0o700)
    assert set(refused) == {"shut.log", "folder"}


def test_a_folder_that_cannot_be_listed_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    real = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("folder"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert found(tmp_path) == ({}, {"folder": "folder cannot be read: Permission denied"})


def test_a_failing_disk_keeps_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analyzer.bundle import source

    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            if not data:
                raise OSError(5, "Input/output error")
            return data

    chunks = source.read(Failing(LOG))
    assert next(chunks) == LOG
    with pytest.raises(source.StreamBroken, match="Input/output error"):
        next(chunks)


def test_empty_folder_and_empty_file(tmp_path: Path) -> None:
    assert found(tmp_path) == ({}, {})
    (tmp_path / "empty").touch()
    assert found(tmp_path) == ({"empty": b""}, {})


def test_hostile_file_names_become_printable_labels(tmp_path: Path) -> None:
    for name in (b"a\nb.log", b"\xff\xfe.log", b"\x1b[31mred", "‮gnp.log".encode()):
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as stream:  # noqa: PTH123
            stream.write(LOG)
    content, _ = found(tmp_path)
    assert len(content) == 4
    assert all(label.isprintable() and label.encode() for label in content)


def test_ten_thousand_tiny_files(tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"{number:05}").write_bytes(b"x")
    content, refused = found(tmp_path)
    assert len(content) == 10_000 and not refused


def test_more_files_than_the_budget_stop_the_walk_with_one_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from analyzer.bundle import walk as module
    from analyzer.bundle.source import Budget

    monkeypatch.setattr(module, "Budget", lambda: Budget(3))
    for number in range(9):
        (tmp_path / str(number)).write_bytes(b"x")
    content, refused = found(tmp_path)
    assert len(content) == 3 and len(refused) == 1


@pytest.mark.parametrize("path", ["", "no/such/file", "x" * 5000, "a\0b"])
def test_a_path_that_cannot_be_opened_is_refused_by_name(path: str) -> None:
    with pytest.raises(UnusableInput) as error:
        check(["/", path])
    assert path[:40] in str(error.value)


def test_no_path_at_all_is_refused() -> None:
    with pytest.raises(UnusableInput):
        check([])
