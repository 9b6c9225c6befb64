"""Escaping, checked with a Markdown parser: what goes in is what a reader sees."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analyzer.report.markdown_text import code, fence, prose, table_rows
from analyzer.report.wording import clean

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MARKUP = st.text(alphabet="ab1 `*_[]()<>|~#@&;:/\\-+=.!\"'\n", max_size=40).map(clean)


def seen(markdown: str) -> tuple[list[str], str]:
    """Token types beyond a plain paragraph, and the text a reader sees."""
    parsed = PARSER.parse(markdown)
    inline = [child for token in parsed for child in token.children or ()]
    blocks = [token.type for token in parsed if token.type not in ("paragraph_open", "inline", "paragraph_close")]
    odd = [child.type for child in inline if child.type not in ("text", "code_inline", "text_special")]
    return blocks + odd, "".join(child.content for child in inline)


@settings(max_examples=500)
@given(MARKUP)
@example("1. not a list")
@example("- not a bullet")
@example("+2.9 nats")
@example("> not a quote")
@example("--- not a rule")
@example("# not a heading")
@example("~~~ not a fence")
@example("http://a|b @root #12 www.x.y")
@example("&lt;b&gt; &amp;copy;")
def test_prose_reads_as_written(text: str) -> None:
    assert seen(prose(text)) == ([], text)


@settings(max_examples=500)
@given(MARKUP)
@example("`")
@example("`` ` ```")
@example("<script>")
def test_code_reads_as_written(text: str) -> None:
    assert seen(code(text)) == ([], text)


@pytest.mark.parametrize("text", ["@root", "see #12", "https://evil.example/x", "www.evil.example", "a@b.example"])
def test_what_a_ticket_would_link_sits_in_a_code_span(text: str) -> None:
    assert "`" in prose(text)


@given(st.lists(st.text(alphabet="`~a ", min_size=1, max_size=12), min_size=1, max_size=5))
def test_nothing_closes_a_fence_early(lines: list[str]) -> None:
    parsed = PARSER.parse("\n".join([*fence(lines, ""), "after"]))
    assert parsed[0].type == "fence"
    assert parsed[0].content == "\n".join(lines) + "\n"
    assert parsed[2].content == "after"


def test_cells_cannot_make_cells() -> None:
    rows = table_rows(("a", "b"), [(code("x | y", in_table=True), prose("p | q"))])
    cells = [token for token in PARSER.parse("\n".join(rows)) if token.type == "td_open"]
    assert len(cells) == 2


def test_empty_columns_are_dropped() -> None:
    assert next(iter(table_rows(("a", "b", "c"), [("1", "", "3")]))) == "| a | c |"


def test_nothing_to_quote_is_nothing() -> None:
    assert code("") == ""
    assert list(fence([], "")) == []
