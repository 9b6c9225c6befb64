"""Turn a captured bundle into a fixture: trim it, count what its logs hold, write scenario.toml beside it.

Captured files are never edited. Trimming drops whole files, compresses, and may cut a log to its first lines;
``scenario.toml`` says which.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "scenarios"
BUNDLE_LIMIT_BYTES = 400_000
LOG_LIMIT_BYTES = 70_000
COMPRESS_ABOVE_BYTES = 12_000
SCRAPES_KEPT = (6, 5, 4, 3)
STATUS_FILES_KEPT = 4

# For the author of a scenario, not the analyzer's catalogue: the wordings of the versions run here.
OBSERVED: Mapping[str, str] = {
    "slow_fdatasync": r"slow fdatasync|wal: sync duration of",
    "late_heartbeat": r"failed to send out heartbeat on time",
    "apply_took_too_long": r"took too long",
    "leader_changed": r"(elected leader|changed leader from) \w+",
    "leader_lost": r"lost leader",
    "campaigns": r"is starting a new election at term",
    "lost_tcp_stream": r"lost (the )?TCP streaming connection",
    "peer_unhealthy": r"prober detected unhealthy status|the connection to peer .* is unhealthy",
    "alarm_raised": r"alarm raised|alarm NOSPACE raised",
    "rejected_connection": r"rejected connection",
    "compactions": r"finished scheduled compaction",
    "defragmentations": r"finished defragment",
    "starts": r'starting an etcd server"|etcdserver: starting member',
    "lines": r"",
}


def observe(bundle: Path) -> dict[str, dict[str, int]]:
    """Per member, how many log lines of each kind the whole capture holds (before any trimming)."""
    counts: dict[str, dict[str, int]] = {}
    for log in sorted(bundle.glob("*/etcd.log")):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        found = {name: sum(1 for line in lines if re.search(pattern, line)) for name, pattern in OBSERVED.items()}
        counts[log.parent.name] = {name: count for name, count in found.items() if count}
    return counts


def trim(captured: Path, target: Path) -> list[str]:
    """Copy the capture to ``target`` within the size limit; returns one sentence per thing left out.

    As many /metrics scrapes are kept as fit. Raises ValueError when even the fewest are too much.
    """
    for scrapes in SCRAPES_KEPT:
        notes = _copy_kept(captured, target, scrapes)
        size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
        if size <= BUNDLE_LIMIT_BYTES:
            return notes
    raise ValueError(f"the trimmed bundle has {size} bytes, more than {BUNDLE_LIMIT_BYTES}")


def _copy_kept(captured: Path, target: Path, scrapes: int) -> list[str]:
    shutil.rmtree(target, ignore_errors=True)
    files = {path for path in captured.rglob("*") if path.is_file()}
    surplus: set[Path] = set()
    for directory in captured.glob("*/metrics"):
        surplus.update(_surplus(sorted(directory.iterdir()), scrapes))
    for pattern in ("endpoint-status-*.json", "endpoint-status-*.txt", "endpoint-health-*.txt"):
        surplus.update(_surplus(sorted((captured / "etcdctl").glob(pattern)), STATUS_FILES_KEPT))
    notes = [f"{len(surplus)} /metrics scrapes and etcdctl outputs, as whole files"] if surplus else []
    for path in sorted(files - surplus):
        note = _place(path, target / path.relative_to(captured))
        if note:
            notes.append(note)
    return notes


def _surplus(paths: Sequence[Path], keep: int) -> list[Path]:
    """All but ``keep`` evenly spread ones, first and last among the kept."""
    if len(paths) <= keep:
        return []
    kept = {round(index * (len(paths) - 1) / (keep - 1)) for index in range(keep)}
    return [path for index, path in enumerate(paths) if index not in kept]


def _place(source: Path, target: Path) -> str | None:
    target.parent.mkdir(parents=True, exist_ok=True)
    content = source.read_bytes()
    if source.suffix != ".prom" and len(content) <= COMPRESS_ABOVE_BYTES:
        target.write_bytes(content)
        return None
    packed = _pack(content)
    note = None
    if source.name == "etcd.log" and len(packed) > LOG_LIMIT_BYTES:
        lines = content.splitlines(keepends=True)
        kept = _lines_that_fit(lines)
        packed = _pack(b"".join(lines[:kept]))
        note = f"{source.parent.name}/etcd.log after its first {kept} of {len(lines)} lines"
    target.with_name(target.name + ".gz").write_bytes(packed)
    return note


def _lines_that_fit(lines: list[bytes]) -> int:
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if len(_pack(b"".join(lines[:middle]))) <= LOG_LIMIT_BYTES:
            low = middle
        else:
            high = middle - 1
    return low


def _pack(content: bytes) -> bytes:
    # No time stamp in the header: the same content gives the same bytes.
    return gzip.compress(content, compresslevel=9, mtime=0)


def write_scenario_toml(
    path: Path,
    name: str,
    story: str,
    provenance: Mapping[str, object],
    truth: Mapping[str, object],
    observed: Mapping[str, Mapping[str, int]],
) -> None:
    """Write the fixture's label; values are strings, numbers, lists of strings or lists of such lists."""
    lines = [f"name = {_value(name)}", 'story = """', *textwrap.wrap(" ".join(story.split()), 108), '"""', ""]
    for title, table in (("provenance", provenance), ("truth", truth)):
        lines += [f"[{title}]", *(f"{key} = {_value(value)}" for key, value in table.items()), ""]
    for member, counts in observed.items():
        lines += [f"[observed.{member}]", *(f"{key} = {_value(value)}" for key, value in counts.items()), ""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        inner = [_value(item) for item in value]
        if (value and isinstance(value[0], (list, tuple))) or len(", ".join(inner)) > 160:
            return "[\n" + "".join(f"  {item},\n" for item in inner) + "]"
        return f"[{', '.join(inner)}]"
    # JSON's spelling of strings, numbers and booleans is valid TOML.
    return json.dumps(value, ensure_ascii=False)
