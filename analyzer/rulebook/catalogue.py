"""The event catalogue: a message in, an event id with its captured parts out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.rulebook.schema import ErrorClass, EventRule
from analyzer.rulebook.templates import Template, first_word

_LEADING_ID = re.compile(r"^(?:raft\.node: )?[0-9a-f]{6,16} (?=[\[A-Za-z(])")
_CACHE_LIMIT = 4096

COLUMN_FIELDS = ("took", "value", "n", "member", "peer", "leader", "term")
"""Columns an event's ``fields`` may fill from JSON."""


class Hit(NamedTuple):
    """A recognised message."""

    kind: int
    groups: dict[str, str]
    fields: tuple[tuple[str, str], ...]
    """(column, JSON field) pairs to read from a zap record."""


_NO_GROUPS: dict[str, str] = {}


@dataclass
class Catalogue:
    """All events of all dialects, indexed for lookup."""

    rules: tuple[EventRule, ...]
    error_classes: tuple[ErrorClass, ...]
    kinds: tuple[str, ...] = ()
    trouble: tuple[bool, ...] = ()
    _exact: dict[str, Hit] = field(default_factory=dict)
    _by_word: dict[str, list[tuple[Template, Hit]]] = field(default_factory=dict)
    _anywhere: list[tuple[Template, Hit]] = field(default_factory=list)
    _cache: dict[str, Hit | None] = field(default_factory=dict)
    _error_parts: list[tuple[str, int]] = field(default_factory=list)
    """(substring, index of its class), first class first."""

    @classmethod
    def build(cls, rules: tuple[EventRule, ...], error_classes: tuple[ErrorClass, ...]) -> Catalogue:
        """Index the rules. Templates were checked by the loader."""
        kinds = tuple(dict.fromkeys(rule.id for rule in rules))
        numbers = {kind: number for number, kind in enumerate(kinds)}
        trouble = {rule.id: rule.trouble for rule in rules}
        catalogue = cls(rules, error_classes, kinds, tuple(trouble[kind] for kind in kinds))
        catalogue._error_parts = [(part, n) for n, error in enumerate(error_classes) for part in error.contains]
        for rule in rules:
            for match in rule.match:
                hit = Hit(numbers[rule.id], _NO_GROUPS, tuple(match.fields.items()))
                if match.msg is not None:
                    catalogue._exact.setdefault(match.msg, hit)
                if match.text is not None:
                    catalogue._add(Template.of(match.text, numbers[rule.id]), hit)
        return catalogue

    def _add(self, template: Template, hit: Hit) -> None:
        if template.key:
            self._by_word.setdefault(template.key, []).append((template, hit))
        else:
            self._anywhere.append((template, hit))

    def lookup(self, message: str) -> Hit | None:
        """The event this message is, or None. Exact first, then templates; answers are cached."""
        hit = self._exact.get(message)
        if hit is not None:
            return hit
        if message in self._cache:
            return self._cache[message]
        hit = self._by_template(message)
        if len(self._cache) < _CACHE_LIMIT:
            self._cache[message] = hit
        return hit

    def _by_template(self, message: str) -> Hit | None:
        stripped = _LEADING_ID.sub("", message, count=1)
        word = first_word(stripped)
        candidates = self._by_word.get(word, [])
        if stripped is not message:
            candidates = candidates + self._by_word.get(first_word(message), [])
        for template, hit in (*candidates, *self._anywhere):
            groups = template.match(message)
            if groups is not None:
                return hit._replace(groups=groups)
        return None

    def begins_with_literal(self, message: str, hit: Hit) -> bool:
        """Whether the message was recognised by how it begins, not by words anywhere in it."""
        if message in self._exact:
            return True
        return not any(
            hit.kind == other.kind and template.match(message) is not None for template, other in self._anywhere
        )

    def error_class(self, text: str) -> int:
        """Index of the first error class whose substring occurs in the text, -1 when none does."""
        if not text:
            return -1
        lowered = text.lower()
        for part, number in self._error_parts:
            if part in lowered:
                return number
        return -1
