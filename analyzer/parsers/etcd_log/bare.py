"""Messages quoted without any log prefix: what a ticket or a wiki page keeps of a log line."""

from __future__ import annotations

import re
from bisect import bisect_left

from analyzer.rulebook.catalogue import Catalogue, Hit
from analyzer.rulebook.templates import split_template

MIN_CUT = 30
MIN_CUT_WORDS = 5
"""A beginning this long is nobody's prose by accident."""
_FIRST = 12
_BULLET = "-*>•·`\"' "
_CUT = re.compile(r"\s*(?:>|…|\.\.\.+)?$")
_CLIENT_ERROR = re.compile(r"(?:(?:Error|error): )?(?:rpc error: code = \w+ desc = |etcdserver: |mvcc: )")
MAX_CLIENT_ERROR = 200


class BareMessages:
    """Tells whether a line is nothing but an etcd message."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._beginnings: list[tuple[str, str]] | None = None
        self._firsts: set[str] = set()

    def hit(self, text: str) -> tuple[str, Hit] | None:
        """(message, event) of a line, None when it may be prose: prose quotes etcd, too.

        A whole message counts when the line BEGINS as the message does; a beginning of one when it is long and
        can be no other event; a client's error when the line is nothing but the error.
        """
        payload = text.strip().strip(_BULLET)
        if len(payload) <= 12:
            return None
        found = self.catalogue.lookup(payload)
        if found is not None:
            specific = self.catalogue.begins_with_literal(payload, found) or _client_error(payload)
            return (payload, found) if specific or self._measured(payload, found) else None
        start = _CUT.sub("", payload) if payload[-1] in ">…." else payload
        whole = self._completed(start, marked=start != payload)
        found = self.catalogue.lookup(whole) if whole else None
        return (payload, found) if found is not None else None

    def _measured(self, payload: str, found: Hit) -> bool:
        """Whether the message may stand anywhere in a line but begins this one, and states a value."""
        return bool(found.groups) and any(payload.startswith(literal) for literal in self._literals(found.kind))

    def _literals(self, kind: int) -> tuple[str, ...]:
        """The first words of the messages of one kind that may stand anywhere in a line."""
        name = self.catalogue.kinds[kind]
        texts = (match.text for rule in self.catalogue.rules if rule.id == name for match in rule.match if match.text)
        parts = (split_template(text) for text in texts)
        return tuple(p[1][0] for p in parts if len(p) > 1 and p[0] == ("any", True) and not p[1][1])

    def _completed(self, start: str, marked: bool) -> str | None:
        """The one message that begins so, None when there is none or they differ in kind."""
        if len(start) < MIN_CUT or start.count(" ") + 1 < MIN_CUT_WORDS:
            return None
        known = self._known()
        if start[:_FIRST] not in self._firsts:
            return None
        at = bisect_left(known, (start, ""))
        same = []
        while at < len(known) and known[at][0].startswith(start):
            same.append(known[at])
            at += 1
        if len({kind for _, kind in same}) != 1:
            return None
        message = same[0][0]
        return message if marked or not message[len(start) : len(start) + 1].isalnum() else None

    def _known(self) -> list[tuple[str, str]]:
        """(message, event id) of every message that needs no values, sorted."""
        if self._beginnings is None:
            self._beginnings = sorted(
                (message, rule.id)
                for rule in self.catalogue.rules
                for match in rule.match
                for message in (match.msg, _literal(match.text))
                if message
            )
            self._firsts = {message[:_FIRST] for message, _ in self._beginnings}
        return self._beginnings


def _literal(template: str | None) -> str | None:
    if template is None:
        return None
    parts = split_template(template)
    return template if len(parts) == 1 and not parts[0][1] else None


def _client_error(payload: str) -> bool:
    return len(payload) <= MAX_CLIENT_ERROR and _CLIENT_ERROR.match(payload) is not None
