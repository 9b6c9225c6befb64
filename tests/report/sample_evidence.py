"""Cited lines and the times of the two-hour story."""

from __future__ import annotations

from datetime import UTC, datetime

from analyzer.model.diagnosis import (
    Contribution,
)
from analyzer.model.finding import Cite
from analyzer.model.ids import (
    Sighting,
    SymptomId,
)

SECOND = 1_000_000_000
HOUR = 3600 * SECOND

ROOT = "support.tar.gz!"
LOG = f"{ROOT}/etcd-2/etcd.log"
PEER_LOG = f"{ROOT}/etcd-0/etcd.log"
IOSTAT = f"{ROOT}/etcd-2/iostat-xt.txt"
FIO = f"{ROOT}/etcd-2/fio.json"


def at(text: str) -> int:
    """Nanoseconds of a UTC time such as ``2026-03-10 01:00:05``."""
    whole = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return int(whole.timestamp()) * SECOND


START = at("2026-03-10 00:20:00")
END = at("2026-03-11 02:05:00")
FIRST_BURST = at("2026-03-10 01:00:04")
BURSTS = tuple(FIRST_BURST + number * 2 * HOUR for number in range(13))

STALL_TEXT = (
    '{"level":"warn","ts":"2026-03-10T01:00:12.140Z","caller":"wal/wal.go:805",'
    '"msg":"slow fdatasync","took":"2.14025047s","expected-duration":"1s"}'
)
LEADER_TEXT = (
    '{"level":"info","ts":"2026-03-10T01:00:13.518Z","logger":"raft","caller":"etcdserver/zap_raft.go:77",'
    '"msg":"raft.node: 255a2e4092d561fb changed leader from 255a2e4092d561fb to 1de1eaa8fb268f49 '
    'at term 3112"}'
)
LATE_TEXT = (
    '{"level":"warn","ts":"2026-03-10T01:00:12.141Z","caller":"etcdserver/raft.go:415",'
    '"msg":"leader failed to send out heartbeat on time; took too long, leader is overloaded likely '
    'from slow disk",'
    '"to":"1de1eaa8fb268f49","heartbeat-interval":"100ms","expected-duration":"200ms","exceeded-duration":"1.93s"}'
)
IOSTAT_TEXT = "vdb 0.20 3.2 0.0 0.00 0.60 16.00 412.00 198400.0 31.0 7.00 1184.20 481.6 38.00 1830.40 487.90 99.80"

STALL = Cite(LOG, 18233, STALL_TEXT)
STALL_AGAIN = Cite(LOG, 18240, STALL_TEXT.replace("2.14025047s", "1.310987s"))
LEADER = Cite(LOG, 18251, LEADER_TEXT)
LATE = Cite(LOG, 18234, LATE_TEXT)
DISK = Cite(IOSTAT, 912, IOSTAT_TEXT)
FIO_P99 = Cite(FIO, 214, '"99.000000" : 2408448,')
MOUNT = Cite(f"{ROOT}/etcd-2/lsblk.txt", 6, "vdb 252:16 0 100G 0 disk /var/lib/etcd,/var/lib/prometheus")
PING = Cite(f"{ROOT}/etcd-2/ping-etcd-0.txt", 61, "rtt min/avg/max/mdev = 0.182/0.241/0.903/0.061 ms")
STEAL = Cite(
    f"{ROOT}/etcd-2/vmstat.txt",
    4,
    " 1  1      0 8123456 301204 5120480    0    0     4   620 2310 4120  6  2 91  1  0",
)


def clue(name: str, points: float, because: str, *cites: Cite, missing: bool = False) -> Contribution:
    sighting = Sighting.NOT_COLLECTED if missing else Sighting.SEEN if points >= 0 else Sighting.NOT_SEEN
    return Contribution(SymptomId(name), sighting, points, because, cites)
