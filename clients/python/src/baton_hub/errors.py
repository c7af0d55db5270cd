"""Why a call gave no answer. `BatonError` is the base of all; `error_codes` has a class for each code of docs/errors.md.
Here are the base, the errors that come from this side of the wire, and the reading of an error's body."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from .models import TaskWithArtifacts


class BatonError(Exception):
    """A call that was not done. A code that this version does not know is a plain `BatonError`."""

    default_code: ClassVar[str] = ""
    remedies: ClassVar[Sequence[str]] = ()

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        status: int | None = None,
        details: Sequence[Any] = (),
        task_status: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code if code is not None else self.default_code
        """The hub's code, such as `alias_not_found`."""
        self.message = message
        """What the hub said; may be empty."""
        self.status = status
        """The HTTP status; None if there was no answer."""
        self.details = list(details)
        """Fields that broke their rules, or the chain of parents that a send was refused for."""
        self.task_status = task_status
        self.retry_after = retry_after
        """Seconds after which the hub asks to be called again."""

    @property
    def remedy(self) -> str:
        """What to do about it, as docs/errors.md says; empty if that is not known."""
        if type(self) is BatonError:
            return ""
        is_message = self.message in self.remedies or len(self.remedies) != 1
        return self.message if is_message else self.remedies[0]

    def __str__(self) -> str:
        parts = [f"{self.message} [{self.code}]" if self.message else self.code]
        parts += [f"{one['field']}: {one['rule']}" for one in self.details if isinstance(one, dict) and "rule" in one]
        return "; ".join(parts)


class HubUnreachable(BatonError):
    """No connection, or no answer in time."""

    default_code = "unreachable"

    def __init__(self, message: str, *, is_unsent: bool = False) -> None:
        super().__init__(message)
        self.is_unsent = is_unsent
        """Whether the hub cannot have seen the call."""


class SettingsError(BatonError):
    """An argument, an environment variable or the profile file cannot be used."""

    default_code = "settings"


class WrongBytes(BatonError):
    """An artifact's bytes have another SHA-256 than was asked for. No file was written."""

    default_code = "wrong_bytes"


class TaskCancelled(BatonError):
    """The task a handler works on was cancelled, reassigned or has ended, or its lease is lost: stop working on it."""

    default_code = "task_cancelled"


class OpenTaskError(BatonError):
    """A wait ended with the task still open; the task goes on."""

    def __init__(self, message: str, task: TaskWithArtifacts) -> None:
        super().__init__(message, task_status=task["status"])
        self.task = task


class WaitTimedOut(OpenTaskError):
    """The task was still open when the time was over; it goes on."""

    default_code = "wait_timed_out"


class InputRequired(OpenTaskError):
    """The agent asks a question: `answer` it, then wait again."""

    default_code = "input_required"

    def __init__(self, question: str, options: Sequence[str], task: TaskWithArtifacts) -> None:
        super().__init__(question, task)
        self.question = question
        self.options = list(options)


class TaskFailed(BatonError):
    """The task ended without a reply: it failed, was cancelled or expired (`task_status`)."""

    default_code = "task_failed"

    def __init__(self, task: TaskWithArtifacts) -> None:
        super().__init__(task.get("result") or task["status"], task_status=task["status"])
        self.task = task


def error_of(status: int, headers: Mapping[str, str], body: object) -> BatonError:
    """The error of an answer; `body` is the JSON that was read, or None."""
    from . import error_codes

    said: Mapping[str, Any] = body if isinstance(body, dict) else {}
    code = said.get("error")
    if not isinstance(code, str) or not code:
        code = f"http_{status}"
    kind = error_codes.BY_CODE.get(code)
    if kind is None:
        matching = (known for pattern, known in error_codes.BY_PATTERN if pattern.fullmatch(code))
        kind = next(matching, BatonError)
    message, details, task_status = said.get("message"), said.get("details"), said.get("task_status")
    return kind(
        message if isinstance(message, str) else "",
        code=code,
        status=status,
        details=details if isinstance(details, list) else (),
        task_status=task_status if isinstance(task_status, str) else None,
        retry_after=_retry_after(headers, said),
    )


def _retry_after(headers: Mapping[str, str], said: Mapping[str, Any]) -> float | None:
    """Seconds; `retry_after_ms` is the more exact of the two."""
    exact = said.get("retry_after_ms")
    if isinstance(exact, int | float) and not isinstance(exact, bool) and exact >= 0:
        return exact / 1000
    header = headers.get("retry-after")
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
