import pytest

from analyzer.model.facts import Alarm, EndpointStatus, MemberEntry
from analyzer.parsers.etcdctl_table import EndpointHealthTable, EndpointStatusTable, MemberListTable

from .feeding import case, members, one, segments, snippet

ALL = (EndpointStatusTable, EndpointHealthTable, MemberListTable)

WRAPPED = """\
+----------------+------------------+---------+---------+-----------+--------------------------------+
|    ENDPOINT    |        ID        | VERSION | DB SIZE | IS LEADER |             ERRORS             |
+----------------+------------------+---------+---------+-----------+--------------------------------+
| 127.0.0.1:2379 | b27eb7be93bf8fb3 |   3.5.5 |  2.1 GB |      true |  memberID:13338828676662306453 |
|                |                  |         |         |           |                alarm:NOSPACE , |
|                |                  |         |         |           |          etcdserver: no leader |
+----------------+------------------+---------+---------+-----------+--------------------------------+
"""


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_status_of_every_generation(version: str) -> None:
    parsed = one(snippet(f"etcdctl/endpoint-status-{version}-table.txt"), *ALL)
    rows = members(parsed)
    assert [row["endpoint"] for row in rows] == ["127.0.0.1:2579", "127.0.0.1:22579", "127.0.0.1:32579"]
    assert rows[0]["id_hex"] == "f60eab56df35d22e"
    assert rows[0]["db_size_bytes"] == 20_000
    assert sum(row["is_leader"] for row in rows) == 1
    assert {row["raft_term"] for row in rows} == {2}
    assert (rows[0]["quota_bytes"], rows[0]["db_in_use_bytes"]) == (
        (21_000_000, 16_000) if version == "3.6" else (None, None)
    )


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_alarm_in_a_wrapped_cell_names_one_member(version: str) -> None:
    parsed = one(snippet(f"etcdctl/endpoint-status-{version}-nospace-table.txt"), *ALL)
    rows = members(parsed)
    assert len(rows) == 3
    assert all(row["alarms"] == ["NOSPACE"] for row in rows)
    ids = {row["id_hex"] for row in rows}
    alarms = [record for record in parsed.records if isinstance(record, Alarm)]
    assert len(alarms) == 1
    assert alarms[0].member_id in ids


def test_decimal_alarm_id_is_the_hex_id_of_its_row() -> None:
    parsed = one(WRAPPED, *ALL)
    status, alarm = parsed.records
    assert isinstance(status, EndpointStatus)
    assert status.member_id == "b27eb7be93bf8fb3"
    assert isinstance(alarm, Alarm)
    assert alarm.member_id == f"{13338828676662306453:x}" == "b91d0a0260402695"
    assert status.errors == ("memberID:13338828676662306453 alarm:NOSPACE", "etcdserver: no leader")
    assert status.db_size_bytes == 2_100_000_000
    assert parsed.understood == 4


def test_unicode_box_reads_like_the_ascii_one() -> None:
    box = WRAPPED.replace("|", "│").replace("+", "┼").replace("-----", "─────").replace("----", "────")
    assert members(one(box, *ALL)) == members(one(WRAPPED, *ALL))


def test_two_tables_of_one_member_are_two_observations() -> None:
    found = segments(case("real/etcd-7551-defrag-timeout/bundle/endpoint-status.txt"), *ALL)
    rows = [row for parsed in found for row in members(parsed)]
    assert [(row["id_hex"], row["db_size_bytes"], row["raft_index"]) for row in rows] == [
        ("345c0e51d9cde9e3", 785_000_000, 295342344),
        ("345c0e51d9cde9e3", 1_500_000_000, 295351367),
    ]


def test_seven_column_table_after_a_command_line() -> None:
    rows = members(one(case("real/etcd-10312-quota-2g/bundle/endpoint-status.txt"), *ALL))
    assert [(row["version"], row["db_size_bytes"], row["is_leader"]) for row in rows] == [
        ("3.2.6", 2_100_000_000, False)
    ]


def test_status_and_health_tables_in_one_file() -> None:
    text = case("formats/endpoint-status-nospace-wrapped/endpoint-status.txt")
    status, health = segments(text, *ALL)
    (row,) = members(status)
    assert (row["id_hex"], row["db_size_as_printed"]) == ("8e9e05c52164694d", "25 kB")
    assert row["alarm_members_hex"] == {"NOSPACE": ["8e9e05c52164694d"]}
    (endpoint,) = health.facts["endpoints"]
    assert (endpoint["healthy"], endpoint["took_s"]) == (False, 0.001850456)


def test_every_member_reports_all_alarms_but_they_are_three() -> None:
    text = case("lab/nospace_small_quota/bundle/etcdctl/endpoint-status-20261120T183304Z.txt")
    parsed = one(text, *ALL)
    assert len(members(parsed)) == 3
    assert {a.member_id for a in parsed.records if isinstance(a, Alarm)} == {row["id_hex"] for row in members(parsed)}


def test_follower_without_leader_says_so() -> None:
    text = case("lab/network_loss_one_follower/bundle/etcdctl/endpoint-status-20261120T183643Z.txt")
    assert [row["errors"] for row in members(one(text, *ALL))] == [[], [], ["etcdserver: no leader"]]


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_member_list(version: str) -> None:
    parsed = one(snippet(f"etcdctl/member-list-{version}-table.txt"), *ALL)
    entry = parsed.records[0]
    assert isinstance(entry, MemberEntry)
    assert (entry.member_id, entry.name) == ("613c9e2fb9600f94", "etcd-2")
    assert entry.client_urls == ("http://127.0.0.1:32579",)


@pytest.mark.parametrize("width", [80, 100, 120, 160, 203])
@pytest.mark.parametrize("name", ["3.6-nospace", "3.5-nospace", "3.6"])
def test_lines_broken_by_a_narrow_terminal_are_joined(name: str, width: int) -> None:
    whole = snippet(f"etcdctl/endpoint-status-{name}-table.txt")
    table = [line for line in whole.splitlines() if not line.startswith("{")]
    broken = [line[start : start + width] for line in table for start in range(0, len(line), width)]
    rows = members(one("\n".join(broken), *ALL))
    for row, expected in zip(rows, members(one(whole, *ALL)), strict=True):
        assert {**row, "line": 0} == {**expected, "line": 0}


def test_cut_row_is_counted_and_empty_row_is_told() -> None:
    text = WRAPPED + "| 127.0.0.1:2380 | b27eb7be93\n|  |  |  |  |  |  |\n"
    parsed = one(text, *ALL)
    assert parsed.rejected == 1
    assert parsed.problems == ("line 9: an empty row: one member did not answer etcdctl",)


def test_other_tables_are_left_alone() -> None:
    assert segments(snippet("etcdctl/endpoint-hashkv-3.5-table.txt"), *ALL) == []
