"""A worker: claims tasks of its alias, runs a handler for each, and sends back what it returns. Every free slot waits with
a claim of its own; a reply takes the next task along if one is ready. A hub that is away is waited for, and a result that is ready
is sent until the hub takes it or says that the lease is lost."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar, cast

from . import models as m
from . import trace
from ._async.client import AsyncClient
from ._async.working import CLAIM_WAIT_MAX_SECONDS
from .errors import BatonError, SettingsError
from .lease import Keeper
from .replies import Outcome, send_outcome
from .retry import Backoff, RetryPolicy, is_passing
from .task import AsyncTask, Reject, Task, bounded, reply_of
from .version import VERSION

log = logging.getLogger("baton_hub")
T = TypeVar("T")

SyncHandler = Callable[[Task], object]
AsyncHandler = Callable[[AsyncTask], Awaitable[object]]
Handler = SyncHandler | AsyncHandler

FAILURE_MAX_CHARS = 2_000
REPORT_EVERY_SECONDS = 30.0
LABEL_MAX_CHARS = 200
ONCE = RetryPolicy(tries=1)


class Worker:
    """One alias, one handler. `serve` works until `stop`; `run` of this package does so for a whole program."""

    def __init__(
        self,
        alias: str,
        handler: Handler,
        *,
        concurrency: int = 1,
        lease_seconds: int = 60,
        description: str | None = None,
        skills: Sequence[m.Skill] = (),
        client: AsyncClient | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        if not 5 <= lease_seconds <= 3600:
            raise ValueError("lease_seconds must be from 5 to 3600")
        self.alias = alias
        self._handler = handler
        called = getattr(handler, "__call__", None)  # noqa: B004 - of an object that is called like a function
        self._is_async = inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(called)
        self._concurrency = concurrency
        self._lease_seconds = lease_seconds
        self._description = description
        self._skills = list(skills)
        self._given = client
        self._client: AsyncClient
        self._running: dict[str, Keeper] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._is_told = False
        self.ready = threading.Event()
        """Set once the worker waits for tasks."""

    # --- starting and stopping ---

    def stop(self) -> None:
        """Takes no new task, lets running handlers end and replies to them. May be called from any thread."""
        self._is_told = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the worker with it
                self._loop.call_soon_threadsafe(self._stopping.set)

    async def serve(self) -> None:
        """Works until `stop`, or until the hub refuses the token."""
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        if self._is_told:
            self._stopping.set()
        caller = self._given or AsyncClient()
        minted = None
        try:
            minted = await self._open(caller)
            await self._work()
        finally:
            self.ready.clear()
            self._is_told = False
            if minted is not None:
                await self._client.aclose()
                with contextlib.suppress(BatonError):
                    # If it cannot be revoked now, it stays in `baton token ls`.
                    await caller.revoke_token(minted)
            if self._given is None:
                await caller.aclose()

    async def _open(self, caller: AsyncClient) -> str | None:
        """A client that speaks as the alias. With a user's token a node token is minted for this run; returns its id."""
        me = await caller.me()
        if me.get("current_network") is None:
            minted = await caller.mint_node_token(self.alias)
            self._client = caller.with_token(minted["token"])
            return minted["token_id"]
        bound = me.get("alias")
        if bound != self.alias:
            speaks = f"speaks as {bound}" if bound else "has no alias yet"
            raise SettingsError(f"this token {speaks}; use a token of `baton node create {self.alias}`")
        self._client = caller
        return None

    async def _work(self) -> None:
        log.info("waiting for tasks  alias %s  hub %s", self.alias, self._client.settings.hub)
        beside = [asyncio.ensure_future(self._listen()), asyncio.ensure_future(self._stay_listed())]
        slots = [asyncio.ensure_future(self._slot()) for _ in range(self._concurrency)]
        self.ready.set()
        try:
            # A slot ends by itself only when the worker stops; one that fails ends all others.
            await asyncio.gather(*slots)
        finally:
            self._stopping.set()
            for slot in slots + beside:
                slot.cancel()
            await asyncio.gather(*slots, *beside, return_exceptions=True)

    # --- one slot ---

    async def _slot(self) -> None:
        claimed: m.ClaimedTask | None = None
        while True:
            claimed = claimed or await self._claim()
            if claimed is None:
                return
            claimed = await self._run_one(claimed)

    async def _claim(self) -> m.ClaimedTask | None:
        """The next task; None once the worker stops."""
        backoff, client = Backoff(self._client.retry_policy), self._client.with_retry(ONCE)
        is_told = False
        while not self._stopping.is_set():
            wait = client.claim(wait_seconds=CLAIM_WAIT_MAX_SECONDS, lease_seconds=self._lease_seconds)
            try:
                # A claim that is given up is skipped by the hub; should it just have been served, its lease lapses.
                claimed = await self._unless_stopping(wait)
                if is_told:
                    log.info("the hub is back")
                is_told = False
                backoff.reset()
            except BatonError as error:
                if not is_passing(error):
                    raise
                if not is_told:
                    log.warning("waiting for the hub: %s", error)
                is_told = True
                pause = max(backoff.next_pause(), error.retry_after or 0.0)
                await self._unless_stopping(asyncio.sleep(pause))
                continue
            if claimed is not None:
                return claimed
        return None

    async def _unless_stopping(self, work: Coroutine[Any, Any, T]) -> T | None:
        doing, stopping = asyncio.ensure_future(work), asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({doing, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return doing.result() if doing.done() else None
        finally:
            for one in (doing, stopping):
                one.cancel()
            await asyncio.gather(doing, stopping, return_exceptions=True)

    async def _run_one(self, claimed: m.ClaimedTask) -> m.ClaimedTask | None:
        """Runs the handler and replies; returns the task that came with the reply."""
        task = AsyncTask(self._client, claimed)
        keeper = Keeper(self._client.with_retry(ONCE), task, self._lease_seconds)
        self._running[task.id] = keeper
        log.info("running  %s  from %s", task.id, task.sender)
        keeping = asyncio.ensure_future(keeper.keep())
        try:
            outcome = await self._outcome(task)
            if task.cancelled or outcome is None:
                log.info("stopped  %s  its lease is lost", task.id)
                return None
            claim_next = None if self._stopping.is_set() else m.ClaimNext(lease_seconds=self._lease_seconds)
            return await send_outcome(self._client, task, outcome, claim_next)
        finally:
            self._running.pop(task.id, None)
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    async def _outcome(self, task: AsyncTask) -> Outcome | None:
        """What the handler came to; None if the lease was lost meanwhile."""
        handling, lost = asyncio.ensure_future(self._handle(task)), asyncio.ensure_future(task.lost())
        try:
            await asyncio.wait({handling, lost}, return_when=asyncio.FIRST_COMPLETED)
            if not handling.done():
                # Asynchronous code gets a CancelledError; a thread finds out at its next call.
                handling.cancel()
            return Outcome(reply_of(await handling))
        except asyncio.CancelledError:
            if not task.cancelled and not handling.done():
                raise
            return None if task.cancelled else Outcome.failed("the handler was cancelled")
        except Reject as reason:
            return Outcome.failed(bounded(str(reason) or "rejected", FAILURE_MAX_CHARS), is_rejected=True)
        except Exception as error:
            if not task.cancelled:
                log.warning("failed  %s  %s", task.id, type(error).__name__, exc_info=error)
            return Outcome.failed(bounded(f"{type(error).__name__}: {error}".rstrip(": "), FAILURE_MAX_CHARS))
        finally:
            # Not waited for: a worker that is asked twice to stop does not wait for a thread.
            handling.cancel()
            lost.cancel()

    async def _handle(self, task: AsyncTask) -> object:
        if self._is_async:
            with trace.within(task.traceparent):
                return await cast("AsyncHandler", self._handler)(task)
        loop = asyncio.get_running_loop()
        plain = Task(task, loop)

        def work() -> object:
            with trace.within(task.traceparent):
                return cast("SyncHandler", self._handler)(plain)

        return await in_thread(loop, work)

    # --- beside the slots ---

    async def _listen(self) -> None:
        """Has a lease looked after at once when the hub says that its task was cancelled."""
        while True:
            try:
                async for event in self._client.events(self.alias, give_up_after=None):
                    if event.type in ("task_cancelled", "task_reassigned"):
                        keeper = self._running.get(str(event.data.get("task_id")))
                        if keeper:
                            keeper.look()
                    elif event.type in ("connected", "reset"):
                        for keeper in self._running.values():
                            keeper.look()
            except BatonError as error:
                # Without the stream a cancel is noticed when the lease is renewed.
                log.debug("the stream of %s: %s", self.alias, error)
            await asyncio.sleep(self._client.retry_policy.longest_seconds)

    async def _stay_listed(self) -> None:
        """Keeps the worker's row at the hub. Work goes on without."""
        worker_id = secrets.token_hex(8)
        report: m.WorkerReport = {
            "hostname": socket.gethostname()[:LABEL_MAX_CHARS],
            "project_dir": os.getcwd()[:LABEL_MAX_CHARS],
            "version": f"python {VERSION}",
            "concurrency": self._concurrency,
        }
        if self._description:
            report["description"] = self._description
        if self._skills:
            report["skills"] = self._skills
        try:
            while True:
                try:
                    await self._client.report_worker(worker_id, report)
                except BatonError as error:
                    log.debug("this worker is not listed: %s", error)
                await asyncio.sleep(REPORT_EVERY_SECONDS)
        finally:
            with contextlib.suppress(BatonError):
                await self._client.with_retry(ONCE).remove_worker(worker_id)


async def in_thread(loop: asyncio.AbstractEventLoop, work: Callable[[], object]) -> object:
    """Runs a blocking call in a thread that does not keep the program from ending. A cancelled wait goes on until the thread
    has ended: it cannot be interrupted, and its slot is not free before."""
    done = loop.create_future()

    def settle(returned: object, error: BaseException | None) -> None:
        if not done.done():
            done.set_exception(error) if error else done.set_result(returned)

    def run() -> None:
        returned, failed = None, None
        try:
            returned = work()
        except BaseException as error:
            # A future takes no StopIteration, and a handler that exits does not end the worker.
            is_plain = isinstance(error, Exception) and not isinstance(error, StopIteration)
            failed = error if is_plain else RuntimeError(f"the handler raised {error!r}")
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, returned, failed)

    threading.Thread(target=run, name="baton-handler", daemon=True).start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        if not done.done():
            await asyncio.wait({done})
        return await done
