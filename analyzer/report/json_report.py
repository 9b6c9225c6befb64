"""JSON: the contract written out, deterministic, safe to print, and its JSON Schema."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec

from analyzer.model.diagnosis import ArtifactView, Diagnosis, NotUnderstood
from analyzer.report import contract
from analyzer.report.contract_build import to_contract, to_inspect_contract
from analyzer.report.options import RenderOptions

SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "analyze": contract.AnalyzeReport,
    "inspect": contract.InspectReport,
}


def render(diagnosis: Diagnosis, options: RenderOptions) -> str:
    """The whole contract; JSON has no shorter form, so ``options`` changes nothing."""
    del options
    return write(to_contract(diagnosis))


def render_inspect(artifacts: Sequence[ArtifactView], not_understood: Sequence[NotUnderstood]) -> str:
    """The inspect document."""
    return write(to_inspect_contract(artifacts, not_understood))


def schema(command: str = "analyze") -> str:
    """JSON Schema (2020-12) of a command's document. KeyError for a command that has none."""
    document: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"etcd-doctor {command}, schema version {contract.SCHEMA_VERSION}",
        **msgspec.json.schema(SCHEMAS[command]),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write(document: msgspec.Struct) -> str:
    """Indented JSON, keys in contract order; characters a terminal would act on are written as escapes."""
    text = json.dumps(msgspec.to_builtins(document, enc_hook=_number), indent=2, ensure_ascii=False, allow_nan=False)
    return (text if text.isascii() else "".join(_escaped(char) for char in text)) + "\n"


def _number(value: Any) -> Any:
    """A number of numpy as Python's own; TypeError for anything else, which would be a bug of the model."""
    item = getattr(value, "item", None)
    if callable(item):
        return item()
    raise TypeError(f"no JSON form for {type(value).__name__}")


def _escaped(char: str) -> str:
    """Lossless: bidi, invisible and C1 characters become ``\\uXXXX``. They occur only inside strings."""
    if char.isprintable() or char == "\n":
        return char
    if unicodedata.category(char) == "Cs":
        # Half a character (from undecodable bytes of a file name) has no valid JSON form.
        return "\\ufffd"
    return json.dumps(char)[1:-1]
