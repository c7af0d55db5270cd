"""When a call is made again, and after how long. A call that may have been done is repeated only if it changes nothing,
or if the hub knows it again by its key; one that was certainly not done, always. Tries and time are bounded."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from .errors import BatonError, HubUnreachable

# Answers to a call of which nothing was done, and that may go well in a moment.
NOTHING_DONE = frozenset({"busy", "starting", "shutting_down", "storage_unavailable"})
# No later try ends otherwise.
STAYS_SO = frozenset({"database_damaged", "read_took_too_long"})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long a call is tried. `RetryPolicy(tries=1)` never repeats one."""

    tries: int = 12
    total_seconds: float = 60.0
    """No pause begins that would end later than this after the first failure."""
    first_seconds: float = 0.1
    longest_seconds: float = 5.0


class Backoff:
    """Pauses that double up to a bound, with jitter, so that many clients of one hub do not all come back at once."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._failures = 0

    def next_pause(self) -> float:
        due = min(self._policy.first_seconds * 2.0 ** min(self._failures, 16), self._policy.longest_seconds)
        self._failures += 1
        return due / 2 + random.uniform(0, due / 2)

    def reset(self) -> None:
        self._failures = 0


class Tries:
    """The tries of one call."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._backoff = Backoff(policy)
        self._made = 0
        # Counted from the first failure: a call that waits for a task may have taken a minute already.
        self._deadline: float | None = None

    def pause_after(self, error: BatonError, *, is_repeatable: bool) -> float | None:
        """How long to wait before the next try; None if there is none."""
        self._made += 1
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._policy.total_seconds
        if self._made >= self._policy.tries or not may_repeat(error, is_repeatable=is_repeatable):
            return None
        pause = max(self._backoff.next_pause(), error.retry_after or 0.0)
        return pause if now + pause <= self._deadline else None


def may_repeat(error: BatonError, *, is_repeatable: bool) -> bool:
    """Whether a call that ended so may be made again."""
    if isinstance(error, HubUnreachable):
        return error.is_unsent or is_repeatable
    if error.status == 429 or error.code in NOTHING_DONE:
        return True
    return is_repeatable and (error.status or 0) >= 500 and error.code not in STAYS_SO


def is_passing(error: BatonError) -> bool:
    """Whether the same call may go well later: the hub was away, busy or broken inside."""
    return may_repeat(error, is_repeatable=True)
