"""What an id means, in plain text from the rules alone."""

from __future__ import annotations

import difflib
import textwrap

from analyzer.errors import UsageError
from analyzer.rulebook import RuleBook
from analyzer.rulebook.schema import CaptureRule, CauseRule, EventRule, RemedyRule, SymptomRule

WIDTH = 100


def explain_id(book: RuleBook, identifier: str) -> str:
    """The explanation of a cause, symptom, event, remedy or capture.

    Raises:
        UsageError: for an unknown id, with the nearest known ones.
    """
    events = {rule.id: rule for rule in reversed(book.catalogue.rules)}
    sections = []
    if identifier in book.causes:
        sections.append(_cause(book, book.causes[identifier]))
    if identifier in book.symptoms:
        sections.append(_symptom(book, book.symptoms[identifier]))
    if identifier in events:
        sections.append(_event(book, events[identifier]))
    if identifier in book.remedies:
        sections.append(_remedy(book.remedies[identifier]))
    if identifier in book.captures:
        sections.append(_capture(book.captures[identifier]))
    if not sections:
        known = [*book.causes, *book.symptoms, *events, *book.remedies, *book.captures]
        close = difflib.get_close_matches(identifier, known, n=3)
        hint = f" Did you mean {' or '.join(close)}?" if close else " `etcd-doctor rules list` shows every id."
        raise UsageError(f"explain: no such id {identifier!r}.{hint}")
    return "\n".join(sections)


def _block(title: str, text: str) -> str:
    body = textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{title}\n{body}\n" if text.strip() else ""


def _list(title: str, items: list[str]) -> str:
    return f"{title}\n" + "".join(f"  - {item}\n" for item in items) if items else ""


def _cause(book: RuleBook, rule: CauseRule) -> str:
    clues = [
        f"{c.symptom} ({c.strength}{', decisive' if c.decisive else ''}): {book.symptoms[c.symptom].title}"
        for c in rule.clue
    ]
    against = [f"{c.symptom} ({c.strength}): {book.symptoms[c.symptom].title}" for c in rule.against]
    return "".join(
        (
            f"cause {rule.id}: {rule.title}\n\n",
            _block("How it works", rule.mechanism),
            _block("Not to be confused with", rule.not_to_confuse),
            _block("What else looks like this", rule.false_positives),
            _list("Shows in (how often, with this cause alone)", clues),
            _list("Spoken against by", against),
            f"Prior {rule.prior:g} ({rule.prior_why})\n" if rule.prior else "",
            _list("What to do", [f"{name}: {book.remedies[name].title}" for name in rule.remedies]),
            _list("What would settle it", [f"{name}: {book.captures[name].title}" for name in rule.captures]),
            _list("Sources", rule.sources),
        )
    )


def _symptom(book: RuleBook, rule: SymptomRule) -> str:
    causes = [c.id for c in book.causes.values() if any(clue.symptom == rule.id for clue in c.clue)]
    params = [f"{key} = {value}" for key, value in rule.params.items()]
    return "".join(
        (
            f"symptom {rule.id}: {rule.title}\n\n",
            _block("Meaning", rule.meaning),
            _block("Limit", rule.threshold),
            _list(f"Measured by detector '{rule.detector}' with", params),
            f"Seen without any of the causes in about {rule.leak:.1%} of bundles (judgement)\n",
            _block("False positives", rule.false_positives),
            _list("Speaks for", causes),
            _list("Sources", rule.sources),
        )
    )


def _event(book: RuleBook, rule: EventRule) -> str:
    forms = [match.msg or match.text or "" for match in rule.match]
    symptoms = [s.id for s in book.symptoms.values() if rule.id in s.params.get("events", ())]
    return "".join(
        (
            f"event {rule.id}: {rule.title}\n\n",
            _block("Meaning", rule.meaning),
            _list("etcd writes", forms),
            _list("Used by symptoms", symptoms),
            _list("Sources", rule.source),
        )
    )


def _remedy(rule: RemedyRule) -> str:
    lines = [f"remedy {rule.id}: {rule.title}\n\n", _block("When", rule.when)]
    for number, step in enumerate(rule.step, start=1):
        lines.append(f"{number}. {step.step}\n")
        lines += [f"     {line}\n" for line in step.command.strip().splitlines()]
        for name, text in (
            ("why", step.why),
            ("risk", step.risk),
            ("rollback", step.rollback),
            ("verify", step.verify),
            ("source", step.source),
        ):
            lines.append(
                textwrap.fill(
                    f"{name}: {text}",
                    WIDTH,
                    initial_indent="   ",
                    subsequent_indent="     ",
                    break_long_words=False,
                    break_on_hyphens=False,
                )
                + "\n"
            )
    return "".join(lines)


def _capture(rule: CaptureRule) -> str:
    command = "".join(f"  {line}\n" for line in rule.command.strip().splitlines())
    head = f"capture {rule.id}: {rule.title}\n\n"
    return f"{head}{_block('Why', rule.why)}{_block('Cost', rule.cost)}Command\n{command}Source\n  {rule.source}\n"


def list_ids(book: RuleBook) -> str:
    """Every id with its title, by kind."""
    groups: tuple[tuple[str, dict[str, str]], ...] = (
        ("causes", {r.id: r.title for r in book.causes.values()}),
        ("symptoms", {r.id: r.title for r in book.symptoms.values()}),
        ("events", {r.id: r.title for r in reversed(book.catalogue.rules)}),
        ("remedies", {r.id: r.title for r in book.remedies.values()}),
        ("captures", {r.id: r.title for r in book.captures.values()}),
    )
    out = []
    for kind, titles in groups:
        out.append(f"{kind} ({len(titles)})\n")
        out += [f"  {name:42} {title}\n" for name, title in sorted(titles.items())]
    return "".join(out)


def check_samples(book: RuleBook) -> list[str]:
    """Every event sample must be read as its own event; the problems, if any."""
    from analyzer.parsers.etcd_log import dialects
    from analyzer.parsers.etcd_log.wrappers import peel

    problems = []
    for rule in book.catalogue.rules:
        for match in rule.match:
            for sample in match.samples:
                payload = peel(sample).payload
                record = dialects.parse(payload)
                hit = book.catalogue.lookup(record.message if record else dialects.lettered(payload)[1])
                found = book.catalogue.kinds[hit.kind] if hit else "nothing"
                if found != rule.id:
                    problems.append(f"event {rule.id}: sample is read as {found}: {sample[:120]}")
    return problems
