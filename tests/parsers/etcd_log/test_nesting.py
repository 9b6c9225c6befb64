"""Any wrappers, in any nesting of up to three, around any dialect: the same events."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .feeding import scan
from .wrapping import AT, DIALECTS, OLD, PRECISE, WRAPPERS, cri_parts, docker, numbered, wrapped, zap

Maker = Callable[[str], list[str]]
WANTED = [("slow-fdatasync", 1.33, -1, None), ("leader-changed", None, 3112, OLD)]
INNER = tuple(maker for maker in WRAPPERS if maker is not numbered)


def check(dialect: str, lines: list[str], joined: bool = False) -> None:
    found, artifact = scan("\n".join(lines) + "\n")
    assert [(e.kind, e.took_s, e.term, e.peer) for e in found] == WANTED, lines
    second = int(AT.timestamp()) * 10**9
    assert {e.ts_ns for e in found} == {second + PRECISE[dialect] * 1000}, lines
    assert artifact.log is not None and artifact.log.lines == 2
    assert artifact.rejected == artifact.not_relevant == 0
    assert [e.line for e in found] == [1, len(lines) // 2 + 1] if not joined else True


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_pair_of_wrappers(dialect: str) -> None:
    chains = [(), *((maker,) for maker in WRAPPERS), *itertools.product(INNER, WRAPPERS)]
    texts: list[str] = []
    for chain in chains:
        texts += [line for text in DIALECTS[dialect] for line in wrapped(text, list(chain))]
    found, _ = scan("\n".join(texts) + "\n")
    assert len(found) == 2 * len(chains)
    for index, chain in enumerate(chains):
        pair = [e for e in found if e.line in (2 * index + 1, 2 * index + 2)]
        assert [(e.kind, e.took_s, e.term, e.peer) for e in pair] == WANTED, chain


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(DIALECTS)),
    st.lists(st.sampled_from(INNER), max_size=3),
    st.lists(st.integers(0, 400), max_size=3),
    st.integers(0, 2),
)
def test_three_wrappers_and_lines_in_parts(dialect: str, makers: list[Maker], cuts: list[int], at: int) -> None:
    if cuts and makers:
        makers[at % len(makers)] = partial(cri_parts, cuts=cuts)
    check(dialect, [line for text in DIALECTS[dialect] for line in wrapped(text, makers)], joined=True)


@pytest.mark.fuzz
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_triple_of_wrappers(dialect: str) -> None:
    for chain in itertools.product(INNER, INNER, WRAPPERS):
        check(dialect, [line for text in DIALECTS[dialect] for line in wrapped(text, list(chain))])


def test_cri_parts_cut_at_every_place() -> None:
    slow, changed = DIALECTS["zap"]
    for cut in range(len(slow) + 1):
        check("zap", [*cri_parts(slow, [cut]), *cri_parts(changed, [cut])], joined=True)


def test_parts_of_two_pods_do_not_mix() -> None:
    mixed: list[str] = []
    for cut in (5, 60, 100):
        one, two = (cri_parts(text, [cut, cut + 20]) for text in DIALECTS["zap"])
        for a, b in zip(one, two, strict=True):
            mixed += [f"[pod/etcd-a/etcd] {a}", f"[pod/etcd-b/etcd] {b}"]
    found, _ = scan("\n".join(mixed))
    assert (
        sorted((e.kind, e.took_s or 0) for e in found) == [("leader-changed", 0)] * 3 + [("slow-fdatasync", 1.33)] * 3
    )


def test_docker_splits_long_lines_at_16_kib() -> None:
    long = zap("apply request took too long", took="1.33s", request='key:\\"/a\\" ' * 4000, response="size:7")
    pieces = [long[at : at + 16384] for at in range(0, len(long), 16384)]
    assert len(pieces) > 2
    stamp = '","stream":"stderr","time":"2026-11-20T17:49:33.123456789Z"}'
    lines = ['{"log":' + json.dumps(piece + ("\n" if piece is pieces[-1] else ""))[:-1] + stamp for piece in pieces]
    found, artifact = scan("\n".join([*docker(DIALECTS["zap"][0]), *lines, *docker(DIALECTS["zap"][1])]))
    assert [(e.kind, e.took_s, e.line) for e in found] == [
        ("slow-fdatasync", 1.33, 1), ("apply-slow", 1.33, 2), ("leader-changed", None, 2 + len(pieces)),
    ]  # fmt: skip
    assert artifact.understood == artifact.lines


def test_short_texts_without_a_newline_are_whole_lines() -> None:
    """fluent-bit and other shippers cut the newline off."""
    lines = [line.replace("\\n", "") for text in DIALECTS["zap"] for line in docker(text)]
    found, _ = scan("\n".join(lines))
    assert [e.kind for e in found] == ["slow-fdatasync", "leader-changed"]


def test_a_part_whose_end_never_comes_is_read_as_far_as_it_goes() -> None:
    parts = cri_parts(DIALECTS["zap"][0], [100])
    found, artifact = scan("\n".join(["prose", parts[0]]))
    assert [(e.kind, e.took_s, e.line) for e in found] == [("slow-fdatasync", None, 2)] and artifact.rejected == 1
    whole = cri_parts(DIALECTS["zap"][0], [400])[0].replace(" F ", " P ")
    found, artifact = scan("\n".join(["prose", whole]))
    assert [(e.kind, e.line) for e in found] == [("slow-fdatasync", 2)]


def test_endless_parts_do_not_grow_without_bound() -> None:
    part = cri_parts("x" * 5000, [400])[0]
    found, artifact = scan("\n".join([part] * 3000))
    assert not found and artifact.lines == 3000


def test_newest_first_gives_the_same_events() -> None:
    lines = [line for text in DIALECTS["capnslog"] for line in wrapped(text, [WRAPPERS[0]])]
    forward, _ = scan("\n".join(lines))
    backward, _ = scan("\n".join(reversed(lines)))
    assert {(e.kind, e.ts_ns, e.took_s) for e in forward} == {(e.kind, e.ts_ns, e.took_s) for e in backward}
