"""Exact noisy-OR over cause sets of at most two causes, with an additive ledger.

For a set S of causes and a symptom e::

    P(e seen | S) = (1 - (1 - leak_e) * prod_{c in S} (1 - w_ec)) * prod_{c in S} (1 - v_ec)

``w`` is the strength of a clue, ``v`` of an ``against``. A symptom nothing in the bundle can judge is left out: it
never counts as a negative, nor does the absence of a mere consequence (how far a trouble spreads depends on how bad
it is, not on what causes it). Each observed symptom adds ``a_e * (ln P(e|S) - ln P(e|no cause))`` nats to S, where
``a_e = 1 / (1 + 0.6 (m - 1))`` tempers the m symptoms of one group that agree (they tell one thing twice), and a
statistical symptom adds at most the Sellke-Bayarri-Berger bound ``-ln(-e p ln p)`` and never more than 3 nats.
The posterior of a cause sums over the sets that hold it. The ledger of a cause is the sum for the set {cause}.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from analyzer.model.diagnosis import Contribution
from analyzer.model.ids import CauseId, Confidence, Sighting, SymptomId
from analyzer.reasoning.judge import Judged
from analyzer.rulebook.schema import STRENGTHS, CauseRule

TEMPERING = 0.6
STATISTICAL_CAP = 3.0
ITEM_CAP = 4.0
"""No single observation decides alone: 4 nats is a factor of 55."""
DECISIVE_CAP = 7.0
"""Unless the observation itself states the cause (a CORRUPT alarm, a kernel OOM line)."""
MOST_CAUSES = 8
"""A symptom that more than 8 of the 19 causes explain tells that something is wrong, not what."""
HIGH, MEDIUM, LOW = 0.85, 0.60, 0.35


@dataclass(frozen=True, slots=True)
class Ranked:
    """One cause with its posterior and its ledger."""

    cause: CauseRule
    probability: float
    confidence: Confidence
    ledger: tuple[Contribution, ...]
    log_odds: float
    """Prior log-odds plus the points of the ledger."""
    contrary: tuple[str, ...]
    """Symptoms that directly speak against the cause."""


def rank(judged: Mapping[str, Judged], causes: Mapping[str, CauseRule]) -> tuple[Ranked, ...]:
    """All causes, likeliest first; ties in the order of their ids."""
    model = _Model(judged, causes)
    posterior = model.posterior()
    ranked = []
    for name, cause in causes.items():
        if cause.prior <= 0:
            continue
        ledger = model.ledger(name)
        log_odds = math.log(cause.prior / (1.0 - cause.prior)) + sum(item.points for item in ledger)
        confidence = _confidence(posterior.get(name, 0.0), model.support(name, ledger, ""))
        ranked.append(Ranked(cause, posterior.get(name, 0.0), confidence, ledger, log_odds, model.contrary(name)))
    ranked.sort(key=lambda r: (_standing(r, model), -round(r.probability, 2), -r.log_odds, r.cause.id))
    return tuple(_second_to(ranked[0], item, model) for item in ranked)


def _standing(item: Ranked, model: _Model) -> int:
    """0: something specific speaks for it and it is likely enough; 1: anything speaks for it; 2: its prior alone.

    A prior and symptoms that every cause explains never lead over a cause with evidence of its own.
    """
    support = model.support(item.cause.id, item.ledger, "")
    if support.specific and item.probability >= LOW:
        return 0
    return 1 if support.groups else 2


def _second_to(top: Ranked, item: Ranked, model: _Model) -> Ranked:
    """A cause behind the leader is named with confidence only for what the leader leaves unexplained."""
    if item is top or item.confidence in (Confidence.LOW, Confidence.NONE):
        return item
    support = model.support(item.cause.id, item.ledger, top.cause.id)
    return replace(item, confidence=Confidence.MEDIUM if support.unique else Confidence.LOW)


class _Model:
    def __init__(self, judged: Mapping[str, Judged], causes: Mapping[str, CauseRule]) -> None:
        self.judged = judged
        self.causes = {name: cause for name, cause in causes.items() if cause.prior > 0}
        self.observed = {
            name: item
            for name, item in judged.items()
            if item.observed or (item.observed is False and not (item.rule.consequence or item.rule.one_sided))
        }
        self.weights = {
            name: {clue.symptom: STRENGTHS[clue.strength] for clue in cause.clue} for name, cause in self.causes.items()
        }
        self.against = {
            name: {item.symptom: STRENGTHS[item.strength] for item in cause.against}
            for name, cause in self.causes.items()
        }
        self.decisive = {
            (name, clue.symptom) for name, cause in self.causes.items() for clue in cause.clue if clue.decisive
        }
        self.groups = Counter((item.rule.group, bool(item.observed)) for item in self.observed.values())
        self.candidates = [name for name in self.causes if self._gate_open(name)]

    def _any_seen(self, symptoms: list[str]) -> bool:
        return not symptoms or any(self.judged[name].observed for name in symptoms)

    def _gate_open(self, name: str) -> bool:
        gate = self.causes[name].gate
        return not gate or any(self.judged[s].observed for s in gate)

    def probability(self, symptom: str, causes: tuple[str, ...]) -> float:
        """P(symptom seen | exactly these causes)."""
        silent = 1.0 - self.judged[symptom].rule.leak
        allowed = 1.0
        for cause in causes:
            silent *= 1.0 - self.weights[cause].get(symptom, 0.0)
            allowed *= 1.0 - self.against[cause].get(symptom, 0.0)
        return min(max((1.0 - silent) * allowed, 1e-4), 1.0 - 1e-4)

    def points(self, symptom: str, causes: tuple[str, ...]) -> float:
        """Nats an observed symptom adds to a set of causes, against no cause at all."""
        item = self.observed[symptom]
        given, base = self.probability(symptom, causes), self.probability(symptom, ())
        if item.observed:
            gain = math.log(given) - math.log(base)
        else:
            gain = math.log(1.0 - given) - math.log(1.0 - base)
        cap = DECISIVE_CAP if any((cause, symptom) in self.decisive for cause in causes) else ITEM_CAP
        if item.observed and item.p_value is not None:
            cap = min(STATISTICAL_CAP, sellke_bound(item.p_value))
        tempered = 1.0 / (1.0 + TEMPERING * (max(1, self.groups[item.rule.group, bool(item.observed)]) - 1))
        return tempered * min(max(gain, -ITEM_CAP), cap)

    def posterior(self) -> dict[str, float]:
        """Marginal posterior of every candidate cause."""
        sets: list[tuple[str, ...]] = [(), *((name,) for name in self.candidates)]
        sets += list(combinations(self.candidates, 2))
        base = sum(math.log(1.0 - self.causes[name].prior) for name in self.candidates)
        scores = []
        for chosen in sets:
            score = base
            for name in chosen:
                prior = self.causes[name].prior
                score += math.log(prior) - math.log(1.0 - prior)
            score += sum(self.points(symptom, chosen) for symptom in self.observed)
            scores.append(score)
        top = max(scores)
        weights = [math.exp(score - top) for score in scores]
        total = math.fsum(weights)
        result = dict.fromkeys(self.candidates, 0.0)
        for chosen, weight in zip(sets, weights, strict=True):
            for name in chosen:
                result[name] += weight / total
        return result

    def ledger(self, name: str) -> tuple[Contribution, ...]:
        """What every symptom this cause has an opinion on adds or takes.

        What is specific to the cause comes first, in the order its rule lists the clues; then the rest by size.
        """
        opinions = list(dict.fromkeys([*self.weights[name], *self.against[name]]))
        lines = []
        for symptom in opinions:
            item = self.judged[symptom]
            if item.observed is None:
                lines.append(Contribution(SymptomId(symptom), Sighting.NOT_COLLECTED, 0.0, item.finding.title))
                continue
            sighting = Sighting.SEEN if item.observed else Sighting.NOT_SEEN
            points = self.points(symptom, (name,)) if symptom in self.observed else 0.0
            lines.append(Contribution(SymptomId(symptom), sighting, points, item.finding.title, item.finding.cites))
        order = {symptom: place for place, symptom in enumerate(opinions)}

        def place(line: Contribution) -> tuple[bool, float, str]:
            told = line.points > 0 and self.telling(name, line.clue)
            return not told, float(order[line.clue]) if told else -abs(line.points), line.clue

        return tuple(sorted(lines, key=place))

    def telling(self, name: str, symptom: str) -> bool:
        """Seen, specific to some causes, and explained by this one about as well as by any."""
        strongest = max(weights.get(symptom, 0.0) for weights in self.weights.values())
        fits = self.weights[name].get(symptom, 0.0) >= 0.5 * strongest
        return fits and self.specific(symptom) and bool(self.judged[symptom].observed)

    def support(self, name: str, ledger: tuple[Contribution, ...], leader: str) -> _Support:
        """The evidence for a cause by kind, and whether any of it is foreign to the leading cause."""
        positive = [line for line in ledger if line.sighting is Sighting.SEEN and line.points > 0.2]
        rules = {line.clue: self.judged[line.clue].rule for line in positive}
        leads = self.weights.get(leader, {})
        foreign = [
            line for line in positive
            if leads.get(line.clue, 0.0) < STRENGTHS["sometimes"]
            and line.points >= 1.0
            and self.specific(line.clue)
            and self.judged[line.clue].failed
        ]  # fmt: skip
        return _Support(
            frozenset(rule.group for rule in rules.values()),
            frozenset(rule.group for clue, rule in rules.items() if self.telling(name, clue)),
            frozenset(rule.evidence for rule in rules.values()),
            any((name, line.clue) in self.decisive for line in positive),
            self._any_seen(self.causes[name].proof),
            self._any_seen(self.causes[name].proof) and self._any_seen(self.causes[name].proof_high),
            bool(foreign),
        )

    def specific(self, symptom: str) -> bool:
        """Whether only some of the causes explain a symptom, and it is no mere consequence of any trouble."""
        if self.judged[symptom].rule.consequence:
            return False
        explains = sum(w.get(symptom, 0.0) >= STRENGTHS["sometimes"] for w in self.weights.values())
        return explains <= MOST_CAUSES

    def contrary(self, name: str) -> tuple[str, ...]:
        """Direct negatives: a strong clue looked for and missing, or a strong contradiction seen."""
        found = []
        for symptom, item in self.observed.items():
            missing = not item.observed and item.rule.direct_negative
            if missing and self.weights[name].get(symptom, 0.0) >= STRENGTHS["usual"]:
                found.append(symptom)
            if item.observed and self.against[name].get(symptom, 0.0) >= STRENGTHS["usual"]:
                found.append(symptom)
        return tuple(found)


def sellke_bound(p_value: float) -> float:
    """Largest ln Bayes factor a p-value can support: -ln(-e p ln p) (Sellke, Bayarri, Berger 2001)."""
    if p_value >= 1.0 / math.e:
        return 0.0
    p_value = max(p_value, 1e-12)
    return -math.log(-math.e * p_value * math.log(p_value))


def _confidence(probability: float, support: _Support) -> Confidence:
    """Words for a posterior, gated by how many independent kinds of evidence carry it.

    What nearly every cause explains (slow requests, late heartbeats) cannot carry a confident answer: MEDIUM wants one
    specific group of evidence besides another, HIGH two specific ones, three groups and two sources. Without anything
    specific the honest answer is "cannot tell".
    """
    if probability >= HIGH and support.proven_high and (support.decisive or support.carries_high):
        return Confidence.HIGH
    if probability >= MEDIUM and support.proven and (support.decisive or support.carries_medium):
        return Confidence.MEDIUM
    return Confidence.LOW if probability >= LOW and support.specific else Confidence.NONE


@dataclass(frozen=True, slots=True)
class _Support:
    """What speaks for a cause, by kind."""

    groups: frozenset[str]
    specific: frozenset[str]
    sources: frozenset[str]
    decisive: bool
    proven: bool
    proven_high: bool
    """Whether one of the cause's own proofs was seen."""
    unique: bool
    """Whether something seen is explained by this cause and not by the leading one."""

    @property
    def carries_high(self) -> bool:
        return len(self.groups) >= 3 and len(self.specific) >= 2 and len(self.sources) >= 2

    @property
    def carries_medium(self) -> bool:
        return len(self.groups) >= 2 and len(self.specific) >= 1


def cause_id(item: Ranked) -> CauseId:
    """The public id of a ranked cause."""
    return CauseId(item.cause.id)
