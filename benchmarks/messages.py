"""What etcd 3.5 writes, line by line: one function per message, fed by one random stream and one clock.

Messages and fields as etcd v3.5.21 writes them: server/etcdserver/util.go, server/etcdserver/api/v3rpc/interceptor.go,
pkg/traceutil/trace.go, server/wal/wal.go, server/etcdserver/raft.go, server/mvcc/kvstore_compaction.go,
server/etcdserver/api/rafthttp/*.go, raft/raft.go.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime

EPOCH_S = 1_767_225_600
"""2026-01-01T00:00:00Z: the log begins here."""
MEMBERS = ("8e9e05c52164694d", "91bc3c398fb3c146", "fd422379fda50e48")
_MEAN_GAP_S = 0.022


class Writer:
    """Draws lines. One random stream and one clock, so every line follows from the seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.now_us = EPOCH_S * 1_000_000
        self.term = 7
        self.revision = 1_200_000
        self.keys = [self._key() for _ in range(3000)]
        self._second = -1
        self._second_text = ""

    def _key(self) -> str:
        resource = self.draw.choice(
            ("pods/kube-system", "pods/default", "leases/kube-node-lease", "events/monitoring", "configmaps/default",
             "secrets/prod", "endpointslices/default", "minions", "deployments/prod", "services/endpoints/default")
        )  # fmt: skip
        return f"/registry/{resource}/{self.draw.choice(('web', 'api', 'worker', 'cache'))}-{self.hexadecimal(10)}"

    def hexadecimal(self, digits: int) -> str:
        return f"{self.draw.getrandbits(4 * digits):0{digits}x}"

    def number(self, below: int) -> int:
        return int(self.draw.random() * below)

    def stamp(self, earlier_s: float = 0.0) -> str:
        at = self.now_us - int(earlier_s * 1e6)
        second, micro = divmod(at, 1_000_000)
        if second != self._second:
            self._second = second
            self._second_text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{self._second_text}.{micro:06d}Z"

    def seconds(self, least: float, mean: float) -> float:
        return least + self.draw.expovariate(1.0 / mean)

    def line(self, level: str, caller: str, message: str, fields: str = "", logger: str = "") -> str:
        named = f'"logger":"{logger}",' if logger else ""
        tail = f",{fields}" if fields else ""
        return f'{{"level":"{level}","ts":"{self.stamp()}",{named}"caller":"{caller}","msg":"{message}"{tail}}}\n'

    def advance(self) -> None:
        self.now_us += int(self.draw.expovariate(1.0 / _MEAN_GAP_S) * 1e6)


def go_duration(seconds: float) -> str:
    """A duration as Go prints it: ``1m2.5s``, ``1.5s``, ``250.25ms``, ``80.1µs``."""
    nanos = int(seconds * 1e9)
    if nanos >= 60 * 10**9:
        minutes, rest = divmod(nanos, 60 * 10**9)
        return f"{minutes}m{_trimmed(rest / 1e9, 9)}s"
    if nanos >= 10**9:
        return _trimmed(nanos / 1e9, 9) + "s"
    if nanos >= 10**6:
        return _trimmed(nanos / 1e6, 6) + "ms"
    return _trimmed(nanos / 1e3, 3) + "µs"


def _trimmed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".")


def _apply(writer: Writer, prefix: str, request: str, response: str) -> str:
    took = go_duration(writer.seconds(0.1, 0.18))
    failed = ',"error":"context canceled"' if writer.draw.random() < 0.02 else ""
    return writer.line(
        "warn",
        "etcdserver/util.go:170",
        "apply request took too long",
        f'"took":"{took}","expected-duration":"100ms","prefix":"{prefix}","request":"{request}","response":"{response}"{failed}',
    )


def apply_range(writer: Writer) -> str:
    key = writer.draw.choice(writer.keys)
    if writer.draw.random() < 0.4:
        folder = key.rpartition("/")[0]
        request = f'key:\\"{folder}/\\" range_end:\\"{folder}0\\" limit:500 '
    else:
        request = f'key:\\"{key}\\" '
    response = f"range_response_count:{writer.number(500)} size:{writer.number(900_000)}"
    return _apply(writer, "read-only range ", request, response)


def apply_txn(writer: Writer) -> str:
    key = writer.draw.choice(writer.keys)
    size, lease = writer.number(9000), writer.draw.getrandbits(62)
    request = (
        f'header:<ID:{writer.draw.getrandbits(62)} username:\\"kube-apiserver-etcd-client\\" auth_revision:1 > '
        f'txn:<compare:<target:MOD key:\\"{key}\\" mod_revision:{writer.revision} > '
        f'success:<request_put:<key:\\"{key}\\" value_size:{size} lease:{lease} >> '
        f'failure:<request_range:<key:\\"{key}\\" > >>'
    )
    return _apply(writer, "", request, f"size:{writer.number(60)}")


def apply_read_txn(writer: Writer) -> str:
    keys = writer.draw.sample(writer.keys, 3)
    ranges = " ".join(f'request_range:<key:\\"{key}\\" >' for key in keys)
    answers = " ".join(f"range_response_count:{writer.number(3)}" for _ in keys)
    return _apply(
        writer,
        "read-only txn ",
        f"compare:<> success:<{ranges}> failure:<>",
        f"responses:<{answers}> size:{writer.number(9000)}",
    )


def trace(writer: Writer) -> str:
    number, took = writer.draw.getrandbits(31), writer.seconds(0.1, 0.18)
    operation = writer.draw.choice(("range", "range", "transaction", "put", "linearizableReadLoop"))
    agreed = "agreement among raft nodes before linearized reading"
    steps = f"\"trace[{number}] '{agreed}'  (duration: {go_duration(took * 0.8)})\""
    count = 1
    if writer.draw.random() < 0.6:
        steps += f",\"trace[{number}] 'range keys from in-memory index tree'  (duration: {go_duration(took * 0.15)})\""
        count = 2
    detail = (
        f"{{range_begin:{writer.draw.choice(writer.keys)}; range_end:; response_count:{writer.number(2)}; "
        f"response_revision:{writer.revision}; }}"
    )
    fields = (
        f'"detail":"{detail}","duration":"{go_duration(took)}","start":"{writer.stamp(took)}","end":"{writer.stamp()}",'
        f'"steps":[{steps}],"step_count":{count}'
    )
    return writer.line("info", "traceutil/trace.go:171", f"trace[{number}] {operation}", fields)


def request_stats(writer: Writer) -> str:
    key, took = writer.draw.choice(writer.keys), writer.seconds(0.3, 0.25)
    call = writer.draw.choice(("/etcdserverpb.KV/Txn", "/etcdserverpb.KV/Range", "/etcdserverpb.Lease/LeaseGrant"))
    content = (
        f'compare:<target:MOD key:\\"{key}\\" mod_revision:{writer.revision} > '
        f'success:<request_put:<key:\\"{key}\\" value_size:{writer.number(9000)} >> failure:<>'
    )
    fields = (
        f'"start time":"{writer.stamp(took)}","time spent":"{go_duration(took)}",'
        f'"remote":"10.0.{writer.number(8)}.{writer.number(250)}:{30000 + writer.number(30000)}",'
        f'"response type":"{call}","request count":1,"request size":{writer.number(9000)},'
        f'"response count":0,"response size":{writer.number(9000)},'
        f'"request content":"{content}"'
    )
    return writer.line("warn", "v3rpc/interceptor.go:197", "request stats", fields)


def slow_fdatasync(writer: Writer) -> str:
    fields = f'"took":"{go_duration(writer.seconds(1.0, 0.8))}","expected-duration":"1s"'
    return writer.line("warn", "wal/wal.go:806", "slow fdatasync", fields)


def late_heartbeat(writer: Writer) -> str:
    fields = (
        f'"to":"{writer.draw.choice(MEMBERS[1:])}","heartbeat-interval":"100ms","expected-duration":"200ms",'
        f'"exceeded-duration":"{go_duration(writer.seconds(0.001, 0.2))}"'
    )
    message = "leader failed to send out heartbeat on time; took too long, leader is overloaded likely from slow disk"
    return writer.line("warn", "etcdserver/raft.go:416", message, fields)


def read_index(writer: Writer) -> str:
    fields = f'"sent-request-id":{writer.draw.getrandbits(62)},"retry-timeout":"500ms"'
    return writer.line(
        "warn", "etcdserver/v3_server.go:897", "waiting for ReadIndex response took too long, retrying", fields
    )


def dropped_message(writer: Writer) -> str:
    fields = (
        f'"message-type":"MsgHeartbeat","local-member-id":"{MEMBERS[0]}","from":"{MEMBERS[0]}",'
        f'"remote-peer-id":"{writer.draw.choice(MEMBERS[1:])}","remote-peer-name":"pipeline","remote-peer-active":true'
    )
    message = "dropped internal Raft message since sending buffer is full (overloaded network)"
    return writer.line("warn", "rafthttp/peer.go:267", message, fields)


def unhealthy_peer(writer: Writer) -> str:
    fields = (
        f'"round-tripper-name":"ROUND_TRIPPER_RAFT_MESSAGE","remote-peer-id":"{writer.draw.choice(MEMBERS[1:])}",'
        f'"rtt":"{go_duration(writer.seconds(0.0, 0.02))}",'
        f'"error":"dial tcp 10.0.0.{writer.number(250)}:2380: i/o timeout"'
    )
    return writer.line("warn", "rafthttp/probing_status.go:68", "prober detected unhealthy status", fields)


def lost_stream(writer: Writer) -> str:
    fields = (
        f'"stream-reader-type":"stream MsgApp v2","local-member-id":"{MEMBERS[0]}",'
        f'"remote-peer-id":"{writer.draw.choice(MEMBERS[1:])}",'
        f'"error":"read tcp 10.0.0.1:40122->10.0.0.2:2380: i/o timeout"'
    )
    return writer.line("warn", "rafthttp/stream.go:421", "lost TCP streaming connection with remote peer", fields)


def raft_line(writer: Writer) -> str:
    writer.term += 1
    mine, other = writer.draw.sample(MEMBERS, 2)
    message = writer.draw.choice(
        (
            f"raft.node: {mine} lost leader {other} at term {writer.term}",
            f"raft.node: {mine} elected leader {other} at term {writer.term}",
            f"{mine} became follower at term {writer.term}",
            f"{mine} is starting a new election at term {writer.term}",
            f"{mine} became pre-candidate at term {writer.term}",
        )
    )
    return writer.line("info", "etcdserver/zap_raft.go:77", message, logger="raft")


def compacted(writer: Writer) -> str:
    writer.revision += writer.number(5000)
    fields = (
        f'"compact-revision":{writer.revision},"took":"{go_duration(writer.seconds(0.001, 0.3))}",'
        f'"hash":{writer.draw.getrandbits(32)},'
        f'"current-db-size-bytes":{writer.draw.getrandbits(31)},"current-db-size":"2.1 GB",'
        f'"current-db-size-in-use-bytes":{writer.draw.getrandbits(30)},"current-db-size-in-use":"1.3 GB"'
    )
    return writer.line("info", "mvcc/kvstore_compaction.go:71", "finished scheduled compaction", fields)


def compact_index(writer: Writer) -> str:
    return writer.line("info", "mvcc/index.go:214", "compact tree index", f'"revision":{writer.revision}')


def health(writer: Writer) -> str:
    return writer.line("info", "etcdhttp/metrics.go:79", "/health OK", '"status-code":200')


def rejected(writer: Writer) -> str:
    error = writer.draw.choice(
        ("EOF", "remote error: tls: bad certificate", "tls: first record does not look like a TLS handshake")
    )
    fields = (
        f'"remote-addr":"10.0.{writer.number(9)}.{writer.number(250)}:{30000 + writer.number(30000)}",'
        f'"server-name":"","error":"{error}"'
    )
    return writer.line("warn", "embed/config_logging.go:169", "rejected connection", fields)


def wal_segment(writer: Writer) -> str:
    fields = f'"path":"/var/lib/etcd/member/wal/{writer.hexadecimal(16)}-{writer.hexadecimal(16)}.wal"'
    return writer.line("info", "wal/wal.go:785", "created a new WAL segment", fields)


def snapshot_begins(writer: Writer) -> str:
    index = writer.draw.getrandbits(30)
    fields = (
        f'"local-member-id":"{MEMBERS[0]}","local-member-applied-index":{index},'
        f'"local-member-snapshot-index":{index - 10000},"local-member-snapshot-count":10000'
    )
    return writer.line("info", "etcdserver/server.go:2116", "triggering snapshot", fields)


def snapshot_saved(writer: Writer) -> str:
    return writer.line(
        "info", "etcdserver/server.go:2394", "saved snapshot", f'"snapshot-index":{writer.draw.getrandbits(30)}'
    )


def purged(writer: Writer) -> str:
    fields = f'"path":"/var/lib/etcd/member/snap/{writer.hexadecimal(16)}-{writer.hexadecimal(16)}.snap"'
    return writer.line("info", "fileutil/purge.go:96", "purged", fields)


def user_added(writer: Writer) -> str:
    return writer.line("info", "auth/store.go:880", "added a user", f'"user-name":"svc-{writer.number(400)}"')
