"""Agents of a hub for the Claude Agent SDK: `ClaudeAgentOptions(mcp_servers={"baton": server(client)},
allowed_tools=ALLOWED)`. The tools run in this process."""

from __future__ import annotations

import inspect
from typing import Any

from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool, create_sdk_mcp_server, tool

from .._async.client import AsyncClient
from . import Tool, functions

ALLOWED = [f"mcp__baton__{name}" for name in ("send_to_agent", "answer_agent", "wait_for_agent")]
"""Their names, if the server is called `baton`."""


def server(client: AsyncClient, *, timeout: float = 600) -> McpSdkServerConfig:
    """An MCP server with `send_to_agent`, `answer_agent` and `wait_for_agent`."""
    return create_sdk_mcp_server("baton", tools=[_tool(one) for one in functions(client, timeout)])


def _tool(function: Tool) -> SdkMcpTool[Any]:
    schema = dict.fromkeys(inspect.signature(function).parameters, str)

    @tool(getattr(function, "__name__", "tool"), inspect.getdoc(function) or "", schema)
    async def call(args: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": await function(**args)}]}

    return call
