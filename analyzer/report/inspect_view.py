"""What was found in a bundle, by which parser, with which facts: the report of ``inspect``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzer.model.diagnosis import ArtifactView, NotUnderstood
from analyzer.report.facts_text import facts_line
from analyzer.report.layout import Line, table, write_plain, write_styled
from analyzer.report.options import RenderOptions
from analyzer.report.terminal_blocks import heading, statement_lines
from analyzer.report.view_coverage import COVERAGE_HEADER, coverage_cells, view_coverage

DEFAULT_WIDTH = 100


def render_inspect(
    artifacts: Sequence[ArtifactView], not_understood: Sequence[NotUnderstood], options: RenderOptions
) -> str:
    """A table of the files read and a list of those that were not understood."""
    lines = list(_lines(artifacts, not_understood))
    if options.colour:
        return write_styled(lines, options.width or DEFAULT_WIDTH, elide=False)
    return write_plain(lines, options.width)


def _lines(artifacts: Sequence[ArtifactView], not_understood: Sequence[NotUnderstood]) -> Iterator[Line]:
    coverage = view_coverage(artifacts, not_understood)
    for sentence in coverage.summary:
        yield Line("", sentence, style="bold")
    if coverage.rows:
        yield from heading("FILES")
        rows = [
            (*coverage_cells(row), facts_line(artifact.facts))
            for row, artifact in zip(coverage.rows, artifacts, strict=True)
        ]
        for number, text in enumerate(table((*COVERAGE_HEADER, "facts"), rows)):
            yield Line("", text, wraps=False, style="dim" if number == 0 else "")
    if coverage.not_understood:
        yield from heading("NOT UNDERSTOOD")
        yield from statement_lines(coverage.not_understood)
