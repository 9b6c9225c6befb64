import pytest

from analyzer.parsers.check_perf import CheckPerf

from .feeding import one, segments, snippet

FAILED = """\
 60 / 60 Booooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo! 100.00%1m0s
FAIL: Throughput too low: 3290 writes/s
Slowest request took too long: 1.094235s
Stddev too high: 0.139871s
FAIL
"""


def test_small_load_kept_up() -> None:
    (run,) = one(snippet("etcdctl/check-perf-small-3.5.txt"), CheckPerf).facts["runs"]
    assert (run["load"], run["load_writes_per_s"], run["throughput"]) == ("s", 150, 144)
    assert (run["slowest_s"], run["stddev_s"], run["pass"]) == (0.353524, 0.021933, True)


def test_failed_run_without_fail_prefixes() -> None:
    parsed = one(FAILED, CheckPerf)
    (record,) = parsed.records
    assert (record.slowest_s, record.stddev_s, record.passed) == (1.094235, 0.139871, False)
    assert record.load is None, "a run that did not keep up may have had any larger load"
    assert parsed.understood == 5


def test_load_comes_from_the_command_line() -> None:
    parsed = one('$ ETCDCTL_API=3 etcdctl check perf --load="l"\n' + FAILED, CheckPerf)
    assert parsed.records[0].load == "l"
    assert one("etcdctl --endpoints=h:1 check perf\n" + FAILED, CheckPerf).records[0].load == "s"


def test_two_runs_are_two() -> None:
    passed = "PASS: Throughput is 14850 writes/s\nPASS: Slowest request took 0.2s\nPASS: Stddev is 0.01s\nPASS\n"
    assert [(run.load, run.passed) for run in one(passed + FAILED, CheckPerf).records] == [
        ("xl", True),
        (None, False),
    ]


def test_errors_are_told_and_bar_and_result_may_share_a_line() -> None:
    text = (
        " 58 / 60   96.67% 00m01s\r 59 / 60   98.33%FAIL: too many errors\n"
        "FAIL: ERROR(etcdserver: mvcc: database space exceeded) -> 865\nPASS: Throughput is 136 writes/s\n"
        "PASS: Slowest request took 0.056257s\nPASS: Stddev is NaNs\nFAIL\n"
    )
    (run,) = one(text, CheckPerf).facts["runs"]
    assert run["errors"] == ["etcdserver: mvcc: database space exceeded"]
    assert (run["failed_writes"], run["stddev_s"], run["pass"]) == (865, None, False)


def test_newer_bar_with_warnings_between() -> None:
    text = (
        '59 / 60 [--------------->_] 98.33% 1 p/s{"level":"warn","msg":"retrying of unary invoker failed"}\n'
        '{"level":"warn","msg":"retrying of unary invoker failed"}\nFAIL: too many errors\nFAIL\n'
    )
    found = segments(text, CheckPerf)
    assert [parsed.facts["runs"][0]["pass"] for parsed in found if parsed.facts["runs"]] == [False]


def test_cut_output_has_no_verdict() -> None:
    parsed = one("PASS: Throughput is 150 writes/s\nPASS: Slowest request took 0.1s", CheckPerf)
    assert parsed.records[0].passed is None
    assert parsed.problems == ("line 1: the run has no final PASS or FAIL line: the output was cut off",)


@pytest.mark.parametrize(
    "prose", ["PASS", "FAIL", "I ran etcdctl check perf and it failed", "too many errors", "1 / 2"]
)
def test_prose_is_left_alone(prose: str) -> None:
    assert not CheckPerf.starts(prose)
