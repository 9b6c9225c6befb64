"""Reading a block of zap lines at once gives exactly what reading its lines one by one gives."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.bundle.walk import Stdin
from analyzer.ingest.read import Evidence, read_bundle
from analyzer.model.events import COLUMNS
from analyzer.parsers.durations import seconds, seconds_column
from analyzer.parsers.etcd_log import shapes, stamps
from analyzer.parsers.etcd_log.shape_columns import text_shapes
from analyzer.parsers.etcd_log.zap_block import ZapBlocks
from analyzer.rulebook import load_rules
from benchmarks.generate_log import KINDS, Writer

RULES = load_rules(None)
OTHERS = (
    '{"level":"info","ts":"2026-01-01T00:00:03.5Z","caller":"etcdmain/etcd.go:116","msg":"starting an etcd server",'
    '"name":"m1","etcd-version":"3.5.21","heartbeat-interval":"100ms","election-timeout":"1s"}\n',
    '{"level":"warn","ts":"2026-01-01T00:00:04.5Z","msg":"prober found high clock drift",'
    '"remote-peer-id":"fd422379fda50e48","clock-drift":"3.2s","rtt":"1.1ms"}\n',
    '{"level":"warn","ts":"2026-01-01T00:00:04.6Z","msg":"alarm raised","from":"fd422379fda50e48","alarm":"NOSPACE"}\n',
    '{"level":"warn","ts":"2026-01-01T00:00:04.7Z","msg":"apply request took too long","took":"120ms",'
    '"request":"header:<ID:1 > authenticate:<name:\\"root\\" >","response":"size:20"}\n',
    '{"level":"INFO","ts":"2026-01-01T00:00:05Z","msg":"lost leader elections are not our business"}\n',
    '{"level":"warn","ts":1767225606.25,"msg":"slow fdatasync","took":1.25,"expected-duration":1}\n',
)
"""What the generator does not write: the member's settings, drift, alarms, password checks, other encoders."""


def log_lines(count: int, seed: int, weights: Sequence[float] | None = None) -> list[bytes]:
    writer = Writer(seed)
    lines = []
    for make in writer.draw.choices([kind.make for kind in KINDS], weights, k=count):
        writer.advance()
        lines.append(make(writer).encode())
    places = random.Random(seed)
    for text in OTHERS:
        lines.insert(places.randrange(len(lines) + 1), text.encode())
    return lines


def told(evidence: Evidence) -> tuple[list[tuple[Any, ...]], dict[str, Any]]:
    """Rows in line order with their names spelt out, and what is known of the file."""
    table = evidence.events
    frame = table.frame.sort_values("line", kind="stable")
    names = [*table.names, None]
    frame = frame.assign(kind=[table.kinds[kind] for kind in frame["kind"]])
    for column in ("member", "peer"):
        frame[column] = [names[number] for number in frame[column]]
    listed = frame[list(COLUMNS)].itertuples(index=False)
    rows = [tuple("nan" if value != value else value for value in row) for row in listed]
    (artifact,) = evidence.artifacts
    log = artifact.log
    known = {
        "lines": (artifact.lines, artifact.understood, artifact.rejected, artifact.not_relevant),
        "span": (artifact.first_ns, artifact.last_ns),
        "flags": sorted(map(repr, artifact.records)),
        "unreadable": artifact.unreadable,
    }
    if log is not None:
        known["log"] = (log.lines, log.levels, dict(log.seconds), log.member_ids, log.names, log.versions)
    return rows, known


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], int]:
    """Reads content both ways, compares, and returns how many blocks were taken whole."""

    def compare(content: bytes) -> int:
        path = tmp_path / "etcd.log"
        path.write_bytes(content)
        taken = 0
        decode = ZapBlocks.decode

        def counted(self: ZapBlocks, block: bytes) -> Any:
            nonlocal taken
            decoded = decode(self, block)
            taken += decoded is not None
            return decoded

        with monkeypatch.context() as patch:
            patch.setattr(ZapBlocks, "decode", counted)
            by_block = told(read_bundle([str(path)], RULES, Stdin()))
            patch.setattr(ZapBlocks, "decode", lambda self, block: None)
            by_line = told(read_bundle([str(path)], RULES, Stdin()))
        for one, other in zip(by_block[0], by_line[0], strict=False):
            assert one == other
        assert len(by_block[0]) == len(by_line[0])
        assert by_block[1] == by_line[1]
        return taken

    return compare


@pytest.mark.parametrize("weights", [None, [kind.noisy for kind in KINDS], [kind.quiet for kind in KINDS]])
def test_clean_logs(both: Callable[[bytes], int], weights: Sequence[float] | None) -> None:
    lines = log_lines(1500, 1, weights)
    assert both(b"".join(lines)) >= 1
    assert both(b"".join(lines).rstrip(b"\n")) >= 1
    assert both(b"".join(lines).replace(b"\n", b"\r\n")) >= 1


def again(stamp: Callable[[random.Random], str]) -> bytes:
    """A clean log with other time stamps."""
    places = random.Random(3)
    lines = []
    for line in log_lines(300, 2):
        record = json.loads(line)
        record["ts"] = stamp(places)
        lines.append(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return b"".join(lines)


@pytest.mark.parametrize(
    "layout",
    [
        "2026-01-01T10:00:{:02d}.123Z",
        "2026-01-01T10:00:{:02d}.123456Z",
        "2026-01-01T10:00:{:02d}.123456789Z",
        "2026-01-01T10:00:{:02d}Z",
        "2026-01-01T10:00:{:02d}.123+0800",
        "2026-01-01T10:00:{:02d}.5-03:30",
        "2026-01-01 10:00:{:02d}.5Z",
    ],
)
def test_time_stamps_of_every_encoder(both: Callable[[bytes], int], layout: str) -> None:
    assert both(again(lambda places: layout.format(places.randrange(60)))) == 1


def test_trimmed_fractions_and_midnight(both: Callable[[bytes], int]) -> None:
    def stamp(places: random.Random) -> str:
        fraction = f"{places.randrange(10**6):06d}".rstrip("0")
        return f"2026-02-{places.choice((27, 28))}T23:59:{places.randrange(60):02d}.{fraction or '0'}Z"

    assert both(again(stamp)) == 1


@pytest.mark.parametrize("stamp", ["2026-01-01T10:00:00.123", "2026-13-01T10:00:00Z", "0001-01-01T00:00:00Z", ""])
def test_stamps_a_block_refuses(both: Callable[[bytes], int], stamp: str) -> None:
    assert both(again(lambda places: stamp)) == 0


def test_epoch_numbers(both: Callable[[bytes], int]) -> None:
    lines = [
        b'{"level":"warn","ts":%s,"msg":"slow fdatasync","took":"1.2s"}\n' % number
        for number in (b"1767225600.25", b"1767225600", b"1767225600250", b"1.767225600e9")
    ]
    assert both(b"".join(lines)) == 1


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda line: line[: len(line) * 2 // 3] + b"\n",
    "cut short": lambda line: line[:9] + b"\n",
    "glued": lambda line: line[:-1] + line,
    "glued and blank": lambda line: line[:-1] + line + b"\n",
    "two lines of one": lambda line: line.replace(b',"ts"', b',\n"ts"', 1),
    "not UTF-8 in the request": lambda line: line.replace(b'"request":"', b'"request":"\xff\xfe'),
    "not UTF-8 in the message": lambda line: line.replace(b'"msg":"', b'"msg":"\xff'),
    "NUL run": lambda line: b"\0" * 64 + b"\n" + line,
    "NUL inside": lambda line: line[:40] + b"\0" + line[40:],
    "blank": lambda line: b"\n" + line,
    "prose": lambda line: b"and then it said:\n" + line,
    "indented": lambda line: b"  " + line,
    "trailing blanks": lambda line: line[:-1] + b"  \n",
    "carriage return": lambda line: line[:-1] + b"\r\n",
    "took is a number": lambda line: line.replace(b'"msg"', b'"took":0.25,"msg"'),
    "took is an object": lambda line: line[:-2] + b',"took":{"s":1}}\n',
    "took damaged": lambda line: line.replace(b'ms"', b'm\xffs"'),
    "took in minutes": lambda line: line[:-2] + b',"took":"1m2.5s"}\n',
    "duplicate key": lambda line: line[:-2] + b',"took":"1.5s","took":"2.5s"}\n',
    "level is a list": lambda line: line[:-2] + b',"level":["warn"]}\n',
    "level is unknown": lambda line: line.replace(b'"level":"', b'"level":"x'),
    "id is a number": lambda line: line[:-2] + b',"local-member-id":7,"error":[1],"remote-peer-id":{}}\n',
    "request is a number": lambda line: line[:-2] + b',"request":5,"response":null}\n',
    "huge number": lambda line: line[:-2] + b',"snapshot-index":1e999,"revision":' + b"9" * 400 + b"}\n",
    "unknown nested field": lambda line: line[:-2] + b',"new":{"a":[1,{"b":null}]}}\n',
    "lone surrogate": lambda line: line[:-2] + b',"new":"\\ud800"}\n',
    "deep": lambda line: line[:-2] + b',"new":' + b"[" * 3000 + b"]" * 3000 + b"}\n",
    "no message": lambda line: line.replace(b'"msg"', b'"message"'),
    "coloured": lambda line: b"\x1b[31m" + line[:-1] + b"\x1b[0m\n",
    "merged": lambda line: line.replace(b'"msg":"', b'"msg":"[merged 5 repeated lines in 1s] '),
    "docker line": lambda line: docker(line),
}


def docker(line: bytes) -> bytes:
    wrapped = {"log": line.decode(), "stream": "stderr", "time": "2026-01-01T00:00:00Z"}
    return json.dumps(wrapped).encode() + b"\n"


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_lines(both: Callable[[bytes], int], kind: str) -> None:
    lines = log_lines(200, 5)
    places = random.Random(kind)
    for _ in range(12):
        place = places.randrange(1, len(lines))
        lines[place] = DAMAGE[kind](lines[place])
    both(b"".join(lines))


def test_byte_order_mark(both: Callable[[bytes], int]) -> None:
    assert both(b"\xef\xbb\xbf" + b"".join(log_lines(200, 6))) == 1


def test_line_of_five_megabytes(both: Callable[[bytes], int]) -> None:
    lines = log_lines(50, 7)
    long = b'{"level":"warn","ts":"2026-01-01T00:00:05Z","msg":"apply request took too long","took":"150ms","request":"'
    lines.insert(20, long + b"x" * (5 << 20) + b'","response":"size:3"}\n')
    both(b"".join(lines))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_bytes_changed(both: Callable[[bytes], int], data: st.DataObject) -> None:
    content = bytearray(b"".join(log_lines(12, data.draw(st.integers(0, 20)))))
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    both(bytes(content))


ODD_DURATIONS = (
    *("", "s", "ms", ".5s", "5.s", "1e5ms", "1_0ms", "infms", "-5ms", "1m2s", "5", " 5s", "5s\n", "5µs"),
    *("1.2.3s", "5mss", "12sms", "٣s", "1h"),
)
DURATIONS = st.sampled_from(ODD_DURATIONS) | st.from_regex(r"[0-9.]{1,5}(ms|s|µs|m)", fullmatch=True) | st.floats()


@given(st.lists(DURATIONS))
def test_duration_columns(values: list[object]) -> None:
    np.testing.assert_array_equal(seconds_column(values), [seconds(value) for value in values])


STAMPS = st.from_regex(
    r"20[0-9]{2}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9]:[0-6][0-9](\.[0-9]{0,10})?(Z|[+-]0800|\+05:30)?x?",
    fullmatch=True,
)


@given(st.lists(STAMPS | st.just("2024-02-29T23:59:59.5Z"), min_size=1, max_size=4))
def test_stamp_columns(values: list[object]) -> None:
    each = [stamps.of_json(value) for value in values]
    column = stamps.of_json_column(values)
    if any(stamp is None or stamp.naive for stamp in each):
        assert column is None
    else:
        assert column is not None
        assert column.tolist() == [stamp.ns for stamp in each if stamp is not None]


PIECES = (
    *("size:", "value_size:", "max_size:", "range_response_count:", "response_count:"),
    *("12", "0", "9" * 17, " ", "é", "\n", "a"),
)


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), min_size=1))
def test_shape_columns(texts: list[str]) -> None:
    pairs = np.array([shapes.text_shape(text) for text in texts])
    np.testing.assert_array_equal(text_shapes(texts), pairs.T)
