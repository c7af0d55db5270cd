"""What asynchronous code takes from its host: a pause, and a place for calls that block."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def pause(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def blocking(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a call that reads or writes a file beside the loop."""
    return await asyncio.to_thread(call, *args, **kwargs)
