"""The stages, in the order they run. Read this page first.

::

    read_bundle   paths              -> Evidence    every line to one parser; nothing silently dropped
    assemble      Evidence           -> Timeline    UTC, members, duplicates, skew, devices
    narrow        Timeline           -> Timeline    --since, --until, --member
    diagnose      Timeline, rules    -> Diagnosis   judge symptoms, rank causes, conclude
    quote         Diagnosis          -> Diagnosis   the text of every cited line
    render        Diagnosis          -> str         analyzer.report
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.bundle.walk import Stdin, check

if TYPE_CHECKING:
    from analyzer.ingest.read import Progress
    from analyzer.model.diagnosis import ArtifactView, Diagnosis, NotUnderstood
    from analyzer.timeline.assemble import Overrides


@dataclass(frozen=True, slots=True)
class Focus:
    """The part of the bundle the user asks about; None means all of it."""

    since_ns: int | None = None
    until_ns: int | None = None
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that changes what a diagnosis says."""

    rules: Path | None = None
    overrides: Overrides | None = None
    focus: Focus = field(default_factory=Focus)


def diagnose_paths(
    paths: Sequence[str], options: Options | None = None, progress: Progress | None = None, stdin: Stdin | None = None
) -> Diagnosis:
    """Analyse files, folders, archives or ``-``.

    Raises:
        UnusableInput: a path does not exist.
        RuleError: the rules do not load.
        UsageError: an override cannot be understood.
    """
    from analyzer.ingest.quote import quote_lines
    from analyzer.ingest.read import read_bundle
    from analyzer.reasoning.diagnose import diagnose
    from analyzer.reasoning.quote import with_quotes
    from analyzer.rulebook import load_rules
    from analyzer.timeline import Overrides, assemble
    from analyzer.timeline.narrow import narrow

    options = options or Options()
    stdin = stdin or Stdin()
    check(paths)
    rules = load_rules(options.rules)
    evidence = read_bundle(paths, rules, stdin, progress)
    timeline = assemble(evidence, options.overrides or Overrides())
    focus = options.focus
    timeline = narrow(timeline, focus.since_ns, focus.until_ns, focus.member)
    diagnosis = diagnose(timeline, rules)
    return with_quotes(diagnosis, lambda wanted: quote_lines(paths, stdin, wanted))


def inspect_paths(
    paths: Sequence[str], options: Options | None = None, progress: Progress | None = None, stdin: Stdin | None = None
) -> tuple[tuple[ArtifactView, ...], tuple[NotUnderstood, ...]]:
    """What was found, by which parser, with which facts; no diagnosis. Raises as :func:`diagnose_paths`."""
    from analyzer.ingest.read import read_bundle
    from analyzer.reasoning.diagnose import artifact_view, not_understood
    from analyzer.reasoning.log_facts import add_log_facts
    from analyzer.rulebook import load_rules
    from analyzer.timeline import Overrides, assemble

    options = options or Options()
    check(paths)
    rules = load_rules(options.rules)
    evidence = read_bundle(paths, rules, stdin or Stdin(), progress)
    timeline = assemble(evidence, options.overrides or Overrides())
    add_log_facts(timeline)
    views = tuple(artifact_view(artifact) for artifact in timeline.artifacts if artifact.unreadable is None)
    return views, not_understood(timeline)
