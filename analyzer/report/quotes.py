"""Which citations a report quotes and which it only names."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.report.view_types import CiteView


def split_cites(
    cites: Sequence[CiteView], limit: int | None, quoted: set[CiteView]
) -> tuple[list[CiteView], list[CiteView]]:
    """The citations to quote, and those to name; what ``quoted`` holds is not quoted again, and it grows.

    A citation quoted before is named only where a line has no news of its own, so that no line goes without.
    """
    fresh = [cite for cite in cites if cite not in quoted]
    quotes = fresh[:limit]
    quoted.update(quotes)
    return quotes, (fresh[len(quotes) :] if fresh else list(cites))
