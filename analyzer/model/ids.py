"""Public ids. The full sets live in rules/; the ones Python code must know by name are spelled here.

``tests/rules/test_ids.py`` checks every spelling against the rules, so a typo cannot silently match nothing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

CauseId = NewType("CauseId", str)
SymptomId = NewType("SymptomId", str)
RemedyId = NewType("RemedyId", str)
CaptureId = NewType("CaptureId", str)

HEALTHY = CauseId("healthy-no-problem")


class State(StrEnum):
    """What a check found. Not collected is not the same as not present."""

    FAIL = "fail"
    WARN = "warn"
    PASS = "pass"
    NO_EVIDENCE = "no-evidence"
    NOT_APPLICABLE = "not-applicable"

    @property
    def seen(self) -> bool:
        """Whether the symptom is there."""
        return self in (State.FAIL, State.WARN)


class Severity(StrEnum):
    """How bad a finding is for the cluster; says nothing about how sure we are."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class Confidence(StrEnum):
    """How sure a hypothesis is, in words (see docs/how-it-decides.md for what each word requires)."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


class Sighting(StrEnum):
    """What became of a clue."""

    SEEN = "seen"
    NOT_SEEN = "not-seen"
    NOT_COLLECTED = "not-collected"


class Status(StrEnum):
    """The verdict's status."""

    PROBLEM = "problem"
    HEALTHY = "healthy"
    INSUFFICIENT = "insufficient"
    NOT_ETCD = "not-etcd"
