"""Agents of a hub in LangGraph: `tools` for a model that chooses, `node` for a graph that always asks the same agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from .._async.client import AsyncClient
from . import functions


def tools(client: AsyncClient, *, timeout: float = 600) -> list[BaseTool]:
    """`send_to_agent`, `answer_agent` and `wait_for_agent`, for `bind_tools` and `ToolNode`."""
    return [StructuredTool.from_function(coroutine=one, parse_docstring=True) for one in functions(client, timeout)]


def node(
    client: AsyncClient, alias: str, *, reads: str = "task", writes: str = "result", timeout: float = 600
) -> Callable[[dict[str, Any]], Awaitable[dict[str, str]]]:
    """A node that sends `state[reads]` to an agent and puts the result into `state[writes]`. It raises what `call` raises."""

    async def call(state: dict[str, Any]) -> dict[str, str]:
        return {writes: await client.call(alias, str(state[reads]), timeout=timeout)}

    return call
