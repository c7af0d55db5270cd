"""What a handler came to, on its way to the hub: sent until the hub takes it or says that nobody waits for it. A text that is too
long for a reply becomes the artifact `result.txt`, as with `baton work`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import cast

from . import models as m
from ._async.client import AsyncClient
from ._async.sending import WHOLE_RESULT
from .error_codes import LeaseLost, ReplyTaskNotFound, ReplyTaskTerminal
from .errors import BatonError
from .retry import Backoff, is_passing
from .task import AsyncTask, Reply

log = logging.getLogger("baton_hub")

TEXT_MAX_BYTES = 1 << 20
NO_OUTPUT = "(no output)"


@dataclass(frozen=True)
class Outcome:
    """How a task ends."""

    reply: Reply
    is_failure: bool = False
    is_rejected: bool = False

    @classmethod
    def failed(cls, reason: str, *, is_rejected: bool = False) -> Outcome:
        return cls(Reply(reason), is_failure=True, is_rejected=is_rejected)


async def send_outcome(
    client: AsyncClient, task: AsyncTask, outcome: Outcome, claim_next: m.ClaimNext | None
) -> m.ClaimedTask | None:
    """Ends the task, and returns the next one if it came along."""
    backoff = Backoff(client.retry_policy)
    is_told = False
    while not task.cancelled:
        try:
            replied = await _send(client, task, outcome, claim_next)
        except (ReplyTaskTerminal, LeaseLost, ReplyTaskNotFound) as error:
            # It ended meanwhile, or this very reply was taken and its answer lost.
            log.info("ended  %s  %s", task.id, error.code)
            return None
        except (BatonError, OSError) as error:
            if isinstance(error, BatonError) and is_passing(error):
                if not is_told:
                    log.warning("waiting for the hub with the result of %s: %s", task.id, error)
                is_told = True
                await asyncio.sleep(max(backoff.next_pause(), error.retry_after or 0.0))
            elif outcome.is_failure:
                log.error("the end of %s could not be sent: %s", task.id, error)
                return None
            else:
                outcome = Outcome.failed(f"the handler ended, but its result could not be sent: {error}")
            continue
        log.info("%s  %s", "failed" if outcome.is_failure else "replied", task.id)
        following = replied.get("next")
        return cast("m.ClaimedTask", following) if following and following.get("task") else None
    return None


async def _send(client: AsyncClient, task: AsyncTask, outcome: Outcome, claim_next: m.ClaimNext | None) -> m.Replied:
    text, files = outcome.reply.text, [*outcome.reply.files]
    size = len(text.encode("utf-8", "replace"))
    if size > TEXT_MAX_BYTES:
        whole = await client.upload(
            text.encode("utf-8", "replace"), name="result.txt", media_type="text/plain; charset=utf-8"
        )
        files.append({**whole, "description": WHOLE_RESULT})
        text = _beginning(text, size, whole["sha256"])
    if not text.strip() and not files:
        text = NO_OUTPUT
    return await client.reply(
        task.id,
        text,
        files=files,
        lease_id=task.lease_id,
        claim_next=claim_next,
        status="failed" if outcome.is_failure else None,
        rejected=True if outcome.is_rejected else None,
    )


def _beginning(text: str, size: int, sha256: str) -> str:
    """As much as fits, and which artifact has all of it."""
    note = (
        f"\n[baton: this is the beginning. The whole result has {size} bytes and is the artifact result.txt of this "
        f"reply, sha256 {sha256}]"
    )
    kept = text.encode("utf-8", "replace")[: TEXT_MAX_BYTES - len(note)]
    return kept.decode("utf-8", "ignore") + note
