"""Sends messages with the official Python client (`a2a-sdk`), as stdin says, and prints the result of each.

A line in is a message: {"text", "task" (the id of the task it is about, or empty), "watch" (by a stream)}. A line out is
what the client saw: {"id", "states", "words", "options"}, or {"error", "message"}. The same in every language;
`crates/baton/tests/it/clients/conversation.rs` has the conversation. `client.py` says which variables it needs.
"""

import asyncio
import json
import sys

from a2a.types import TaskState
from a2a.utils.errors import A2AError

from client import Agent, read_card, request, said


def seen(task_id, states, message, artifacts):
    options = list(message.metadata["options"]) if "options" in message.metadata else []
    return {"id": task_id, "states": states, "words": said(message, artifacts), "options": options}


async def send(agent, text, task_id):
    task = await agent.send(text, task_id=task_id)
    return seen(task.id, [TaskState.Name(task.status.state)], task.status.message, task.artifacts)


async def watch(agent, text, task_id):
    states, status, artifacts = [], None, []
    async for event in agent.streaming.send_message(request(text, task_id=task_id)):
        kind = event.WhichOneof("payload")
        told = getattr(event, kind)
        if kind == "artifact_update":
            artifacts.append(told.artifact)
            continue
        if kind == "task":
            task_id = told.id
            artifacts.extend(told.artifacts)
        status = told.status
        states.append(TaskState.Name(status.state))
    return seen(task_id, states, status.message, artifacts)


async def main():
    agent = Agent(await read_card())
    for line in sys.stdin:
        order = json.loads(line)
        try:
            saw = await (watch if order["watch"] else send)(agent, order["text"], order["task"])
        except A2AError as error:
            saw = {"error": type(error).__name__, "message": str(error)}
        print(json.dumps(saw), flush=True)
    await agent.http.aclose()


asyncio.run(main())
