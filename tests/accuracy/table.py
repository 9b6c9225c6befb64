"""The figures as text: a plain table for the terminal, Markdown for docs/accuracy.md and the README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.accuracy.outcome import Outcome
from tests.accuracy.score import LABELS, Score, Share

SET_TITLES = {
    "own": "own scenarios",
    "lab": "lab clusters",
    "real": "public incidents",
    "samples": "scripted samples",
    "all": "all",
}
FIGURES = ("n", "top-1", "strict", "top-3", "harmful", "HIGH", "MEDIUM", "LOW", "Brier", "healthy", "cannot tell")


def figures(score: Score) -> tuple[str, ...]:
    """The row of a set, in the order of ``FIGURES``."""
    return (
        str(score.cases),
        shown(score.top_one),
        shown(score.strict),
        shown(score.top_three),
        str(score.harmful),
        *(str(score.precision[word]) if score.precision[word].total else "-" for word in LABELS),
        "-" if score.brier is None else f"{score.brier:.3f}",
        str(score.healthy),
        str(score.insufficient + score.refused),
    )


def shown(share: Share) -> str:
    """``20/22 (91 %)``; a dash of nothing."""
    return "-" if share.ratio is None else f"{share} ({100 * share.ratio:.0f} %)"


def summary_rows(scores: Mapping[str, Score]) -> list[tuple[str, ...]]:
    """One row per set."""
    return [(SET_TITLES[name], *figures(score)) for name, score in scores.items()]


def case_row(one: Outcome) -> tuple[str, ...]:
    """One case: what it was, what was said."""
    truth = one.case.root_cause or ("several" if one.case.set_name == "samples" else "other")
    harm = ", ".join(one.harmful) or ("(misleads)" if one.misleading else "")
    return (one.case.name, truth, one.answer or f"({one.status})", one.confidence, _mark(one), harm)


def _mark(one: Outcome) -> str:
    if one.crash:
        return "CRASH"
    if not one.case.has_answer:
        return "-"
    if one.right:
        return "ok" if one.strictly_right or one.case.root_cause is None else "ok (also acceptable)"
    return "top-3" if one.in_top_three else "wrong"


CASE_HEADER = ("case", "root cause", "answer", "confidence", "", "harmful")


def plain(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded with blanks."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (header, *rows)]
    return "\n".join(line.rstrip() for line in lines)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A GitHub table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def report(outcomes: Sequence[Outcome], scores: Mapping[str, Score], verbose: bool) -> str:
    """What the terminal shows: totals, every case that is not plainly right, confusion, speed."""
    blocks = [plain(("set", *FIGURES), summary_rows(scores))]
    for name, score in scores.items():
        if name != "all":
            blocks.append(_set_block(name, [one for one in outcomes if one.case.set_name == name], score, verbose))
    return "\n\n".join(blocks)


def _set_block(name: str, outcomes: Sequence[Outcome], score: Score, verbose: bool) -> str:
    low, high = score.top_one.interval or (0.0, 1.0)
    lines = [f"{SET_TITLES[name].upper()}: {score.cases} cases, {score.crashed} crashed, {score.misleading} misleading"]
    if score.top_one.total:
        lines.append(f"top-1 {shown(score.top_one)}, 95 % interval {100 * low:.0f}-{100 * high:.0f} %")
    if score.keywords.total:
        lines.append(f"remediation keywords found in the checklist: {shown(score.keywords)}")
    lines.append(_speed(score.seconds))
    lines.append(plain((*CASE_HEADER, "s"), [(*case_row(one), f"{one.seconds:.2f}") for one in outcomes]))
    lines += [f"confused: {truth} -> {answer} ({count})" for truth, answer, count in score.confusion]
    if verbose:
        lines += [line for one in outcomes for line in _told(one)]
    return "\n".join(lines)


def _told(one: Outcome) -> list[str]:
    ranked = "; ".join(f"{cause} {probability:.2f} {word}" for cause, probability, word in one.ranked)
    keywords = f" [keywords {one.keywords_found}/{len(one.case.keywords)}]" if one.case.keywords else ""
    return [f"- {one.case.name}{keywords}: {ranked or one.status}", f"    {one.summary}"]


def _speed(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    return f"seconds per case: median {ordered[len(ordered) // 2]:.2f}, longest {ordered[-1]:.2f}" if ordered else ""


def replace_block(text: str, begin: str, end: str, body: str) -> str | None:
    """The text with what stands between the two markers replaced; None without both markers in order."""
    first, last = text.find(begin), text.find(end)
    if not 0 <= first < last:
        return None
    return f"{text[: first + len(begin)]}\n{body.strip()}\n{text[last:]}"
