"""/metrics: histograms as brackets over a window where two scrapes exist, over the process' life where not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

from analyzer.detectors.histogram import Bracket, Buckets, count_above, delta, make_buckets, quantile_bracket
from analyzer.model.artifact import Artifact
from analyzer.model.facts import Histogram, MetricScrape
from analyzer.model.ids import State
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.reading import Reading, Spot, seen

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Window:
    """One histogram between the first and the last scrape that hold it (or since process start)."""

    member: str | None
    labels: Labels
    buckets: Buckets
    spot: Spot
    lifetime: bool
    """True when only one scrape exists: the average over the whole life of the process, not the incident."""


Scrapes = list[tuple[Artifact, MetricScrape, Histogram]]


def _grouped(case: Case, name: str) -> list[tuple[tuple[str, Labels], Scrapes]]:
    grouped: dict[tuple[str, Labels], Scrapes] = defaultdict(list)
    for artifact, scrape in case.records(MetricScrape):
        for histogram in scrape.histograms:
            if histogram.name == name:
                owner = artifact.member or artifact.path
                grouped[owner, histogram.labels].append((artifact, scrape, histogram))
    return sorted(grouped.items(), key=lambda item: item[0])


def windows(case: Case, name: str) -> list[Window]:
    """Every series of a histogram, member by member, over the longest window the scrapes allow."""
    found = []
    for (_, labels), scrapes in _grouped(case, name):
        window = _window(labels, scrapes)
        if window is not None:
            found.append(window)
    return found


def _window(labels: Labels, scrapes: Scrapes) -> Window | None:
    ordered = sorted(scrapes, key=lambda item: (item[1].at_ns or 0, item[0].index, item[2].line))
    artifact, _, last = ordered[-1]
    after = make_buckets(last.bounds, last.counts)
    spot = (artifact.index, last.line)
    if len(ordered) == 1:
        return Window(artifact.member, labels, after, spot, lifetime=True)
    total: Buckets | None = None
    for (_, _, one), (_, _, two) in pairwise(ordered):
        step = delta(make_buckets(one.bounds, one.counts), make_buckets(two.bounds, two.counts))
        total = step if total is None else _add(total, step)
    if total is None or total.counts.size == 0 or total.counts[-1] <= 0:
        return Window(artifact.member, labels, after, spot, lifetime=True)
    return Window(artifact.member, labels, total, spot, lifetime=False)


def intervals(case: Case, name: str) -> list[Window]:
    """Every series of a histogram between each two neighbouring scrapes: a short incident is not averaged away."""
    found = []
    for (_, labels), scrapes in _grouped(case, name):
        ordered = sorted(scrapes, key=lambda item: (item[1].at_ns or 0, item[0].index, item[2].line))
        for (_, _, one), (artifact, _, two) in pairwise(ordered):
            step = delta(make_buckets(one.bounds, one.counts), make_buckets(two.bounds, two.counts))
            if step.counts.size and step.counts[-1] > 0:
                found.append(Window(artifact.member, labels, step, (artifact.index, two.line), lifetime=False))
    return found


def _add(one: Buckets, two: Buckets) -> Buckets:
    if one.bounds.shape != two.bounds.shape or (one.bounds != two.bounds).any():
        return two
    return Buckets(one.bounds, one.counts + two.counts, one.reset or two.reset, one.repaired or two.repaired)


def bracket_words(bracket: Bracket) -> str:
    """``(16 ms, 32 ms]``, or ``above 8.19 s`` in the open bucket."""
    high = "beyond the last bucket" if bracket.high == inf else wording.duration(bracket.high)
    return (
        f"({wording.duration(bracket.low)}, {high}]"
        if bracket.high != inf
        else f"above {wording.duration(bracket.low)}"
    )


def histogram_quantile(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """WARN when the quantile's bracket lies wholly above the limit, FAIL above ``fail_s``; a straddling one is silent."""
    readings = []
    each = intervals(case, params["metric"]) if params.get("each_interval") else []
    for window in each or windows(case, params["metric"]):
        bracket = quantile_bracket(window.buckets, params["quantile"])
        if not bracket.total >= params["least"]:
            continue
        if bracket.low >= params["warn_s"]:
            state = seen(bracket.low >= params["fail_s"])
        elif bracket.high <= params["pass_s"]:
            state = State.PASS
        else:
            continue
        words = {
            "bracket": bracket_words(bracket),
            "quantile": f"p{100 * params['quantile']:g}",
            "n": wording.number(bracket.total),
            "span": "since the process started" if window.lifetime else "between two scrapes" if each else "between the scrapes",
            "member": window.member or "the member",
            "peer": dict(window.labels).get("To", "a peer"),
        }
        readings.append(Reading(state, window.member, None, bracket.low, "s", at=(window.spot,), words=words))
    return _worst_first(readings)


def _worst_first(readings: list[Reading]) -> list[Reading]:
    flagged = [reading for reading in readings if reading.state.seen]
    return sorted(flagged, key=lambda r: -(r.value or 0.0)) or readings


def histogram_above(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Observations above a bound within the scrapes' window: the few slow ones that no p99 shows."""
    readings = []
    for window in windows(case, params["metric"]):
        if window.lifetime and not params.get("lifetime", False):
            continue
        certain, _ = count_above(window.buckets, params["bound_s"])
        total = float(window.buckets.counts[-1]) if window.buckets.counts.size else 0.0
        if total < params["least_total"]:
            continue
        state = seen(certain >= params["fail"]) if certain >= params["least"] else State.PASS
        words = {
            "n": wording.number(certain),
            "total": wording.number(total),
            "bound": wording.duration(params["bound_s"]),
            "member": window.member or "the member",
        }
        readings.append(Reading(state, window.member, None, certain, "observations", at=(window.spot,), words=words))
    return _worst_first(readings)


def _scalars(case: Case, name: str) -> dict[str, list[tuple[Artifact, float, int, int]]]:
    """Values of a metric by member: (artifact, value, line, scrape time)."""
    found: dict[str, list[tuple[Artifact, float, int, int]]] = defaultdict(list)
    for artifact, scrape in case.records(MetricScrape):
        total, line = 0.0, 0
        for metric, _, value, at_line in scrape.scalars:
            if metric == name:
                total, line = total + value, line or at_line
        if line:
            found[artifact.member or ""].append((artifact, total, line, scrape.at_ns or 0))
    return found


def counter_increase(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """A counter grew by at least ``least`` between the first and the last scrape."""
    readings = []
    for member, values in sorted(_scalars(case, params["metric"]).items()):
        ordered = sorted(values, key=lambda item: item[3])
        if len(ordered) < 2:
            continue
        steps = [b[1] - a[1] if b[1] >= a[1] else b[1] for a, b in pairwise(ordered)]
        grown = sum(steps)
        artifact, _, line, _ = ordered[-1]
        state = seen(grown >= params["fail"]) if grown >= params["least"] else State.PASS
        words = {"n": wording.number(grown), "member": member or "the member"}
        readings.append(Reading(state, member or None, None, grown, "1", at=((artifact.index, line),), words=words))
    return _worst_first(readings)


def gauge_above(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The largest scraped value of a gauge."""
    readings = []
    for member, values in sorted(_scalars(case, params["metric"]).items()):
        artifact, value, line, _ = max(values, key=lambda item: item[1])
        state = seen(value >= params["fail"]) if value >= params["least"] else State.PASS
        words = {"n": wording.number(value), "member": member or "the member"}
        readings.append(Reading(state, member or None, None, value, "1", at=((artifact.index, line),), words=words))
    return _worst_first(readings)
