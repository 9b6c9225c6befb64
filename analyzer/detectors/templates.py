"""Known-phase schedules: periodic jobs whose position on the wall clock is known beforehand.

The position is worth more than the period: with five of six cycles met the exact binomial test is
significant where a blind search has nothing. It is also the only thing in event times alone that
lets a scheduler be named.

Prometheus cuts its head block at ODD UTC hours: blocks are aligned to even hours
(`rangeForTimestamp`, prometheus tsdb/db.go) and the head is compactable once it spans 1.5 block
ranges, three hours (`Head.compactable`, tsdb/head.go). The feature flag `delayed-compaction`
(prometheus PR 12532) shifts the cut by up to about twelve minutes.
The kube-apiserver's five-minute etcd compaction starts with the process, so it has no known phase
and is covered by the catalogue of periods instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from analyzer.detectors.arrays import FloatArray
from analyzer.detectors.significance import binomial_tail

#: A known-phase hit needs this many distinct cycles, and is weak evidence even then.
FEWEST_CYCLES: Final = 3
#: A daily job at an odd hour meets one cycle in twelve of the Prometheus schedule: not its doing.
LEAST_OCCUPANCY: Final = 0.25
LEVEL: Final = 0.01


@dataclass(frozen=True, slots=True)
class Template:
    """A schedule: onsets expected in [phase - before, phase + after] modulo the period (UTC).

    Schedules of one `family` share one significance level.
    """

    family: str
    name: str
    period_s: float
    phase_s: float
    before_s: float
    after_s: float

    @property
    def share(self) -> float:
        """Return the share of the time the windows cover."""
        return (self.before_s + self.after_s) / self.period_s


TEMPLATES: Final = (
    Template("prometheus", "prometheus-head-compaction", 7200.0, 3600.0, 144.0, 576.0),
    Template("prometheus", "prometheus-delayed-compaction", 7200.0, 3600.0, 144.0, 840.0),
    Template("cron", "cron-even-hours", 7200.0, 0.0, 60.0, 300.0),
    Template("cron", "cron-hourly", 3600.0, 0.0, 60.0, 240.0),
    Template("cron", "cron-quarter-hourly", 900.0, 0.0, 20.0, 70.0),
)


@dataclass(frozen=True, slots=True)
class TemplateFit:
    """How well one schedule fits: exact binomial p, Bonferroni-corrected within its family."""

    template: Template
    p_value: float
    hits: int
    onsets: int
    cycles: int
    cycles_hit: int

    @property
    def significant(self) -> bool:
        """Return whether the fit may be mentioned at all."""
        enough = self.cycles_hit >= FEWEST_CYCLES
        return enough and self.p_value <= LEVEL and self.cycles_hit >= LEAST_OCCUPANCY * self.cycles

    @property
    def agreement(self) -> float:
        """Return the share of onsets explained times the share of cycles met."""
        return (self.hits / self.onsets) * (self.cycles_hit / self.cycles)


def fit_template(times: FloatArray, start: float, end: float, template: Template) -> TemplateFit:
    """Return the fit of one schedule to onset `times` (epoch seconds) in [start, end]."""
    begin = template.phase_s - template.before_s
    length = template.before_s + template.after_s
    shifted = times - begin
    cycle = np.floor(shifted / template.period_s)
    inside = shifted - cycle * template.period_s <= length
    first = np.ceil((start - begin - length) / template.period_s)
    last = np.floor((end - begin) / template.period_s)
    hits = int(inside.sum())
    p_value = binomial_tail(hits, int(times.size), template.share)
    distinct = int(np.unique(cycle[inside]).size)
    cycles = max(1, int(last - first) + 1, distinct)
    return TemplateFit(template, p_value, hits, int(times.size), cycles, distinct)


def best_template(times: FloatArray, start: float, end: float, gap_s: float, trials: int = 1) -> TemplateFit | None:
    """Return the significant schedule that agrees best with the onsets, or None.

    Tested are the schedules with at least three cycles in the capture and a period of at least
    four declustering gaps. `trials` is the number of series or tiers tested besides.
    """
    feasible = [
        template
        for template in TEMPLATES
        if end - start >= FEWEST_CYCLES * template.period_s * 0.9 and template.period_s >= 4 * gap_s
    ]
    if times.size < FEWEST_CYCLES or not feasible:
        return None
    families = [template.family for template in feasible]
    best: TemplateFit | None = None
    for template in feasible:
        raw = fit_template(times, start, end, template)
        corrected = min(1.0, raw.p_value * families.count(template.family) * max(1, trials))
        fit = replace(raw, p_value=corrected)
        if fit.significant and (best is None or fit.agreement > best.agreement + 1e-9):
            best = fit
    return best
