"""A call before it is sent, and the reading of its answer. No sockets here: both clients use the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from .errors import BatonError, error_of

ANSWER_MAX_BYTES = 64 << 20


@dataclass(frozen=True)
class Call:
    """One call of the hub's API."""

    method: str
    path: tuple[str, ...]
    """Segments; each is escaped, so that no id leads out of its place."""
    query: Mapping[str, str | int | None] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    is_repeatable: bool = False
    """Whether it changes nothing, or the hub knows it again."""
    wait_seconds: float = 0
    """The call itself asks the hub to wait this long."""
    headers: Mapping[str, str] = field(default_factory=dict)
    refusal_key: str | None = None
    """An error's body with this key is an answer."""

    def url(self, hub: str) -> str:
        return "/".join([hub, *(quote(segment, safe="") for segment in self.path)])

    def parameters(self) -> dict[str, str]:
        return {key: str(value) for key, value in self.query.items() if value is not None}

    def sent_body(self) -> dict[str, Any]:
        return given(self.body or {})


def get(*path: str, query: Mapping[str, str | int | None] | None = None, wait_seconds: float = 0) -> Call:
    return Call("GET", path, query or {}, is_repeatable=True, wait_seconds=wait_seconds)


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """What is not None."""
    return {key: value for key, value in values.items() if value is not None}


def answer_of(call: Call, status: int, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    """The JSON object of an answer; raises what the hub refused."""
    try:
        read = json.loads(body)
    except ValueError:
        read = None
    is_object = isinstance(read, dict)
    if 200 <= status < 300 and is_object:
        return read  # type: ignore[no-any-return]
    if call.refusal_key is not None and is_object and call.refusal_key in read:
        return read  # type: ignore[no-any-return]
    if 200 <= status < 300:
        raise BatonError("what answers is not a Baton hub: no JSON object", code=f"http_{status}", status=status)
    raise error_of(status, headers, read)
