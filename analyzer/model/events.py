"""The columnar table of recognised log records.

One row per recognised line, never a Python object. Columns (``COLUMNS``), n rows each:

======== ======== ====================================================================
ts_ns    int64    UTC, nanoseconds; ``NO_TIME`` when the line has none. The END of a stall.
took_s   float64  duration the line states, seconds; NaN when none
kind     int16    index into ``EventTable.kinds``
artifact int32    index of the artifact
line     int64    1-based line in the artifact
member   int32    index into ``names`` of the member that speaks, -1 = the artifact's member
peer     int32    index into ``names`` of the other member named, -1 = none
term     int64    raft term, -1 = none
value    float64  the event's own number (exceeded duration, drift ... in seconds; counts as they are)
size     float64  bytes of the largest value or response the line speaks of; NaN when none
error    int8     index into ``EventTable.errors``, -1 = none
level    int8     0 debug .. 4 fatal, -1 unknown
count    int32    1, or N for ``[merged N repeated lines]``
naive    bool     ts_ns was written without a zone and still needs the artifact's offset
======== ======== ====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

NO_TIME = -(2**63)

COLUMNS: dict[str, str] = {
    "ts_ns": "int64",
    "took_s": "float64",
    "kind": "int16",
    "artifact": "int32",
    "line": "int64",
    "member": "int32",
    "peer": "int32",
    "term": "int64",
    "value": "float64",
    "size": "float64",
    "error": "int8",
    "level": "int8",
    "count": "int32",
    "naive": "bool",
}


@dataclass(frozen=True, slots=True, eq=False)
class EventTable:
    """Recognised records of the whole bundle, with the meaning of their coded columns."""

    frame: pd.DataFrame
    kinds: tuple[str, ...]
    errors: tuple[str, ...]
    names: tuple[str, ...] = field(default=())
    """Interned hex ids."""
    _places: dict[int, NDArray[np.int64]] = field(default_factory=dict, init=False, repr=False)

    def of(self, *kinds: str) -> pd.DataFrame:
        """Rows of these event ids, in time order."""
        import numpy as np

        places = self._places or self._index()
        chosen = [places[code] for code in {self.kinds.index(kind): None for kind in kinds} if code in places]
        if not chosen:
            return self.frame.iloc[:0]
        return self.frame.take(np.sort(np.concatenate(chosen)) if len(chosen) > 1 else chosen[0])

    def _index(self) -> dict[int, NDArray[np.int64]]:
        """Row positions of every kind: a diagnosis asks about 80 times, and each scan of 10^6 rows takes 20 ms."""
        import numpy as np

        kinds = self.frame["kind"].to_numpy()
        order = np.argsort(kinds, kind="stable")
        codes, begins = np.unique(kinds[order], return_index=True)
        self._places.update(zip(codes.tolist(), np.split(order, begins[1:]) if len(order) else [], strict=True))
        return self._places

    def with_error(self, frame: pd.DataFrame, *errors: str) -> pd.DataFrame:
        """The rows whose error text is of one of these classes."""
        codes = [self.errors.index(error) for error in errors]
        return frame[frame["error"].isin(codes)]
