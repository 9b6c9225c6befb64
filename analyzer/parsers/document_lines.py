"""Where in the text a JSON value was read from, for citations."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.model.line import Line


class LineFinder:
    """Walks forward through the lines of a document as its values are read in order."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._at = 0

    @property
    def first(self) -> int:
        """Number of the first line; 1 when the document came without lines."""
        return self._lines[0].number if self._lines else 1

    @property
    def when_ns(self) -> int | None:
        """Time a wrapper gave the line of the last hit."""
        return self._lines[self._at].when_ns if self._lines else None

    def find(self, *needles: str) -> int:
        """Number of the next line, from the last hit on, that holds one of the texts.

        A one-line document always gives that line. Without a hit: the line of the last hit.
        """
        for index in range(self._at, len(self._lines)):
            if any(needle in self._lines[index].text for needle in needles):
                self._at = index
                return self._lines[index].number
        return self._lines[self._at].number if self._lines else 1

    def step(self) -> None:
        """Go past the last hit, so that equal texts of the next element are not mixed up with this one."""
        if self._at + 1 < len(self._lines):
            self._at += 1
