"""The documents are true: their blocks are current, and what they name exists."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from analyzer.bundle import magic
from analyzer.explain import check_samples
from analyzer.reasoning import rank
from analyzer.report.contract import SCHEMA_VERSION
from analyzer.rulebook import load_rules
from analyzer.rulebook.schema import STRENGTHS
from analyzer.version import __version__
from tests import docs_blocks

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "rules" / "README.md"])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:[`$|] ?)etcd-doctor ([a-z]+)")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", docs_blocks.BLOCKS)
def test_generated_blocks_are_current(name: str) -> None:
    document, make = docs_blocks.BLOCKS[name]
    _, block, _ = docs_blocks.parts_of(read(document), name)
    # the library that prints the help may wrap its lines elsewhere in its next version
    assert squeezed(block) == squeezed(make()), f"{document} is out of date: make docs"


def test_a_stale_block_is_noticed() -> None:
    before, block, after = docs_blocks.parts_of("a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb", "x")
    assert (before, block, after) == ("a\n<!-- x:begin -->\n", "old\n", "<!-- x:end -->\nb")
    with pytest.raises(ValueError, match="no <!-- y:begin"):
        docs_blocks.parts_of("<!-- y:end -->", "y")


def test_the_accuracy_block_has_its_place() -> None:
    assert docs_blocks.parts_of(read("README.md"), "accuracy")[1].strip()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    wrong = []
    for target in LINK.findall(path.read_text("utf-8")):
        file, _, anchor = target.partition("#")
        if target.startswith("https://"):
            continue
        linked = (path.parent / file) if file else path
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            wrong.append(target)
    assert wrong == []


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_and_targets_exist(path: Path) -> None:
    text = path.read_text("utf-8")
    listed = docs_blocks.output_of("--help").split("Commands:")[1]
    known = set(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE))
    named = set(COMMAND.findall(text))
    assert named <= known, named - known
    targets = set(re.findall(r"^([a-z-]+):.*##", read("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:`|\$ )make ([a-z-]+)", text)) <= targets


def test_the_readme_names_every_command() -> None:
    listed = docs_blocks.output_of("--help").split("Commands:")[1]
    commands = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)
    text = "\n".join(path.read_text("utf-8") for path in DOCUMENTS)
    assert len(commands) >= 6
    assert [command for command in commands if f"etcd-doctor {command}" not in text] == []


def test_every_format_has_its_row() -> None:
    rows = set(re.findall(r"^\| `([a-z-]+)` \|", read("docs/inputs.md").split("## Archives")[0], re.MULTILINE))
    assert rows == set(docs_blocks.format_ids())


def test_every_wrapper_and_every_refusal_is_documented() -> None:
    text = read("docs/inputs.md")
    modules = sorted((ROOT / "analyzer" / "parsers" / "etcd_log").glob("*.py"))
    source = "".join(module.read_text("utf-8") for module in modules)
    wrappers = set(re.findall(r'(?:_Step|Envelope)\("([a-z0-9-]+)"', source))
    assert {"cri", "docker-json"} <= wrappers
    assert [name for name in sorted(wrappers) if f"| `{name}` |" not in text] == []
    refused = {kind.name for _, kind in magic._FOREIGN}
    assert [name for name in sorted(refused) if name not in text] == []


def test_exit_codes_are_documented() -> None:
    table = dict(re.findall(r"^\| (\d+) \| (.+) \|$", read("README.md"), re.MULTILINE))
    assert set(table) == {"0", "1", "2", "3", "10"}


def test_the_words_of_confidence_cost_what_the_documents_say() -> None:
    for document in ("README.md", "docs/how-it-decides.md"):
        text = read(document)
        for word, price in (("high", rank.HIGH), ("medium", rank.MEDIUM), ("low", rank.LOW)):
            row = next(line for line in text.splitlines() if line.startswith(f"| {word} |"))
            assert f"{price:.2f}" in row, (document, word)
    assert f"at most {rank.MOST_CAUSES} of the 19 causes" in squeezed(read("docs/how-it-decides.md"))
    strengths = ", ".join(f"{word} {value:g}" for word, value in STRENGTHS.items())
    assert strengths in squeezed(read("docs/how-it-decides.md"))


def test_the_number_of_causes_is_right() -> None:
    ranked = [cause for cause in load_rules().causes.values() if cause.prior > 0]
    assert f"ranks {len(ranked)} causes" in squeezed(read("README.md"))


def test_the_example_rule_works(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n# our-rules/(\S+)\n(.*?)```", read("README.md"), re.DOTALL)
    name, text = example
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(text)
    book = load_rules(tmp_path)
    (event,) = tomllib.loads(text)["event"]
    assert event["id"] in book.catalogue.kinds
    assert len(book.catalogue.kinds) == len(load_rules().catalogue.kinds) + 1
    assert check_samples(book) == check_samples(load_rules()), "its sample does not match"


def test_the_changelog_knows_the_version() -> None:
    assert re.search(rf"^## \[.*{re.escape(__version__)}", read("CHANGELOG.md"), re.MULTILINE)


def test_the_json_page_names_every_key() -> None:
    text = read("docs/json.md")
    assert f'`"{SCHEMA_VERSION}"`' in text
    schema = json.loads(read("docs/schema/analyze-v1.json"))
    keys = schema["$defs"]["AnalyzeReport"]["properties"]
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_no_document_speaks_of_somebodys_machine() -> None:
    for path in DOCUMENTS:
        found = re.findall(r"(?<![\w.])/(?:home|root|tmp|work|Users)/\w+", path.read_text("utf-8"))
        assert found == [], path.name
