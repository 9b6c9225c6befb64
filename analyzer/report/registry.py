"""The report formats, explicitly. Each is a pure function of a diagnosis; only the command line writes files.

Formats are imported when asked for: ``--help`` must not pay for templates.
"""

from __future__ import annotations

from collections.abc import Callable

from analyzer.model.diagnosis import Diagnosis
from analyzer.report.options import RenderOptions

Renderer = Callable[[Diagnosis, RenderOptions], str]


def _terminal(diagnosis: Diagnosis, options: RenderOptions) -> str:
    from analyzer.report import terminal

    return terminal.render(diagnosis, options)


def _json(diagnosis: Diagnosis, options: RenderOptions) -> str:
    from analyzer.report import json_report

    return json_report.render(diagnosis, options)


def _markdown(diagnosis: Diagnosis, options: RenderOptions) -> str:
    from analyzer.report import markdown

    return markdown.render(diagnosis, options)


RENDERERS: dict[str, Renderer] = {"terminal": _terminal, "json": _json, "markdown": _markdown}

SUFFIXES: dict[str, str] = {".txt": "terminal", ".json": "json", ".md": "markdown", ".markdown": "markdown"}
"""Format of ``-o FILE`` by the file's suffix, lower case."""


def render(diagnosis: Diagnosis, format_name: str, options: RenderOptions) -> str:
    """Render by name. KeyError for a format that does not exist (see ``RENDERERS``)."""
    return RENDERERS[format_name](diagnosis, options)


def format_of(file_name: str) -> str | None:
    """The format a file name asks for by its suffix; None when no format has that suffix."""
    _, dot, suffix = file_name.lower().rpartition(".")
    return SUFFIXES.get(f"{dot}{suffix}") if dot else None
