"""Write analyzer/detectors/null_table.py: upper quantiles of H under uniform random times.

    python tests/detectors/generate_null_table.py > analyzer/detectors/null_table.py

Two tables are simulated, both with numpy's RandomState(20240229):

* BLIND: the maximum of H over the blind search grid of `h_test.search_frequencies`
  (it depends on the number of onsets N alone, because the grid scales with N / T);
* SINGLE: H at one fixed frequency.

Takes about ten minutes on one core. The output is deterministic for one numpy release.
"""

from __future__ import annotations

import sys
import textwrap
from typing import Final

import numpy as np

from analyzer.detectors.arrays import FloatArray
from analyzer.detectors.h_test import HARMONICS, h_from_sums, h_statistic, search_frequencies

SEED: Final = 20240229
COUNTS: Final = (4, 5, 6, 7, 8, 10, 12, 16, 20, 27, 40, 60, 100)
BLIND_LEVELS: Final = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
SINGLE_LEVELS: Final = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 5e-4, 2e-4, 1e-4, 3e-5)
ELEMENT_BUDGET: Final = 800_000_000
SINGLE_RUNS: Final = 1_000_000

HEADER: Final = '''"""Null quantiles of the H statistic. Generated: do not edit by hand.

    python tests/detectors/generate_null_table.py > analyzer/detectors/null_table.py

Monte Carlo with numpy's RandomState({seed}), uniform random times. Row = number of onsets,
column = upper tail probability. BLIND is the maximum over the blind search grid, SINGLE is H at one
fixed frequency. Runs: {single:,} per row of SINGLE; onsets: runs of BLIND
{runs}.
"""

from __future__ import annotations

from typing import Final
'''


def blind_runs(count: int) -> int:
    """Return how many simulations the element budget buys for `count` onsets."""
    per_run = search_frequencies(1.0, count, np.inf).size * count
    return int(min(100_000, max(10_000, ELEMENT_BUDGET // per_run)))


def simulate_blind(random: np.random.RandomState, count: int, runs: int) -> FloatArray:
    """Return `runs` maxima of H over the blind grid."""
    grid = search_frequencies(1.0, count, np.inf)
    return np.array([h_statistic(random.uniform(size=count), grid).max() for _ in range(runs)])


def simulate_single(random: np.random.RandomState, count: int, runs: int) -> FloatArray:
    """Return `runs` values of H at one frequency: phases are uniform on the circle."""
    parts = []
    for first in range(0, runs, 50_000):
        rotor = np.exp(2j * np.pi * random.uniform(size=(min(50_000, runs - first), count)))
        turned = rotor.copy()
        sums = np.empty((HARMONICS, rotor.shape[0]), dtype=np.complex128)
        for harmonic in range(HARMONICS):
            if harmonic:
                turned *= rotor
            sums[harmonic] = turned.sum(axis=1)
        parts.append(h_from_sums(sums, count))
    return np.concatenate(parts)


def format_table(name: str, rows: list[FloatArray]) -> str:
    """Return a Python tuple-of-tuples constant."""
    lines = [f"{name}: Final = ("]
    lines += ["    (" + ", ".join(f"{value:.2f}" for value in row) + ")," for row in rows]
    return "\n".join([*lines, ")"])


def main() -> None:
    """Simulate both tables and print the module."""
    random = np.random.RandomState(SEED)
    runs = [blind_runs(count) for count in COUNTS]
    single, blind = [], []
    for count, number in zip(COUNTS, runs, strict=True):
        draws = simulate_single(random, count, SINGLE_RUNS)
        single.append(np.quantile(draws, 1.0 - np.array(SINGLE_LEVELS)))
        blind.append(np.quantile(simulate_blind(random, count, number), 1.0 - np.array(BLIND_LEVELS)))
        sys.stderr.write(f"{count} onsets done\n")
    pairs = zip(COUNTS, runs, strict=True)
    listed = textwrap.fill("; ".join(f"{count}: {number:,}" for count, number in pairs), 100)
    sys.stdout.write(HEADER.format(seed=SEED, single=SINGLE_RUNS, runs=listed) + "\n")
    sys.stdout.write(f"COUNTS: Final = {COUNTS}\nBLIND_LEVELS: Final = {BLIND_LEVELS}\n")
    sys.stdout.write(f"SINGLE_LEVELS: Final = {SINGLE_LEVELS}\n")
    sys.stdout.write(format_table("BLIND", blind) + "\n" + format_table("SINGLE", single) + "\n")


if __name__ == "__main__":
    main()
