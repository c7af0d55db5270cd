"""Server-sent events, from bytes to frames: `id:` and `data:` lines up to an empty one. Comments and other fields are
passed over. What is kept between two reads is bounded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .errors import BatonError

FRAME_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    type: str
    """Such as `new_task` or `status`; one that is not documented is of a newer hub. `reset`: events may have been missed,
    look at the inbox or at the task."""
    data: dict[str, Any]
    id: str | None = None
    """Pass it as `last_event_id` to go on after this event."""


RESET = Event("reset", {"type": "reset"})


class Parser:
    """What was read and makes no frame yet."""

    def __init__(self) -> None:
        self._unread = bytearray()
        self._searched = 0
        self._id: str | None = None
        self._data: list[str] = []
        self._size = 0

    def push(self, chunk: bytes) -> Iterator[Event]:
        """Takes bytes as they come, and gives the events that are whole."""
        self._unread += chunk
        while (end := self._unread.find(b"\n", self._searched)) >= 0:
            line = self._unread[:end].decode("utf-8", "replace").rstrip("\r")
            del self._unread[: end + 1]
            self._searched = 0
            if line:
                self._take(line)
            elif event := self._event():
                yield event
        self._searched = len(self._unread)
        if self._searched > FRAME_MAX_BYTES:
            raise BatonError("a frame of the stream does not end", code="stream")

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "data":
            self._size += len(value)
            if self._size > FRAME_MAX_BYTES:
                raise BatonError("a frame of the stream does not end", code="stream")
            self._data.append(value)

    def _event(self) -> Event | None:
        text, given_id = "\n".join(self._data), self._id
        self._id, self._data, self._size = None, [], 0
        if not text:
            return None
        try:
            data = json.loads(text)
        except ValueError:
            raise BatonError("a frame of the stream is not JSON", code="stream") from None
        if not isinstance(data, dict):
            raise BatonError("a frame of the stream is not a JSON object", code="stream")
        return Event(str(data.get("type", "")), data, given_id)
