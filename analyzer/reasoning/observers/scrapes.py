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
    """WARN when the quantile's bracket lies wholly above the limit, FAIL above ``fail_s``; straddling is silent."""
    readings = []
    undecided = False
    each = intervals(case, params["metric"]) if params.get("each_interval") else []
    for window in each or windows(case, params["metric"]):
        bracket = quantile_bracket(window.buckets, params["quantile"])
        if not bracket.total >= params["least"]:
            undecided = undecided or bracket.total > 0
            continue
        if bracket.low >= params["warn_s"]:
            state = seen(bracket.low >= params["fail_s"])
        elif bracket.high <= params["pass_s"]:
            state = State.PASS
        else:
            undecided = True
            continue
        spot = _bucket_spot(window, bracket.high if bracket.high != inf else bracket.low)
        words = {
            "bracket": bracket_words(bracket),
            "quantile": f"p{100 * params['quantile']:g}",
            "n": wording.number(bracket.total),
            "span": "since the process started"
            if window.lifetime
            else "between two scrapes"
            if each
            else "between the scrapes",
            "member": window.member or "the member",
            "peer": dict(window.labels).get("To", "a peer"),
        }
        readings.append(Reading(state, window.member, None, bracket.low, "s", at=(spot,), words=words))
    if undecided and not any(reading.state.seen for reading in readings):
        return []  # one member's good figures must not speak for another's unclear ones
    return _worst_first(readings)


def time_in_syncs(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """Share of the wall time a member spent inside WAL syncs, in its worst interval between two scrapes.

    Syncs get fewer exactly while they are slow, so a percentile over the whole capture hides what the clock shows.
    """
    readings = []
    for (_, labels), scrapes in _grouped(case, params["metric"]):
        del labels
        ordered = sorted(scrapes, key=lambda item: (item[1].at_ns or 0, item[0].index))
        worst: tuple[float, Artifact, Histogram] | None = None
        for (_, before, one), (artifact, after, two) in pairwise(ordered):
            if None in (before.at_ns, after.at_ns, one.sum, two.sum) or (two.sum or 0.0) < (one.sum or 0.0):
                continue
            span = ((after.at_ns or 0) - (before.at_ns or 0)) / 1e9
            share = ((two.sum or 0.0) - (one.sum or 0.0)) / span if span > 0 else 0.0
            if worst is None or share > worst[0]:
                worst = (share, artifact, two)
        if worst is None:
            continue
        share, artifact, histogram = worst
        state = seen(share >= params["fail"]) if share >= params["warn"] else State.PASS
        words = {"share": wording.percent(min(share, 1.0)), "member": artifact.member or "the member"}
        spot = ((artifact.index, histogram.line + max(0, len(histogram.bounds))),)
        readings.append(Reading(state, artifact.member, None, share, "ratio", at=spot, words=words))
    return _worst_first(readings)


def _bucket_spot(window: Window, bound: float) -> Spot:
    """The line of the bucket that decides: buckets stand below each other, from the histogram's first line on."""
    below = int((window.buckets.bounds < bound).sum())
    return window.spot[0], window.spot[1] + min(below, max(0, window.buckets.bounds.size - 1))


def _worst_first(readings: list[Reading]) -> list[Reading]:
    flagged = [reading for reading in readings if reading.state.seen]
    return sorted(flagged or readings, key=lambda r: -(r.value or 0.0))


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
        spot = _bucket_spot(window, params["bound_s"])
        readings.append(Reading(state, window.member, None, certain, "observations", at=(spot,), words=words))
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


def gauge_above(case: Case, params: Mapping[str, Any]) -> list[Reading]:
    """The largest scraped value of a gauge."""
    readings = []
    for member, values in sorted(_scalars(case, params["metric"]).items()):
        artifact, value, line, _ = max(values, key=lambda item: item[1])
        state = seen(value >= params["fail"]) if value >= params["least"] else State.PASS
        words = {"n": wording.number(value), "member": member or "the member"}
        readings.append(Reading(state, member or None, None, value, "1", at=((artifact.index, line),), words=words))
    return _worst_first(readings)
