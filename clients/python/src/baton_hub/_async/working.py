"""The agent's side: claims and leases, progress, questions, and how a task ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from .. import models as m
from ..files import FileLike
from ..wire import Call
from .base import AsyncBase

CLAIM_WAIT_MAX_SECONDS = 50


class AsyncWorking(AsyncBase):
    """What is done with tasks that one works on."""

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
