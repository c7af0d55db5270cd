"""What the scripts share: the official Python client (`a2a-sdk`) of one agent, and what is printed of its answers.

A2A_BASE is the agent's base, A2A_TOKEN a token and A2A_BINDING a binding's name.
"""

import os
import uuid

import grpc
import httpx
from a2a.client import A2ACardResolver, ClientCallContext, ClientCallInterceptor, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageConfiguration, SendMessageRequest, TaskState

BASE, TOKEN, BINDING = (os.environ[name] for name in ("A2A_BASE", "A2A_TOKEN", "A2A_BINDING"))


def request(text, immediately=False, **fields):
    message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **fields)
    configuration = SendMessageConfiguration(return_immediately=immediately)
    return SendMessageRequest(message=message, configuration=configuration)


def words(message):
    return "".join(part.text for part in message.parts)


def said(message, artifacts):
    """What a status says; if it says nothing, what the task made."""
    return words(message) or "".join(words(artifact) for artifact in artifacts)


def shown(task):
    """What every step says of a task."""
    return {
        "id": task.id,
        "context": task.context_id,
        "state": TaskState.Name(task.status.state),
        "words": said(task.status.message, task.artifacts),
    }


def kind_and_state(event):
    kind = event.WhichOneof("payload")
    status = getattr(event, kind).status if kind in ("task", "status_update") else None
    return kind, TaskState.Name(status.state) if status else None


def channel(url):
    """A connection without TLS, and straight to the hub."""
    return grpc.aio.insecure_channel(url, options=[("grpc.enable_http_proxy", 0)])


class Bearer(ClientCallInterceptor):
    """Sends a token with every call over gRPC, which has no headers of the connection."""

    def __init__(self, token):
        self.token = token

    async def before(self, args):
        args.context = args.context or ClientCallContext()
        parameters = args.context.service_parameters or {}
        args.context.service_parameters = {**parameters, "Authorization": f"Bearer {self.token}"}

    async def after(self, args):
        pass


class Agent:
    """A client that blocks and one that streams, of the same card."""

    def __init__(self, card, token=TOKEN):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.AsyncClient(headers=headers, timeout=60, trust_env=False)
        interceptors = [Bearer(token)] if token and BINDING == "GRPC" else []
        blocking, streaming = (
            ClientFactory(
                ClientConfig(
                    streaming=streams,
                    httpx_client=self.http,
                    grpc_channel_factory=channel,
                    supported_protocol_bindings=[BINDING],
                )
            ).create(card, interceptors=interceptors)
            for streams in (False, True)
        )
        self.blocking, self.streaming = blocking, streaming

    async def send(self, text, **fields):
        context = fields.pop("call", None)
        async for answer in self.blocking.send_message(request(text, **fields), context=context):
            return answer.task


async def read_card():
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, trust_env=False) as http:
        return await A2ACardResolver(http, BASE).get_agent_card()
