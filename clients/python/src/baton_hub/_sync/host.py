"""What synchronous code takes from its host: a pause, and a place for calls that block."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def pause(seconds: float) -> None:
    time.sleep(seconds)


def blocking(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a call that reads or writes a file, here and now."""
    return call(*args, **kwargs)
