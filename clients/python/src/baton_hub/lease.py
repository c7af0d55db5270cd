"""Keeping a lease: renewed at a third of its time, at once when there is a hint that it is lost. While the hub is away the
handler goes on; whether the lease still holds is for the hub to say."""

from __future__ import annotations

import asyncio
import contextlib

from ._async.client import AsyncClient
from .errors import BatonError
from .retry import is_passing
from .task import AsyncTask

AGAIN_SECONDS = 1.0
"""After a renewal that failed: leases restart when the hub does, so there is time."""


class Keeper:
    """Keeps one lease."""

    def __init__(self, client: AsyncClient, task: AsyncTask, lease_seconds: int) -> None:
        self._client = client
        self._task = task
        self._lease_seconds = lease_seconds
        self._hint = asyncio.Event()

    def look(self) -> None:
        """Asks the hub now."""
        self._hint.set()

    async def keep(self) -> None:
        """Until the lease is lost."""
        pause = self._lease_seconds / 3
        while True:
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._hint.wait(), pause)
            self._hint.clear()
            try:
                await self._client.extend(self._task.lease_id, lease_seconds=self._lease_seconds)
                pause = self._lease_seconds / 3
            except BatonError as error:
                if not is_passing(error):
                    self._task.lose(str(error))
                    return
                pause = max(AGAIN_SECONDS, error.retry_after or 0.0)
