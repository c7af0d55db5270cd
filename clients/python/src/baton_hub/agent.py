"""A function as an agent: `@agent("coder")` registers it, `run()` works for all that are registered until the program is asked
to stop. The first SIGINT or SIGTERM lets running handlers end; a second one does not."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from . import models as m
from ._async.client import AsyncClient
from .worker import AsyncHandler, SyncHandler, Worker

A = TypeVar("A", bound=AsyncHandler)
S = TypeVar("S", bound=SyncHandler)

log = logging.getLogger("baton_hub")
_registered: list[Worker] = []


class _Register:
    """What `@agent(…)` is: registers the function and leaves it as it was."""

    def __init__(self, alias: str, options: dict[str, Any]) -> None:
        self._alias, self._options = alias, options

    @overload
    def __call__(self, handler: A) -> A: ...
    @overload
    def __call__(self, handler: S) -> S: ...
    def __call__(self, handler: Any) -> Any:
        _registered.append(Worker(self._alias, handler, **self._options))
        return handler


def agent(
    alias: str,
    *,
    concurrency: int = 1,
    lease_seconds: int = 60,
    description: str | None = None,
    skills: Sequence[m.Skill] = (),
    client: AsyncClient | None = None,
) -> _Register:
    """Makes a function the agent `alias`. A plain function gets a `Task` and runs in a thread, a coroutine function an
    `AsyncTask`. What it returns is the reply: a text, or a `Reply` with files. An exception fails the task; `Reject` declines it."""
    options = {
        "concurrency": concurrency,
        "lease_seconds": lease_seconds,
        "description": description,
        "skills": skills,
        "client": client,
    }
    return _Register(alias, options)


def run(*workers: Worker) -> None:
    """Works until SIGINT or SIGTERM: for these workers, or for all that `@agent` registered."""
    chosen = workers or tuple(_registered)
    if not chosen:
        raise ValueError("no agent: put @agent(alias) on a function first")
    if not logging.getLogger().handlers:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s  %(message)s", datefmt="%H:%M:%S")
        logging.getLogger("httpx").setLevel(logging.WARNING)
    asyncio.run(_serve(chosen))


async def _serve(workers: Sequence[Worker]) -> None:
    serving = [asyncio.ensure_future(worker.serve()) for worker in workers]
    is_stopping = False

    def told(*_: object) -> None:
        nonlocal is_stopping
        for worker, one in zip(workers, serving, strict=True):
            one.cancel() if is_stopping else worker.stop()
        is_stopping = True

    with _Signals(told):
        try:
            await asyncio.gather(*serving)
        except asyncio.CancelledError:
            if not is_stopping:
                raise
            log.warning("ended without waiting for running handlers; their tasks are delivered again")
        finally:
            for one in serving:
                one.cancel()
            await asyncio.gather(*serving, return_exceptions=True)


class _Signals:
    """Calls a function on SIGINT and SIGTERM, on the loop; only the main thread can."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self, told: Callable[[], None]) -> None:
        self._told = told
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for number in self.SIGNALS:
            self._before[number] = signal.signal(number, lambda *_: loop.call_soon_threadsafe(self._told))

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
