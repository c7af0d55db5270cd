"""Sending and waiting: numbers 1 to 11 of clients/BEHAVIOUR.md."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import pytest
from conftest import serving
from hub import Hub
from middle import BREAK, Asked, Told, forwarder, stub

from baton_hub import (
    AsyncClient,
    BatonError,
    Client,
    HubUnreachable,
    InputRequired,
    RetryPolicy,
    Task,
    TaskFailed,
    WaitTimedOut,
    Worker,
    errors,
)
from baton_hub import error_codes as codes
from baton_hub.retry import Tries

TOKEN = "ntok_0123456789abcdef"


def test_b01_send_and_wait_is_one_request_and_a_longer_wait_goes_on(hub: Hub, alias: str) -> None:
    def handler(task: Task) -> str:
        return task.text.upper()

    with serving(Worker(alias, handler, client=hub.async_node(alias))), forwarder(hub.url) as middle:
        with hub.user(middle.url) as client:
            sent = client.send(alias, "hello", wait_seconds=30)
            row = sent["task"]
            assert row is not None
            assert row["result"] == "HELLO"
            assert sent["ended"] is True
            assert len(middle.asked) == 1
            assert client.call(alias, "again") == "AGAIN"
        asynchronous = AsyncClient(hub.url, hub.user_token, hub.network_id)
        assert asyncio.run(asynchronous.call(alias, "and again")) == "AND AGAIN"

    with hub.user() as client:
        sent = client.send(alias, "nobody works now", wait_seconds=1)
        assert sent["ended"] is False
        with pytest.raises(WaitTimedOut) as raised:
            client.result(sent["task_id"], timeout=0)
        assert raised.value.task["status"] == "delivered"


def test_b02_a_hub_killed_before_its_answer_arrived_has_one_task(own_hub: Hub) -> None:
    own_hub.node_token("coder")
    killed: list[Asked] = []

    def kill_once(asked: Asked, told: Told) -> Told:
        if asked.path == "/api/task" and not killed:
            assert told.status in (200, 202)
            killed.append(asked)
            own_hub.restart()
            return BREAK
        return told

    with forwarder(own_hub.url, kill_once) as middle, own_hub.user(middle.url) as client:
        sent = client.send("coder", "once")
        assert killed
        rows = list(client.tasks())
        assert [row["task_id"] for row in rows] == [sent["task_id"]]
        keys = [asked.json["idempotency_key"] for asked in middle.asked if asked.path == "/api/task"]
        assert len(keys) == 2
        assert keys[0] == keys[1]


def test_b03_a_key_of_the_caller_is_used_as_it_is(hub: Hub, alias: str) -> None:
    hub.node_token(alias)
    with hub.user() as client:
        first = client.send(alias, "one", idempotency_key=f"key of {alias}")
        assert client.send(alias, "one", idempotency_key=f"key of {alias}")["task_id"] == first["task_id"]
        with pytest.raises(codes.IdempotencyKeyReused):
            client.send(alias, "two", idempotency_key=f"key of {alias}")


def test_b04_errors_are_typed_by_their_code(hub: Hub, alias: str) -> None:
    hub.node_token(alias)
    with hub.user() as client:
        with pytest.raises(codes.AliasNotFound) as raised:
            client.send("nobody-here", "hello")
        error = raised.value
        assert (error.code, error.status) == ("alias_not_found", 404)
        assert "GET /api/status" in error.remedy
        with pytest.raises(codes.InvalidInput) as invalid:
            client.send(alias, "hello", ttl_seconds=0)
        assert invalid.value.details[0]["field"] == "ttl_seconds"
        with pytest.raises(codes.TaskNotFound):
            client.get("01a1e679-1e65-7f88-a100-9409e2e31965")
        sent = client.send(alias, "hello")
        client.cancel(sent["task_id"])
        with pytest.raises(codes.TaskIsTerminal) as terminal:
            client.reassign(sent["task_id"], alias)
        assert terminal.value.code == "task is terminal (cancelled)"
    with Client(hub.url, TOKEN) as stranger, pytest.raises(codes.Unauthorized) as refused:
        stranger.me()
    assert TOKEN not in f"{refused.value!r} {refused.value} {stranger!r}"
    assert len(codes.BY_CODE) + len(codes.BY_PATTERN) == len(codes.__all__) > 70


def test_b05_unknown_codes_and_bodies_give_the_base_error() -> None:
    answers = [
        (Told.of({"ok": False, "error": "from_the_future", "message": "see the docs"}, 409), "from_the_future"),
        (Told(418, b"<html>"), "http_418"),
        (Told(404, b"[1]"), "http_404"),
        (Told(200, b"hello"), "http_200"),
    ]
    for told, code in answers:
        with stub(told) as server, Client(server.url, TOKEN) as client, pytest.raises(BatonError) as raised:
            client.me()
        assert type(raised.value) is BatonError
        assert (raised.value.code, raised.value.status) == (code, told.status)


def test_b06_retry_after_is_honoured_and_bounded() -> None:
    me = Told.of({"ok": True, "networks": [], "user": {}})
    exact = Told.of({"ok": False, "error": "rate_limited", "retry_after_ms": 300}, 429, retry_after="50")
    header = Told.of({"ok": False, "error": "busy"}, 503, retry_after="1")
    for refusal, least, most in [(exact, 0.3, 45.0), (header, 1.0, 60.0)]:
        with stub(refusal, me) as server, Client(server.url, TOKEN) as client:
            client.me()
            assert len(server.asked) == 2
            # The least is what the hub asked for; the most tells the two forms apart.
            assert least <= server.asked[1].at - server.asked[0].at < most
    long = Told.of({"ok": False, "error": "rate_limited", "retry_after_ms": 3_600_000}, 429)
    with stub(long) as server, Client(server.url, TOKEN) as client:
        with pytest.raises(codes.RateLimited) as raised:
            client.me()
        assert raised.value.retry_after == 3600
        assert len(server.asked) == 1


def test_b07_only_calls_that_can_be_repeated_are() -> None:
    quick = RetryPolicy(tries=3, first_seconds=0.01)
    sent = Told.of({"ok": True, "task_id": "t", "message_id": "t", "session_status": "idle"})
    internal = Told.of({"ok": False, "error": "internal_error"}, 500)
    unknown = Told.of({"ok": False, "error": "outcome_unknown"}, 503)
    busy = Told.of({"ok": False, "error": "busy"}, 503)

    def tried(first: Told, then: Told, *, claims: bool) -> int:
        with stub(first, then) as server, Client(server.url, TOKEN, retry=quick) as client:
            with contextlib.suppress(BatonError):
                client.claim() if claims else client.send("coder", "hello")
            return len(server.asked)

    nothing = Told.of({"ok": True, "task": None})
    for broken in (BREAK, internal, unknown):
        assert tried(broken, sent, claims=False) == 2
        assert tried(broken, nothing, claims=True) == 1
    assert tried(busy, nothing, claims=True) == 2
    assert tried(busy, busy, claims=True) == 3
    assert tried(BREAK, BREAK, claims=False) == 3
    with Client("http://127.0.0.1:1", TOKEN, retry=quick) as client, pytest.raises(HubUnreachable) as raised:
        client.claim()
    assert raised.value.is_unsent


def test_b08_what_a_newer_hub_adds_does_no_harm() -> None:
    row = {"task_id": "t", "status": "paused", "mood": "good"}
    told = Told.of({"ok": True, "task": row, "event_count": 3, "weather": {"is": "fine"}})
    with stub(told) as server, Client(server.url, TOKEN) as client:
        shown: Any = client.get("t")
    assert shown["task"]["status"] == "paused"
    assert shown["task"]["mood"] == "good"
    assert shown["weather"] == {"is": "fine"}


def test_b09_a_large_result_comes_back_unchanged(hub: Hub, alias: str) -> None:
    text = "é€😀!" * 104_857 + "é€€€"
    assert len(text.encode()) == 1_048_576 + 5
    text = text[:-2] + "!"
    assert len(text.encode()) == 1_048_576
    with hub.node(alias) as agent, hub.user() as client:
        sent = client.send(alias, "much")
        claimed = agent.claim(wait_seconds=10)
        assert claimed is not None
        with pytest.raises(codes.InvalidInput):
            agent.reply(sent["task_id"], text + "x", lease_id=claimed["lease_id"])
        agent.reply(sent["task_id"], text, lease_id=claimed["lease_id"])
        assert client.result(sent["task_id"]) == text


def test_b10_a_task_is_cancelled_once(hub: Hub, alias: str) -> None:
    hub.node_token(alias)
    with hub.user() as client:
        sent = client.send(alias, "never mind")
        assert client.cancel(sent["task_id"], "changed my mind")["cancelled"] is True
        assert client.cancel(sent["task_id"])["cancelled"] is False
        with pytest.raises(TaskFailed) as raised:
            client.result(sent["task_id"])
        assert (raised.value.task_status, raised.value.message) == ("cancelled", "changed my mind")
        with pytest.raises(codes.TaskNotFound):
            client.cancel("01a1e679-1e65-7f88-a100-9409e2e31965")


def test_b11_lists_have_pages_and_an_acknowledged_delivery_leaves_the_inbox(hub: Hub, alias: str) -> None:
    with hub.user() as client, hub.node(alias) as agent:
        outcomes = client.send_many([{"alias": alias, "task": f"task {n}"} for n in range(7)])
        ids = [str(one.get("task_id")) for one in outcomes]
        assert [row["task_id"] for row in client.tasks(to_name=alias, limit=2)] == list(reversed(ids))
        waiting = list(agent.inbox(limit=2))
        assert [delivery.get("task_id") for delivery in waiting] == ids
        agent.ack(waiting[0]["id"])
        assert [delivery.get("task_id") for delivery in agent.inbox()] == ids[1:]
        with pytest.raises(codes.MessageNotFoundOrAlreadyAcknowledged):
            agent.ack(waiting[0]["id"])


def test_the_time_a_call_has_waited_is_not_taken_from_its_tries() -> None:
    tries = Tries(RetryPolicy(total_seconds=0.2, first_seconds=0.01))
    time.sleep(0.3)
    assert tries.pause_after(HubUnreachable("gone"), is_repeatable=True) is not None
    time.sleep(0.3)
    assert tries.pause_after(HubUnreachable("gone"), is_repeatable=True) is None


def test_a_wait_ends_at_a_question(hub: Hub, alias: str) -> None:
    with hub.user() as client, hub.node(alias) as agent:
        sent = client.send(alias, "paint")
        claimed = agent.claim(wait_seconds=10)
        assert claimed is not None
        agent.ask(sent["task_id"], "Which colour?", options=["red", "blue"], lease_id=claimed["lease_id"])
        with pytest.raises(InputRequired) as raised:
            client.result(sent["task_id"])
        assert (raised.value.question, raised.value.options) == ("Which colour?", ["red", "blue"])


def test_an_error_without_an_answer_names_the_hub_and_no_token() -> None:
    with Client("http://127.0.0.1:1", TOKEN, retry=RetryPolicy(tries=1)) as client:
        with pytest.raises(HubUnreachable, match=r"127\.0\.0\.1:1") as raised:
            client.me()
        assert TOKEN not in str(raised.value)
        assert isinstance(raised.value, errors.BatonError)
