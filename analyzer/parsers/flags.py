"""etcd's own settings: a command line, a ``ps`` row, a unit file, a static-pod manifest, ``etcd.conf``.

Only settings on an allowlist are kept: tokens, passwords, key files and discovery URLs never leave the file,
and user names inside URLs are cut out.
"""

from __future__ import annotations

import re
import shlex
from itertools import islice
from typing import ClassVar

from analyzer.model.facts import Flag
from analyzer.model.line import Line, Parsed

_NUMBERS = frozenset(
    {
        *("heartbeat-interval", "election-timeout", "quota-backend-bytes", "snapshot-count", "max-wals"),
        *("max-request-bytes", "max-txn-ops", "max-snapshots", "max-concurrent-streams"),
        *("backend-batch-limit", "snapshot-catchup-entries"),
    }
)
_OTHERS = frozenset(
    {
        *("name", "data-dir", "wal-dir", "auto-compaction-mode", "auto-compaction-retention"),
        *("listen-peer-urls", "listen-client-urls", "listen-client-http-urls", "listen-metrics-urls"),
        *("initial-advertise-peer-urls", "advertise-client-urls", "initial-cluster", "initial-cluster-state"),
        *("logger", "log-level", "log-format", "log-outputs", "log-package-levels", "debug", "metrics"),
        *("backend-batch-interval", "backend-bbolt-freelist-type", "pre-vote", "unsafe-no-fsync"),
        *("initial-election-tick-advance", "strict-reconfig-check", "force-new-cluster", "enable-pprof"),
        *("grpc-keepalive-min-time", "grpc-keepalive-interval", "grpc-keepalive-timeout"),
        *("compact-hash-check-enabled", "compact-hash-check-time", "corrupt-check-time", "proxy"),
    }
)
_PREFIXED = re.compile(r"^(?:experimental-[a-z-]+|warning-[a-z-]+-duration)$")
# Shared by many programs: no sign of etcd by themselves.
_SHARED = frozenset({"name", "data-dir", "log-level", "log-format", "logger", "debug", "metrics", "proxy"})
_USERINFO = re.compile(r"//[^/@\s,]*@")
_PROGRAM = re.compile(
    r"(?:^|(?<=[\s\"'=\0]))(?P<path>(?:/[\w.@+-]+)*/)?etcd(?P<rest>[\"']?[\s\0]+(?:\\$|--?[a-z].*))",
    re.DOTALL,
)
_IS_VALUE = re.compile(r"--?[a-z][a-z-]*[= ][\"']?$")
_BEFORE_BARE = re.compile(
    r"^\s*(?:[#$>%]\s+|exec\s+|sudo\s+|nohup\s+|ExecStart=-?|\w+=\S*\s+|command:\s*|- )*[\"']?$"
    r"|^\s*\S+\s+\d+\s.*\d:\d\d(?::\d\d)?\s+$"  # the columns of ps before the command
)
_FLAG_LINE = re.compile(r"^(?:-\s+)?[\"']?--?(?P<name>[a-z][a-z0-9-]*)(?:[= ](?P<value>.*))?$")
_ENV = re.compile(r"^\s*(?:export\s+|Environment=[\"']?|-\s+[\"']?)?ETCD_(?P<name>[A-Z0-9_]+)=(?P<value>.*)$")
_ENV_NAME = re.compile(r"^\s*(?:-\s+)?name:\s*[\"']?ETCD_(?P<name>[A-Z0-9_]+)[\"']?\s*$")
_ENV_VALUE = re.compile(r"^\s*value:\s*(?P<value>.*)$")
_YAML = re.compile(r"^(?P<name>[a-z][a-z0-9-]*):(?:\s+(?P<value>.*))?$")
_YAML_START = frozenset({*_NUMBERS, *_OTHERS}) - _SHARED - {"force-new-cluster"}
_LONGEST = 20_000
_MOST_PROGRAMS = 8
_LONGEST_BEFORE, _LONGEST_NAME = 1000, 60


def allowed(name: str) -> bool:
    """Whether a setting may be kept."""
    return name in _NUMBERS or name in _OTHERS or bool(_PREFIXED.match(name))


def _sure(name: str, value: str | None) -> bool:
    """Whether a flag with this value is etcd's and nobody else's."""
    if not allowed(name) or name in _SHARED:
        return False
    return bool(value and value.strip("\"'").isdigit()) if name in _NUMBERS else bool(value)


def _command(text: str) -> list[tuple[str, str]] | None:
    """Flags of an etcd command line; None when the line is none (prose that names a flag is not)."""
    if "etcd" not in text or len(text) > _LONGEST:
        return None
    for found in islice(_PROGRAM.finditer(text), _MOST_PROGRAMS):
        before = text[: found.start()]
        bare = len(before) < _LONGEST_BEFORE and bool(_BEFORE_BARE.match(before))
        if _IS_VALUE.search(before[-_LONGEST_NAME:]) or not (found["path"] or bare):
            continue
        rest = found["rest"].replace("\0", " ").strip().lstrip("\"'").rstrip("\\ ")
        flags = _pairs(rest)
        sure = sum(_sure(name, value) for name, value in flags)
        if not rest or sure >= 2 or (sure and found["path"]):
            return flags
    return None


def _pairs(text: str) -> list[tuple[str, str]]:
    """(name, value) of ``--a=b --c d -e``; a flag without a value is ``true``."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    pairs: list[tuple[str, str]] = []
    for index, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not equals:
            following = words[index + 1] if index + 1 < len(words) else "--"
            value = "true" if following.startswith("-") else following
        pairs.append((name, value))
    return pairs


class EtcdFlags:
    """Settings of etcd, wherever they are written."""

    format: ClassVar[str] = "etcd-flags"

    def __init__(self) -> None:
        self._flags: list[Flag] = []
        self._understood = 0
        self._kind = ""
        self._env_name: str | None = None

    @staticmethod
    def starts(text: str) -> bool:
        """Whether the line is such a command line, or sets something only etcd has."""
        if "ETCD_" in text:
            env = _ENV.match(text) or _ENV_NAME.match(text)
            return bool(env and allowed(_flag_name(env["name"])))
        if "etcd" in text and _command(text) is not None:
            return True
        if text.lstrip()[:2] in ("--", "- ") and (flag := _FLAG_LINE.match(_bare(text))):
            return _sure(flag["name"], flag["value"])
        setting = _YAML.match(text)
        return bool(setting and setting["name"] in _YAML_START and _sure(setting["name"], setting["value"]))

    def feed(self, line: Line) -> bool:
        """Consume one line of settings; comments and settings that are not kept are accepted."""
        text = line.text
        if not text.strip():
            return True
        if len(text) > _LONGEST:
            return False
        for read in (self._env, self._flag_line, self._command_line, self._yaml):
            if read(line, text):
                return True
        return text.lstrip().startswith("#") and self._kind in ("env", "yaml") and bool(self._flags)

    def _command_line(self, line: Line, text: str) -> bool:
        flags = _command(text)
        if flags is None:
            return False
        self._kind = "command"
        self._understood += 1
        for name, value in flags:
            self._keep(line, name, value)
        return True

    def _flag_line(self, line: Line, text: str) -> bool:
        bare = _bare(text)
        flag = _FLAG_LINE.match(bare)
        if not flag or "--" not in text:
            return False
        self._understood += 1
        self._kind = self._kind or "command"
        for name, value in _pairs(bare.removeprefix("- ").lstrip("\"' ")) or [(flag["name"], "true")]:
            self._keep(line, name, value)
        return True

    def _env(self, line: Line, text: str) -> bool:
        if found := _ENV.match(text):
            self._keep(line, _flag_name(found["name"]), found["value"])
        elif found := _ENV_NAME.match(text):
            self._env_name = found["name"]
        elif self._env_name and (found := _ENV_VALUE.match(text)):
            self._keep(line, _flag_name(self._env_name), found["value"])
            self._env_name = None
        else:
            return False
        self._kind = "env"
        self._understood += 1
        return True

    def _yaml(self, line: Line, text: str) -> bool:
        if self._kind not in ("", "yaml"):
            return False
        found = _YAML.match(text)
        if found:
            self._kind = "yaml"
            self._understood += 1
            if found["value"]:
                self._keep(line, found["name"], found["value"])
            return True
        # Nested settings (TLS files and the like) belong to the file but are none of ours.
        return self._kind == "yaml" and text[:1] in " -\t"

    def _keep(self, line: Line, name: str, value: str) -> None:
        value = _USERINFO.sub("//", value.strip().strip("\"'"))[:2000]
        if not allowed(name) or not value or (name in _NUMBERS and not value.isdigit()):
            return
        self._flags.append(Flag(line.number, name, value))

    def finish(self) -> Parsed:
        """Everything understood so far; the last value of a setting is the one in the facts."""
        return Parsed(
            format=self.format,
            understood=self._understood if self._flags else 0,
            facts={"flags": {flag.name: flag.value for flag in self._flags}} if self._flags else {},
            records=tuple(self._flags),
        )


def _bare(text: str) -> str:
    """A flag's own line without the quotes, comma and backslash around it."""
    return text.strip().rstrip("\\").rstrip().rstrip("\"',")


def _flag_name(variable: str) -> str:
    """``HEARTBEAT_INTERVAL`` -> ``heartbeat-interval`` (etcd reads ``ETCD_`` + the flag in capitals)."""
    return variable.lower().replace("_", "-")
