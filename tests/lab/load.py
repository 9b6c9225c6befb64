"""A modest put/get load over etcd's JSON gateway; no client library is needed."""

from __future__ import annotations

import base64
import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType

from tests.lab.cluster import Member

REQUEST_TIMEOUT_S = 10.0


@dataclass(slots=True)
class Load:
    """Worker threads, each bound to one member, that put a key and every few puts read one back.

    ``rate`` is puts per second and worker. ``outcomes`` counts "ok" and the error texts clients saw.
    """

    members: Sequence[Member]
    workers: int = 6
    rate: float = 25.0
    value_bytes: int = 512
    keys: int = 2000
    prefix: str = "/lab"
    outcomes: Counter[str] = field(default_factory=Counter)
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Load:
        for index in range(self.workers):
            member = self.members[index % len(self.members)]
            thread = threading.Thread(target=self._work, args=(index, member), daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(REQUEST_TIMEOUT_S + 1)

    def _work(self, index: int, member: Member) -> None:
        connection = http.client.HTTPConnection(member.address, member.client_port, timeout=REQUEST_TIMEOUT_S)
        value = encode("x" * self.value_bytes)
        count = 0
        while not self._stop.is_set():
            begun = time.monotonic()
            key = encode(f"{self.prefix}/{index}/{count % self.keys:06d}")
            self.outcomes[post(connection, "/v3/kv/put", {"key": key, "value": value})] += 1
            if count % 4 == 0:
                self.outcomes[post(connection, "/v3/kv/range", {"key": key})] += 1
            count += 1
            self._stop.wait(max(0.0, 1 / self.rate - (time.monotonic() - begun)))
        connection.close()


def encode(text: str) -> str:
    """Bytes fields of the JSON gateway are base64."""
    return base64.b64encode(text.encode()).decode()


def post(connection: http.client.HTTPConnection, path: str, body: dict[str, object]) -> str:
    """Send one request; returns "ok" or a short error text. The connection reopens by itself afterwards."""
    try:
        connection.request("POST", path, json.dumps(body))
        response = connection.getresponse()
        content = response.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return type(error).__name__
    if response.status == http.client.OK:
        return "ok"
    try:
        return str(json.loads(content).get("error", response.status))
    except (ValueError, AttributeError):
        return f"HTTP {response.status}"
