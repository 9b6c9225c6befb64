"""Log text is data: nothing a bundle holds acts on a terminal, a ticket or a JSON reader."""

from __future__ import annotations

import json
import unicodedata

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from analyzer.report import json_report, markdown, terminal
from analyzer.report.options import RenderOptions
from analyzer.report.wording import clean

from .sample import two_hours
from .sample_evidence import STALL_TEXT
from .sample_hostile import HOSTILE, hostile

OPTIONS = [RenderOptions(), RenderOptions(verbose=True)]


def acting(text: str) -> set[str]:
    """Characters of a report a terminal would act on or not show."""
    return {char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


def tokens(text: str) -> list[Token]:
    parsed = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    return [inner for token in parsed for inner in (token, *(token.children or ()))]


@pytest.mark.parametrize("options", OPTIONS, ids=["brief", "verbose"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_plain_terminal_is_inert(text: str, options: RenderOptions) -> None:
    report = terminal.render(hostile(text), options)
    assert not acting(report)
    assert len(report.splitlines()) == len(terminal.render(two_hours(), options).splitlines())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_coloured_terminal_shows_markup_and_acts_on_none(text: str) -> None:
    options = RenderOptions(verbose=True, colour=True, width=1_000_000)
    harmless, poisoned = (terminal.render(made, options) for made in (hostile("harmless"), hostile(text)))
    # Only our own styles: as many escapes as with a harmless text, and none in between.
    assert poisoned.count("\x1b[") == harmless.count("\x1b[")
    assert acting(poisoned) == {"\x1b"}


def test_rich_markup_is_shown_as_it_is() -> None:
    report = terminal.render(hostile(HOSTILE["rich markup"]), RenderOptions(colour=True, width=1_000_000))
    assert "[red]ALERT[/red] [bold" in report


@pytest.mark.parametrize("options", OPTIONS, ids=["brief", "verbose"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_markdown_is_inert(text: str, options: RenderOptions) -> None:
    report = markdown.render(hostile(text), options)
    assert not acting(report)
    kinds = {token.type for token in tokens(report)}
    assert not kinds & {
        "html_inline",
        "html_block",
        "link_open",
        "image",
        "em_open",
        "s_open",
        "blockquote_open",
    }


@pytest.mark.parametrize("options", OPTIONS, ids=["brief", "verbose"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_markdown_keeps_its_structure(text: str, options: RenderOptions) -> None:
    def structure(report: str) -> list[tuple[str, str]]:
        blocks = (
            "heading_open",
            "bullet_list_open",
            "list_item_open",
            "fence",
            "table_open",
            "tr_open",
            "td_open",
        )
        return [(token.type, token.tag) for token in tokens(report) if token.type in blocks]

    poisoned = markdown.render(hostile(text), options)
    assert structure(poisoned) == structure(markdown.render(two_hours(), options))


def test_markdown_shows_the_hostile_text_to_the_reader() -> None:
    report = markdown.render(hostile(HOSTILE["html"]), RenderOptions(verbose=True))
    quotes = [token.content for token in tokens(report) if token.type == "code_inline"]
    assert any("<script>alert(1)</script>" in quote for quote in quotes)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_json_is_inert_and_lossless(text: str) -> None:
    report = json_report.render(hostile(text), RenderOptions())
    assert not acting(report)
    summary = json.loads(report)["verdict"]["summary"]
    assert summary == two_hours().verdict.summary + text.replace("\udce9", "\ufffd")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_reports_can_be_written_as_utf8(text: str) -> None:
    for render in (terminal.render, markdown.render, json_report.render):
        render(hostile(text), RenderOptions(verbose=True)).encode("utf-8")


def test_a_very_long_line_is_whole_off_a_terminal() -> None:
    assert "x" * 5000 in terminal.render(hostile(HOSTILE["long"]), RenderOptions())
    assert "x" * 5000 in markdown.render(hostile(HOSTILE["long"]), RenderOptions())


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_quotes_in_markdown_show_the_line_whole(text: str) -> None:
    report = markdown.render(hostile(text), RenderOptions())
    quotes = {token.content for token in tokens(report) if token.type == "code_inline"}
    assert clean(f"{STALL_TEXT}{text}") in quotes
