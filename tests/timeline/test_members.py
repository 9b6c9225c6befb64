# ruff: noqa: E501 - log lines stand as they are written
"""Whose file is it: content, prefixes, paths; and whose line in a merged log."""

from __future__ import annotations

from typing import Any

import pytest

from analyzer.timeline import Overrides
from analyzer.timeline.members import path_name

from ..parsers.etcd_log.feeding import settled

A, B = "8e9e05c52164694d", "255a2e4092d561fb"


def zap(second: int, message: str, **fields: Any) -> str:
    import json

    return json.dumps({"level": "warn", "ts": f"2024-01-31T16:54:{second:02}.675Z", "msg": message, **fields})


def slow(second: int, local: str | None = None) -> str:
    return zap(second, "slow fdatasync", took="1.3s", **({"local-member-id": local} if local else {}))


def start(name: str, local: str) -> str:
    fields = {"name": name, "local-member-id": local, "heartbeat-interval": "100ms"}
    return zap(1, "starting an etcd server", **fields)


def owners(files: dict[str, str | bytes], **overrides: Any) -> dict[str, str | None]:
    return {a.path: a.member for a in settled(files, Overrides(**overrides)).artifacts}


def who(files: dict[str, str | bytes]) -> list[str]:
    return list(settled(files).events.frame["who"])


def test_the_start_line_names_the_file_and_the_id_names_the_others() -> None:
    files = {"a.txt": start("m1", A) + "\n" + slow(2, A), "b.txt": slow(3, A)}
    assert owners(files) == {"a.txt": "m1", "b.txt": "m1"}


def test_capnslog_raft_lines_name_the_writer() -> None:
    log = f"2020-10-20 12:15:22.088482 I | etcdserver: name = infra2\n2020-10-20 12:15:23.088482 I | raft: {A} became leader at term 5"
    other = f"2020-10-20 12:15:23.188482 I | raft: {A} became follower at term 6"
    timeline = settled({"x.txt": log, "y.txt": other})
    assert [a.member for a in timeline.artifacts] == ["infra2", "infra2"]
    assert {(m.name, m.id) for m in timeline.members} == {("infra2", A)}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("var/log/pods/kube-system_etcd-master1_0123456789abcdef0123456789abcdef/etcd/0.log", "etcd-master1"),
        (
            "var/log/pods/kube-system_etcd-cp.example.com_0123-4567-89ab/etcd/0.log.20240101-120000.gz",
            "etcd-cp.example.com",
        ),
        (
            "mg/quay-io-sha256-1/namespaces/openshift-etcd/pods/etcd-master-0/etcd/etcd/logs/current.log",
            "etcd-master-0",
        ),
        ("mg/x/namespaces/openshift-etcd/pods/etcd-master-0/etcd/etcd/logs/previous.log", "etcd-master-0"),
        ("n-2024/rke2/podlogs/kube-system-etcd-node7", "etcd-node7"),
        ("n-2024/rke2/podlogs/kube-system-etcd-node7-previous", "etcd-node7"),
        ("etcd-0/etcd.log", "etcd-0"),
        ("etcd-1.log", "etcd-1"),
        ("support.tar.gz!/etcd-2/etcd.log.1", "etcd-2"),
        ("10.0.0.2/etcd.log", "10.0.0.2"),
        ("log.txt", None),
        ("ticket-4711.txt", None),
        ("003_83a261e30926c509.txt", None),
        ("-", None),
        ("containers/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-json.log", None),
        ("etcdctl/alarm-list.txt", None),
        ("journald/k3s", None),
    ],
)
def test_what_paths_say(path: str, name: str | None) -> None:
    assert path_name(path) == name


def test_captures_belong_to_the_log_beside_them() -> None:
    files: dict[str, str | bytes] = {
        "n1/a-diskstats.txt": "TIME 1706720000\n   8       0 sda 1 2 3 4 5 6 7 8 0 9 10\n",
        "n1/log.txt": start("m1", A) + "\n" + slow(2, A),
        "etcd-1/etcd.log": slow(3),
        "etcd-1/diskstats.txt": "TIME 1706720000\n   8       0 sda 1 2 3 4 5 6 7 8 0 9 10\n",
    }
    found = owners(files)
    assert found["n1/a-diskstats.txt"] == "m1" and found["etcd-1/diskstats.txt"] == "etcd-1"


def test_the_user_may_say_whose_file_it_is() -> None:
    assert owners({"x.log": slow(1)}, member_of={"x.log": "m9"}) == {"x.log": "m9"}


@pytest.mark.parametrize("prefix", ["{}  | ", "12:00:01 {} | ", "[pod/{}/etcd] ", "{}: ", "logs/{}.log:17:"])
def test_two_members_in_one_file(prefix: str) -> None:
    lines = [(name, slow(second)) for second in range(0, 20, 2) for name in ("etcd-a", "etcd-b")]
    text = "\n".join(prefix.format(name) + line for name, line in lines)
    timeline = settled({"all.log": text})
    assert list(timeline.events.frame["who"]) == [name for name, _ in lines]
    assert timeline.artifacts[0].member is None
    assert {m.name for m in timeline.members} == {"etcd-a", "etcd-b"}
    assert {span.member for span in timeline.logs} == {"etcd-a", "etcd-b"}
    assert [said["lines"] for said in timeline.artifacts[0].facts["speakers"].values()] == [10, 10]


def test_a_merged_log_learns_ids_from_each_speaker() -> None:
    lines = []
    for name, local in (("svc1", A), ("svc2", B)):
        lines += [f"{name} | {start('m' + name[-1], local)}", f"{name} | {slow(2, local)}", f"{name} | {slow(3)}"]
        lines += [f"{name} | 2020-10-20 12:15:23.088482 I | raft: {local} became candidate at term 5"]
    timeline = settled({"compose.log": "\n".join(lines), "host2.txt": slow(9, B)})
    frame = timeline.events.frame
    stalls = timeline.events.of("slow-fdatasync")
    assert sorted(stalls["who"]) == ["m1", "m1", "m2", "m2", "m2"]
    assert set(frame["who"]) == {"m1", "m2"}
    assert {m.name: m.id for m in timeline.members} == {"m1": A, "m2": B}


def test_the_host_of_a_journal_names_a_file_nothing_else_names() -> None:
    text = "\n".join(
        f"Oct 20 10:58:{s:02} node-7 etcd[9]: sync duration of 1.03s, expected less than 1s" for s in range(9)
    )
    timeline = settled({"journal.log": text}, Overrides(year=2020))
    assert set(timeline.events.frame["who"]) == {"node-7"}
    named = settled({"journal.log": f"Oct 20 10:58:20 node-7 etcd[9]: {start('m1', A)}\n" + text}, Overrides(year=2020))
    assert set(named.events.frame["who"]) == {"m1"}, "what etcd says of itself goes first"


def test_rotated_files_of_one_member_merge_and_repeats_count_once() -> None:
    old, new = [slow(s, A) for s in range(30)], [slow(s, A) for s in range(20, 50)]
    files = {"etcd.log.1": start("m1", A) + "\n" + "\n".join(old), "etcd.log": "\n".join(new)}
    timeline = settled(files)
    assert {m.name for m in timeline.members} == {"m1"}
    assert len(timeline.events.of("slow-fdatasync")) == 50 and timeline.duplicates == 10


def test_repeats_inside_one_file_are_real() -> None:
    assert len(who({"a.log": "\n".join([slow(1, A)] * 5)})) == 5
    assert len(who({"a.log": "\n".join([slow(1, A)] * 5), "b.log": "\n".join([slow(1, A)] * 3 + [slow(2, A)])})) == 6


def test_the_same_file_twice_counts_once_and_makes_no_second_member() -> None:
    text = "\n".join(f'{{"level":"warn","msg":"slow fdatasync","took":"{n}.5s"}}' for n in range(1, 6))
    once = settled({"etcd-0.log": text})
    again = settled({"etcd-0.log": text, "copy.log": text, "elsewhere/etcd-9.log": text})
    assert len(again.events.frame) == len(once.events.frame) == 5
    assert [m.name for m in again.members] == [m.name for m in once.members] == ["etcd-0"]
    assert len(again.logs) == len(once.logs)
    assert [c.text for c in again.caveats if c.code == "copies"] == [
        "same content as etcd-0.log, counted once: copy.log, elsewhere/etcd-9.log"
    ]
