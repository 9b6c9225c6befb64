"""JSON in text: where it begins, where it was cut, what can be saved."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.ingest.json_text import Capture, opens_document, repair
from analyzer.model.line import Line

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("text", ["{", "[", "[{", '{"a":1}', "  { ", "[1,2", "[true,", "[[", "[-1", "{}", "[]"])
def test_beginnings(text: str) -> None:
    assert opens_document(text)


@pytest.mark.parametrize("text", ["[root@n1 ~]#", "[note] x", "{{x}} y"[1:], "(x)", "[pod/etcd-0/etcd] {", "a {", ""])
def test_no_beginnings(text: str) -> None:
    assert not opens_document(text)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(VALUES, st.integers(0, 400))
def test_a_cut_document_is_repaired_to_a_part_of_itself_or_not_at_all(value: object, cut: int) -> None:
    text = json.dumps({"a": value, "b": [value, value]}, indent=1)
    text = text[: cut % (len(text) + 1)]
    saved = repair(text)
    if saved is not None:
        msgspec.json.decode(saved)
        assert text.startswith(saved.rstrip("]}"))


def test_brackets_in_strings_do_not_count() -> None:
    capture = Capture()
    lines = ['{"a": "}]{[", "b": [', '"\\"}",', "1]", "}"]
    ends = [capture.add(Line(number, text)) for number, text in enumerate(lines, 1)]
    assert ends == [False, False, False, True]
    document = capture.document()
    assert document is not None and document.value == {"a": "}]{[", "b": ['"}', 1]} and document.complete


def test_hostile_nesting_is_given_up_quickly() -> None:
    assert repair("[" * 100_000 + "1," * 100_000) is None
    capture = Capture()
    capture.add(Line(1, "[" * 100_000))
    assert capture.document() is None
