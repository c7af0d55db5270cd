"""The task a handler works on. `AsyncTask` does the work; `Task` is the same for handlers that are plain functions, which
run in a thread of their own: each of its calls runs on the worker's loop."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from . import models as m
from ._async.client import AsyncClient
from ._async.sending import WAIT_MAX_SECONDS
from .error_codes import LeaseLost, TaskNotFound
from .errors import BatonError, TaskCancelled
from .files import FileLike
from .retry import Backoff, is_passing

T = TypeVar("T")


class Reject(Exception):
    """Raised by a handler that declines its task: it ends as failed, with `rejected`."""


@dataclass(frozen=True)
class Reply:
    """What a handler returns if a text is not enough."""

    text: str = ""
    files: Sequence[FileLike] = field(default_factory=tuple)


class AsyncFile:
    """A file that came with a task or a message on it."""

    def __init__(self, client: AsyncClient, artifact: m.Artifact) -> None:
        self._client = client
        self.artifact = artifact
        self.name, self.size, self.sha256 = artifact["name"], artifact["size"], artifact["sha256"]
        self.media_type = artifact["media_type"]

    async def read(self) -> bytes:
        """The bytes, with their SHA-256 checked."""
        return await self._client.read_artifact(self.sha256)

    async def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the bytes to this file, or under their name into this folder."""
        target = Path(path)
        is_folder = await asyncio.to_thread(target.is_dir)
        return await self._client.download(self.sha256, target / self.name if is_folder else target)


class AsyncTask:
    """A task under its lease, which the worker renews."""

    def __init__(self, client: AsyncClient, claimed: m.ClaimedTask) -> None:
        self.client = client
        self.row = claimed["task"]
        """The task as the hub answered it."""
        self.id = self.row["task_id"]
        self.text = self.row["content"]
        self.sender = self.row["from_name"]
        self.context = self.row.get("context")
        self.attempt = self.row["attempt"]
        """1, or more if an earlier worker was lost."""
        self.meta = self.row["meta"]
        self.messages = claimed["messages"]
        """The messages on it so far."""
        self.lease_id = claimed["lease_id"]
        self.traceparent = claimed.get("traceparent")
        said = [one for message in self.messages for one in message.get("artifacts", [])]
        came = [one for one in claimed["artifacts"] if one.get("source") in (None, "task")]
        self.files = [AsyncFile(client, one) for one in came + said if one.get("sha256") and not one.get("part")]
        self._lost = asyncio.Event()
        self._why = ""
        self._sends: dict[str, int] = {}

    @property
    def cancelled(self) -> bool:
        """Whether the task was cancelled, reassigned or has ended, or its lease is lost: nobody waits for the result."""
        return self._lost.is_set()

    def lose(self, why: str) -> None:
        """The lease no longer holds."""
        self._why = self._why or why
        self._lost.set()

    async def lost(self) -> None:
        """Waits until the lease is lost."""
        await self._lost.wait()

    async def ask(self, question: str, choices: Sequence[str] | None = None, *, timeout: float | None = None) -> str:
        """Asks the sender and waits for the answer, under the same lease. With `choices` the answer is one of them. After
        `timeout` seconds it raises TimeoutError; the question still waits, and asking it again waits for the same answer."""
        try:
            return await asyncio.wait_for(self._unless_lost(self._ask(question, choices)), timeout)
        except asyncio.TimeoutError:  # in Python 3.10 they are two
            raise TimeoutError(f"no answer within {timeout} s") from None

    async def progress(
        self, percent: int | None = None, message: str | None = None, *, output: str | None = None
    ) -> None:
        """Reports how far the work is. `output` is appended to what the task's stream shows."""
        call = self.client.progress(self.id, self.lease_id, percent=percent, message=message, output=output)
        await self._unless_lost(call)

    async def share(
        self,
        file: FileLike | None = None,
        *,
        text: str | None = None,
        name: str | None = None,
        append: bool = False,
    ) -> None:
        """Shows a file or a text of the work before the task ends, under `name`; the same name again replaces it."""
        await self._unless_lost(self._share(file, text, name, append))

    async def send(self, alias: str, task: str, **options: Any) -> m.TaskSent:
        """Sends a task that is part of this one. A handler that is started again sends nothing twice: its sends are known by
        their text and order. `options` are those of `AsyncClient.send`."""
        return await self._unless_lost(self.client.send(alias, task, **self._of_this(alias, task, options)))

    async def call(self, alias: str, task: str, **options: Any) -> str:
        """The same, and waits for the result, as `AsyncClient.call` does."""
        return await self._unless_lost(self.client.call(alias, task, **self._of_this(alias, task, options)))

    def _of_this(self, alias: str, task: str, options: dict[str, Any]) -> dict[str, Any]:
        what = hashlib.sha256(f"{alias}\0{task}".encode()).hexdigest()[:32]
        self._sends[what] = self._sends.get(what, 0) + 1
        key = f"{self.id}/{what}/{self._sends[what]}"
        return {"parent_task_id": self.id, "idempotency_key": key, **options}

    async def _unless_lost(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a call, unless the lease is lost first."""
        if self.cancelled:
            work.close()
            raise TaskCancelled(self._why)
        call, lost = asyncio.ensure_future(work), asyncio.ensure_future(self._lost.wait())
        try:
            await asyncio.wait({call, lost}, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                raise TaskCancelled(self._why)
            try:
                return await call
            except LeaseLost as error:
                self.lose(str(error))
                raise TaskCancelled(self._why) from error
        finally:
            lost.cancel()
            if not call.done():
                call.cancel()

    async def _ask(self, question: str, choices: Sequence[str] | None) -> str:
        question_id = await self._put_question(question, choices)
        after = None
        while True:
            shown = await self._look(after)
            messages = shown.get("messages", [])
            ids = [message["message_id"] for message in messages]
            later = messages[ids.index(question_id) + 1 :] if question_id in ids else messages
            answer = next((message for message in later if message["kind"] == "answer"), None)
            if answer is not None:
                self.files += [AsyncFile(self.client, one) for one in answer.get("artifacts", [])]
                return answer["content"]
            if shown["task"]["status"] != "waiting_input":
                raise TaskCancelled(f"the task is {shown['task']['status']}")
            after = shown["event_count"]

    async def _put_question(self, question: str, choices: Sequence[str] | None) -> str:
        """Asks, unless this very question waits already: the answer to the call may have been lost."""
        backoff = Backoff(self.client.retry_policy)
        while True:
            shown = await self._look(None, wait_seconds=0)
            asked = [message for message in shown.get("messages", []) if message["kind"] == "question"]
            if shown["task"]["status"] == "waiting_input" and asked and asked[-1]["content"] == question:
                return asked[-1]["message_id"]
            try:
                put = await self.client.ask(self.id, question, options=choices, lease_id=self.lease_id, keep_lease=True)
                return put["message_id"]
            except BatonError as error:
                if not is_passing(error):
                    raise
            await asyncio.sleep(backoff.next_pause())

    async def _look(self, after: int | None, wait_seconds: int = WAIT_MAX_SECONDS) -> m.TaskShown:
        """The task, however long the hub is away: the keeper of the lease says when to stop."""
        backoff = Backoff(self.client.retry_policy)
        while True:
            try:
                wait = wait_seconds if after is not None else 0
                return await self.client.get(self.id, wait_seconds=wait, after=after)
            except TaskNotFound as error:
                raise TaskCancelled(str(error)) from error
            except BatonError as error:
                if not is_passing(error):
                    raise
            await asyncio.sleep(backoff.next_pause())

    async def _share(self, file: FileLike | None, text: str | None, name: str | None, append: bool) -> None:
        if (file is None) == (text is None):
            raise ValueError("share one file or one text")
        part: m.Part = {"text": text}
        if file is not None:
            artifact: Any = file if isinstance(file, dict) else await self.client.upload(file)  # type: ignore[arg-type]
            name = name or artifact.get("name")
            part = {"sha256": artifact["sha256"]}
        artifact_id = name or "text"
        await self.client.share(self.id, self.lease_id, artifact_id, [part], name=name, append=append)


class File:
    """A file that came with a task or a message on it."""

    def __init__(self, file: AsyncFile, task: Task) -> None:
        self._file, self._task = file, task
        self.artifact, self.name, self.size = file.artifact, file.name, file.size
        self.sha256, self.media_type = file.sha256, file.media_type

    def read(self) -> bytes:
        """The bytes, with their SHA-256 checked."""
        return self._task._run(self._file.read())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the bytes to this file, or under their name into this folder."""
        return self._task._run(self._file.save(path))


class Task:
    """A task under its lease, for a handler that is a plain function. Once it is cancelled, `cancelled` is true and every
    call raises `TaskCancelled`."""

    def __init__(self, task: AsyncTask, loop: asyncio.AbstractEventLoop) -> None:
        self._task, self._loop = task, loop
        self.row, self.id, self.text, self.sender = task.row, task.id, task.text, task.sender
        self.context, self.attempt, self.meta, self.messages = task.context, task.attempt, task.meta, task.messages
        self.lease_id = task.lease_id

    @property
    def cancelled(self) -> bool:
        """Whether the task was cancelled, reassigned or has ended, or its lease is lost: nobody waits for the result."""
        return self._task.cancelled

    @property
    def files(self) -> list[File]:
        """The files that came with the task and its messages."""
        return [File(file, self) for file in self._task.files]

    def check(self) -> None:
        """Raises `TaskCancelled` if the task was cancelled: for loops that call nothing else."""
        if self.cancelled:
            raise TaskCancelled(self._task._why)

    def ask(self, question: str, choices: Sequence[str] | None = None, *, timeout: float | None = None) -> str:
        """Asks the sender and waits for the answer, under the same lease. With `choices` the answer is one of them. After
        `timeout` seconds it raises TimeoutError; the question still waits, and asking it again waits for the same answer."""
        return self._run(self._task.ask(question, choices, timeout=timeout))

    def progress(self, percent: int | None = None, message: str | None = None, *, output: str | None = None) -> None:
        """Reports how far the work is. `output` is appended to what the task's stream shows."""
        self._run(self._task.progress(percent, message, output=output))

    def share(
        self,
        file: FileLike | None = None,
        *,
        text: str | None = None,
        name: str | None = None,
        append: bool = False,
    ) -> None:
        """Shows a file or a text of the work before the task ends, under `name`; the same name again replaces it."""
        self._run(self._task.share(file, text=text, name=name, append=append))

    def send(self, alias: str, task: str, **options: Any) -> m.TaskSent:
        """Sends a task that is part of this one; a handler that is started again sends nothing twice."""
        return self._run(self._task.send(alias, task, **options))

    def call(self, alias: str, task: str, **options: Any) -> str:
        """The same, and waits for the result, as `Client.call` does."""
        return self._run(self._task.call(alias, task, **options))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self.cancelled:
            work.close()
            self.check()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def reply_of(returned: object) -> Reply:
    """What a handler returned, as a reply."""
    if isinstance(returned, Reply):
        return returned
    return Reply("" if returned is None else str(returned))


def bounded(text: str, most: int) -> str:
    """At most so many characters of a text, which says so if it is cut."""
    return text if len(text) <= most else text[: most - 1] + "…"
