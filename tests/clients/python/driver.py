"""Drives an agent with the official Python client (`a2a-sdk`), one JSON line per step on stdout.

The steps and what they print are the same in every language; `crates/baton/tests/it/clients/` asserts on the lines.
`client.py` says which variables it needs; A2A_RELEASE is the folder in which a file ends the wait of the agent's `hold`
(see `agent.py`).
"""

import asyncio
import json
import os
import pathlib
import uuid

from a2a.client import ClientCallContext
from a2a.types import (
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import A2AError

from client import Agent, kind_and_state, read_card, request, shown

RELEASE = pathlib.Path(os.environ["A2A_RELEASE"])
# Names of holds are used once: both bindings' runs may share a folder.
RUN = uuid.uuid4().hex[:8]


def say(step, **fields):
    print(json.dumps({"step": step, **fields}), flush=True)


async def followed(stream, at_first=None):
    """Reads a stream to its end: the kind of its first event, and the states in their order without repetition."""
    first, states = None, []
    async for event in stream:
        kind, state = kind_and_state(event)
        if first is None:
            first = kind
            if at_first:
                at_first()
        if state and state not in states[-1:]:
            states.append(state)
    return {"first": first, "states": states}


def release(name):
    return lambda: (RELEASE / name).touch()


async def sends(agent):
    sent = await agent.send("say hello")
    say("send", **shown(sent))
    stream = agent.streaming.send_message(request(f"hold {RUN}-stream"))
    say("stream", **await followed(stream, at_first=release(f"{RUN}-stream")))
    refined = await agent.send("say again", context_id=sent.context_id)
    say("refine", new=refined.id != sent.id, **shown(refined))
    return sent


async def reads(agent, sent):
    got = await agent.blocking.get_task(GetTaskRequest(id=sent.id))
    bare = await agent.blocking.get_task(GetTaskRequest(id=sent.id, history_length=0))
    roles = [Role.Name(message.role) for message in got.history]
    say("get", roles=roles, without=len(bare.history), **shown(got))
    tasks, token, pages = [], "", 0
    while pages == 0 or token:
        page = await agent.blocking.list_tasks(
            ListTasksRequest(context_id=sent.context_id, page_size=1, page_token=token)
        )
        tasks, token, pages = [*tasks, *page.tasks], page.next_page_token, pages + 1
    states = [TaskState.Name(task.status.state) for task in tasks]
    say("list", pages=pages, total=page.total_size, states=states, oldest=tasks[-1].id == sent.id)


async def subscribes(agent):
    task = await agent.send(f"hold {RUN}-subscribe", immediately=True)
    left = agent.streaming.subscribe(SubscribeToTaskRequest(id=task.id))
    kind, state = kind_and_state(await anext(left))
    while state != "TASK_STATE_WORKING":
        _, state = kind_and_state(await anext(left))
    await left.aclose()
    say("subscribe", first=kind, left_at=state)
    # The client keeps no ids of frames; a task's events are numbered from 1.
    after_first = ClientCallContext(service_parameters={"Last-Event-ID": "1"})
    again = agent.streaming.subscribe(SubscribeToTaskRequest(id=task.id), context=after_first)
    say("resume", **await followed(again, at_first=release(f"{RUN}-subscribe")))


async def cancels(agent):
    task = await agent.send(f"hold {RUN}-cancel", immediately=True)
    cancelled = await agent.blocking.cancel_task(CancelTaskRequest(id=task.id))
    say("cancel", same=cancelled.id == task.id, **shown(cancelled))


async def follows_up(agent):
    parked = await agent.send("ask which colour?")
    say("parked", **shown(parked))
    stream = agent.streaming.subscribe(SubscribeToTaskRequest(id=parked.id))
    first = await anext(stream)
    await stream.aclose()
    await refused("mismatching context", agent.send("x", task_id=parked.id, context_id=str(uuid.uuid4())))
    # The task is named, its context is not: the server knows it.
    answered = await agent.send("blue", task_id=parked.id)
    same = (answered.id, answered.context_id) == (parked.id, parked.context_id)
    say("answered", same=same, parked_stream=kind_and_state(first)[1], **shown(answered))


async def refused(what, call):
    try:
        await call
    except A2AError as error:
        say("error", what=what, type=type(error).__name__, message=str(error))
    else:
        say("error", what=what, type=None, message="it was answered")


async def all_of(stream):
    return [event async for event in stream]


async def errors(agent, card, sent):
    client, unknown = agent.blocking, str(uuid.uuid4())
    await refused("get unknown", client.get_task(GetTaskRequest(id=unknown)))
    await refused("cancel unknown", client.cancel_task(CancelTaskRequest(id=unknown)))
    await refused("send to unknown", agent.send("x", task_id=unknown))
    await refused("send to ended", agent.send("x", task_id=sent.id))
    await refused("cancel ended", client.cancel_task(CancelTaskRequest(id=sent.id)))
    await refused("subscribe ended", all_of(agent.streaming.subscribe(SubscribeToTaskRequest(id=sent.id))))
    await refused("page too large", client.list_tasks(ListTasksRequest(page_size=1000)))
    other = ClientCallContext(service_parameters={"A2A-Version": "9.9"})
    await refused("version", client.get_task(GetTaskRequest(id=sent.id), context=other))
    await refused("version of a stream", all_of(agent.streaming.send_message(request("say x"), context=other)))
    stranger = Agent(card, token=None)
    await refused("no token", stranger.blocking.get_task(GetTaskRequest(id=sent.id)))
    await refused("no token for a stream", all_of(stranger.streaming.send_message(request("say x"))))
    await stranger.http.aclose()


async def main():
    card = await read_card()
    say(
        "card",
        name=card.name,
        bindings=sorted(interface.protocol_binding for interface in card.supported_interfaces),
        versions=sorted({interface.protocol_version for interface in card.supported_interfaces}),
        skills=[skill.id for skill in card.skills],
        streaming=card.capabilities.streaming,
    )
    agent = Agent(card)
    extended = await agent.blocking.get_extended_agent_card(GetExtendedAgentCardRequest())
    say("extended card", name=extended.name)
    sent = await sends(agent)
    await reads(agent, sent)
    await subscribes(agent)
    await cancels(agent)
    await follows_up(agent)
    await errors(agent, card, sent)
    await agent.http.aclose()
    say("done")


asyncio.run(main())
