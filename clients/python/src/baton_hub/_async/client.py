"""The client: one method for each thing that is done with tasks (`sending`, `working`), and here lists, inboxes, files,
streams and evidence. What comes back is what the hub answered (`models`)."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import cast

from .. import models as m
from ..errors import SettingsError
from ..sse import Event
from ..wire import Call, get
from . import artifacts as transfers
from .events import follow
from .host import blocking
from .sending import AsyncSending
from .working import AsyncWorking

STREAM_GIVE_UP_SECONDS = 120.0


class AsyncClient(AsyncSending, AsyncWorking):
    """A client of one hub with one token, for asynchronous code. What is not given comes from the environment
    (`BATON_HUB`, `BATON_TOKEN`, `BATON_NETWORK`, `BATON_CA`, `BATON_PROFILE`) or the profile of `baton login`."""

    # --- lists ---

    async def tasks(
        self,
        *,
        status: str | None = None,
        to_name: str | None = None,
        from_name: str | None = None,
        kind: str | None = None,
        text: str | None = None,
        since: str | None = None,
        until: str | None = None,
        parent_task_id: str | None = None,
        limit: int = 50,
    ) -> AsyncIterator[m.Task]:
        """All tasks that match, newest first; `limit` is how many are read at a time."""
        query: dict[str, str | int | None] = {
            "status": status,
            "to_name": to_name,
            "from_name": from_name,
            "kind": kind,
            "text": text,
            "since": since,
            "until": until,
            "parent_task_id": parent_task_id,
            "limit": limit,
        }
        async for row in self._pages(("api", "tasks"), query, "tasks"):
            yield cast("m.Task", row)

    async def agents(self) -> AsyncIterator[m.Agent]:
        """The agents of the network: what each works on, what waits for it, and its last day."""
        async for row in self._pages(("api", "agents"), {}, "agents"):
            yield cast("m.Agent", row)

    async def inbox(self, *, limit: int = 100) -> AsyncIterator[m.Delivery]:
        """What was delivered to this token's agent or user and is not acknowledged."""
        async for row in self._pages(("api", "inbox"), {"limit": limit}, "messages"):
            yield cast("m.Delivery", row)

    async def ack(self, delivery_id: str) -> None:
        """Acknowledges a delivery, which leaves the inbox."""
        body = {"network_id": await self.network_id()}
        await self._transport.run(Call("POST", ("api", "inbox", delivery_id, "ack"), {}, body))

    async def artifacts(self, *, task_id: str | None = None) -> AsyncIterator[m.Artifact]:
        """The artifacts of the network, or of a task, newest first."""
        async for row in self._pages(("api", "artifacts"), {"task_id": task_id}, "artifacts"):
            yield cast("m.Artifact", row)

    # --- files ---

    async def download(self, sha256: str, path: str | os.PathLike[str]) -> Path:
        """Downloads an artifact. After a break it goes on where it was, and the file gets its name when the SHA-256 is right;
        a file that is there is replaced."""
        return await transfers.download(self._transport, sha256, Path(path), await self.network_id())

    # --- streams ---

    async def events(
        self,
        alias: str | None = None,
        *,
        last_event_id: str | None = None,
        give_up_after: float | None = STREAM_GIVE_UP_SECONDS,
    ) -> AsyncGenerator[Event, None]:
        """What happens to this token's agent or user, while it happens: `new_task`, `new_reply`, `task_cancelled` … After a
        break the stream goes on behind the last event. A `reset` says that some may be missing: look at the inbox. The stream ends with an error
        if the hub refuses it, or is away for `give_up_after` seconds (None: never)."""
        is_user = self._settings.token.startswith("utok_")
        name = alias or ("me" if is_user else (await self.me()).get("alias"))
        if not name:
            raise SettingsError("this token has no alias: pass alias")
        network_id = await self.network_id() if is_user else None
        stream = follow(self._transport, ("events", name), network_id, last_event_id, give_up_after, False)
        async with aclosing(stream) as events:
            async for event in events:
                yield event

    async def task_events(
        self,
        task_id: str,
        *,
        last_event_id: str | None = None,
        give_up_after: float | None = STREAM_GIVE_UP_SECONDS,
    ) -> AsyncGenerator[Event, None]:
        """A task's statuses, progress and output, until it has ended."""
        path = ("events", "task", task_id)
        stream = follow(self._transport, path, None, last_event_id, give_up_after, True)
        async with aclosing(stream) as events:
            async for event in events:
                yield event

    async def network_events(
        self,
        network_id: str | None = None,
        *,
        last_event_id: str | None = None,
        give_up_after: float | None = STREAM_GIVE_UP_SECONDS,
    ) -> AsyncGenerator[Event, None]:
        """Everything that happens in a network, for its members. Resumes as `events` does."""
        name = network_id or await self.network_id() or await self._only_network()
        stream = follow(self._transport, ("events", "network", name), None, last_event_id, give_up_after, False)
        async with aclosing(stream) as events:
            async for event in events:
                yield event

    # --- evidence ---

    async def evidence(
        self, *, task_id: str | None = None, after: int | None = None, limit: int = 100
    ) -> m.EvidenceEvents:
        """A page of the network's evidence log; `after` is the last index seen."""
        query = {"network_id": await self.network_id(), "task_id": task_id, "after": after, "limit": limit}
        return cast("m.EvidenceEvents", await self._transport.run(get("api", "evidence", query=query)))

    async def export_evidence(self, path: str | os.PathLike[str], *, task_id: str | None = None) -> tuple[Path, Path]:
        """Writes a bundle of evidence and, beside it as `….proof.json`, the side file that proves its events. Existing files are not
        replaced."""
        bundle = Path(path)
        side_file = bundle.with_name(f"{bundle.name}.proof.json")
        query = {"network_id": await self.network_id(), "task_id": task_id}
        covered = await self._save(get("api", "evidence", "bundle", query=query), bundle)
        span = {"from": covered.get("baton-log-from"), "to": covered.get("baton-log-to")}
        try:
            await self._save(get("api", "evidence", "side-file", query={**query, **span}), side_file)
        except BaseException:
            await blocking(bundle.unlink)
            raise
        return bundle, side_file

    async def _save(self, call: Call, path: Path) -> Mapping[str, str]:
        """Writes an answer to a new file."""
        file = await blocking(path.open, "xb")
        try:
            async with self._transport.open(call, self._transport.timeout + 90) as response:
                async for piece in response.aiter_bytes():
                    await blocking(file.write, piece)
                return dict(response.headers)
        except BaseException:
            await blocking(path.unlink)
            raise
        finally:
            await blocking(file.close)
