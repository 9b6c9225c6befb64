"""Array aliases shared by the detectors.

Every time array holds float seconds since the Unix epoch, UTC. Detectors are pure: they read
arrays, return frozen results, and never touch a file, a clock or a random source.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


#: Epoch seconds beyond this (the year 33658) are a parsing accident, not a time.
LATEST_S: Final = 1e12
#: Readings beyond this are no measurement, and their squares would overflow.
LARGEST_VALUE: Final = 1e100


def is_time(times: FloatArray) -> BoolArray:
    """Return the mask of entries that can be a time."""
    return np.asarray(np.abs(times) <= LATEST_S, dtype=np.bool_)


def is_reading(values: FloatArray) -> BoolArray:
    """Return the mask of entries that can be a measurement (finite, not absurd)."""
    return np.asarray(np.abs(values) <= LARGEST_VALUE, dtype=np.bool_)


def finite_sorted(times: npt.ArrayLike) -> FloatArray:
    """Return the entries of `times` that can be a time in ascending order, shape (n,)."""
    values = np.asarray(times, dtype=np.float64).ravel()
    return np.sort(values[is_time(values)])
