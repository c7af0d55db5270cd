"""The client: one method for each thing that is done with tasks, leases, inboxes, artifacts, streams and evidence. What
comes back is what the hub answered (`models`)."""

from __future__ import annotations

import copy
import os
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

from .. import models as m
from ..errors import InputRequired, SettingsError, TaskFailed, WaitTimedOut
from ..files import FileLike, reference
from ..retry import RetryPolicy
from ..settings import Settings, load
from ..sse import Event
from ..trace import current_traceparent
from ..wire import Call, get, given
from . import artifacts as transfers
from .events import ENDS, follow
from .host import blocking
from .transport import AsyncTransport

WAIT_MAX_SECONDS = 60
"""The hub lets one call wait so long; longer waits are several calls."""
CLAIM_WAIT_MAX_SECONDS = 50
STREAM_GIVE_UP_SECONDS = 120.0
READ_MAX_BYTES = 64 << 20
WHOLE_RESULT = "the whole result"
"""The description of the artifact that has a result which is too long for a reply."""


class AsyncClient:
    """A client of one hub with one token, for asynchronous code. What is not given comes from the environment
    (`BATON_HUB`, `BATON_TOKEN`, `BATON_NETWORK`, `BATON_CA`, `BATON_PROFILE`) or the profile of `baton login`."""

    def __init__(
        self,
        hub: str | None = None,
        token: str | None = None,
        network: str | None = None,
        *,
        profile: str | None = None,
        ca: str | None = None,
        retry: RetryPolicy | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._settings = load(hub, token, network, profile=profile, ca=ca)
        self._transport = AsyncTransport(self._settings, retry or RetryPolicy(), timeout)
        self._network_id: str | None = None

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def retry_policy(self) -> RetryPolicy:
        return self._transport.retry

    def with_retry(self, retry: RetryPolicy) -> AsyncClient:
        """This client with another policy, over the same connections."""
        other = copy.copy(self)
        other._transport = copy.copy(self._transport)
        other._transport.retry = retry
        return other

    def with_token(self, token: str) -> AsyncClient:
        """A client of the same hub and network with another token."""
        return AsyncClient(
            self._settings.hub,
            token,
            self._network_id or self._settings.network,
            ca=self._settings.ca,
            retry=self._transport.retry,
            timeout=self._transport.timeout,
        )

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._transport.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings!r})"

    # --- sending ---

    async def send(
        self,
        alias: str,
        task: str,
        *,
        wait_seconds: float = 0,
        files: Iterable[FileLike] = (),
        context: str | None = None,
        priority: m.PriorityOfTask | None = None,
        kind: str | None = None,
        meta: Any = None,
        ttl_seconds: int | None = None,
        parent_task_id: str | None = None,
        allow_cycle: bool | None = None,
        max_attempts: int | None = None,
        retry_backoff_seconds: int | None = None,
        run_timeout_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> m.TaskSent:
        """Sends a task to an agent. With `wait_seconds` the answer also has `ended` and `task`, as it is when it has ended or
        asks for input, or when the time is over. A send that is repeated makes no second task: it has a key."""
        body = {
            "alias": alias,
            "task": task,
            "network_id": await self.network_id(),
            "artifacts": await self._references(files),
            "context": context,
            "priority": priority,
            "kind": kind,
            "meta": meta,
            "ttl_seconds": ttl_seconds,
            "parent_task_id": parent_task_id,
            "allow_cycle": allow_cycle,
            "max_attempts": max_attempts,
            "retry_backoff_seconds": retry_backoff_seconds,
            "run_timeout_seconds": run_timeout_seconds,
            "idempotency_key": idempotency_key or uuid.uuid4().hex,
            "wait_seconds": min(int(wait_seconds), WAIT_MAX_SECONDS) or None,
        }
        started = time.monotonic()
        call = Call("POST", ("api", "task"), {}, body, True, min(wait_seconds, WAIT_MAX_SECONDS), self._trace())
        sent = cast("m.TaskSent", await self._transport.run(call))
        left = wait_seconds - (time.monotonic() - started)
        row = sent.get("task")
        if wait_seconds > 0 and left > 0 and not (row and (sent.get("ended") or row["status"] == "waiting_input")):
            shown = await self.wait(sent["task_id"], timeout=left)
            sent["task"] = _whole(shown)
            sent["ended"] = shown["task"]["status"] in ENDS
        return sent

    async def call(self, alias: str, task: str, *, timeout: float = 600, **options: Any) -> str:
        """Sends a task, waits for its end and returns its whole result. Raises `TaskFailed` if it ends without a reply,
        `InputRequired` if the agent asks something, `WaitTimedOut` if it is still open after `timeout` seconds. `options`
        are those of `send`."""
        sent = await self.send(alias, task, wait_seconds=timeout, **options)
        shown = await self.wait(sent["task_id"], timeout=0) if sent.get("task") is None else None
        row = shown["task"] if shown else cast("m.TaskWithArtifacts", sent["task"])
        return await self._result_of(row, shown.get("messages", []) if shown else cast("Any", row).get("messages", []))

    async def send_many(self, tasks: Sequence[m.NewTask]) -> list[m.TaskOutcome]:
        """Sends up to 100 tasks in one call; each has its own outcome, in order. All that are accepted are in one commit."""
        network_id = await self.network_id()
        bodies = [
            given(
                {"network_id": network_id, **task, "idempotency_key": task.get("idempotency_key") or uuid.uuid4().hex}
            )
            for task in tasks
        ]
        call = Call("POST", ("api", "tasks"), {}, {"tasks": bodies}, True, headers=self._trace())
        return cast("m.TasksSent", await self._transport.run(call))["results"]

    async def get(self, task_id: str, *, wait_seconds: float = 0, after: int | None = None) -> m.TaskShown:
        """A task. With `wait_seconds` (up to 60) the answer comes once the task has an event after `after`."""
        query: dict[str, str | int | None] = {"wait_seconds": int(wait_seconds) or None, "after": after}
        call = get("api", "tasks", task_id, query=query, wait_seconds=wait_seconds)
        return cast("m.TaskShown", await self._transport.run(call))

    async def wait(self, task_id: str, *, timeout: float | None = None) -> m.TaskShown:
        """The task once it has ended or asks for input, or as it is after `timeout` seconds."""
        deadline = None if timeout is None else time.monotonic() + timeout
        shown = await self.get(task_id)
        while shown["task"]["status"] not in ENDS and shown["task"]["status"] != "waiting_input":
            left = WAIT_MAX_SECONDS if deadline is None else deadline - time.monotonic()
            if left <= 0:
                break
            # The hub counts whole seconds; what is less is waited for as one.
            seconds = max(1, min(int(left), WAIT_MAX_SECONDS))
            shown = await self.get(task_id, wait_seconds=seconds, after=shown["event_count"])
        return shown

    async def result(self, task_id: str, *, timeout: float | None = None) -> str:
        """Waits for a task and returns its whole result; raises as `call` does."""
        shown = await self.wait(task_id, timeout=timeout)
        return await self._result_of(shown["task"], shown.get("messages", []))

    async def _result_of(self, row: m.TaskWithArtifacts, messages: Sequence[m.TaskMessage]) -> str:
        if row["status"] == "waiting_input":
            asked = [one for one in messages if one["kind"] == "question"]
            question = asked[-1]["content"] if asked else ""
            raise InputRequired(question, (asked[-1].get("options") if asked else None) or (), row)
        if row["status"] not in ENDS:
            raise WaitTimedOut(f"task {row['task_id']} is still {row['status']}", row)
        if row["status"] != "replied":
            raise TaskFailed(row)
        for artifact in row.get("artifacts", []):
            if artifact.get("source") == "reply" and artifact.get("description") == WHOLE_RESULT:
                whole = await self.read_artifact(artifact["sha256"], max_bytes=1 << 30)
                return whole.decode("utf-8", "replace")
        return row.get("result") or ""

    async def cancel(self, task_id: str, reason: str | None = None, *, cascade: bool | None = None) -> m.Cancelled:
        """Cancels a task, with `cascade` also all that is open below it. One that had ended is answered `cancelled: false`."""
        body = {"reason": reason, "cascade": cascade}
        call = Call("POST", ("api", "tasks", task_id, "cancel"), {}, body, refusal_key="cancelled")
        return cast("m.Cancelled", await self._transport.run(call))

    async def retry(self, task_id: str) -> m.Retried:
        """Makes a new task of one that ended without a reply; a second call gives the same one."""
        call = Call("POST", ("api", "tasks", task_id, "retry"), is_repeatable=True)
        return cast("m.Retried", await self._transport.run(call))

    async def reassign(self, task_id: str, new_alias: str) -> m.Reassigned:
        """Gives a task to another agent."""
        call = Call("POST", ("api", "tasks", task_id, "reassign"), {}, {"new_alias": new_alias})
        return cast("m.Reassigned", await self._transport.run(call))

    async def answer(self, task_id: str, text: str, *, files: Iterable[FileLike] = ()) -> m.Answered:
        """Answers what the agent of a task asked, or says more."""
        body = {"text": text, "artifacts": await self._references(files)}
        return cast(
            "m.Answered", await self._transport.run(Call("POST", ("api", "tasks", task_id, "answer"), {}, body))
        )

    async def tree(self, task_id: str) -> m.TaskTree:
        """What a task is part of, and all it led to."""
        return cast("m.TaskTreeShown", await self._transport.run(get("api", "tasks", task_id, "tree")))["tree"]

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

    async def _pages(
        self, path: tuple[str, ...], query: Mapping[str, str | int | None], key: str
    ) -> AsyncIterator[Any]:
        cursor: str | None = None
        network_id = await self.network_id()
        while True:
            page = await self._transport.run(get(*path, query={**query, "network_id": network_id, "cursor": cursor}))
            for row in page[key]:
                yield row
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    # --- working ---

    async def claim(self, *, wait_seconds: int = 0, lease_seconds: int | None = None) -> m.ClaimedTask | None:
        """Takes the next task under a lease; None if there is none within `wait_seconds` (up to 50). Never repeated after
        a break: the lease of a claim whose answer was lost lapses, and the task is delivered again."""
        wait_seconds = min(wait_seconds, CLAIM_WAIT_MAX_SECONDS)
        body = {"wait_seconds": wait_seconds, "lease_seconds": lease_seconds}
        claimed = await self._transport.run(Call("POST", ("api", "claim"), {}, body, wait_seconds=wait_seconds))
        return cast("m.ClaimedTask", claimed) if claimed.get("task") else None

    async def claim_many(
        self, most: int, *, wait_seconds: int = 0, lease_seconds: int | None = None
    ) -> Sequence[m.ClaimedTask]:
        """Takes up to `most` tasks (at most 32), each under a lease of its own."""
        wait_seconds = min(wait_seconds, CLAIM_WAIT_MAX_SECONDS)
        body = {"max": most, "wait_seconds": wait_seconds, "lease_seconds": lease_seconds}
        claimed = await self._transport.run(Call("POST", ("api", "claim"), {}, body, wait_seconds=wait_seconds))
        return cast("m.ClaimedTasks", claimed)["tasks"]

    async def extend(
        self, lease_id: str, *, lease_seconds: int | None = None, progress: int | None = None
    ) -> m.LeaseExtended:
        """Goes on holding a lease; `LeaseLost` if it no longer holds."""
        body = {"lease_seconds": lease_seconds, "progress": progress}
        call = Call("POST", ("api", "leases", lease_id, "extend"), {}, body, is_repeatable=True)
        return cast("m.LeaseExtended", await self._transport.run(call))

    async def reply(
        self,
        task_id: str,
        text: str,
        *,
        files: Iterable[FileLike] = (),
        lease_id: str | None = None,
        claim_next: m.ClaimNext | None = None,
        status: m.Ending | None = None,
        rejected: bool | None = None,
    ) -> m.Replied:
        """Ends a task with a result. With `claim_next` the answer also has `next`: another task and its lease, or None."""
        body = {
            "text": text,
            "artifacts": await self._references(files),
            "lease_id": lease_id,
            "claim_next": claim_next,
            "status": status,
            "rejected": rejected,
        }
        wait_seconds = (claim_next or {}).get("wait_seconds") or 0
        call = Call("POST", ("api", "tasks", task_id, "reply"), {}, body, wait_seconds=wait_seconds)
        return cast("m.Replied", await self._transport.run(call))

    async def fail(
        self,
        task_id: str,
        reason: str,
        *,
        files: Iterable[FileLike] = (),
        lease_id: str | None = None,
        claim_next: m.ClaimNext | None = None,
    ) -> m.Replied:
        """Ends a task as failed."""
        options: dict[str, Any] = {"files": files, "lease_id": lease_id, "claim_next": claim_next}
        return await self.reply(task_id, reason, status="failed", **options)

    async def reject(
        self, task_id: str, reason: str, *, lease_id: str | None = None, claim_next: m.ClaimNext | None = None
    ) -> m.Replied:
        """Declines a task: it ends as failed, with `rejected`."""
        options: dict[str, Any] = {"lease_id": lease_id, "claim_next": claim_next}
        return await self.reply(task_id, reason, status="failed", rejected=True, **options)

    async def ask(
        self,
        task_id: str,
        question: str,
        *,
        options: Sequence[str] | None = None,
        lease_id: str | None = None,
        keep_lease: bool | None = None,
        input_ttl_seconds: int | None = None,
        auth_required: bool | None = None,
        files: Iterable[FileLike] = (),
    ) -> m.Asked:
        """Asks the sender of a task, which then waits for input. With `keep_lease` it does so under its lease."""
        body = {
            "question": question,
            "options": [*options] if options else None,
            "lease_id": lease_id,
            "keep_lease": keep_lease,
            "input_ttl_seconds": input_ttl_seconds,
            "auth_required": auth_required,
            "artifacts": await self._references(files),
        }
        return cast("m.Asked", await self._transport.run(Call("POST", ("api", "tasks", task_id, "ask"), {}, body)))

    async def progress(
        self,
        task_id: str,
        lease_id: str,
        *,
        percent: int | None = None,
        message: str | None = None,
        output: str | None = None,
    ) -> None:
        """Reports how far the work is; `output` is appended to the task's output."""
        body = {"lease_id": lease_id, "percent": percent, "message": message, "output": output}
        # Output that is sent twice would be there twice.
        call = Call("POST", ("api", "tasks", task_id, "progress"), {}, body, output is None, wait_seconds=5)
        await self._transport.run(call)

    async def share(
        self,
        task_id: str,
        lease_id: str,
        artifact_id: str,
        parts: Sequence[m.Part],
        *,
        name: str | None = None,
        description: str | None = None,
        append: bool = False,
        last_chunk: bool = False,
    ) -> m.ArtifactShared:
        """Shows an artifact, or more of one, before the task ends."""
        body = {
            "lease_id": lease_id,
            "artifact_id": artifact_id,
            "parts": [*parts],
            "name": name,
            "description": description,
            "append": append,
            "last_chunk": last_chunk,
        }
        call = Call("POST", ("api", "tasks", task_id, "artifacts"), {}, body, is_repeatable=not append)
        return cast("m.ArtifactShared", await self._transport.run(call))

    async def report_worker(self, worker_id: str, report: m.WorkerReport) -> None:
        """Registers a worker, or says that it still runs; every 30 seconds."""
        call = Call("PUT", ("api", "workers", worker_id), {}, cast("Mapping[str, Any]", report), is_repeatable=True)
        await self._transport.run(call)

    async def remove_worker(self, worker_id: str) -> None:
        """Removes a worker that has stopped."""
        await self._transport.run(Call("DELETE", ("api", "workers", worker_id), is_repeatable=True))

    # --- files ---

    async def upload(
        self, source: str | os.PathLike[str] | bytes, *, name: str | None = None, media_type: str | None = None
    ) -> m.Artifact:
        """Uploads a file, read piece by piece, or bytes. The hub refuses other bytes than were hashed here."""
        return await transfers.upload(self._transport, source, name, media_type, await self.network_id())

    async def download(self, sha256: str, path: str | os.PathLike[str]) -> Path:
        """Downloads an artifact. After a break it goes on where it was, and the file gets its name when the SHA-256 is right;
        a file that is there is replaced."""
        return await transfers.download(self._transport, sha256, Path(path), await self.network_id())

    async def read_artifact(self, sha256: str, *, max_bytes: int = READ_MAX_BYTES) -> bytes:
        """An artifact's bytes, in memory."""
        return await transfers.read(self._transport, sha256, await self.network_id(), max_bytes)

    async def _references(self, files: Iterable[FileLike]) -> list[dict[str, Any]] | None:
        """Uploads what is a path; an artifact that was uploaded is referred to as it is."""
        found = []
        for file in files:
            artifact = cast("Mapping[str, Any]", file if isinstance(file, Mapping) else await self.upload(file))
            found.append(reference(artifact))
        return found or None

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

    # --- who and where ---

    async def me(self) -> m.Profile:
        """Who this token speaks for."""
        return cast("m.Profile", await self._transport.run(get("api", "auth", "me")))

    async def mint_node_token(self, node_name: str) -> m.NodeTokenMinted:
        """Makes an agent's token, shown this once. Takes a user token."""
        network_id = await self.network_id() or await self._only_network()
        body = {"network_id": network_id, "node_name": node_name}
        return cast(
            "m.NodeTokenMinted", await self._transport.run(Call("POST", ("api", "auth", "node-token"), {}, body))
        )

    async def revoke_token(self, token_id: str) -> None:
        """Ends one of the user's own tokens."""
        await self._transport.run(Call("DELETE", ("api", "auth", "tokens", token_id)))

    async def network_id(self) -> str | None:
        """The id of the network that was named, by its id or its name; None if none was."""
        named = self._settings.network
        if self._network_id is None and named:
            self._network_id = named if named.startswith("net_") else await self._find_network(named)
        return self._network_id

    async def _only_network(self) -> str:
        networks = (await self.me())["networks"]
        if len(networks) != 1:
            raise SettingsError("you belong to several networks, or to none; pass network= or set BATON_NETWORK")
        return networks[0]["network_id"]

    async def _find_network(self, name: str) -> str:
        cursor: str | None = None
        while True:
            page = cast("m.Networks", await self._transport.run(get("api", "networks", query={"cursor": cursor})))
            for network in page["networks"]:
                if network["network_name"] == name:
                    return network["network_id"]
            cursor = page.get("next_cursor")
            if cursor is None:
                raise SettingsError(f"no network of yours is called {name}")

    def _trace(self) -> dict[str, str]:
        traceparent = current_traceparent()
        return {"traceparent": traceparent} if traceparent else {}


def _whole(shown: m.TaskShown) -> m.WholeTask:
    """What `POST /api/task` has as `task`, from what `GET /api/tasks/{id}` answers."""
    row: dict[str, Any] = {"artifacts": [], **shown["task"], "messages": shown.get("messages", [])}
    return cast("m.WholeTask", row)
