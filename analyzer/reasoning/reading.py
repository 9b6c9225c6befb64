"""What an observer measured, before it is put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.model.finding import Window
from analyzer.model.ids import State

Spot = tuple[int, int]
"""(artifact index, line): a citation before it has a path and a quote."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One measurement of one symptom for one member or device."""

    state: State
    member: str | None = None
    device: str | None = None
    value: float | None = None
    unit: str | None = None
    window: Window | None = None
    at: tuple[Spot, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    """Fills the ``{...}`` of the rule's sentences."""
    strength: float | None = None
    """p-value of a statistical reading: bounds how much it may weigh (Sellke-Bayarri-Berger)."""


def seen(fail: bool) -> State:
    """FAIL or WARN."""
    return State.FAIL if fail else State.WARN
