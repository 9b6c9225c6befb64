"""Ranked causes -> the answer: verdict, what to do, what was ruled out, what to collect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from analyzer.model.diagnosis import Hypothesis, NotAssessable, Remedy, RuledOut, Step, Verdict
from analyzer.model.facts import EndpointStatus, MetricScrape
from analyzer.model.finding import Window
from analyzer.model.ids import HEALTHY, CauseId, Confidence, RemedyId, Severity, Sighting, Status
from analyzer.model.timeline import Timeline
from analyzer.reasoning import wording
from analyzer.reasoning.case import Case
from analyzer.reasoning.judge import Judged
from analyzer.reasoning.rank import Ranked, cause_id
from analyzer.reasoning.story import impact
from analyzer.rulebook import RuleBook

WORTH_READING = 0.08
"""Below it a cause is background: listed as not supported."""
MAX_BECAUSE = 3
NOISY_HEARTBEATS = 5
"""Late heartbeats from which on a clean result is no longer a sure one."""
MAX_HYPOTHESES = 5
RULED_OUT = 0.02
PLANNED = CauseId("planned-leader-transfer-or-maintenance")


_CHECKED_FIRST = {
    name: place
    for place, name in enumerate(
        (
            "leader-changes",
            "fsync-stall",
            "fsync-p99-high",
            "disk-writes-slow",
            "fio-fsync-slow",
            "no-space",
            "peer-rtt-high",
        )
    )
}
"""What a clean bill of health names first: the checks that would have shown the usual causes."""


def troubled(judged: Mapping[str, Judged]) -> list[Judged]:
    """Symptoms seen that tell of suffering."""
    return [item for item in judged.values() if item.observed and item.rule.trouble]


def hypotheses(ranked: Sequence[Ranked], judged: Mapping[str, Judged], rules: RuleBook) -> tuple[Hypothesis, ...]:
    """The causes worth a reader's time, best first."""
    chosen = [item for item in ranked if item.probability >= WORTH_READING and supported(item)][:MAX_HYPOTHESES]
    return tuple(_hypothesis(item, judged, rules) for item in chosen)


def supported(item: Ranked) -> bool:
    """Whether anything seen speaks for the cause: a prior alone is no finding."""
    return any(line.sighting is Sighting.SEEN and line.points > 0 for line in item.ledger)


def _hypothesis(item: Ranked, judged: Mapping[str, Judged], rules: RuleBook) -> Hypothesis:
    member, device = _culprit(item, judged)
    device = device if item.cause.names_device else None
    return Hypothesis(
        cause_id(item),
        item.cause.title,
        item.probability,
        item.confidence,
        item.cause.mechanism,
        item.ledger,
        tuple(_remedy(rules, name) for name in item.cause.remedies),
        member,
        device,
    )


def _culprit(item: Ranked, judged: Mapping[str, Judged]) -> tuple[str | None, str | None]:
    """Member and device most of the supporting evidence points to; None when it points to several."""
    members: Counter[str] = Counter()
    devices: Counter[str] = Counter()
    for line in item.ledger:
        if line.sighting is not Sighting.SEEN or line.points <= 0:
            continue
        seen = [f for f in judged[line.clue].findings if f.state.seen]
        for finding in seen:
            if finding.member:
                members[finding.member] += 1
            if finding.device:
                devices[finding.device] += 1
    return _clear_winner(members), _clear_winner(devices)


def _clear_winner(votes: Counter[str]) -> str | None:
    if not votes:
        return None
    (best, count), *_ = sorted(votes.items(), key=lambda v: (-v[1], v[0]))
    return best if count > 0.6 * sum(votes.values()) else None


def _remedy(rules: RuleBook, name: str) -> Remedy:
    rule = rules.remedies[name]
    steps = tuple(Step(s.step, s.command, s.why, s.risk, s.rollback, s.verify, s.source) for s in rule.step)
    return Remedy(RemedyId(name), rule.title, steps)


def verdict(
    case: Case, ranked: Sequence[Ranked], judged: Mapping[str, Judged], tops: Sequence[Hypothesis], rules: RuleBook
) -> Verdict:
    """One sentence that is true: a problem with its cause, healthy, or not enough to say."""
    suffering = troubled(judged)
    window = _window(case, suffering)
    cost = impact(case)
    planned = any(item.observed for item in _planned(judged))
    if not suffering and not planned:
        return _no_trouble(case, judged, window, rules)
    top = ranked[0] if ranked and tops else None
    if top is None or top.confidence is Confidence.NONE:
        told = _told(suffering)
        summary = (
            f"{told} The evidence does not say why; collect what is listed below."
            if told
            else ("Something happened, but the evidence does not say what; collect what is listed below.")
        )
        return Verdict(Status.INSUFFICIENT, None, Confidence.NONE, summary, window, cost, _severity(suffering))
    sentence = top.cause.verdict.replace("{where}", _where(case, tops[0]))
    status = Status.PROBLEM
    severity = _severity(suffering)
    if cause_id(top) == PLANNED:
        severity = Severity.INFO
    if top.confidence is Confidence.LOW:
        sentence = f"Possibly: {sentence[0].lower() if sentence[:4] != 'etcd' else sentence[0]}{sentence[1:]}"
    return Verdict(status, cause_id(top), top.confidence, f"{sentence} {_because(top)}".strip(), window, cost, severity)


def _planned(judged: Mapping[str, Judged]) -> list[Judged]:
    return [item for item in judged.values() if item.rule.detector == "planned-changes"]


def _no_trouble(case: Case, judged: Mapping[str, Judged], window: Window | None, rules: RuleBook) -> Verdict:
    """Healthy needs a log long enough to show trouble, or figures that are good; else it is too little."""
    passed = [item for item in judged.values() if item.observed is False]
    judgeable = [i for i in passed if i.rule.trouble or i.rule.evidence in ("metrics", "disk", "fio", "etcdctl")]
    enough = bool(case.complete_logs) or (bool(judgeable) and not _told_trouble(case, rules))
    cost = impact(case)
    if enough:
        first = sorted(judgeable, key=lambda item: _CHECKED_FIRST.get(item.rule.id, len(_CHECKED_FIRST)))
        checked = "; ".join(item.finding.title for item in first[:4])
        summary = f"{rules.causes[HEALTHY].verdict} Checked: {checked}." if checked else rules.causes[HEALTHY].verdict
        confidence = _health_confidence(case, passed)
        return Verdict(Status.HEALTHY, HEALTHY, confidence, summary, window or _covered(case), cost)
    summary = "Too little evidence to judge: no sign of trouble, but nothing that would show it either."
    return Verdict(Status.INSUFFICIENT, None, Confidence.NONE, summary, window or _covered(case), cost)


def _health_confidence(case: Case, passed: Sequence[Judged]) -> Confidence:
    """HIGH wants the full log of every member and measurements beside them; one member's log tells its own half."""
    if not case.complete_logs or int(case.rows(("heartbeat-late",))["count"].sum()) >= NOISY_HEARTBEATS:
        return Confidence.LOW
    told = {span.member for span in case.complete_logs}
    members = {member.name for member in case.timeline.members} | case.peers_named
    everyone = len(told) >= len(members) and (len(told) > 1 or not case.peers_named)
    measured = len({item.rule.evidence for item in passed}) >= 2
    return Confidence.HIGH if everyone and measured else Confidence.MEDIUM if everyone else Confidence.LOW


def _told_trouble(case: Case, rules: RuleBook) -> bool:
    """Whether an excerpt quotes any line of trouble: somebody chose to paste it."""
    kinds = [rule.id for rule in rules.catalogue.rules if rule.trouble]
    rows = case.rows(kinds)
    return bool((~(case.in_plan(rows) | case.inside(rows["ts_ns"].to_numpy() / 1e9, case.starting))).any())


def _told(suffering: Sequence[Judged]) -> str:
    ordered = sorted(suffering, key=lambda item: (item.rule.severity != "critical", not item.failed))
    return _sentence(ordered[0].finding.title) if ordered else ""


def _because(top: Ranked) -> str:
    """The leading observations: the ledger puts the telling ones first, in the order of the rule."""
    told: list[str] = []
    for line in top.ledger:
        if line.sighting is Sighting.SEEN and line.points > 0.3:
            told.append(_sentence(line.because))
        if len(told) == MAX_BECAUSE:
            break
    return " ".join(told)


def _sentence(text: str) -> str:
    first, blank, _ = text.partition(" ")
    if blank and first.isalpha() and first not in ("etcd", "fio"):  # names stay as they are
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _where(case: Case, top: Hypothesis) -> str:
    if top.member:
        return _member(top.member) + (f" ({top.device})" if top.device else "")
    if top.device:
        return f"device {top.device}"
    names = [member.name for member in case.timeline.members]
    return "the cluster" if len(names) != 1 else _member(names[0])


def _member(name: str) -> str:
    """A member without a name is called ``member 255a2e4092d561fb`` already."""
    return name if name.startswith("member ") else f"member {name}"


def _window(case: Case, suffering: Sequence[Judged]) -> Window | None:
    episodes = case.trouble
    if len(episodes):
        return Window(int(episodes.starts.min() * 1e9), int(episodes.ends.max() * 1e9))
    windows = [f.window for item in suffering for f in item.findings if f.window is not None]
    if windows:
        return Window(min(w.start_ns for w in windows), max(w.end_ns for w in windows))
    return _covered(case)


def _covered(case: Case) -> Window | None:
    known = [
        (a.first_ns, a.last_ns) for a in case.timeline.artifacts if a.first_ns is not None and a.last_ns is not None
    ]
    if not known:
        return None
    return Window(min(first for first, _ in known), max(last for _, last in known))


def _severity(suffering: Sequence[Judged]) -> Severity:
    severities = {item.finding.severity for item in suffering}
    for level in (Severity.CRITICAL, Severity.WARNING):
        if level in severities:
            return level
    return Severity.INFO


def sort_out(
    ranked: Sequence[Ranked], judged: Mapping[str, Judged]
) -> tuple[tuple[RuledOut, ...], tuple[CauseId, ...], tuple[NotAssessable, ...]]:
    """The causes not called: ruled out by a direct observation, not supported, or not assessable."""
    out: list[RuledOut] = []
    unsupported: list[CauseId] = []
    unknown: list[NotAssessable] = []
    for item in ranked:
        if item.probability >= WORTH_READING and supported(item):
            continue
        if item.contrary and item.probability <= RULED_OUT:
            findings = [judged[name].finding for name in item.contrary]
            because = "; ".join(finding.title for finding in findings[:2])
            out.append(RuledOut(cause_id(item), because, tuple(c for f in findings[:2] for c in f.cites)))
        elif any(judged[clue.symptom].observed is not None for clue in item.cause.clue):
            unsupported.append(cause_id(item))
        else:
            needs = sorted(
                {
                    judged[clue.symptom].rule.missing
                    for clue in item.cause.clue
                    if clue.strength in ("certain", "usual", "often")
                }
            )
            unknown.append(NotAssessable(cause_id(item), needs[0] if needs else "other evidence"))
    return tuple(out), tuple(unsupported), tuple(unknown)


def checklist(status: Status, tops: Sequence[Hypothesis], rules: RuleBook) -> tuple[Step, ...]:
    """Steps of the leading cause's remedies in order; a low-confidence lead gets only its first remedy."""
    if status is Status.HEALTHY:
        return tuple(step for name in rules.causes[HEALTHY].remedies for step in _remedy(rules, name).steps)
    if status is not Status.PROBLEM or not tops:
        return ()
    lead = tops[0]
    remedies = lead.remedies if lead.confidence in (Confidence.HIGH, Confidence.MEDIUM) else lead.remedies[:1]
    return tuple(step for remedy in remedies for step in remedy.steps)


def is_etcd(case: Case) -> bool:
    """Whether anything in the bundle is of etcd or of its host's disks."""
    measured = bool(case.timeline.series or case.records(MetricScrape) or case.records(EndpointStatus))
    stated = any(artifact.records or artifact.facts for artifact in case.timeline.artifacts)
    return bool(case.etcd_logs) or measured or stated


def nothing_usable(timeline: Timeline) -> str:
    """Why nothing could be judged, and what to do: one line."""
    unread = [artifact for artifact in timeline.artifacts if artifact.unreadable is not None]
    if not timeline.artifacts:
        return "there is no file in it. Pass the folder or archive that holds etcd's logs and the hosts' captures."
    if len(timeline.artifacts) == 1 and unread:
        return f"{unread[0].unreadable}; {unread[0].hint}"
    count = wording.plural(len(timeline.artifacts), "file")
    return f"nothing of etcd or of its hosts in {count}. `etcd-doctor inspect` shows what each one is taken for."
