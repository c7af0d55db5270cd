"""The adapters with the real packages and a scripted model each. In a group of their own: `make sdk-python-adapters`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import serving
from hub import Hub
from scripted_messages import scripted_messages

from baton_hub import AsyncClient, Task, Worker
from baton_hub.adapters import functions


@pytest.fixture
def painter(hub: Hub, alias: str) -> Iterator[str]:
    """An agent that asks which colour."""

    def handler(task: Task) -> str:
        if task.text == "ask":
            return task.ask("Which colour?", choices=["red", "blue"])
        return f"painted {task.text}"

    with serving(Worker(alias, handler, client=hub.async_node(alias))):
        yield alias


def client_of(hub: Hub) -> AsyncClient:
    return AsyncClient(hub.url, hub.user_token, hub.network_id)


def test_a_question_an_error_and_a_wait_are_told_in_words(hub: Hub, painter: str) -> None:
    async def talk() -> list[str]:
        async with client_of(hub) as client:
            send, answer, wait = functions(client, timeout=30)
            asked = await send(painter, "ask")
            task_id = asked.rsplit(" ", 1)[1].rstrip(".")
            wrong, right = await answer(task_id, "green"), await answer(task_id, "blue")
            return [asked.replace(task_id, "ID"), wrong, right, await wait(task_id), await send("nobody-at-all", "x")]

    asked, wrong, right, waited, unknown = asyncio.run(talk())
    assert asked == "The agent asks: Which colour? Options: red, blue. Answer with answer_agent, task_id ID."
    assert wrong.startswith("Error:")
    assert "[not_an_option]" in wrong
    assert (right, waited) == ("blue", "blue")
    assert "[alias_not_found]" in unknown


def test_a_langgraph_graph_calls_an_agent_as_a_tool_and_as_a_node(hub: Hub, painter: str) -> None:
    pytest.importorskip("langgraph")
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition
    from typing_extensions import TypedDict

    from baton_hub.adapters import langgraph

    call = {"name": "send_to_agent", "args": {"agent": painter, "task": "the door"}, "id": "1"}
    model = GenericFakeChatModel(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("finished")]))

    class State(TypedDict, total=False):
        task: str
        result: str

    async def run() -> tuple[Any, Any]:
        async with client_of(hub) as client:
            graph = StateGraph(MessagesState)
            graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
            graph.add_node("tools", ToolNode(langgraph.tools(client, timeout=30)))
            graph.add_edge(START, "model")
            graph.add_conditional_edges("model", tools_condition)
            graph.add_edge("tools", "model")
            talked = await graph.compile().ainvoke({"messages": [HumanMessage("paint the door")]})
            fixed = StateGraph(State)
            fixed.add_node("painter", langgraph.node(client, painter, timeout=30))
            fixed.add_edge(START, "painter")
            fixed.add_edge("painter", END)
            return talked, await fixed.compile().ainvoke({"task": "the wall"})

    talked, state = asyncio.run(run())
    assert [message.content for message in talked["messages"]] == ["paint the door", "", "painted the door", "finished"]
    assert state["result"] == "painted the wall"


def test_an_openai_agent_calls_an_agent_as_a_tool(hub: Hub, painter: str) -> None:
    pytest.importorskip("agents")
    from agents import Agent, Runner, set_tracing_disabled
    from agents.testing import ScriptedModel, assistant_message, function_call

    from baton_hub.adapters import openai_agents

    set_tracing_disabled(True)
    model = ScriptedModel(
        [
            [function_call("send_to_agent", {"agent": painter, "task": "the door"}, call_id="1")],
            [assistant_message("finished")],
        ]
    )

    async def run() -> Any:
        async with client_of(hub) as client:
            agent = Agent(name="planner", model=model, tools=openai_agents.tools(client, timeout=30))
            return await Runner.run(agent, "paint the door")

    result = asyncio.run(run())
    assert result.final_output == "finished"
    outputs = [item.output for item in result.new_items if item.type == "tool_call_output_item"]
    assert outputs == ["painted the door"]


def test_claude_code_calls_an_agent_as_a_tool(hub: Hub, painter: str, tmp_path: Path) -> None:
    pytest.importorskip("claude_agent_sdk")
    from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

    from baton_hub.adapters import claude_agent

    async def run(address: str) -> str:
        environment = {
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "no-key-is-needed",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # The model of this test calls its tool at once, without a search for it.
            "ENABLE_TOOL_SEARCH": "false",
            "HOME": str(tmp_path),
            "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        }
        async with client_of(hub) as client:
            options = ClaudeAgentOptions(
                mcp_servers={"baton": claude_agent.server(client, timeout=30)},
                allowed_tools=claude_agent.ALLOWED,
                setting_sources=[],
                max_turns=3,
                cwd=str(tmp_path),
                env=environment,
            )
            said = ""
            async for message in query(prompt="paint the door", options=options):
                if isinstance(message, ResultMessage):
                    said = message.result or ""
            return said

    with scripted_messages("mcp__baton__send_to_agent", {"agent": painter, "task": "the door"}) as address:
        assert asyncio.run(run(address)) == "The agent says: painted the door"
