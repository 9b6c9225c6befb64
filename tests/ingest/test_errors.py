"""Nothing a user can pass ends in a traceback: a reason and a way on."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from analyzer.errors import UnusableInput
from analyzer.model.diagnosis import Diagnosis
from analyzer.model.ids import Status
from analyzer.pipeline import diagnose_paths, inspect_paths

LOG = '{"level":"warn","ts":"2024-01-31T16:54:%02d.675Z","msg":"slow fdatasync","took":"1.3s"}\n'
NGINX = '10.0.0.1 - - [31/Jan/2024:16:54:41 +0000] "GET / HTTP/1.1" 200 612 "-" "curl/8"\n'


def test_a_missing_path_is_refused() -> None:
    for run in (diagnose_paths, inspect_paths):
        with pytest.raises(UnusableInput, match="no such file"):
            run(["no/such/bundle"])


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.log", b"", "empty file"),
        ("blank.log", b"\n\n  \n", "known format"),
        ("nginx.log", NGINX.encode() * 20, "known format"),
        ("cri.log", ("2024-01-31T16:54:41.1Z stdout F " + NGINX).encode() * 20, "no line of it is etcd's"),
        ("journal.log", ("Jan 31 16:54:41 web nginx[1]: " + NGINX).encode() * 20, "no line of it is etcd's"),
        ("x.journal", b"LPKSHHRH" + bytes(300), "systemd journal"),
        ("shot.png", b"\x89PNG\r\n\x1a\n" + bytes(300), "PNG image"),
        ("db", bytes(16) + b"\xed\xda\x0c\xed" + bytes(5000), "bbolt"),
        ("sa20", b"\x96\xd5" + bytes(300), "saDD"),
        ("noise.bin", bytes(range(256)) * 40, "binary"),
        ("cut.gz", gzip.compress(LOG.encode() * 9)[:12], "ends early"),
        ("cut.tar.gz", gzip.compress(bytes(2000))[:9], "ends early"),
    ],
)
def test_what_cannot_be_used_says_why_and_what_to_do(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    views, refused = inspect_paths([str(tmp_path)])
    assert not views
    assert [(row.path, reason in row.reason) for row in refused] == [(name, True)], refused
    assert refused[0].hint
    diagnosis = diagnose(tmp_path)
    if diagnosis is not None:
        assert diagnosis.verdict.status in (Status.NOT_ETCD, Status.INSUFFICIENT)


def diagnose(path: Path) -> Diagnosis | None:
    try:
        return diagnose_paths([str(path)])
    except UnusableInput as error:
        assert str(error)
        return None


def test_binary_formats_come_with_their_convert_command(tmp_path: Path) -> None:
    (tmp_path / "system.journal").write_bytes(b"LPKSHHRH" + bytes(300))
    (tmp_path / "sa20").write_bytes(b"\x96\xd5" + bytes(300))
    _, refused = inspect_paths([str(tmp_path)])
    hints = {row.path: row.hint for row in refused}
    assert hints["system.journal"].startswith("journalctl --file system.journal")
    assert hints["sa20"].startswith("sadf -j sa20")


def test_an_empty_folder_is_no_crash(tmp_path: Path) -> None:
    assert inspect_paths([str(tmp_path)]) == ((), ())
    diagnosis = diagnose(tmp_path)
    assert diagnosis is None or diagnosis.verdict.status in (Status.NOT_ETCD, Status.INSUFFICIENT)


def test_a_broken_log_keeps_its_events_and_says_so(tmp_path: Path) -> None:
    import random

    lines = [LOG % (n % 60) + f"prose {random.Random(n).random()}\n" for n in range(300)]
    data = gzip.compress("".join(lines).encode())
    (tmp_path / "etcd-0.log.gz").write_bytes(data[: len(data) // 2])
    diagnosis = diagnose_paths([str(tmp_path)])
    assert diagnosis.verdict.impact.slow_fdatasync > 50
    assert any("ends early; what was read before is used" in caveat.text for caveat in diagnosis.caveats)
