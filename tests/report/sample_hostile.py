"""The two-hour story with hostile text wherever a bundle could have put it."""

from __future__ import annotations

import dataclasses
from typing import Any

from analyzer.model.diagnosis import Diagnosis
from analyzer.model.finding import Cite

from .sample import two_hours

FROM_THE_BUNDLE = frozenset(
    {
        "because",
        "title",
        "member",
        "device",
        "summary",
        "text",
        "path",
        "reason",
        "name",
        "version",
        "subject",
    }
)

HOSTILE = {
    "rich markup": "[red]ALERT[/red] [bold",
    "ansi": "\x1b[31mRED\x1b[0m \x1b]0;title\x07 \x1b[2J \x9b31m",
    "html": "<script>alert(1)</script><img src=x onerror=alert(1)> &lt;b&gt;",
    "backticks": "``` `` ` ```sh",
    "pipe": "a | b || c",
    "newline": "first\r\n## Fake heading\n- [ ] fake step\n\x0b\x0c\x85\u2028\u2029end",
    "right to left": "\u202egnp.exe\u202c \u2066x\u2069 \u200b\u200f",
    "markdown": "**bold** [click](http://evil.example) ![i](x) #12 @root ~~x~~ _y_ \\",
    "surrogate": "caf\udce9.log",
    "long": "x" * 5000,
}


def hostile(text: str) -> Diagnosis:
    """The story with ``text`` appended to every string that may come from a bundle."""
    poisoned = _poison(two_hours(), text)
    assert isinstance(poisoned, Diagnosis)
    return poisoned


def _poison(value: Any, text: str) -> Any:
    if isinstance(value, Cite):
        return dataclasses.replace(value, file=f"{value.file}{text}", text=f"{value.text}{text}")
    if isinstance(value, tuple):
        return tuple(f"{item}{text}" if isinstance(item, str) else _poison(item, text) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        old = getattr(value, field.name)
        from_bundle = isinstance(old, str) and field.name in FROM_THE_BUNDLE
        changes[field.name] = f"{old}{text}" if from_bundle else _poison(old, text)
    return dataclasses.replace(value, **changes)
