"""etcd-doctor: a ranked, cited diagnosis of a sick etcd cluster from whatever evidence is at hand.

    >>> import analyzer
    >>> diagnosis = analyzer.diagnose(["./bundle"])            # doctest: +SKIP
    >>> diagnosis.verdict.summary                              # doctest: +SKIP

Importing this package is cheap; numpy and pandas are loaded by the first diagnosis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analyzer.version import __version__

if TYPE_CHECKING:
    from analyzer.model.diagnosis import Diagnosis

__all__ = ["__version__", "diagnose"]


def diagnose(paths: Sequence[str] | str) -> Diagnosis:
    """Diagnose files, folders or archives.

    Raises:
        analyzer.errors.UnusableInput: a path does not exist.
    """
    from analyzer.pipeline import diagnose_paths

    return diagnose_paths([paths] if isinstance(paths, str) else [str(path) for path in paths])
