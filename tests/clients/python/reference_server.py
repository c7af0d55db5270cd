"""The A2A server of the official Python SDK, with an agent that knows the words of `agent.py`.

`make bench-a2a` measures it beside the hub (`--database FILE`: the SDK's DatabaseTaskStore on SQLite), and a client
script can be tried against it: what passes here and not at the hub is the hub's fault.
Prints `listening on http://…/` when it is up.
"""

import argparse
import asyncio
import contextlib
import os
import socket

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


class Agent(AgentExecutor):
    async def execute(self, context, event_queue):
        is_new = context.current_task is None
        task = context.current_task or new_task_from_user_message(context.message)
        if is_new:
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        word, _, rest = context.get_user_input().strip().partition(" ")
        if not is_new:
            await self.finish(updater, f"you said {context.get_user_input()}")
        elif word == "ask":
            await updater.requires_input(updater.new_agent_message([new_text_part(rest)]))
        elif word == "hold":
            await updater.start_work()
            while not os.path.exists(os.path.join(os.environ["WHERE"], rest)):
                await asyncio.sleep(0.02)
            await self.finish(updater, f"released {rest}")
        else:
            await self.finish(updater, rest)

    async def finish(self, updater, text):
        await updater.complete(updater.new_agent_message([new_text_part(text)]))

    async def cancel(self, context, event_queue):
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.cancel()


def card(base):
    return AgentCard(
        name="reference",
        description="The reference server of the Python SDK",
        version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="task", name="task", description="does its tasks", tags=["task"])],
        supported_interfaces=[
            AgentInterface(url=base, protocol_binding=binding, protocol_version="1.0")
            for binding in ("JSONRPC", "HTTP+JSON")
        ],
    )


def task_store(database):
    if database is None:
        return InMemoryTaskStore()
    from a2a.server.tasks import DatabaseTaskStore
    from sqlalchemy.ext.asyncio import create_async_engine

    return DatabaseTaskStore(create_async_engine(f"sqlite+aiosqlite:///{database}"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--database", help="keep the tasks in this SQLite file instead of in memory")
    database = arguments.parse_args().database
    listener = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    store = task_store(database)
    agent_card = card(base)
    handler = DefaultRequestHandler(agent_executor=Agent(), task_store=store, agent_card=agent_card)

    @contextlib.asynccontextmanager
    async def lifespan(_app):
        if database is not None:
            await store.initialize()
        print("listening on", base, flush=True)
        yield

    routes = [*create_agent_card_routes(agent_card), *create_jsonrpc_routes(handler, "/"), *create_rest_routes(handler)]
    app = Starlette(routes=routes, lifespan=lifespan)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
