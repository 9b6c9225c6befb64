from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.line import Document
from analyzer.parsers.iostat_json import IostatJsonParser

from .disk_feeding import assert_sound, case_text, document, lines_of, needs_format_cases, one_series, snippet

SECOND = 1_000_000_000


def test_json_has_the_same_figures_as_text() -> None:
    parsed = document(IostatJsonParser, snippet("iostat/iostat-xt.json"))
    facts = parsed.facts
    assert (facts["hostname"], facts["number_of_cpus"], facts["reports"]) == ("vm", 2, 4)
    assert facts["devices"]["vda"]["first"]["rrqm_percent"] == 11.52
    assert "util_percent" in facts["devices"]["vda"]["max"]
    writes = one_series(parsed, "write_iops", "vda")
    assert writes.ts_ns[0] == 1_795_201_163 * SECOND
    lines = snippet("iostat/iostat-xt.json").splitlines()
    for number, value in zip(writes.lines, writes.values, strict=True):
        assert f'"w/s": {value:.2f}' in lines[number - 1]


def test_json_cut_off_by_a_kill_is_used_up_to_the_cut() -> None:
    text = snippet("iostat/iostat-xt-killed.json")
    parsed = document(IostatJsonParser, text, closing="]}]}}")
    assert parsed.facts["reports"] == 5
    assert any("cut off" in problem for problem in parsed.problems)
    cut = text[: text.rindex('"util": ') + len('"util": 6')]
    parsed = document(IostatJsonParser, cut, closing="}]}]}]}}")
    assert len(one_series(parsed, "util_ratio", "vda").values) == 3, "half a number was read as a number"
    assert len(one_series(parsed, "write_iops", "vda").values) == 4


def test_json_of_other_tools_is_not_accepted() -> None:
    sadf = {"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk-device": "sda", "tps": 1}]}]}]}}
    assert not IostatJsonParser.accepts(sadf)
    assert not IostatJsonParser.accepts([])
    assert not IostatJsonParser.accepts({"sysstat": 3})


def _json_values() -> st.SearchStrategy[object]:
    scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
    keys = st.sampled_from(["statistics", "disk", "disk_device", "avg-cpu", "timestamp", "user", "w/s", "date"])
    return st.recursive(
        scalars,
        lambda c: st.one_of(st.lists(c, max_size=3), st.dictionaries(keys, c, max_size=4)),
        max_leaves=12,
    )


@settings(max_examples=60, deadline=None)
@given(host=_json_values(), complete=st.booleans())
def test_any_json_never_raises(host: object, complete: bool) -> None:
    value = {"sysstat": {"hosts": [host, {"statistics": [{"avg-cpu": {"idle": 1.0}}]}]}}
    assert IostatJsonParser.accepts(value)
    parsed = IostatJsonParser.parse(Document(value, tuple(lines_of('{"avg-cpu":')), complete))
    assert_sound([parsed], 1)


@needs_format_cases
def test_public_document() -> None:
    parsed = document(IostatJsonParser, case_text("sysstat-iostat-x-p-ALL-JSON"))
    assert (parsed.facts["hostname"], parsed.facts["number_of_cpus"]) == ("SYSSTAT.TEST", 9)
    assert parsed.facts["devices"]["sdr"]["second"]["r_per_s"] == 3.21
    assert not parsed.timed
