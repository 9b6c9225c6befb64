"""Where directories live: ``mount``, ``/proc/mounts``, ``findmnt``, ``df``, ``lsblk``.

Kept are mounts of real or network devices and whatever holds an etcd path; the overlay and tmpfs mounts of a
container host are counted and dropped.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from analyzer.model.facts import Mount
from analyzer.model.line import Line, Parsed

_MOUNT = re.compile(r"^(?P<source>\S+) on (?P<target>/.*?) type (?P<fstype>[\w.]+) \((?:rw|ro)[,)]")
_PROC = re.compile(r"^(?P<source>\S+) (?P<target>/\S*) (?P<fstype>[a-z][\w.]*) (?:rw|ro)(?:,\S*)? \d \d$")
_FINDMNT = re.compile(r"^TARGET\s+SOURCE\s+FSTYPE\b")
_FINDMNT_ROW = re.compile(r"^[\s│├└─|`-]*(?P<target>/\S*)\s+(?P<source>\S+)\s+(?P<fstype>[a-z][\w.]*)(?:\s|$)")
_DF = re.compile(r"^Filesystem\s+(?P<type>Type\s+)?\S+\s+I?Used\s+\S+\s+(?:I?Use%|Capacity)\s+Mounted on\s*$")
_DF_ROW = re.compile(r"^(?P<source>\S+)\s+(?P<cells>(?:\S+\s+){4,5})(?P<target>/.*)$")
_LSBLK = re.compile(r"^NAME\s.*\bMOUNTPOINTS?\b")
_LSBLK_ROW = re.compile(r"^(?P<tree>[\s│├└─|`-]*)(?P<name>[A-Za-z][\w.!:+-]*)\b(?P<rest>.*)$")
_LSBLK_MORE = re.compile(r"^[\s│|]+(?P<target>/\S*)\s*$")
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "9p", "virtiofs", "lustre", "zfs"})
_TREES = str.maketrans("", "", "│├└─|`")
_MOST_FACTS = 200


class Mounts:
    """One listing; the tool is told from its first line."""

    format: ClassVar[str] = "mounts"

    def __init__(self) -> None:
        self._tool = ""
        self._df_type = False
        self._device = ""
        self._mounts: list[Mount] = []
        self._facts: list[dict[str, Any]] = []
        self._understood = 0
        self._dropped = 0

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is a row of mount or /proc/mounts, or a header of the other tools."""
        return bool(_tool(text))

    def feed(self, line: Line) -> bool:
        """Consume one row."""
        text = line.text.rstrip()
        if not text:
            return True
        tool = _tool(text)
        if not self._tool:
            self._tool = tool
        elif tool and tool != self._tool:
            return False
        if tool in ("findmnt", "df", "lsblk"):
            header = _DF.match(text)
            self._df_type = bool(header and header["type"])
            self._understood += 1
            return True
        read = {"": self._nothing, "df": self._df, "lsblk": self._lsblk}.get(self._tool, self._row)
        if not read(line.number, text):
            return False
        self._understood += 1
        return True

    @staticmethod
    def _nothing(line: int, text: str) -> bool:
        return False

    def _row(self, line: int, text: str) -> bool:
        pattern = {"mount": _MOUNT, "proc": _PROC, "findmnt": _FINDMNT_ROW}[self._tool]
        found = pattern.match(text)
        if found:
            self._keep(line, found["target"], found["source"], found["fstype"], None)
        return bool(found)

    def _df(self, line: int, text: str) -> bool:
        found = _DF_ROW.match(text)
        if not found:
            return False
        cells = found["cells"].split()
        if len(cells) != (5 if self._df_type else 4) or not re.fullmatch(r"\d+%|-", cells[-1]):
            return False
        used = None if cells[-1] == "-" else float(cells[-1][:-1])
        self._keep(line, found["target"], found["source"], cells[0] if self._df_type else None, used)
        return True

    def _lsblk(self, line: int, text: str) -> bool:
        more = _LSBLK_MORE.match(text)
        if more and self._device:
            self._keep(line, more["target"], f"/dev/{self._device}", None, None)
            return True
        found = _LSBLK_ROW.match(text)
        if not found or (" " not in found["rest"] and found["rest"]):
            return False
        self._device = found["name"]
        target = found["rest"].split()[-1:] or [""]
        if target[0].startswith("/"):
            self._keep(line, target[0], f"/dev/{self._device}", None, None)
        return True

    def _keep(self, line: int, target: str, source: str, fstype: str | None, used: float | None) -> None:
        target = target.replace("\\040", " ").strip()
        if not _worth(target, source, fstype):
            self._dropped += 1
            return
        device = _device(source)
        self._mounts.append(Mount(line, target, device, fstype))
        if len(self._facts) < _MOST_FACTS:
            fact = {"target": target, "device": device, "fstype": fstype, "used_percent": used, "line": line}
            self._facts.append(fact)

    def finish(self) -> Parsed:
        """Everything understood so far."""
        return Parsed(
            format=self.format,
            understood=self._understood,
            facts={"mounts": self._facts, "mounts_not_kept": self._dropped},
            records=tuple(self._mounts),
        )


def _tool(text: str) -> str:
    if " type " in text and _MOUNT.match(text):
        return "mount"
    if text[-1:].isdigit() and _PROC.match(text):
        return "proc"
    for name, header in (("findmnt", _FINDMNT), ("df", _DF), ("lsblk", _LSBLK)):
        if text[:1] in "TFN" and header.match(text):
            return name
    return ""


def _worth(target: str, source: str, fstype: str | None) -> bool:
    if "etcd" in target or target == "/":
        return True
    if target.startswith("/var/lib/kubelet/pods/"):
        return False
    networked = fstype in _NETWORK or ":/" in source or (fstype or "").startswith("fuse.")
    return networked or source.startswith("/dev/")


def _device(source: str) -> str:
    """``/dev/mapper/vg-lv[/sub]`` -> ``vg-lv``; a network source stays whole."""
    source = re.sub(r"\[.*\]$", "", source)
    return source.rsplit("/", 1)[-1] if source.startswith("/dev/") else source.translate(_TREES)
