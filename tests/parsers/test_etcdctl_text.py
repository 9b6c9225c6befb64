import pytest

from analyzer.model.facts import Alarm, EndpointHealth
from analyzer.parsers.etcdctl_fields import EtcdctlFields
from analyzer.parsers.etcdctl_text import (
    AlarmListText,
    EndpointHealthText,
    EndpointStatusSimple,
    MemberListText,
)

from .feeding import case, members, one, segments, snippet

ALL = (EndpointStatusSimple, EndpointHealthText, MemberListText, AlarmListText, EtcdctlFields)


@pytest.mark.parametrize("form", ["simple", "fields"])
@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_status_of_every_generation(version: str, form: str) -> None:
    parsed = one(snippet(f"etcdctl/endpoint-status-{version}-{form}.txt"), *ALL)
    rows = members(parsed)
    assert parsed.format == "etcdctl-endpoint-status"
    assert [row["endpoint"] for row in rows] == ["127.0.0.1:2579", "127.0.0.1:22579", "127.0.0.1:32579"]
    assert rows[0]["id_hex"] == "f60eab56df35d22e"
    assert rows[0]["db_size_bytes"] == (20_000 if form == "simple" else 20480)
    assert sum(row["is_leader"] for row in rows) == 1
    assert rows[0]["raft_index"] == rows[0]["raft_applied_index"]
    assert rows[0]["is_learner"] is False


def test_simple_rows_keep_errors_with_commas_apart_from_the_last_columns() -> None:
    row = (
        "127.0.0.1:33060, e4b1d6fbcdfc2311, 3.6.5, 3.6.0, 18 MB, 15 MB, 17%, 17 MB, true, false, 2, 24, 24, "
        "memberID:16479188888506344209 alarm:NOSPACE , etcdserver: no leader, , false"
    )
    (status,) = members(one(row, *ALL))
    assert status["errors"] == ["memberID:16479188888506344209 alarm:NOSPACE", "etcdserver: no leader"]
    assert (status["quota_bytes"], status["db_in_use_bytes"]) == (17_000_000, 15_000_000)


def test_simple_row_of_3_2_has_seven_fields() -> None:
    (status,) = members(one("10.0.0.1:2379, 5f4ef98b11eb13b4, 3.2.6, 2.1 GB, false, 12, 60576124", *ALL))
    assert (status["db_size_bytes"], status["raft_term"], status["is_leader"]) == (2_100_000_000, 12, False)


def test_cut_simple_row_is_counted() -> None:
    text = "a:1, 5f4ef98b11eb13b4, 3.2.6, 2.1 GB, false, 12, 60576124\nb:1, 5f4ef98b11eb13b5, 3.2.6, 2.1 G"
    assert one(text, *ALL).rejected == 1


def test_fields_with_an_alarm() -> None:
    text = (
        '"ClusterID" : 1\n"MemberID" : 16479188888506344209\n"Revision" : 12\n"RaftTerm" : 2\n'
        '"Version" : "3.6.5"\n"DBSize" : 18034688\n"DBSizeInUse" : 15040512\n'
        '"Leader" : 16479188888506344209\n'
        '"RaftIndex" : 26\n"RaftTerm" : 2\n"Errors" : [memberID:16479188888506344209 alarm:NOSPACE ]\n'
        '"Endpoint" : "127.0.0.1:33060"\n'
    )
    parsed = one(text, *ALL)
    (row,) = members(parsed)
    assert (row["is_leader"], row["alarms"], row["db_in_use_bytes"]) == (True, ["NOSPACE"], 15040512)
    assert parsed.records[1] == Alarm(1, "e4b1d6fbcdfc2311", "NOSPACE")


def test_fields_of_alarm_list_and_health() -> None:
    text = '"ClusterID" : 1\n"MemberID" : 5\n"Revision" : 12\n"RaftTerm" : 2\n'
    text += '"MemberID" : 5\n"AlarmType" : NOSPACE\n'
    assert one(text, *ALL).records == (Alarm(5, "5", "NOSPACE"),)
    text = '"Endpoint" : "h:1"\n"Health" : false\n"Took" : 11.005616ms\n"Error" : Active Alarm(s): NOSPACE \n'
    parsed = one(text, *ALL)
    assert parsed.records[0] == EndpointHealth(1, "h:1", False, 0.011005616, "Active Alarm(s): NOSPACE")


@pytest.mark.parametrize("form", ["simple", "fields"])
@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_member_list(version: str, form: str) -> None:
    parsed = one(snippet(f"etcdctl/member-list-{version}-{form}.txt"), *ALL)
    assert parsed.format == "etcdctl-member-list"
    first = members(parsed)[0]
    assert (first["id_hex"], first["name"], first["started"]) == ("613c9e2fb9600f94", "etcd-2", True)
    assert (first["peer_urls"], first["client_urls"]) == (
        ["http://127.0.0.1:32580"],
        ["http://127.0.0.1:32579"],
    )


def test_member_list_of_v2() -> None:
    text = "8e9e05c52164694d: name=default peerURLs=http://localhost:2380 clientURLs=http://h:2379 isLeader=true"
    (member,) = members(one(text, *ALL))
    assert (member["name"], member["peer_urls"]) == ("default", ["http://localhost:2380"])


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_health_names_the_dead_member(version: str) -> None:
    parsed = one(snippet(f"etcdctl/endpoint-health-{version}-one-dead.txt"), *ALL)
    dead = [health for health in parsed.records if isinstance(health, EndpointHealth) and not health.healthy]
    assert "127.0.0.1:32579" in {health.endpoint for health in dead}


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_failed_status_is_an_unhealthy_endpoint(version: str) -> None:
    found = segments(snippet(f"etcdctl/endpoint-status-{version}-one-dead-table.txt"), *ALL)
    assert found[0].records[0].endpoint == "127.0.0.1:32579"
    assert found[0].records[0].error == "context deadline exceeded"


def test_health_with_a_lost_follower() -> None:
    text = case("lab/network_loss_one_follower/bundle/etcdctl/endpoint-health-20261120T183643Z.txt")
    parsed = one(text, *ALL)
    assert [(h["endpoint"], h["healthy"], h["took_s"]) for h in parsed.facts["endpoints"]] == [
        ("http://10.77.3.11:2379", True, pytest.approx(0.004135688)),
        ("http://10.77.3.12:2379", True, pytest.approx(0.004656105)),
        ("http://10.77.3.13:2379", False, None),
    ]


def test_health_of_v2() -> None:
    text = (
        "member b3b2ab2b is unhealthy: got unhealthy result from http://10.0.0.2:2379\n"
        "failed to check the health of member c5d52ea2 on http://10.0.0.3:2379: Get http://10.0.0.3: EOF\n"
        "cluster is degraded"
    )
    parsed = one(text, *ALL)
    assert [(h.endpoint, h.healthy) for h in parsed.records] == [
        ("http://10.0.0.2:2379", False),
        ("http://10.0.0.3:2379", False),
    ]


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_alarm_list(version: str) -> None:
    (alarm,) = one(snippet(f"etcdctl/alarm-list-{version}-nospace.txt"), *ALL).records
    assert alarm.alarm == "NOSPACE"
    assert segments(snippet(f"etcdctl/alarm-list-{version}-none.txt"), *ALL) == []


def test_largest_id_fits() -> None:
    parsed = one(f"memberID:{2**64 - 1} alarm:CORRUPT", *ALL)
    assert parsed.records == (Alarm(1, "f" * 16, "CORRUPT"),)
    assert one(f"memberID:{2**64} alarm:CORRUPT", *ALL).rejected == 1


@pytest.mark.parametrize(
    "prose",
    [
        "the member is unhealthy since Monday",
        "my cluster is healthy: really",
        "8e9e05c52164694d, then the leader was lost",
        'he said "Endpoint" : nothing',
    ],
)
def test_prose_is_left_alone(prose: str) -> None:
    assert segments(prose, *ALL) == []
