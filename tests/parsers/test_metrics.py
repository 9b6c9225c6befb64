import math

import pytest

from analyzer.model.facts import Histogram, MetricScrape
from analyzer.parsers.histogram import histogram_facts, observations, quantile_bracket
from analyzer.parsers.metrics import Metrics
from analyzer.parsers.prometheus_json import PrometheusJson

from .feeding import case, one, parse_json, segments, snippet

FSYNC = "etcd_disk_wal_fsync_duration_seconds"


def scrapes(text: str) -> list[MetricScrape]:
    return [record for parsed in segments(text, Metrics) for record in parsed.records]


@pytest.mark.parametrize("version", ["3.4.15", "3.5.21", "3.6.5"])
def test_a_page_of_every_generation(version: str) -> None:
    parsed = one(snippet(f"metrics/etcd-{version[:3]}.prom.gz"), Metrics)
    facts = parsed.facts
    assert parsed.rejected == 0
    assert (facts["version"], facts["server_id"]) == (version, "f60eab56df35d22e")
    assert (facts["quota_backend_bytes"], facts["has_leader"]) == (20_971_520, 1)
    assert facts["db_in_use_bytes"] <= facts["db_total_size_bytes"]
    for name in ("wal_fsync", "backend_commit"):
        low, high = facts[name]["p99_bracket_s"]
        assert 0 <= low < facts[name]["mean_s"] * 100
        assert low < high <= 8.192
        assert math.isclose(high, 2 * low) or low == 0
    # The pages of 3.4 and 3.6 were taken before the first probe of a peer.
    peers = {"613c9e2fb9600f94", "e4cc7cd8bf2866fb"} if version == "3.5.21" else set()
    assert set(facts.get("peer_rtt", {})) == peers
    (scrape,) = parsed.records
    assert scrape.process_start_s == facts["process_start_s"]
    assert not any(name.endswith("_bucket") for name, *_ in scrape.scalars)
    assert {histogram.bounds[-1] for histogram in scrape.histograms} == {math.inf}


def test_counts_in_scientific_notation_and_a_missing_first_bucket() -> None:
    parsed = one(case("real/rke-2295-vm-storage/bundle/metrics.txt"), Metrics)
    assert parsed.facts["wal_fsync"]["count"] == 11_775_397
    assert parsed.facts["wal_fsync"]["p99_bracket_s"] == [0.128, 0.256]
    assert parsed.facts["wal_fsync"]["mean_s"] == pytest.approx(0.0119, abs=1e-4)
    assert parsed.understood == 21


def test_cut_histogram_uses_its_last_bucket_and_says_so() -> None:
    parsed = one(case("real/etcd-11100-peer-rtt/bundle/metrics.txt"), Metrics)
    rtt = parsed.facts["peer_rtt"]["2df052a7ad3e2544"]
    assert (rtt["count"], rtt["p99_bracket_s"], rtt["plus_inf_missing"]) == (371519, [0.0004, 0.0008], True)
    assert "+Inf bucket is missing" in parsed.problems[0]
    assert parsed.records[0].histograms[0].total is None
    parsed = one(case("real/etcd-14027-ifdown-member/bundle/metrics.txt"), Metrics)
    assert parsed.facts["backend_commit"]["plus_inf_missing"] is True


def test_documentation_listing_measures_nothing() -> None:
    parsed = one(case("formats/metrics-doc-listing-no-values/metrics.txt"), Metrics)
    assert (parsed.understood, parsed.records, parsed.facts["series"]) == (0, (), 0)
    assert len(parsed.problems) == 1
    assert "without values" in parsed.problems[0]


def test_names_without_values_inside_a_scrape_are_damage() -> None:
    parsed = one("etcd_server_has_leader 1\netcd_server_is_leader\netcd_server_id{server", Metrics)
    assert (parsed.understood, parsed.rejected) == (1, 2)


def test_falling_bucket_counts() -> None:
    head = f'{FSYNC}_bucket{{le="0.001"}} 5\n{FSYNC}_bucket{{le="0.002"}} %s\n{FSYNC}_bucket{{le="0.004"}} %s\n'
    cut = one(head % (70, 7), Metrics)
    assert cut.records[0].histograms[0].counts == (5, 70)
    assert "cut off" in cut.problems[0]
    wrong = one(head % (3, 7), Metrics)
    assert wrong.records == ()
    assert "damaged" in wrong.problems[0]


def test_several_members_pasted_together_stay_apart() -> None:
    text = "".join(
        f'etcd_server_has_leader{{instance="{host}"}} 1\n'
        f'{FSYNC}_bucket{{instance="{host}",le="0.001"}} {count}\n'
        f'{FSYNC}_bucket{{instance="{host}",le="+Inf"}} 100\n'
        for host, count in (("a", 100), ("b", 0))
    )
    parsed = one(text, Metrics)
    assert len(parsed.records) == 2
    brackets = {
        target["labels"]["instance"]: target["wal_fsync"]["p99_bracket_s"] for target in parsed.facts["targets"]
    }
    assert brackets == {"a": [0.0, 0.001], "b": [0.001, None]}


def test_two_scrapes_one_after_the_other() -> None:
    page = "etcd_server_has_leader %d\netcd_server_is_leader 1\netcd_server_leader_changes_seen_total %d\n"
    page += "go_goroutines 5\n"
    first, second = scrapes(page % (1, 3) + page % (0, 4))
    assert [value for name, _, value, _ in second.scalars if name == "etcd_server_leader_changes_seen_total"] == [4]
    assert len(scrapes(page % (1, 3) + "etcd_server_is_leader 1\n")) == 1
    assert first.line == 1
    assert second.line == 5


def test_openmetrics_dump_gives_a_scrape_per_time() -> None:
    text = (
        f'{FSYNC}_bucket{{instance="a",le="0.001"}} 1 1700000000.5\n'
        f'{FSYNC}_bucket{{instance="a",le="0.001"}} 2 1700000030.5\n'
        f'{FSYNC}_bucket{{instance="a",le="+Inf"}} 4 1700000000.5\n'
        f'{FSYNC}_bucket{{instance="a",le="+Inf"}} 8 1700000030.5\n'
        "# EOF"
    )
    parsed = one(text, Metrics)
    assert [(s.at_ns, s.histograms[0].counts) for s in parsed.records] == [
        (1_700_000_000_500_000_000, (1, 4)),
        (1_700_000_030_500_000_000, (2, 8)),
    ]
    assert (parsed.timed, parsed.naive_time, parsed.last_ns) == (True, False, 1_700_000_030_500_000_000)
    assert scrapes("etcd_server_has_leader 1 1700000000500")[0].at_ns == 1_700_000_000_500_000_000


def test_labels_are_unescaped_and_promtool_lines_are_read() -> None:
    (scrape,) = scrapes('etcd_x_total{a="q\\"\\\\n\\n",instance="i"} => 7 @[1700000000.123]')
    assert scrape.scalars == (("etcd_x_total", (("a", 'q"\\n\n'), ("instance", "i")), 7.0, 1),)
    assert scrape.at_ns == 1_700_000_000_123_000_000


def test_only_what_is_worth_judging_is_kept() -> None:
    (scrape,) = scrapes(
        'grpc_server_started_total{grpc_method="Range"} 7\n'
        'etcd_request_duration_seconds_count{verb="get"} 5\n'
        'node_disk_io_now{device="vdb"} 3\netcd_server_has_leader NaN\nprocess_open_fds 42\n'
    )
    assert [name for name, *_ in scrape.scalars] == ["node_disk_io_now", "process_open_fds"]


@pytest.mark.parametrize(
    "prose",
    [
        "Total 12",
        "# HELP me please",
        "etcd_server is slow",
        "the value is 5",
        "go 5",
        "etcd-0 1/1 Running 3",
        "{} 5",
    ],
)
def test_prose_is_left_alone(prose: str) -> None:
    assert not Metrics.starts(prose)


def histogram(bounds: list[float], counts: list[float], total: float | None = None) -> Histogram:
    return Histogram(1, FSYNC, (), tuple(bounds), tuple(counts), total, None)


def test_quantile_bracket_never_gives_a_point() -> None:
    known = histogram([0.001, 0.002, math.inf], [98, 99, 100], 100)
    assert quantile_bracket(known, 0.98) == (0.0, 0.001)
    assert quantile_bracket(known, 0.99) == (0.001, 0.002)
    assert quantile_bracket(known, 0.999) == (0.002, math.inf)
    assert quantile_bracket(histogram([0.001], [10], 100), 0.99) == (0.001, math.inf)
    assert quantile_bracket(histogram([0.001, math.inf], [0, 0], 0), 0.99) is None
    assert observations(histogram([0.001, 0.002], [3, 9])) == 9
    assert histogram_facts(histogram([0.001], [10], 100))["p99_bracket_s"] == [0.001, None]


def test_prometheus_matrix_becomes_scrapes() -> None:
    text = (
        '{"status":"success","data":{"resultType":"matrix","result":[\n'
        f'{{"metric":{{"__name__":"{FSYNC}_bucket","instance":"a","le":"0.001"}},"values":[[1700000000,"1"],[1700000060,"5"]]}},\n'
        f'{{"metric":{{"__name__":"{FSYNC}_bucket","instance":"a","le":"+Inf"}},"values":[[1700000000,"2"],[1700000060,"9"]]}}\n'
        "]}}"
    )
    parsed = parse_json(text, [PrometheusJson])
    assert [scrape.histograms[0].counts for scrape in parsed.records] == [(1, 2), (5, 9)]
    assert parsed.records[0].histograms[0].line == 2
    assert (parsed.first_ns, parsed.timed) == (1_700_000_000_000_000_000, True)
    assert parsed.facts["wal_fsync"]["count"] == 9


def test_prometheus_quantiles_are_only_quoted() -> None:
    text = (
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"etcd-0"},'
        '"values":[[1700000000,"0.01"],[1700000060,"NaN"],[1700000120,"0.03"],[1700000180,"0.02"]]}]}}'
    )
    parsed = parse_json(text, [PrometheusJson])
    assert parsed.records == ()
    assert parsed.facts["expressions"] == [
        {"labels": {"pod": "etcd-0"}, "points": 3, "min": 0.01, "median": 0.02, "max": 0.03, "line": 1}
    ]
    assert any("1 are NaN" in problem for problem in parsed.problems)


def test_loki_streams_are_declined() -> None:
    assert not PrometheusJson.accepts({"data": {"resultType": "streams", "result": []}})
