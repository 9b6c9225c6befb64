"""A collector's ``inventory.json``: which member has which addresses and keeps its data on which device."""

from __future__ import annotations

from typing import Any, ClassVar

from analyzer.model.facts import MemberEntry
from analyzer.model.line import Document, Parsed
from analyzer.parsers import etcdctl_records as records
from analyzer.parsers.document_lines import LineFinder

_DEVICE_KEYS = ("data_device", "wal_device", "device")


class Inventory:
    """``{"members": [{"name": ..., "data_device": ...}]}``."""

    format: ClassVar[str] = "inventory"

    @staticmethod
    def accepts(value: Any) -> bool:
        """Whether it lists members with a name and a device."""
        members = value.get("members") if isinstance(value, dict) else None
        return isinstance(members, list) and any(_is_member(item) for item in members[:50])

    @staticmethod
    def parse(document: Document) -> Parsed:
        """Read the document. Never raises on bad input."""
        finder = LineFinder(document.lines)
        value = document.value if isinstance(document.value, dict) else {}
        listed = value.get("members")
        members: list[MemberEntry] = []
        facts: list[dict[str, Any]] = []
        for item in listed if isinstance(listed, list) else []:
            if _is_member(item) and item["name"]:
                member = _member(item, finder)
                members.append(member)
                facts.append(_facts(item, member))
        return Parsed(
            format=Inventory.format,
            understood=sum(1 for line in document.lines if line.text.strip()) if members else 0,
            facts={
                "inventory": facts,
                "timezone": _text(value.get("timezone")),
                "etcd_version": _text(value.get("etcd_version")),
            },
            records=tuple(members),
        )


def _member(item: dict[str, Any], finder: LineFinder) -> MemberEntry:
    devices = [text for key in _DEVICE_KEYS if (text := _text(item.get(key)))]
    identity = _text(item.get("id"))
    member = MemberEntry(
        line=finder.find(f'"{item["name"]}"'),
        member_id=records.table_id(identity) if identity else None,
        name=item["name"],
        peer_urls=_addresses(item, "peer"),
        client_urls=_addresses(item, "client"),
        is_learner=None,
        data_device=devices[0].rsplit("/", 1)[-1] if devices else None,
    )
    finder.step()
    return member


def _facts(item: dict[str, Any], member: MemberEntry) -> dict[str, Any]:
    return {
        "name": member.name,
        "data_device": member.data_device,
        "data_dir": _text(item.get("data_dir")),
        "peer_urls": list(member.peer_urls),
        "client_urls": list(member.client_urls),
        "line": member.line,
    }


def _is_member(item: Any) -> bool:
    named = isinstance(item, dict) and isinstance(item.get("name"), str)
    return named and any(key in item for key in _DEVICE_KEYS)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _addresses(item: dict[str, Any], kind: str) -> tuple[str, ...]:
    """URLs of ``peer``, ``peer_url``, ``peer_urls``: a text or a list."""
    for key in (kind, f"{kind}_url", f"{kind}_urls", f"{kind}URLs"):
        value = item.get(key)
        if isinstance(value, str):
            return records.urls([value])
        if isinstance(value, list):
            return records.urls([text for text in value if isinstance(text, str)])
    return ()
