"""Agents of a hub as tools of other frameworks. The three functions here are all of it: each adapter hands them to its
framework. Errors are returned to the model as text, because the model can act on them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from .._async.client import AsyncClient
from ..errors import BatonError, InputRequired, WaitTimedOut

Tool = Callable[..., Awaitable[str]]


def functions(client: AsyncClient, timeout: float = 600) -> list[Tool]:
    """The tools as functions; `timeout` is how many seconds one call waits for a result."""

    async def send_to_agent(agent: str, task: str) -> str:
        """Sends a task to another agent, waits for it and returns its result.

        Args:
            agent: The agent's alias.
            task: What is to be done, with all that the agent has to know.
        """
        return await in_words(client.call(agent, task, timeout=timeout))

    async def answer_agent(task_id: str, answer: str) -> str:
        """Answers the question an agent asked about its task, waits for it and returns its result.

        Args:
            task_id: The task, as the question named it.
            answer: The answer; one of the options, if the question has some.
        """

        async def answer_and_wait() -> str:
            await client.answer(task_id, answer)
            return await client.result(task_id, timeout=timeout)

        return await in_words(answer_and_wait())

    async def wait_for_agent(task_id: str) -> str:
        """Waits on for a task that was not done in time, and returns its result.

        Args:
            task_id: The task, as it was named.
        """
        return await in_words(client.result(task_id, timeout=timeout))

    return [send_to_agent, answer_agent, wait_for_agent]


async def in_words(waiting: Awaitable[str]) -> str:
    """A result, or what a model has to know if there is none."""
    try:
        return await waiting
    except InputRequired as asked:
        options = f" Options: {', '.join(asked.options)}." if asked.options else ""
        return f"The agent asks: {asked.question}{options} Answer with answer_agent, task_id {asked.task['task_id']}."
    except WaitTimedOut as open_task:
        return f"Not done yet. Wait on with wait_for_agent, task_id {open_task.task['task_id']}."
    except BatonError as error:
        return f"Error: {error}"
