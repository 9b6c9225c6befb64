"""Reads rules/, checks every link, and lists every error with file and key."""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from analyzer.errors import RuleError
from analyzer.rulebook.catalogue import COLUMN_FIELDS, Catalogue
from analyzer.rulebook.schema import (
    CaptureRule,
    CauseRule,
    ErrorFile,
    EventFile,
    RemedyRule,
    Rule,
    SymptomRule,
)
from analyzer.rulebook.templates import split_template

R = TypeVar("R", bound=Rule)


@dataclass(frozen=True)
class RuleBook:
    """Everything rules/ says, typed and cross-checked."""

    catalogue: Catalogue
    symptoms: dict[str, SymptomRule]
    causes: dict[str, CauseRule]
    remedies: dict[str, RemedyRule]
    captures: dict[str, CaptureRule]
    digest: str
    """First 12 hex digits of the SHA-256 over all rule files: names the rule set in reports."""


def rules_folder() -> Path:
    """The shipped rules: inside the wheel, or beside the package in a checkout."""
    packaged = Path(__file__).resolve().parent.parent / "_rules"
    return packaged if packaged.is_dir() else packaged.parent.parent / "rules"


def load_rules(extra: Path | None = None) -> RuleBook:
    """Load the shipped rules and, over them, those of ``extra`` (same layout; same id replaces).

    Raises:
        RuleError: with every problem found, each naming its file and key.
    """
    loader = _Loader([rules_folder(), *([extra] if extra else [])])
    book = loader.load()
    if loader.problems:
        raise RuleError(loader.problems)
    return book


class _Loader:
    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self.problems: list[str] = []
        self.digest = hashlib.sha256()

    def load(self) -> RuleBook:
        events = self._events()
        errors = self._files("events", ErrorFile, only="errors.toml")
        classes = tuple(item for file in errors.values() for item in file.class_)
        book = RuleBook(
            catalogue=Catalogue.build(events, classes),
            symptoms=self._by_id("symptoms", SymptomRule),
            causes=self._by_id("causes", CauseRule),
            remedies=self._by_id("remedies", RemedyRule),
            captures=self._by_id("captures", CaptureRule),
            digest=self.digest.hexdigest()[:12],
        )
        self._check_links(book)
        return book

    def _events(self) -> tuple[Any, ...]:
        files = self._files("events", EventFile, skip="errors.toml")
        rules = []
        for path, file in files.items():
            for rule in file.event:
                good = [self._check_match(path, rule.id, match) for match in rule.match]
                rules.append(msgspec.structs.replace(rule, match=[m for m in good if m is not None]))
        return tuple(rules)

    def _check_match(self, path: str, event: str, match: Any) -> Any:
        where = f"{path}: event {event}"
        if (match.msg is None) == (match.text is None):
            self.problems.append(f"{where}: a match needs exactly one of msg, text")
            return None
        unknown = [name for name in match.fields if name not in COLUMN_FIELDS]
        if unknown:
            self.problems.append(f"{where}: fields names unknown column {unknown[0]!r}; known: {COLUMN_FIELDS}")
        if match.text is not None:
            try:
                split_template(match.text)
            except ValueError as error:
                self.problems.append(f"{where}: text {match.text!r}: {error}")
                return None
        return match

    def _files(self, kind: str, shape: type[R], only: str = "", skip: str = "") -> dict[str, R]:
        found: dict[str, R] = {}
        for folder in self.folders:
            for path in sorted((folder / kind).glob("*.toml")):
                if (only and path.name != only) or (skip and path.name == skip):
                    continue
                rule = self._read(path, shape)
                if rule is not None:
                    found[f"{kind}/{path.name}"] = rule
        return found

    def _read(self, path: Path, shape: type[R]) -> R | None:
        name = f"{path.parent.name}/{path.name}"
        try:
            raw = path.read_bytes()
            self.digest.update(name.encode() + b"\0" + raw)
            return msgspec.convert(tomllib.loads(raw.decode("utf-8")), shape)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            self.problems.append(f"{name}: {error}")
        except msgspec.ValidationError as error:
            self.problems.append(f"{name}: {error}{_did_you_mean(str(error), shape)}")
        return None

    def _by_id(self, kind: str, shape: type[R]) -> dict[str, R]:
        rules: dict[str, R] = {}
        for path, rule in self._files(kind, shape).items():
            identifier = getattr(rule, "id", "")
            if Path(path).stem != identifier:
                self.problems.append(f"{path}: id {identifier!r} differs from the file name")
            rules[identifier] = rule
        return rules

    def _check_links(self, book: RuleBook) -> None:
        for cause in book.causes.values():
            where = f"causes/{cause.id}.toml"
            self._link(where, "remedies", cause.remedies, book.remedies)
            self._link(where, "captures", cause.captures, book.captures)
            self._link(where, "gate", cause.gate, book.symptoms)
            self._link(where, "proof", cause.proof + cause.proof_high, book.symptoms)
            self._link(where, "clue", [clue.symptom for clue in cause.clue], book.symptoms)
            self._link(where, "against", [item.symptom for item in cause.against], book.symptoms)
        kinds = set(book.catalogue.kinds)
        for symptom in book.symptoms.values():
            where = f"symptoms/{symptom.id}.toml"
            self._link(where, "capture", [symptom.capture] if symptom.capture else [], book.captures)
            for key, value in symptom.params.items():
                if key.endswith("events"):
                    self._link(where, f"params.{key}", value, kinds)

    def _link(self, where: str, key: str, wanted: list[str], known: Any) -> None:
        for name in wanted:
            if name not in known:
                close = difflib.get_close_matches(name, list(known), n=1)
                hint = f", did you mean {close[0]!r}?" if close else ""
                self.problems.append(f"{where}: {key}: {name!r} does not exist{hint}")


def _did_you_mean(message: str, shape: type[Rule]) -> str:
    unknown = re.search(r"unknown field `([^`]+)`", message)
    if not unknown:
        return ""
    names: set[str] = set()
    for struct in (shape, *Rule.__subclasses__()):
        names.update(struct.__struct_encode_fields__)
    close = difflib.get_close_matches(unknown.group(1), sorted(names), n=1)
    return f", did you mean {close[0]!r}?" if close else ""
