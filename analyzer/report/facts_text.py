"""What a file says of itself, on one line: the ``facts`` of an inspect row in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analyzer.report.wording import clean, duration, three_digits

MAX_ITEMS = 4


def facts_line(facts: Mapping[str, Any]) -> str:
    """The key facts; a shape not known here is named by its key, never an error."""
    words = []
    for key, value in facts.items():
        worded = _WORDS[key](value) if key in _WORDS else _scalar(key, value)
        if worded:
            words.append(worded)
    return "; ".join(words)


def _scalar(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return clean(key.replace("_", " ")) if value else ""
    if isinstance(value, (int, float)):
        return clean(f"{key} {_number(value)}")
    if isinstance(value, str):
        return clean(f"{key} {value}") if value else ""
    if isinstance(value, Mapping):
        inner = [f"{name} {_number(item)}" for name, item in value.items() if isinstance(item, (int, float))]
        return clean(f"{key}: {_some(inner)}") if inner else ""
    return clean(f"{key}: {len(value)}") if isinstance(value, Sequence) and value else ""


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def _some(words: Sequence[str]) -> str:
    more = f", +{len(words) - MAX_ITEMS} more" if len(words) > MAX_ITEMS else ""
    return ", ".join(words[:MAX_ITEMS]) + more


def _rows(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [row for row in value if isinstance(row, Mapping)]


def _events(value: Any) -> str:
    """``heartbeat-late 104, slow-fdatasync 63 (max 2.14 s)``, most frequent first."""
    if not isinstance(value, Mapping):
        return ""
    tally = []
    for name, told in value.items():
        count = told.get("count") if isinstance(told, Mapping) else None
        if isinstance(count, int) and count > 0:
            took = told.get("max_took_s")
            worst = f" (max {duration(took)})" if isinstance(took, (int, float)) else ""
            tally.append((-count, clean(f"{name} {count:,}{worst}")))
    return _some([words for _, words in sorted(tally)])


def _jobs(value: Any) -> str:
    """``p99 fdatasync 2.41 ms, pass`` per fio job."""
    words = []
    for job in _rows(value):
        p99_ms = job.get("p99_fdatasync_ms")
        told = "no fdatasync percentiles"
        if isinstance(p99_ms, (int, float)):
            told = f"p99 fdatasync {duration(p99_ms / 1000)}"
        words.append(clean(f"{told}, {job.get('verdict_10ms', 'ungradeable')}"))
    return _some(words)


def _devices(value: Any) -> str:
    """``vdb: max util 99.8 %, w_await 1,184 ms`` per device."""
    if not isinstance(value, Mapping):
        return ""
    words = []
    for name, told in value.items():
        most = told.get("max") if isinstance(told, Mapping) else None
        peaks = most if isinstance(most, Mapping) else {}
        shown = [
            f"{label} {three_digits(peaks[key])} {unit}"
            for key, label, unit in (("util_percent", "util", "%"), ("w_await_ms", "w_await", "ms"))
            if isinstance(peaks.get(key), (int, float))
        ]
        words.append(clean(f"{name}: max {', '.join(shown)}" if shown else str(name)))
    return _some(words)


def _members(value: Any) -> str:
    rows = _rows(value)
    versions = list(dict.fromkeys(str(row["version"]) for row in rows if row.get("version")))
    return clean(f"{len(rows)} members" + (f", etcd {_some(versions)}" if versions else "")) if rows else ""


def _runs(value: Any) -> str:
    runs = [f"load {row.get('load')}: {_grade(row.get('pass'))}" for row in _rows(value)]
    return clean(_some(runs))


def _grade(passed: Any) -> str:
    return {"True": "pass", "False": "fail"}.get(str(passed), "no grade")


def _disks(value: Any) -> str:
    return clean(_some([f"on {row.get('device')}" for row in _rows(value)]))


_WORDS: dict[str, Callable[[Any], str]] = {
    "events": _events,
    "jobs": _jobs,
    "devices": _devices,
    "members": _members,
    "runs": _runs,
    "disks": _disks,
}
