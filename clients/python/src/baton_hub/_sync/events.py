"""Streams of events, followed through everything that happens to a connection: after a break the stream goes on behind
the last event that was passed on. Only a hub that refuses ends it, or one that is away for too long.

Made by generate.py from `_async/`; do not edit.
"""

from __future__ import annotations

import time
from collections.abc import Generator

from ..errors import BatonError, HubUnreachable
from ..retry import Backoff, is_passing
from ..sse import RESET, Event, Parser
from ..wire import Call, get
from .host import pause
from .transport import Transport

SILENT_SECONDS = 50.0
"""The hub sends a comment every 15 to 30 seconds; a stream that is silent for longer is dead."""
ENDS = frozenset({"replied", "failed", "cancelled", "expired"})


def follow(
    transport: Transport,
    path: tuple[str, ...],
    network_id: str | None,
    last_event_id: str | None,
    give_up_after: float | None,
    ends_with_task: bool,
) -> Generator[Event, None, None]:
    """The events of a channel."""
    backoff = Backoff(transport.retry)
    heard_at = time.monotonic()
    is_first = True
    while True:
        try:
            # Nothing says what happened meanwhile if no event had a number yet.
            if not is_first and last_event_id is None and not ends_with_task:
                yield RESET
            with transport.open(_call(path, network_id, last_event_id), SILENT_SECONDS) as response:
                is_first, parser = False, Parser()
                for chunk in response.iter_bytes():
                    heard_at = time.monotonic()
                    backoff.reset()
                    for event in parser.push(chunk):
                        last_event_id = event.id or last_event_id
                        yield event
                        if ends_with_task and event.type == "status" and event.data.get("status") in ENDS:
                            return
            raise HubUnreachable("the stream ended")
        except BatonError as error:
            if not is_passing(error) and error.code != "stream":
                raise
            wait = max(backoff.next_pause(), error.retry_after or 0.0)
            if give_up_after is not None and time.monotonic() + wait - heard_at > give_up_after:
                raise
        pause(wait)


def _call(path: tuple[str, ...], network_id: str | None, last_event_id: str | None) -> Call:
    call = get(*path, query={"network_id": network_id})
    headers = {"accept": "text/event-stream"}
    if last_event_id is not None:
        headers["last-event-id"] = last_event_id
    return Call(call.method, call.path, call.query, is_repeatable=True, headers=headers)
