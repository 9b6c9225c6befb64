import json

import pytest

from analyzer.model.facts import Alarm, EndpointStatus, MemberEntry
from analyzer.model.line import Document, Line
from analyzer.parsers.etcdctl_json import (
    AlarmListJson,
    EndpointHealthJson,
    EndpointStatusJson,
    MemberListJson,
)
from analyzer.parsers.prometheus_json import PrometheusJson

from .feeding import case, members, parse_json, snippet

ALL = (EndpointStatusJson, EndpointHealthJson, MemberListJson, AlarmListJson, PrometheusJson)
HEADER = '{"cluster_id":10217060607270873558,"member_id":16479188888506344209,"revision":12,"raft_term":2}'


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_status_has_exact_ids_and_bytes(version: str) -> None:
    rows = members(parse_json(snippet(f"etcdctl/endpoint-status-{version}-json.json"), ALL))
    assert rows[0]["id_hex"] == "f60eab56df35d22e"
    assert rows[0]["db_size_bytes"] == 20480
    assert sum(row["is_leader"] for row in rows) == 1
    assert rows[0]["quota_bytes"] == (20_971_520 if version == "3.6" else None)


@pytest.mark.parametrize("version", ["3.4", "3.5", "3.6"])
def test_status_after_warnings_of_a_dead_member(version: str) -> None:
    parsed = parse_json(snippet(f"etcdctl/endpoint-status-{version}-one-dead-json.json"), ALL)
    assert len(members(parsed)) == 2
    assert all(isinstance(record, EndpointStatus | Alarm) for record in parsed.records)
    assert any(isinstance(record, Alarm) and record.alarm == "NOSPACE" for record in parsed.records)


def test_ids_rounded_by_a_float_name_nobody() -> None:
    parsed = parse_json(case("formats/endpoint-status-json/endpoint-status.json"), ALL)
    rows = members(parsed)
    assert [row["id_hex"] for row in rows] == [None, None, None]
    assert [row["is_leader"] for row in rows] == [False, False, True]
    assert rows[2]["endpoint"] == "https://master-1.etcd.cfcr.internal:2379"
    assert (rows[0]["db_size_bytes"], rows[0]["db_in_use_bytes"]) == (5177344, 2039808)
    assert [row["line"] for row in rows] == [3, 21, 39]
    assert "rounded" in parsed.problems[0]


def test_ids_written_as_floats_name_nobody() -> None:
    text = '[{"Endpoint":"a:1","Status":{"header":{"member_id":1.2870230917851929e19},"dbSize":5,"leader":1}}]'
    parsed = parse_json(text, ALL)
    assert members(parsed)[0]["id_hex"] is None
    assert parsed.problems


def test_one_round_looking_id_among_exact_ones_is_kept() -> None:
    body = {"header": {"cluster_id": 9530100311393855006, "member_id": 12870230917851930000}, "dbSize": 1}
    text = json.dumps([{"Endpoint": "a:1", "Status": body}])
    assert members(parse_json(text, ALL))[0]["id_hex"] == f"{12870230917851930000:x}"


def test_gateway_answers_write_numbers_as_text() -> None:
    text = (
        '{"header":{"cluster_id":"10217060607270873558","member_id":"16479188888506344209","revision":"1",'
        '"raft_term":"2"},"version":"3.6.5","dbSize":"20480","leader":"16479188888506344209","raftIndex":"12",'
        '"raftTerm":"2","raftAppliedIndex":"12","dbSizeInUse":"16384","dbSizeQuota":"16777216"}'
    )
    (row,) = members(parse_json(text, ALL))
    assert (row["id_hex"], row["is_leader"]) == ("e4b1d6fbcdfc2311", True)
    assert (row["db_size_bytes"], row["quota_bytes"]) == (20480, 16777216)


@pytest.mark.parametrize(
    "text",
    [
        f'{{"header":{HEADER},"alarms":[{{"memberID":16479188888506344209,"alarm":1}}]}}',
        f'{{"header":{HEADER},"alarms":[{{"memberID":"16479188888506344209","alarm":"NOSPACE"}}]}}',
    ],
)
def test_alarm_list(text: str) -> None:
    parsed = parse_json(text, ALL)
    assert parsed.records == (Alarm(1, "e4b1d6fbcdfc2311", "NOSPACE"),)


def test_unknown_alarm_is_counted() -> None:
    parsed = parse_json(f'{{"header":{HEADER},"alarms":[{{"memberID":5,"alarm":9}}]}}', ALL)
    assert (parsed.records, parsed.rejected) == ((), 1)


def test_health_and_health_page() -> None:
    text = '[{"endpoint":"127.0.0.1:33060","health":false,"took":"12.066846ms",'
    text += '"error":"Active Alarm(s): NOSPACE "}]'
    parsed = parse_json(text, ALL)
    assert parsed.facts["endpoints"][0]["took_s"] == pytest.approx(0.012066846)
    assert parsed.records[1] == Alarm(1, None, "NOSPACE")
    page = parse_json('{"health":"false","reason":"ALARM NOSPACE"}', ALL)
    assert page.facts["endpoints"][0]["healthy"] is False
    assert page.records[1] == Alarm(1, None, "NOSPACE")


def test_member_list_in_decimal_text_hex_and_with_the_misspelt_key() -> None:
    decimal = snippet("etcdctl/member-list-3.5-json.json")
    entry = parse_json(decimal, ALL).records[0]
    assert isinstance(entry, MemberEntry)
    assert (entry.member_id, entry.client_urls) == ("613c9e2fb9600f94", ("http://127.0.0.1:32579",))
    hexed = (
        '{"header":{"cluster_id":"39eb26eb85a50cd2","member_id":"a2d54c886045ce8e","raft_term":2},"members":'
        '[{"ID":"a2d54c886045ce8e","name":"","peerURLs":["http://h:1"],"clientURLS":["http://h:2"]}]}'
    )
    entry = parse_json(hexed, ALL).records[0]
    assert (entry.member_id, entry.name, entry.client_urls) == ("a2d54c886045ce8e", None, ("http://h:2",))


def test_cut_document_says_so() -> None:
    value = [{"Endpoint": "a:1", "Status": {"header": {"member_id": 7}, "dbSize": 3}}]
    parsed = EndpointStatusJson.parse(Document(value, (Line(4, "[{"), Line(5, '"Endpoint":"a:1"')), False))
    assert parsed.problems == ("line 5: the JSON is cut off here: what follows is missing",)
    assert members(parsed)[0]["line"] == 5


@pytest.mark.parametrize("value", [None, 3, [], {}, [[]], {"members": 3}, {"header": {}, "alarms": None}])
def test_foreign_documents_are_declined(value: object) -> None:
    assert not any(parser.accepts(value) for parser in ALL)


@pytest.mark.parametrize(
    "value",
    [
        [{"Endpoint": 3, "Status": 4}],
        [{"Endpoint": "a", "Status": {"header": 3, "errors": 7, "leader": [], "dbSize": "x"}}],
        {"header": 1, "dbSize": None},
        {"members": [{"ID": None, "peerURLs": 7}, 3]},
        {"header": 1, "alarms": [3, {"alarm": []}]},
        [{"endpoint": None, "health": 3}],
        {
            "data": {
                "resultType": "matrix",
                "result": [3, {"metric": 3}, {"metric": {}, "values": [[1], 2, ["a", "b"]]}],
            }
        },
    ],
)
def test_wrong_types_never_raise(value: object) -> None:
    for parser in ALL:
        if parser.accepts(value):
            parser.parse(Document(value, (), True))
