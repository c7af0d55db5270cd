"""Agents of a hub as function tools of the OpenAI Agents SDK: `Agent(tools=tools(client))`."""

from __future__ import annotations

from agents import Tool, function_tool

from .._async.client import AsyncClient
from . import functions


def tools(client: AsyncClient, *, timeout: float = 600) -> list[Tool]:
    """`send_to_agent`, `answer_agent` and `wait_for_agent`."""
    return [function_tool(one) for one in functions(client, timeout)]
