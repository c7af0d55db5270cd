"""The sender's side: sending tasks, waiting for them, answering, cancelling."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Sequence
from typing import Any, cast

from .. import models as m
from ..errors import InputRequired, TaskFailed, WaitTimedOut
from ..files import FileLike
from ..wire import Call, get, given
from . import artifacts as transfers
from .base import AsyncBase
from .events import ENDS

WAIT_MAX_SECONDS = 60
"""The hub lets one call wait so long; longer waits are several calls."""
READ_MAX_BYTES = 64 << 20
WHOLE_RESULT = "the whole result"
"""The description of the artifact that has a result which is too long for a reply."""


class AsyncSending(AsyncBase):
    """What is done with tasks that one sends."""

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

    async def read_artifact(self, sha256: str, *, max_bytes: int = READ_MAX_BYTES) -> bytes:
        """An artifact's bytes, in memory."""
        return await transfers.read(self._transport, sha256, await self.network_id(), max_bytes)


def _whole(shown: m.TaskShown) -> m.WholeTask:
    """What `POST /api/task` has as `task`, from what `GET /api/tasks/{id}` answers."""
    row: dict[str, Any] = {"artifacts": [], **shown["task"], "messages": shown.get("messages", [])}
    return cast("m.WholeTask", row)
