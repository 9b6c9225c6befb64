# ruff: noqa: E501 - log lines stand as they are written
"""One pasted ticket with everything in it, and what prose must not do."""

from __future__ import annotations

import pytest

from ..parsers.etcd_log.feeding import scan, settled

TICKET = """\
Hi team, our etcd is slow since Tuesday. leader changed all the time, see below [1] and {2}.
We saw "slow fdatasync" and failed to send out heartbeat on time, I think.

[root@master-1 ~]# fio --rw=write --ioengine=sync --fdatasync=1 --directory=test-data --size=22m --bs=2300 --name=mytest
mytest: (g=0): rw=write, bs=(R) 2300B-2300B, (W) 2300B-2300B, (T) 2300B-2300B, ioengine=sync, iodepth=1
fio-3.28
  fsync/fdatasync/sync_file_range:
    sync (usec): min=285, max=74171, avg=740.77, stdev=3375.04
    sync percentiles (usec):
     |  1.00th=[  388],  5.00th=[  424], 10.00th=[  449], 20.00th=[  482],
     | 30.00th=[  506], 40.00th=[  529], 50.00th=[  553], 60.00th=[  578],
     | 70.00th=[  611], 80.00th=[  644], 90.00th=[  717], 95.00th=[  799],
     | 99.00th=[ 1205], 99.50th=[ 1893], 99.90th=[71828], 99.95th=[71828],
     | 99.99th=[71828]

old cluster logs:
2020-10-20 12:15:22.088482 W | wal: sync duration of 1.33s, expected less than 1s
2020-10-20 12:15:23.088482 I | raft: raft.node: 255a2e4092d561fb changed leader from 255a2e4092d561fb to 1de1eaa8fb268f49 at term 3112

Linux 5.15.0-91-generic (master-1)      10/20/20        _x86_64_        (8 CPU)

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz  aqu-sz  %util
sda              1.00      4.00     0.00   0.00    0.50     4.00  310.00   1240.00     0.00   0.00   98.20     4.00    0.00      0.00     0.00   0.00    0.00     0.00    9.90  99.80

+----------------+------------------+---------+---------+-----------+------------+-----------+------------+--------------------+--------+
|    ENDPOINT    |        ID        | VERSION | DB SIZE | IS LEADER | IS LEARNER | RAFT TERM | RAFT INDEX | RAFT APPLIED INDEX | ERRORS |
+----------------+------------------+---------+---------+-----------+------------+-----------+------------+--------------------+--------+
| 127.0.0.1:2379 | 255a2e4092d561fb |  3.5.9  |  2.1 GB |      true |      false |      3112 |  101205391 |          101205391 |        |
+----------------+------------------+---------+---------+-----------+------------+-----------+------------+--------------------+--------+

and from k3s:
Jan 25 06:42:36 dev-ln01 k3s[2189071]: {"level":"warn","ts":"2022-01-25T06:42:36.880Z","caller":"wal/wal.go:802","msg":"slow fdatasync","took":"7.45s","expected-duration":"1s"}
Jan 25 06:42:39 dev-ln01 k3s[2189071]: E0125 06:42:39.880363 2189071 leaderelection.go:325] error retrieving resource lock

Thanks, Bob (bob@example.com) -- sent from my phone
"""


def test_everything_in_a_ticket_is_found() -> None:
    found, artifact = scan(TICKET, "ticket.txt")
    assert [(e.kind, e.took_s, e.line) for e in found if e.kind in ("slow-fdatasync", "leader-changed")] == [
        ("slow-fdatasync", 1.33, 17),
        ("leader-changed", None, 18),
        ("slow-fdatasync", 7.45, 32),
    ]
    assert {"fio", "etcd-log", "iostat", "etcdctl-endpoint-status"} <= set(artifact.formats)
    assert artifact.facts["jobs"][0]["p99_fdatasync_ms"] == 1.205
    assert artifact.facts["devices"]["sda"]["max"]["util_percent"] == 99.8
    assert artifact.facts["members"][0]["id_hex"] == "255a2e4092d561fb"
    names = {member.name for member in settled({"ticket.txt": TICKET}).members}
    assert names == {"dev-ln01", "member 255a2e4092d561fb"}, "hosts and ids speak; the name of a ticket is nobody"


@pytest.mark.parametrize(
    "prose",
    [
        'messages like this: "msg":"leader failed to send out heartbeat on time; took too long, leader is overloaded"',
        "We think that slow fdatasync took 2.14s and the leader changed.",
        "Note: the raft.node: 255a2e4092d561fb changed leader from a to b at term 3112 message appears often",
        "The etcdserver: leader changed message is what our clients print when the disk is slow, see the docs about it.",
        "failed to send out heartbeat",
        "context deadline exceeded",
        "[note] unbalanced [",
        "{{ template }}",
        "etcd | is a key value store",
        "2024-01-02 10:00:00 the problem: started here",
        "panic attacks are not evidence",
        "waiting for ReadIndex",
    ],
)
def test_prose_is_no_evidence(prose: str) -> None:
    found, artifact = scan(prose)
    assert not found and artifact.understood == 0, artifact.formats


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("waiting for ReadIndex response took too long", "readindex-slow"),
        ("waiting for ReadIndex response took too long, retr…", "readindex-slow"),
        ("- waiting for ReadIndex response took too long, retrying", "readindex-slow"),
        ("`leader failed to send out heartbeat on time; took too long, leader is overloaded`", "heartbeat-late"),
        ("sync duration of 1.33s, expected less than 1s", "slow-fdatasync"),
        ("rpc error: code = Unavailable desc = etcdserver: leader changed", "leader-changed-error"),
        ("Error: rpc error: code = Unknown desc = context deadline exceeded", "context-deadline"),
        ("etcdserver: request timed out, possibly due to connection lost", "request-timeout"),
    ],
)
def test_a_line_that_is_nothing_but_a_message_counts(line: str, kind: str) -> None:
    found, _ = scan(f"Some words before.\n{line}\n")
    assert [e.kind for e in found] == [kind]


def test_an_open_bracket_does_not_swallow_the_log_below_it() -> None:
    for opener in ("{", "[", '{"a": [1,', "[{"):
        for line in (
            "2020-10-20 12:15:22.088482 W | wal: sync duration of 1.33s, expected less than 1s",
            "Oct 20 10:58:29 n1 etcd[9]: sync duration of 1.03s, expected less than 1s",
            '{"level":"warn","ts":"2024-01-31T16:54:41.675Z","msg":"slow fdatasync","took":"1.3s"}',
            'etcd1  | {"level":"warn","ts":"2024-01-31T16:54:41.675Z","msg":"slow fdatasync","took":"1.3s"}',
        ):
            assert [e.kind for e in scan(f"{opener}\n{line}\n")[0]] == ["slow-fdatasync"], (opener, line)


def test_lines_of_a_bracket_that_never_was_json_are_offered_again() -> None:
    text = "[\nsync duration of 1.33s, expected less than 1s\nwords\n]"
    assert [(e.kind, e.line) for e in scan(text)[0]] == [("slow-fdatasync", 2)]
