"""Request and response texts of many records at once: the sizes and counts they name, as columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analyzer.parsers.etcd_log.shapes import text_shape

_MOST_DIGITS = 15
"""Whole numbers of so many digits are exact as float."""
_PAD = b"\n" * 16
"""Longer than any name looked for, so that looking back and forth never leaves the buffer."""


def text_shapes(texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """:func:`shapes.text_shape` of n texts: (bytes, keys), shape (n,) each, NaN where none is named.

    Slow applies carry 200-400 characters of request; the regular expressions cost 3.9 µs a record,
    looking at the colons of all of them at once 0.3 µs.
    """
    joined = "\n".join(texts)
    shaped = _shapes_of(joined, texts) if joined.isascii() else None
    if shaped is not None:
        return shaped
    pairs = np.array([text_shape(text) for text in texts], dtype=np.float64).reshape(len(texts), 2)
    return pairs[:, 0], pairs[:, 1]


def _shapes_of(joined: str, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    buffer = np.frombuffer(_PAD + joined.encode() + _PAD, dtype=np.uint8)
    colons = np.flatnonzero(buffer == ord(":"))
    colons = colons[(buffer[colons + 1] - np.uint8(48)) <= 9]
    last = buffer[colons - 1]
    sizes = _sizes(buffer, colons[last == ord("e")])
    counts = colons[last == ord("t")]
    counts = counts[_ends_in(buffer, counts, b"response_count")]
    ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1) + len(_PAD)
    columns = []
    for places in (sizes, counts):
        values = _numbers_after(buffer, places)
        if values is None:
            return None
        largest = np.full(len(texts), -1.0)
        np.maximum.at(largest, np.searchsorted(ends, places, side="right"), values)
        columns.append(np.where(largest < 0, np.nan, largest))
    return columns[0], columns[1]


def _sizes(buffer: NDArray[np.uint8], colons: NDArray[np.int64]) -> NDArray[np.int64]:
    """Colons after ``size`` as a word of its own, or after ``value_size``; not after ``max_size``."""
    colons = colons[_ends_in(buffer, colons, b"size")]
    before = buffer[colons - 5]
    joined_on = ((before >= ord("a")) & (before <= ord("z"))) | (before == ord("_"))
    kept: NDArray[np.int64] = colons[~joined_on | _ends_in(buffer, colons, b"value_size")]
    return kept


def _ends_in(buffer: NDArray[np.uint8], ends: NDArray[np.int64], word: bytes) -> NDArray[np.bool_]:
    found = np.ones(len(ends), dtype=bool)
    for place, letter in enumerate(word):
        found &= buffer[ends - (len(word) - place)] == letter
    return found


def _numbers_after(buffer: NDArray[np.uint8], colons: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The digits that follow each colon, read column by column; None when a number is too long to be exact."""
    at = colons + 1
    values = np.zeros(len(colons))
    going = np.ones(len(colons), dtype=bool)
    for _ in range(_MOST_DIGITS + 1):
        digit = buffer[at] - np.uint8(48)
        going = going & (digit <= 9)
        if not going.any():
            return values
        values = np.where(going, values * 10 + digit, values)
        at = at + going
    return None
