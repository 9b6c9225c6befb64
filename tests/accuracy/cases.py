"""Labelled incidents: where they lie and what counts as right and as harmful for each.

Own fixtures travel with the repository. Three further sets are read when a folder of labelled cases is at hand
(``ETCD_DOCTOR_CASES``, by default ``../shared/cases`` beside the repository); none of them is copied into it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SCENARIOS = REPOSITORY / "fixtures" / "scenarios"
DISK_CAUSES = frozenset(
    {
        "slow-disk-sustained",
        "disk-contention-periodic",
        "disk-contention-colocated",
        "storage-iops-cap",
        "shared-network-storage",
    }
)
SAMPLES = "samples"
SETS = ("own", "lab", "real", SAMPLES)
"""In the order of the tables. ``samples`` carries no single label: it must not crash and must not blame a disk."""


@dataclass(frozen=True, slots=True)
class Case:
    """One bundle and its label."""

    set_name: str
    name: str
    paths: tuple[str, ...]
    root_cause: str | None
    """None when the truth is none of the known causes."""
    acceptable: frozenset[str]
    """Every answer that counts as right, the root cause included."""
    must_not: frozenset[str]
    """Causes whose naming would send the reader the wrong way."""
    must_not_phrases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """What a good checklist speaks of."""

    @property
    def has_answer(self) -> bool:
        """Whether any answer counts as right."""
        return bool(self.acceptable)


class LabelError(Exception):
    """A label names a cause that does not exist."""


def third_party_folder() -> Path | None:
    """The folder of cases beside the repository, if there is one."""
    asked = os.environ.get("ETCD_DOCTOR_CASES")
    folder = Path(asked) if asked else REPOSITORY.parent / "shared" / "cases"
    return folder if folder.is_dir() else None


def load(sets: Iterable[str] = SETS) -> tuple[Case, ...]:
    """All cases of the sets that are at hand, by set and name.

    Raises:
        LabelError: a label is misspelt.
    """
    wanted = set(sets)
    folder = third_party_folder()
    found: list[Case] = []
    if "own" in wanted:
        found += _labelled("own", SCENARIOS, "scenario.toml")
    if folder is not None:
        found += _labelled("lab", folder / "lab", "truth.yaml") if "lab" in wanted else []
        found += _labelled("real", folder / "real", "case.yaml") if "real" in wanted else []
        found += _samples(folder / "etcd-samples") if SAMPLES in wanted else []
    return tuple(found)


def _labelled(set_name: str, folder: Path, label_name: str) -> list[Case]:
    labels = sorted(folder.glob(f"*/{label_name}"))
    return [_case(set_name, label) for label in labels if (label.parent / "bundle").is_dir()]


def _case(set_name: str, label: Path) -> Case:
    truth = read_label(label)
    name = label.parent.name
    root = cause_id(str(truth["root_cause"]), name)
    also = {cause_id(str(word), name) for word in truth.get("also_acceptable") or ()}
    forbidden = [str(word) for word in truth.get("must_not_say") or ()]
    ids = {word.replace("_", "-") for word in forbidden} & known_causes()
    phrases = tuple(word for word in forbidden if word.replace("_", "-") not in ids)
    for phrase in phrases:
        if "_" in phrase:
            raise LabelError(f"{set_name}/{name}: no cause is called {phrase!r}")
    return Case(
        set_name,
        name,
        (str(label.parent / "bundle"),),
        root,
        frozenset({word for word in {root, *also} if word}),
        frozenset(ids),
        phrases,
        tuple(str(word) for word in truth.get("expected_remediation_keywords") or ()),
    )


def read_label(label: Path) -> Mapping[str, Any]:
    """The truth block of a label file, TOML or YAML."""
    text = label.read_text(encoding="utf-8")
    if label.suffix == ".toml":
        truth: Mapping[str, Any] = tomllib.loads(text)["truth"]
        return truth
    import yaml

    loaded: Mapping[str, Any] = yaml.safe_load(text)
    return loaded


def cause_id(word: str, case: str) -> str | None:
    """A label's cause in the spelling of the rules; None for ``other: in words``."""
    if word.startswith("other:"):
        return None
    spelt = word.replace("_", "-")
    if spelt not in known_causes():
        raise LabelError(f"{case}: no cause is called {word!r}")
    return spelt


def _samples(folder: Path) -> list[Case]:
    """Scripted trouble of several kinds in one bundle; ``events.txt`` tells the script and is left out."""
    found = []
    for directory in sorted(path for path in folder.glob("*") if path.is_dir()):
        files = tuple(str(path) for path in sorted(directory.iterdir()) if path.name != "events.txt")
        found.append(Case(SAMPLES, directory.name, files, None, frozenset(), DISK_CAUSES))
    return found


@cache
def known_causes() -> frozenset[str]:
    """The ids of all causes in the rules."""
    from analyzer.rulebook import load_rules

    return frozenset(load_rules(None).causes)
