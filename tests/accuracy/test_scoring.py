"""The scorer itself: it must call wrong wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.accuracy import table
from tests.accuracy.__main__ import main, score_sets
from tests.accuracy.cases import Case, LabelError, cause_id, load, read_label
from tests.accuracy.outcome import Outcome, phrases_said
from tests.accuracy.own import scenarios
from tests.accuracy.score import Share, score

DISK, NETWORK, CLOCK = "slow-disk-sustained", "network-latency", "clock-skew"


def case(**changes: object) -> Case:
    plain = Case("own", "one", ("bundle",), DISK, frozenset({DISK, "storage-iops-cap"}), frozenset({NETWORK, CLOCK}))
    return replace(plain, **changes)  # type: ignore[arg-type]


def said(answer: str | None, confidence: str, *others: tuple[str, float, str], of: Case | None = None) -> Outcome:
    ranked = ((answer, 0.9, confidence),) if answer else ()
    return Outcome(
        of or case(), "problem", answer, answer is not None, confidence, 0.9 if answer else None, (*ranked, *others),
        (), 0, 0.1, "",
    )  # fmt: skip


def test_the_root_cause_is_right_and_strictly_right() -> None:
    assert said(DISK, "high").right
    assert said(DISK, "high").strictly_right


def test_an_acceptable_cause_is_right_but_not_strictly() -> None:
    one = said("storage-iops-cap", "low")
    assert one.right and not one.strictly_right


def test_a_forbidden_cause_harms_when_it_is_said_surely_and_misleads_when_it_is_not() -> None:
    assert said(NETWORK, "high").harmful == (NETWORK,)
    assert said(NETWORK, "low").harmful == ()
    assert said(NETWORK, "low").misleading
    assert not said("cpu-starvation", "high").harmful


def test_a_forbidden_cause_harms_as_a_second_hypothesis_too() -> None:
    assert said(DISK, "high", (CLOCK, 0.6, "medium")).harmful == (CLOCK,)
    assert said(DISK, "high", (CLOCK, 0.4, "low")).harmful == ()


def test_top_three_ends_at_three() -> None:
    third = said("cpu-starvation", "low", ("a", 0.3, "low"), (DISK, 0.2, "none"))
    fourth = said("cpu-starvation", "low", ("a", 0.3, "low"), ("b", 0.3, "low"), (DISK, 0.2, "none"))
    assert third.in_top_three
    assert not fourth.in_top_three


def test_precision_counts_wrong_answers_under_their_word() -> None:
    figures = score([said(DISK, "high"), said(NETWORK, "high"), said(DISK, "low"), said(None, "none")])
    assert (figures.precision["high"], figures.precision["low"]) == (Share(1, 2), Share(1, 1))
    assert figures.top_one == Share(2, 4)
    assert figures.harmful == Share(1, 4)
    assert figures.confusion == ((DISK, "(no answer)", 1), (DISK, NETWORK, 1))


def test_brier_is_the_mean_squared_distance() -> None:
    figures = score([said(DISK, "high"), said(NETWORK, "high")])
    assert figures.brier == pytest.approx((0.1**2 + 0.9**2) / 2)


def test_a_truth_outside_the_causes_is_scored_for_harm_and_calibration_only() -> None:
    unknown = case(root_cause=None, acceptable=frozenset())
    figures = score([said(NETWORK, "high", of=unknown)])
    assert (figures.top_one, figures.strict) == (Share(0, 0), Share(0, 0))
    assert figures.harmful == Share(1, 1)
    assert figures.precision["high"] == Share(0, 1)


def test_samples_have_no_right_answer_and_no_precision() -> None:
    sample = case(set_name="samples", root_cause=None, acceptable=frozenset(), must_not=frozenset({DISK}))
    figures = score([said(DISK, "medium", of=sample)])
    assert figures.harmful == Share(1, 1)
    assert figures.precision["medium"] == Share(0, 0)


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("Replace disk sda.", "replace disk", True),
        ("The network between the members loses traffic.", "network", True),
        ("The disk is fine. The network is not to blame.", "network", True),
        ("It is not the network.", "network", False),
        ("Networking tools were used.", "network", False),
        ("A slow  disk under the WAL.", "slow disk", True),
    ],
)
def test_phrases_are_found_as_words_and_not_where_they_are_denied(text: str, phrase: str, expected: bool) -> None:
    diagnosis = scenarios()["slow-disk-3.4-capnslog"].diagnosis
    spoken = replace(diagnosis, verdict=replace(diagnosis.verdict, summary=text), hypotheses=())
    assert bool(phrases_said([phrase], spoken)) is expected


def test_a_share_knows_its_interval() -> None:
    low, high = Share(20, 22).interval or (0, 0)
    assert (low, high) == pytest.approx((0.7218, 0.9747), abs=1e-3)
    assert Share(0, 0).interval is None


def test_labels_are_spelt_like_causes_and_misspelt_ones_are_refused() -> None:
    assert cause_id("slow_disk_sustained", "x") == DISK
    assert cause_id("other: two processes on one directory", "x") is None
    with pytest.raises(LabelError, match="slow_disc"):
        cause_id("slow_disc", "x")


def test_every_label_at_hand_loads() -> None:
    cases = load()
    assert len([one for one in cases if one.set_name == "own"]) >= 20
    assert all(not one.must_not & one.acceptable for one in cases)


def test_a_yaml_label_is_read(tmp_path: Path) -> None:
    label = tmp_path / "truth.yaml"
    label.write_text("root_cause: clock_skew\nmust_not_say: [slow disk]\n", encoding="utf-8")
    assert read_label(label)["root_cause"] == "clock_skew"


def test_documents_are_not_written_from_a_part(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.accuracy.__main__.run", lambda cases: (said(DISK, "high"),))
    assert main(["--set", "own", "--write-docs"]) == 2
    assert "nothing written" in capsys.readouterr().err


def test_all_is_the_sum_of_the_labelled_sets() -> None:
    real = replace(said(DISK, "high"), case=case(set_name="real"))
    sample = replace(said(DISK, "high"), case=case(set_name="samples"))
    scores = score_sets([said(DISK, "high"), real, sample])
    assert {name: one.cases for name, one in scores.items()} == {"own": 1, "real": 1, "samples": 1, "all": 2}


def test_a_block_is_replaced_between_its_markers_only() -> None:
    text = "a\n<!-- b -->\nold\n<!-- e -->\nz\n"
    assert table.replace_block(text, "<!-- b -->", "<!-- e -->", "new") == "a\n<!-- b -->\nnew\n<!-- e -->\nz\n"
    assert table.replace_block("no markers", "<!-- b -->", "<!-- e -->", "new") is None
