"""Clock skew between members, with hard bounds, from pairs of raft log lines.

One member logs that it sent a message, another that it received it. A message cannot arrive before
it was sent, so ts_to - ts_from is an upper bound of the offset (clock of `to` minus clock of
`from`) plus a delay >= 0. The minimum over all messages bounds the offset from above, the other
direction bounds it from below, and chains of members tighten both (Floyd-Warshall). The interval
holds for sure while the skew is constant; a negative cycle proves that a clock was stepped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Final

import numpy as np
import numpy.typing as npt

from analyzer.detectors.arrays import LATEST_S, FloatArray

#: zap prints milliseconds, truncated: a difference of two stamps may be up to one too small.
RESOLUTION_S: Final = 0.001
#: A cycle more negative than float rounding proves a stepped clock.
STEP_TOLERANCE_S: Final = 1e-5
_MOST_MEMBERS: Final = 64

Message = tuple[str, str, float, float]


@dataclass(frozen=True, slots=True)
class MemberSkew:
    """Offset of one member's clock against the reference: true time = ts - offset_s.

    nan offset and infinite half width: no messages in both directions tie it to the reference.
    `stepped`: the bounds contradict each other, the clock changed during the capture.
    """

    member: str
    offset_s: float
    half_width_s: float
    stepped: bool
    messages: int


@dataclass(frozen=True, slots=True)
class SkewTable:
    """Skew of every member named in a message, sorted by name; the reference has offset 0."""

    reference: str
    members: tuple[MemberSkew, ...]

    def of(self, member: str) -> MemberSkew | None:
        """Return the entry of a member, None when it is unknown."""
        return next((entry for entry in self.members if entry.member == member), None)


def member_skew(messages: Iterable[Message], reference: str | None = None) -> SkewTable:
    """Estimate skews from (member_from, member_to, ts_from, ts_to) pairs, times in epoch seconds.

    The two lines of a pair must belong to one message of one term. Without a `reference` the
    member with the most messages is taken (first by name among equals).
    """
    pairs = [m for m in messages if m[0] != m[1] and abs(m[2]) <= LATEST_S and abs(m[3]) <= LATEST_S]
    counted: dict[str, int] = {}
    for sender, receiver, _, _ in pairs:
        counted[sender] = counted.get(sender, 0) + 1
        counted[receiver] = counted.get(receiver, 0) + 1
    names = sorted(sorted(counted), key=lambda name: -counted[name])[:_MOST_MEMBERS]
    names.sort()
    if not names:
        return SkewTable(reference or "", ())
    position = {name: index for index, name in enumerate(names)}
    upper = np.full((len(names), len(names)), inf)
    np.fill_diagonal(upper, 0.0)
    for sender, receiver, sent, received in pairs:
        if sender in position and receiver in position:
            row, column = position[sender], position[receiver]
            upper[row, column] = min(upper[row, column], received - sent + RESOLUTION_S)
    stepped = _stepped_members(upper)
    chosen = reference if reference in position else _best_reference(names, counted, stepped)
    return SkewTable(chosen, _against(chosen, names, upper, stepped, counted))


def _against(
    reference: str, names: list[str], upper: FloatArray, stepped: npt.NDArray[np.bool_],
    counted: dict[str, int],
) -> tuple[MemberSkew, ...]:  # fmt: skip
    """Return every member's offset against the reference from the closed bounds."""
    closed = _close(upper, ~stepped)
    zero = names.index(reference)
    entries = []
    for index, name in enumerate(names):
        ahead, behind = float(closed[zero, index]), float(closed[index, zero])
        if index == zero:
            offset, half = 0.0, 0.0
        elif isfinite(ahead) and isfinite(behind) and not stepped[index]:
            offset = 0.5 * (ahead - behind)
            half = max(0.5 * (ahead + behind), 0.0)
        else:
            offset, half = nan, inf
        entries.append(MemberSkew(name, offset, half, bool(stepped[index]), counted[name]))
    return tuple(entries)


def _close(upper: FloatArray, usable: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the tightest bounds through chains of usable members (Floyd-Warshall)."""
    closed = upper.copy()
    for middle in np.flatnonzero(usable):
        closed = np.minimum(closed, closed[:, middle, None] + closed[None, middle, :])
    return closed


def _stepped_members(upper: FloatArray) -> npt.NDArray[np.bool_]:
    """Return which members to blame for contradicting bounds.

    Members are taken out one by one, the one in the most contradicting pairs first, until the rest
    is consistent. With two members neither can be told apart: both are marked.
    """
    blamed = np.zeros(upper.shape[0], dtype=np.bool_)
    while True:
        alive = ~blamed
        closed = _close(np.where(alive[:, None] & alive[None, :], upper, inf), alive)
        sums = closed + closed.T
        bad = (sums < -STEP_TOLERANCE_S) & alive[:, None] & alive[None, :]
        if not bad.any():
            return blamed
        direct = (upper + upper.T < -STEP_TOLERANCE_S) & alive[:, None] & alive[None, :]
        votes = (direct if direct.any() else bad).sum(axis=1)
        blamed |= votes == votes.max()


def _best_reference(names: list[str], counted: dict[str, int], stepped: npt.NDArray[np.bool_]) -> str:
    """Return the steady member with the most messages, first by name among equals."""
    steady = [name for name, bad in zip(names, stepped, strict=True) if not bad] or names
    return max(steady, key=lambda name: (counted[name], [-ord(letter) for letter in name]))
