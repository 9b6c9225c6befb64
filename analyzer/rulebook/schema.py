"""The shape of each kind of rule file. Unknown keys are errors."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

STRENGTHS: dict[str, float] = {"certain": 0.95, "usual": 0.8, "often": 0.6, "sometimes": 0.3, "rare": 0.1}
"""Words for P(symptom | cause alone): judgements, so confidence is called model-based in every report."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of all rule shapes: a misspelt key never passes silently."""


class EventMatch(Rule, frozen=True, kw_only=True):
    """One dialect of an event: an exact zap ``msg`` or a ``text`` template."""

    msg: str | None = None
    text: str | None = None
    fields: dict[str, str] = {}
    sample: str | list[str] = []
    since: str = ""
    until: str = ""

    @property
    def samples(self) -> list[str]:
        """Sample lines, always a list."""
        return [self.sample] if isinstance(self.sample, str) else self.sample


class EventRule(Rule, frozen=True, kw_only=True):
    """One event id with all its dialects."""

    id: str
    title: str
    meaning: str = ""
    level: str = "info"
    trouble: bool = False
    source: list[str] = []
    match: list[EventMatch] = []


class EventFile(Rule, frozen=True, kw_only=True):
    """rules/events/<area>.toml."""

    area: str = ""
    event: list[EventRule] = []


class ErrorClass(Rule, frozen=True, kw_only=True):
    """One class of error text, told by any of its substrings."""

    id: str
    contains: list[str]
    meaning: str = ""
    source: list[str] | str = []


class ErrorFile(Rule, frozen=True, kw_only=True):
    """rules/events/errors.toml, in order of precedence."""

    area: str = ""
    class_: list[ErrorClass] = msgspec.field(default_factory=list, name="class")


class SymptomRule(Rule, frozen=True, kw_only=True):
    """rules/symptoms/<id>.toml: one thing that can be abnormal, and how it is measured."""

    id: str
    title: str
    meaning: str
    detector: str
    """Name of the measuring function in analyzer/reasoning/observers."""
    params: dict[str, Any] = {}
    """Thresholds and event ids handed to it."""
    evidence: Literal["log", "disk", "metrics", "fio", "etcdctl", "host", "kernel", "config"]
    group: str
    """Symptoms of one group tell the same thing twice: they are tempered together."""
    severity: Literal["critical", "warning", "info"]
    trouble: bool = False
    """True when seeing it means the cluster or its users suffered."""
    consequence: bool = False
    """True for what follows from trouble of any kind: seeing it counts, its absence says nothing of the cause."""
    one_sided: bool = False
    """True when its absence says nothing (a limit that milder cases of the same cause do not reach)."""
    leak: float
    """P(seen | none of the causes): how often it shows without any of them."""
    direct_negative: bool = False
    """True when not seeing it, with the source covering the trouble, may rule a cause out."""
    seen: str
    """Sentence when seen; ``{...}`` are filled by the detector."""
    not_seen: str
    missing: str
    """What is not in the bundle, when it cannot be judged."""
    capture: str = ""
    """Id of the capture that would provide it."""
    threshold: str = ""
    """The limit in words, with its origin."""
    false_positives: str = ""
    sources: list[str]


class Clue(Rule, frozen=True, kw_only=True):
    """How strongly a cause shows in a symptom."""

    symptom: str
    strength: Literal["certain", "usual", "often", "sometimes", "rare"]
    decisive: bool = False
    """The observation itself states the cause: one such clue may carry HIGH confidence alone."""
    why: str = ""


class Against(Rule, frozen=True, kw_only=True):
    """A symptom this cause makes unlikely."""

    symptom: str
    strength: Literal["certain", "usual", "often", "sometimes", "rare"]
    why: str = ""


class CauseRule(Rule, frozen=True, kw_only=True):
    """rules/causes/<id>.toml."""

    id: str
    title: str
    verdict: str
    mechanism: str
    not_to_confuse: str = ""
    false_positives: str = ""
    remedies: list[str]
    captures: list[str] = []
    sources: list[str]
    prior: float = 0.0
    prior_why: str = ""
    gate: list[str] = []
    """Symptoms of which at least one must be seen before the cause may be called at all."""
    proof: list[str] = []
    """Symptoms of which at least one must be seen before the cause is named with more than LOW confidence."""
    proof_high: list[str] = []
    """The same for HIGH."""
    names_device: bool = False
    """True when the verdict may name the device the evidence points to."""
    clue: list[Clue] = []
    against: list[Against] = []


class RemedyStep(Rule, frozen=True, kw_only=True):
    """One step of a checklist."""

    step: str
    command: str
    why: str
    risk: str
    rollback: str
    verify: str
    source: str


class RemedyRule(Rule, frozen=True, kw_only=True):
    """rules/remedies/<id>.toml."""

    id: str
    title: str
    when: str
    step: list[RemedyStep]


class CaptureRule(Rule, frozen=True, kw_only=True):
    """rules/captures/<id>.toml: one thing to collect next."""

    id: str
    title: str
    gives: list[str]
    command: str
    why: str
    cost: str
    source: str
