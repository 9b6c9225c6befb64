"""Recognised records as columns: appended one by one or a block at a time, joined once at the end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from analyzer.model.events import COLUMNS, NO_TIME

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

DEFAULTS: dict[str, Any] = {
    "ts_ns": NO_TIME,
    "took_s": math.nan,
    "kind": -1,
    "artifact": -1,
    "line": 0,
    "member": -1,
    "peer": -1,
    "term": -1,
    "value": math.nan,
    "size": math.nan,
    "error": -1,
    "level": -1,
    "count": 1,
    "naive": False,
}


class Interner:
    """Strings to small integers, for the whole bundle."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str | None) -> int:
        """Number of a string, -1 for None or empty."""
        if not text:
            return -1
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def names(self) -> tuple[str, ...]:
        """All strings in the order of their numbers."""
        return tuple(self._numbers)


class RowBuffer:
    """Collects rows of the event table for one bundle."""

    def __init__(self) -> None:
        self._chunks: list[dict[str, np.ndarray[Any, Any]]] = []
        self._pending: list[dict[str, Any]] = []

    def append(self, row: dict[str, Any]) -> None:
        """Add one row; missing columns take their defaults."""
        self._pending.append(row)
        if len(self._pending) >= 4096:
            self._flush()

    def extend(self, length: int, columns: dict[str, Any]) -> None:
        """Add ``length`` rows given as arrays or scalars per column."""
        import numpy as np

        if length == 0:
            return
        chunk = {}
        for name, dtype in COLUMNS.items():
            value = columns.get(name, DEFAULTS[name])
            if isinstance(value, np.ndarray):
                chunk[name] = value.astype(dtype, copy=False)
            else:
                chunk[name] = np.full(length, value, dtype=dtype)
        self._chunks.append(chunk)

    def _flush(self) -> None:
        import numpy as np

        rows, self._pending = self._pending, []
        columns = {
            name: np.array([row.get(name, DEFAULTS[name]) for row in rows], dtype=dtype)
            for name, dtype in COLUMNS.items()
        }
        self.extend(len(rows), columns)

    def frame(self) -> pd.DataFrame:
        """All rows, in the order they were read."""
        import numpy as np
        import pandas as pd

        self._flush()
        chunks, self._chunks = self._chunks, []
        columns = {}
        for name, dtype in COLUMNS.items():
            # popped, so that a column's chunks are freed as soon as it is whole
            parts = [chunk.pop(name) for chunk in chunks]
            columns[name] = np.concatenate(parts) if parts else np.array([], dtype=dtype)
        return pd.DataFrame(columns, copy=False)
