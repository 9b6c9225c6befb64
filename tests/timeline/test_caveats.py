"""Caveats: one line per matter."""

from __future__ import annotations

from ..parsers.etcd_log.feeding import settled

LINE = "2020-10-20 12:15:2{}.088482 W | wal: sync duration of 1.33s, expected less than 1s"


def test_assumed_zones_are_one_line_that_lists_four_files_in_order() -> None:
    timeline = settled({f"m{number}.log": LINE.format(number) for number in range(7)})
    (caveat,) = timeline.caveats
    assert caveat.code == "zone-assumed"
    assert caveat.text.endswith("FILE may be a glob if not: m0.log, m1.log, m2.log, m3.log and 3 more")


def test_one_assumed_zone_names_its_option() -> None:
    (caveat,) = settled({"m0.log": LINE.format(0)}).caveats
    assert "--tz 'm0.log=<zone>'" in caveat.text


def test_the_same_problem_of_several_files_is_one_line() -> None:
    line = "Oct 20 10:58:2{} n1 etcd[9]: sync duration of 1.03s, expected less than 1s"
    timeline = settled({f"m{number}.log": line.format(number) for number in range(3)})
    years = [caveat.text for caveat in timeline.caveats if caveat.code == "input"]
    assert years == ["stamps carry no year: 1970 taken from nothing (set --year): m0.log, m1.log, m2.log"]


def test_folded_repeats_are_summed() -> None:
    text = "2020-10-20 12:15:2{}.0 W | rafthttp: lost the TCP streaming connection with peer 255a2e4092d561fb"
    files = {
        f"m{n}.log": (text + " [merged 15 repeated lines in 1.3s]").replace(".0 W", ".000000 W").format(n)
        for n in (1, 2)
    }
    (caveat,) = [c for c in settled(files).caveats if c.code == "merged"]
    assert caveat.text == "30 repeats folded by etcd were counted: m1.log, m2.log"


def test_sampling_is_told() -> None:
    line = '{"level":"warn","ts":"2024-01-31T16:54:41.675Z","msg":"slow fdatasync","took":"1.3s"}\n'
    assert [c.code for c in settled({"etcd-0.log": line * 100}).caveats] == ["sampled"]
    assert [c.code for c in settled({"etcd-0.log": line * 99}).caveats] == []
