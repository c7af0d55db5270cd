"""Streams of events: numbers 26 to 28 of clients/BEHAVIOUR.md."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Iterator

import pytest
from hub import Hub
from middle import Gate, Told, stub

from baton_hub import AsyncClient, BatonError, Client, Event
from baton_hub import error_codes as codes
from baton_hub.sse import FRAME_MAX_BYTES, Parser

TOKEN = "ntok_0123456789abcdef"


def until_task(events: Iterator[Event], task_id: str) -> list[str]:
    """The tasks of `new_task` events up to this one."""
    seen = []
    for event in events:
        if event.type == "new_task":
            seen.append(event.data["task_id"])
            if seen[-1] == task_id:
                return seen
    raise AssertionError("the stream ended")


def test_b26_the_inbox_stream_resumes_over_a_killed_hub(own_hub: Hub) -> None:
    own_hub.node_token("coder")
    gate = Gate(own_hub.url)

    def send(count: int) -> list[str]:
        with own_hub.user() as client:
            return [client.send("coder", "hello")["task_id"] for _ in range(count)]

    with own_hub.node("coder", gate.url) as client:
        events = client.events()
        assert next(events).type == "connected"
        before = send(3)
        seen = until_task(events, before[-1])
        gate.shut()
        while_away = send(3)
        own_hub.kill()
        own_hub.start()
        while_away += send(2)
        gate.open()
        seen += until_task(events, while_away[-1])
        after = send(2)
        seen += until_task(events, after[-1])
        assert seen == before + while_away + after
        events.close()
    gate.close()


def test_b27_the_task_stream_resumes_and_ends_with_the_task(own_hub: Hub) -> None:
    own_hub.node_token("coder")
    gate = Gate(own_hub.url)
    statuses: list[str] = []
    printed = ""
    delivered, running = threading.Event(), threading.Event()

    def follow() -> None:
        nonlocal printed
        with own_hub.user(gate.url) as client:
            for event in client.task_events(sent["task_id"]):
                if event.type == "status":
                    statuses.append(event.data["status"])
                    {"delivered": delivered, "running": running}.get(statuses[-1], running).set()
                elif event.type == "output":
                    assert event.data["offset"] == len(printed)
                    printed += event.data["text"]

    with own_hub.user() as client, own_hub.node("coder") as agent:
        sent = client.send("coder", "print")
        following = threading.Thread(target=follow, daemon=True)
        following.start()
        assert delivered.wait(20)
        claimed = agent.claim(wait_seconds=10)
        assert claimed is not None
        lease_id = claimed["lease_id"]
        agent.progress(sent["task_id"], lease_id, output="one ")
        assert running.wait(20)
        gate.shut()
        own_hub.restart()
        agent.progress(sent["task_id"], lease_id, output="two ")
        gate.open()
        agent.progress(sent["task_id"], lease_id, output="three")
        agent.reply(sent["task_id"], "done", lease_id=lease_id)
        following.join(30)
        assert not following.is_alive()
    assert statuses == ["delivered", "running", "replied"]
    assert printed == "one two three"
    gate.close()


def test_b28_a_reset_is_passed_on_and_what_is_unknown_does_no_harm() -> None:
    frames = (
        b': hello\n\ndata: {"type":"connected"}\n\nevent: odd\nretry: 5\n\n'
        b'id: 7\ndata: {"type":"from_the_future","x":1}\n\ndata: {"type":"reset"}\r\n\r\nid: 9\ndata: {"type":"new_task",\n'
        b'data: "task_id":"t"}\n\n'
    )
    stream = Told(200, frames, {"content-type": "text/event-stream"})
    with stub(stream) as server, Client(server.url, TOKEN) as client:
        seen = list(itertools.islice(client.events("coder"), 5))
        assert [(event.type, event.id) for event in seen] == [
            ("connected", None),
            ("from_the_future", "7"),
            ("reset", None),
            ("new_task", "9"),
            ("connected", None),
        ]
        assert seen[3].data["task_id"] == "t"
        assert [asked.headers.get("last-event-id") for asked in server.asked] == [None, "9"]

    # Without a number the gap is unknown, so the caller gets a reset.
    unnumbered = Told(200, b'data: {"type":"connected"}\n\n', {"content-type": "text/event-stream"})
    with stub(unnumbered) as server, Client(server.url, TOKEN) as client:
        seen = list(itertools.islice(client.events("coder"), 3))
        assert [event.type for event in seen] == ["connected", "reset", "connected"]


def test_frames_come_out_whole_however_the_bytes_are_cut_and_are_bounded() -> None:
    stream = ': c\n\nid: 1\ndata: {"type":"é€😀"}\n\ndata: {\r\ndata: "type":"b"}\r\n\r\nid: 2\n\n'.encode()
    for size in range(1, len(stream)):
        parser = Parser()
        chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
        seen = [(event.type, event.id) for chunk in chunks for event in parser.push(chunk)]
        assert seen == [("é€😀", "1"), ("b", None)]
    for endless in (b"x" * FRAME_MAX_BYTES, b"data: " + b"y" * (FRAME_MAX_BYTES // 2) + b"\n"):
        with pytest.raises(BatonError, match="does not end"):
            list(Parser().push(endless * 3))


def test_a_members_stream_has_what_happens_in_the_network(hub: Hub, alias: str) -> None:
    hub.node_token(alias)
    with hub.user() as client:
        events = client.network_events()
        assert next(events).type == "connected"
        sent = client.send(alias, "hello")
        until_task(events, sent["task_id"])
        events.close()


def test_an_asynchronous_stream_ends_with_what_the_hub_refuses(hub: Hub, alias: str) -> None:
    hub.node_token(alias)

    async def listen() -> None:
        async with AsyncClient(hub.url, hub.node_token(alias)) as client:
            async for _ in client.events("somebody-else"):
                pass

    with pytest.raises((codes.PermissionDenied, codes.NotFound, codes.AliasNotFound)):
        asyncio.run(listen())
