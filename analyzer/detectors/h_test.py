"""The H statistic for unbinned event times, evaluated directly or through an FFT.

Z2_k(f) = (2/N) sum_{j<=k} |sum_i exp(2 pi i j f t_i)|^2 and H(f) = max_k (Z2_k - 4 (k - 1)):
de Jager, Raubenheimer & Swanepoel 1989 (A&A 221, 180); de Jager & Buesching 2010
(arXiv:1005.4867). Six harmonics are used: narrow pulses put their power in many of them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import FloatArray

HARMONICS: Final = 6
PENALTY: Final = 4.0
#: Frequency steps per 1/span: fine enough that a sixth harmonic is not lost between two steps.
OVERSAMPLING: Final = 10
#: Above this many onsets the frequency scan goes through an FFT (cost N log N instead of N^2).
DIRECT_LIMIT: Final = 400
#: Largest number of onsets in the null tables.
TABLE_LIMIT: Final = 100
_CHUNK_ELEMENTS: Final = 1 << 20
_GRID_PER_CYCLE: Final = 48
_LARGEST_GRID: Final = 1 << 22
_RECHECKED: Final = 64


def h_from_sums(sums: npt.NDArray[np.complex128], count: int) -> FloatArray:
    """Return H for harmonic sums of shape (harmonics, frequencies) over `count` events."""
    power = sums.real**2 + sums.imag**2
    cumulative = (2.0 / count) * np.cumsum(power, axis=0)
    cost = PENALTY * np.arange(sums.shape[0], dtype=np.float64)[:, None]
    return np.asarray((cumulative - cost).max(axis=0), dtype=np.float64)


def window_sums(frequencies: FloatArray, span_s: float, count: int) -> npt.NDArray[np.complex128]:
    """Return the harmonic sums expected of `count` uniform events in [0, span_s] (edge leakage).

    Below a hundred events this is lost in the noise and contained in the null tables. With
    thousands a capture of two and a half cycles of nothing would look periodic.
    """
    turns = np.outer(np.arange(1, HARMONICS + 1), frequencies * span_s)
    return np.asarray(count * np.exp(1j * np.pi * turns) * np.sinc(turns), dtype=np.complex128)


def h_statistic(times: FloatArray, frequencies: FloatArray, window_s: float | None = None) -> FloatArray:
    """Return H at each frequency (Hz) for event `times` (s, small offsets from their origin).

    With `window_s` the sums expected of uniform events in [0, window_s] are subtracted first.
    """
    if times.size == 0 or frequencies.size == 0:
        return np.zeros(frequencies.size, dtype=np.float64)
    result = np.empty(frequencies.size, dtype=np.float64)
    rows = max(1, _CHUNK_ELEMENTS // times.size)
    for first in range(0, frequencies.size, rows):
        part = frequencies[first : first + rows]
        rotor = np.exp(2j * np.pi * np.outer(part, times))
        turned = rotor.copy()
        sums = np.empty((HARMONICS, part.size), dtype=np.complex128)
        for harmonic in range(HARMONICS):
            if harmonic:
                turned *= rotor
            sums[harmonic] = turned.sum(axis=1)
        if window_s is not None:
            sums -= window_sums(part, window_s, times.size)
        result[first : first + part.size] = h_from_sums(sums, times.size)
    return result


def search_frequencies(span_s: float, count: int, highest_hz: float) -> FloatArray:
    """Return the blind search grid: [2.5/T, min(highest, N/(0.4 T))] in steps of 1/(10 T).

    At least 2.5 cycles fit the capture, and no more than 60 % of the cycles can be empty.
    """
    step = 1.0 / (OVERSAMPLING * span_s)
    top = min(highest_hz, count / (0.4 * span_s))
    first = round(2.5 * OVERSAMPLING)
    last = int(np.floor(top / step + 1e-9))
    return np.arange(first, last + 1, dtype=np.float64) * step


def _scan_by_fft(times: FloatArray, frequencies: FloatArray, span_s: float) -> FloatArray:
    """Return H on the search grid from one FFT of finely binned times (slightly attenuated)."""
    step = 1.0 / (OVERSAMPLING * span_s)
    top = float(frequencies[-1])
    cells = int(np.ceil(span_s * top * _GRID_PER_CYCLE))
    width = span_s / cells
    padded = OVERSAMPLING * cells
    counts = np.bincount(np.minimum((times / width).astype(np.int64), cells - 1), minlength=cells)
    spectrum = np.conj(np.fft.rfft(counts.astype(np.float64), n=padded))
    index = np.rint(frequencies / step).astype(np.int64)
    sums = np.stack([spectrum[index * j] for j in range(1, HARMONICS + 1)])
    sums -= window_sums(frequencies, span_s, times.size)
    return h_from_sums(sums, times.size)


def leakage_window(count: int, span_s: float) -> float | None:
    """Return the window to correct for, None where the null tables contain its effect."""
    return span_s if count > TABLE_LIMIT else None


def strongest_frequency(times: FloatArray, span_s: float, highest_hz: float) -> tuple[float, float]:
    """Return (frequency Hz, H) of the blind search maximum, (0, 0) when there is nothing to search.

    `times` are offsets from the capture start, `span_s` the capture length.
    """
    if times.size < 2 or span_s <= 0:
        return 0.0, 0.0
    affordable = _LARGEST_GRID / (OVERSAMPLING * _GRID_PER_CYCLE * span_s)
    grid = search_frequencies(span_s, times.size, min(highest_hz, affordable))
    if grid.size == 0:
        return 0.0, 0.0
    if times.size > DIRECT_LIMIT:
        screened = _scan_by_fft(times, grid, span_s)
        grid = np.sort(grid[np.argsort(-screened, kind="stable")[:_RECHECKED]])
    values = h_statistic(times, grid, leakage_window(times.size, span_s))
    best = int(np.argmax(values))
    return float(grid[best]), float(values[best])


def polish_frequency(times: FloatArray, span_s: float, frequency: float) -> float:
    """Return the frequency of greatest H within one search step of `frequency` (step / 20)."""
    step = 1.0 / (OVERSAMPLING * span_s)
    fine = frequency + np.linspace(-step, step, 41)
    fine = fine[fine > 0]
    heights = h_statistic(times, fine, leakage_window(times.size, span_s))
    return float(fine[int(np.argmax(heights))])
