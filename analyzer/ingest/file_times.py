"""Capture times only a file's name tells: ``20261120T181004Z.prom``, ``endpoint-status-20261120T181004Z.json``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from analyzer.model.artifact import Artifact
from analyzer.model.facts import EndpointStatus, MetricScrape
from analyzer.model.line import Clock
from analyzer.parsers.etcd_log.stamps import iso

_STAMP = re.compile(r"(20\d\d)-?(\d\d)-?(\d\d)[T_-](\d\d)[:-]?(\d\d)[:-]?(\d\d)(?:\.\d+)?Z?(?![0-9])")
_EPOCH = re.compile(r"(?<!\d)(1[4-9]\d{8})(?!\d)")


def name_time_ns(path: str) -> int | None:
    """UTC nanoseconds a file name states, None when it states none."""
    name = path.rsplit("/", 1)[-1]
    found = _STAMP.search(name)
    if found:
        year, month, day, hour, minute, second = found.groups()
        stamp = iso(f"{year}-{month}-{day}T{hour}:{minute}:{second}Z")
        return stamp.ns if stamp else None
    number = _EPOCH.search(name)
    return int(number[1]) * 10**9 if number else None


def date_records(artifact: Artifact) -> None:
    """Give undated scrapes and status records the time of their file's name."""
    undated = [r for r in artifact.records if isinstance(r, (MetricScrape, EndpointStatus)) and r.at_ns is None]
    at_ns = name_time_ns(artifact.path) if undated else None
    if at_ns is None:
        return
    dated: list[Any] = []
    for record in artifact.records:
        if isinstance(record, (MetricScrape, EndpointStatus)) and record.at_ns is None:
            dated.append(replace(record, at_ns=at_ns))
        else:
            dated.append(record)
    artifact.records[:] = dated
    if artifact.first_ns is None:
        artifact.first_ns = artifact.last_ns = at_ns
        artifact.clock = Clock("UTC", "file name")
