"""The command line: arguments -> pipeline -> report -> exit code. The only place that reads argv or writes files.

Exit codes: 0 analysed, 1 a bug, 2 usage, 3 nothing usable, 10 a finding at or above ``--fail-on``.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from analyzer.errors import EtcdDoctorError, UnusableInput, UsageError
from analyzer.version import __version__

EXIT_FINDING = 10

app = typer.Typer(
    name="etcd-doctor",
    help="Ranked, cited root-cause diagnosis of a sick etcd cluster from logs, disk captures, fio and metrics.",
    epilog="Exit codes: 0 analysed, 2 usage, 3 nothing usable, 10 --fail-on reached, 1 a bug.",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
rules_app = typer.Typer(help="Look at and check the rules.", rich_markup_mode=None, no_args_is_help=True)
app.add_typer(rules_app, name="rules")


class Format(StrEnum):
    """Report formats."""

    terminal = "terminal"
    json = "json"
    markdown = "markdown"


class FailOn(StrEnum):
    """Severities that turn into exit code 10."""

    none = "none"
    warning = "warning"
    critical = "critical"


Paths = Annotated[list[str], typer.Argument(help="Folders, files, archives, or - for standard input.", metavar="PATH")]
FormatOption = Annotated[Format, typer.Option("-f", "--format", help="Format of the report on standard output.")]
Outputs = Annotated[
    list[Path] | None,
    typer.Option(
        "-o", "--output", metavar="FILE", help="Also write a report; format by suffix (.txt .json .md). Repeatable."
    ),
]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Only what happened after this UTC time (ISO 8601).")
]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only what happened before this UTC time.")]
Around = Annotated[
    str | None, typer.Option("--around", metavar="TIME", help="Only 15 minutes on either side of this UTC time.")
]
Member = Annotated[str | None, typer.Option("--member", metavar="NAME", help="Only this member.")]
Zones = Annotated[
    list[str] | None,
    typer.Option(
        "--tz", metavar="FILE=ZONE", help="Zone of a file whose stamps carry none; FILE may be a glob. Repeatable."
    ),
]
Members = Annotated[
    list[str] | None,
    typer.Option("--member-of", metavar="FILE=NAME", help="Whose file it is; FILE may be a glob. Repeatable."),
]
Year = Annotated[
    int | None, typer.Option("--year", metavar="YYYY", help="Year of stamps that carry none (syslog, klog).")
]
RulesFolder = Annotated[
    Path | None,
    typer.Option("--rules", metavar="DIR", help="Folder with rules of your own, laid over the shipped ones."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress and no notes on standard error.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Everything, not only what fits two screens.")]


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        sys.stdout.write(f"etcd-doctor {__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:  # pragma: no cover - typer shows the help itself
        raise typer.Exit(2)


@app.command(epilog="Exit codes: 0 analysed, 2 usage, 3 nothing usable, 10 --fail-on reached, 1 a bug.")
def analyze(
    paths: Paths,
    format_name: FormatOption = Format.terminal,
    output: Outputs = None,
    since: Since = None,
    until: Until = None,
    around: Around = None,
    member: Member = None,
    tz: Zones = None,
    member_of: Members = None,
    year: Year = None,
    rules: RulesFolder = None,
    fail_on: Annotated[FailOn, typer.Option("--fail-on", help="Exit with 10 at this severity or above.")] = FailOn.none,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Diagnose a bundle: what is the root cause, how sure, why, what to do.

    \b
    Examples:
      etcd-doctor analyze ./bundle
      etcd-doctor analyze must-gather.tar.gz -o report.md -o report.json
      etcd-doctor analyze etcd-0.log etcd-1.log iostat.txt --tz 'iostat.txt=Europe/Paris'
      kubectl logs -n kube-system etcd-node1 | etcd-doctor analyze -
      etcd-doctor analyze ./bundle --around 2026-03-11T01:02:00Z
      etcd-doctor analyze ./bundle -f json --fail-on critical
    """
    from analyzer.cli_support import focus_of, options_of, progress_line, write_report
    from analyzer.pipeline import diagnose_paths
    from analyzer.report.registry import format_of

    targets = [(path, format_of(path.name)) for path in output or []]
    for path, name in targets:
        if name is None:
            raise UsageError(f"-o {path}: the suffix tells the format; use .txt, .json or .md")
    options = options_of(rules, tz, member_of, year, focus_of(since, until, around, member))
    with progress_line(quiet) as progress:
        diagnosis = diagnose_paths(paths, options, progress)
    if diagnosis.verdict.status == "not-etcd" and format_name is not Format.json:
        raise UnusableInput(f"{' '.join(paths)}: {diagnosis.verdict.summary}")
    for path, name in targets:
        write_report(path, diagnosis, name or "", verbose)
        if not quiet:
            sys.stderr.write(f"wrote {path}\n")
    _print(diagnosis, format_name.value, verbose)
    raise typer.Exit(_exit_code(diagnosis, fail_on))


@app.command()
def inspect(
    paths: Paths,
    format_name: Annotated[Format, typer.Option("-f", "--format", help="terminal or json.")] = Format.terminal,
    tz: Zones = None,
    member_of: Members = None,
    year: Year = None,
    rules: RulesFolder = None,
    quiet: Quiet = False,
) -> None:
    """Show what was found: every file, its format, wrapper, member, zone, and the facts in it. No diagnosis.

    \b
    Examples:
      etcd-doctor inspect ./bundle
      etcd-doctor inspect ticket.txt -f json
    """
    from analyzer.cli_support import emit, focus_of, options_of, progress_line, terminal_look
    from analyzer.pipeline import inspect_paths
    from analyzer.report import inspect_view, json_report

    if format_name is Format.markdown:
        raise UsageError("inspect: -f is terminal or json")
    options = options_of(rules, tz, member_of, year, focus_of(None, None, None, None))
    with progress_line(quiet) as progress:
        artifacts, unreadable = inspect_paths(paths, options, progress)
    if format_name is Format.json:
        emit(json_report.render_inspect(artifacts, unreadable))
    else:
        emit(inspect_view.render_inspect(artifacts, unreadable, terminal_look(False)))
    if not any(artifact.understood for artifact in artifacts):
        raise UnusableInput(f"{' '.join(paths)}: nothing in it could be read as evidence of etcd or of its hosts")


@app.command()
def explain(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="A cause, symptom, event, remedy or capture.")],
    rules: RulesFolder = None,
) -> None:
    """Explain an id of a report, offline: meaning, threshold and its source, false positives, what to do.

    \b
    Examples:
      etcd-doctor explain disk-contention-periodic
      etcd-doctor explain slow-fdatasync
    """
    from analyzer.cli_support import emit
    from analyzer.explain import explain_id
    from analyzer.rulebook import load_rules

    emit(explain_id(load_rules(rules), identifier))


@rules_app.command("list")
def rules_list(rules: RulesFolder = None) -> None:
    """List every id with its title: causes, symptoms, events, remedies, captures.

    \b
    Examples:
      etcd-doctor rules list | grep fsync
    """
    from analyzer.cli_support import emit
    from analyzer.explain import list_ids
    from analyzer.rulebook import load_rules

    emit(list_ids(load_rules(rules)))


@rules_app.command("check")
def rules_check(rules: RulesFolder = None) -> None:
    """Load all rules strictly, and match every event's samples; lists every problem with file and key.

    \b
    Examples:
      etcd-doctor rules check
      etcd-doctor rules check --rules ./our-rules
    """
    from analyzer.cli_support import emit
    from analyzer.explain import check_samples
    from analyzer.rulebook import load_rules

    book = load_rules(rules)
    problems = check_samples(book)
    if problems:
        raise UsageError("rules do not hold:\n  " + "\n  ".join(problems))
    counts = (len(book.causes), len(book.symptoms), len(book.catalogue.kinds), len(book.remedies), len(book.captures))
    emit("ok: {} causes, {} symptoms, {} events, {} remedies, {} captures; digest {}\n".format(*counts, book.digest))


@app.command()
def schema(
    command: Annotated[str, typer.Argument(help="analyze or inspect.")] = "analyze",
) -> None:
    """Print the JSON Schema of a command's JSON output.

    \b
    Examples:
      etcd-doctor schema > analyze.schema.json
      etcd-doctor schema inspect
    """
    from analyzer.cli_support import emit
    from analyzer.report import json_report

    if command not in ("analyze", "inspect"):
        raise UsageError(f"schema: {command!r} has no JSON output; use analyze or inspect")
    emit(json_report.schema(command))


@app.command()
def demo(format_name: FormatOption = Format.terminal, verbose: Verbose = False) -> None:
    """Diagnose the built-in example: leader changes every two hours, and what was behind them.

    \b
    Examples:
      etcd-doctor demo
      etcd-doctor demo -f json
    """
    from analyzer.cli_support import demo_bundle
    from analyzer.pipeline import diagnose_paths

    _print(diagnose_paths([str(demo_bundle())]), format_name.value, verbose)


def _print(diagnosis: Any, format_name: str, verbose: bool) -> None:
    from analyzer.cli_support import emit, terminal_look
    from analyzer.report.registry import render

    emit(render(diagnosis, format_name, terminal_look(verbose)))


def _exit_code(diagnosis: Any, fail_on: FailOn) -> int:
    from analyzer.model.ids import Severity, Status

    verdict = diagnosis.verdict
    if verdict.status is Status.NOT_ETCD:
        return 3
    limit = {FailOn.warning: (Severity.WARNING, Severity.CRITICAL), FailOn.critical: (Severity.CRITICAL,)}
    found = {finding.severity for finding in diagnosis.findings if finding.state.seen}
    return EXIT_FINDING if found & set(limit.get(fail_on, ())) else 0


def main() -> None:
    """Entry point: every expected error is one line on stderr and its exit code."""
    try:
        app(prog_name="etcd-doctor")
    except EtcdDoctorError as error:
        sys.stderr.write(f"etcd-doctor: {error}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("etcd-doctor: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
