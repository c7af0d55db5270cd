"""What the tests are handed: a hub that all share, hubs of their own for tests that kill them, and workers beside them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from hub import Hub

from baton_hub import Task, Worker

# The hub of whoever runs the tests is none of theirs.
for _name in ("BATON_HUB", "BATON_TOKEN", "BATON_NETWORK", "BATON_PROFILE", "BATON_CA"):
    os.environ.pop(_name, None)
os.environ["HOME"] = tempfile.mkdtemp(prefix="baton-sdk-home-")

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub for all tests that do not harm it."""
    one = Hub(tmp_path_factory.mktemp("hub"))
    yield one
    one.kill()


LEASE_SECONDS = 5


@pytest.fixture(scope="session", autouse=True)
def long_task(request: pytest.FixtureRequest) -> Iterator[Future[str]]:
    """The result of a task that takes longer than two leases. It runs beside the other tests, from the first one on."""
    result: Future[str] = Future()
    if not any(item.name.startswith("test_b13_") for item in request.session.items):
        yield result
        return
    hub: Hub = request.getfixturevalue("hub")
    began = threading.Event()

    def handler(task: Task) -> str:
        began.set()
        time.sleep(2 * LEASE_SECONDS + 0.5)
        return f"attempt {task.attempt}"

    def call() -> None:
        with hub.user() as client:
            try:
                result.set_result(client.call("sleeper", "take your time", timeout=60))
            except BaseException as error:
                result.set_exception(error)

    with serving(Worker("sleeper", handler, lease_seconds=LEASE_SECONDS, client=hub.async_node("sleeper"))):
        calling = threading.Thread(target=call, daemon=True)
        calling.start()
        # What its threads import for their first calls is imported by then: pytest walks over all modules between tests.
        assert began.wait(60), "the long task does not begin"
        yield result
        calling.join(60)


@pytest.fixture
def own_hub(tmp_path: Path) -> Iterator[Hub]:
    """A hub that may be killed."""
    one = Hub(tmp_path)
    yield one
    one.kill()


@pytest.fixture
def alias() -> str:
    """An agent that no other test knows."""
    return f"agent-{next(_numbers)}"


@contextlib.contextmanager
def serving(*workers: Worker) -> Iterator[None]:
    """Runs workers in threads until the block ends; what one of them raises is raised here."""
    raised: list[BaseException] = []

    def serve(worker: Worker) -> None:
        try:
            asyncio.run(worker.serve())
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        for worker, thread in zip(workers, threads, strict=True):
            while not worker.ready.wait(0.02) and thread.is_alive():
                pass
        if not raised:
            yield
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive(), "a worker does not stop"
    if raised:
        raise raised[0]


def until(is_so: Callable[[], Any], seconds: float = 30) -> Any:
    """Waits until something is so."""
    deadline = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it never was so"
        time.sleep(0.02)
    return found
