"""Lines a container runtime cut in parts (CRI ``P``, docker's 16 KiB) put together again, stream by stream."""

from __future__ import annotations

from typing import NamedTuple

from analyzer.parsers.etcd_log.wrappers import Peeled, peel

Stream = tuple[tuple[str, ...], str | None]
"""(wrappers, speaker): the parts of one line share both."""
MAX_STREAMS = 64
MAX_JOINED = 1 << 20
"""Characters of one joined line; what follows is a request dump."""


class Held(NamedTuple):
    """The parts of a line whose end has not come yet."""

    first: Peeled
    line: int
    """Where its first part stands."""
    parts: list[str]


class SplitLines:
    """Holds the parts of unfinished lines."""

    def __init__(self) -> None:
        self.waiting: dict[Stream, Held] = {}
        self._size: dict[Stream, int] = {}

    def hold(self, peeled: Peeled, line: int) -> None:
        """Keep one more part."""
        stream = (peeled.wrappers, peeled.speaker)
        held = self.waiting.get(stream)
        if held is None:
            if len(self.waiting) >= MAX_STREAMS:
                self.waiting.pop(next(iter(self.waiting)))
            held = self.waiting[stream] = Held(peeled, line, [])
            self._size[stream] = 0
        if self._size[stream] < MAX_JOINED:
            held.parts.append(peeled.payload)
            self._size[stream] += len(peeled.payload)

    def joined(self, last: Peeled, line: int) -> tuple[Peeled, int]:
        """The whole line a last part ends, and where it began; the part itself when nothing waits for it."""
        held = self.waiting.pop((last.wrappers, last.speaker), None)
        return (_whole(held, last.payload), held.line) if held else (last, line)

    def rest(self) -> list[tuple[Peeled, int]]:
        """Lines whose end never came, as far as they go."""
        waiting, self.waiting = self.waiting, {}
        return [(_whole(held, ""), held.line) for held in waiting.values()]


def _whole(held: Held, end: str) -> Peeled:
    outer, inner = held.first, peel("".join((*held.parts, end)))
    timed = outer if outer.when_ns is not None else inner
    return Peeled(
        inner.payload,
        outer.wrappers + inner.wrappers,
        timed.when_ns,
        timed.when_naive,
        timed.yearless,
        inner.speaker or outer.speaker,
        inner.program or outer.program,
        inner.partial,
    )
