import pytest

from analyzer.model.facts import Flag
from analyzer.parsers.flags import EtcdFlags

from .feeding import case, one, segments

UNIT = """\
[Service]
ExecStart=/usr/bin/etcd \\
  --name=n1 \\
  --data-dir /var/lib/etcd \\
  --password=secret \\
  --snapshot-count=5000
Restart=always
"""
MANIFEST = """\
  - command:
    - etcd
    - --advertise-client-urls=https://10.0.0.1:2379
    - --key-file=/etc/kubernetes/pki/etcd/server.key
    - --election-timeout=1000
    - --heartbeat-interval=100
    image: registry.k8s.io/etcd:3.5.9-0
    env:
    - name: "ETCD_QUOTA_BACKEND_BYTES"
      value: "8589934592"
"""
CONF = """\
ETCD_DATA_DIR="/var/lib/etcd/default.etcd"
#ETCD_WAL_DIR=""
ETCD_HEARTBEAT_INTERVAL=500
ETCD_INITIAL_CLUSTER_TOKEN="not-yours"
"""
K3S = """\
advertise-client-urls: https://192.168.1.1:2379
client-transport-security:
  cert-file: /var/lib/rancher/k3s/server/tls/etcd/server-client.crt
data-dir: /var/lib/rancher/k3s/server/db/etcd
election-timeout: 5000
heartbeat-interval: 500
initial-cluster-token: not-yours
"""
PS_ROW = (
    "root 2345 3.1 1.0 11216244 84000 ? Ssl Nov19 12:04 etcd --advertise-client-urls=https://10.0.0.1:2379 "
    "--initial-cluster-token=not-yours --initial-cluster=n1=https://user:secret@10.0.0.1:2380 "
    "--heartbeat-interval=250"
)


def flags(text: str) -> dict[str, str]:
    return {flag.name: flag.value for parsed in segments(text, EtcdFlags) for flag in parsed.records}


def test_command_line_of_a_member() -> None:
    parsed = one(case("lab/cpu_quota_severe_leader/bundle/etcd-0/cmdline.txt"), EtcdFlags)
    assert parsed.facts["flags"]["data-dir"] == "/var/lib/etcd-0/etcd"
    assert parsed.facts["flags"]["listen-metrics-urls"] == "http://127.0.0.1:2381"
    assert Flag(1, "name", "etcd-0") in parsed.records
    assert "initial-cluster-token" not in parsed.facts["flags"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNIT, {"name": "n1", "data-dir": "/var/lib/etcd", "snapshot-count": "5000"}),
        (
            MANIFEST,
            {
                "advertise-client-urls": "https://10.0.0.1:2379",
                "election-timeout": "1000",
                "heartbeat-interval": "100",
                "quota-backend-bytes": "8589934592",
            },
        ),
        (CONF, {"data-dir": "/var/lib/etcd/default.etcd", "heartbeat-interval": "500"}),
        (
            K3S,
            {
                "advertise-client-urls": "https://192.168.1.1:2379",
                "data-dir": "/var/lib/rancher/k3s/server/db/etcd",
                "election-timeout": "5000",
                "heartbeat-interval": "500",
            },
        ),
        (
            PS_ROW,
            {
                "advertise-client-urls": "https://10.0.0.1:2379",
                "initial-cluster": "n1=https://10.0.0.1:2380",
                "heartbeat-interval": "250",
            },
        ),
        (
            "/usr/local/bin/etcd\0--name\0n1\0--election-timeout\0" + "5000",
            {"name": "n1", "election-timeout": "5000"},
        ),
    ],
)
def test_every_place_settings_are_written(text: str, expected: dict[str, str]) -> None:
    assert flags(text) == expected


@pytest.mark.parametrize("text", [UNIT, CONF, K3S, PS_ROW, MANIFEST])
def test_no_secret_is_kept(text: str) -> None:
    kept = repr(segments(text, EtcdFlags))
    assert "secret" not in kept
    assert "not-yours" not in kept
    assert "key" not in kept


def test_lines_are_cited() -> None:
    assert Flag(6, "heartbeat-interval", "100") in one(MANIFEST.split("    image")[0], EtcdFlags).records


@pytest.mark.parametrize(
    "prose",
    [
        "we run etcd --heartbeat-interval=500 on all nodes",
        "etcd --heartbeat-interval is too low",
        "try etcd with --election-timeout=5000",
        "root 2346 3.1 ? Ssl 12:04 kube-apiserver --etcd-servers=https://127.0.0.1:2379 --v=2",
        "2020-10-20 12:15:22.088482 I | etcdmain: etcd Version: 3.3.10",
        "prometheus --data-dir /var/lib/etcd --log-level=info",
        "- --log-level=info",
        "name: n1",
        "ETCDCTL_API=3 etcdctl --endpoints=h:1 endpoint status",
    ],
)
def test_prose_and_other_programs_are_left_alone(prose: str) -> None:
    assert segments(prose, EtcdFlags) == []
