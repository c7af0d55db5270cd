"""Working on tasks: numbers 12 to 21, 34 and 35 of clients/BEHAVIOUR.md."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import httpx
import pytest
from conftest import serving, until
from hub import Hub
from middle import forwarder

from baton_hub import (
    AsyncClient,
    AsyncTask,
    Reject,
    RetryPolicy,
    SettingsError,
    Task,
    TaskCancelled,
    TaskFailed,
    Worker,
)
from baton_hub import error_codes as codes


def test_b12_two_workers_run_no_task_twice(hub: Hub, alias: str) -> None:
    runs: list[str] = []

    async def handler(task: AsyncTask) -> str:
        runs.append(task.id)
        await asyncio.sleep(0.01)
        return f"done: {task.text}"

    workers = [Worker(alias, handler, concurrency=2, client=hub.async_node(alias)) for _ in range(2)]
    with hub.user() as client, serving(*workers):
        outcomes = client.send_many([{"alias": alias, "task": f"task {n}"} for n in range(40)])
        ids = [str(one.get("task_id")) for one in outcomes]
        assert [client.result(one, timeout=60) for one in ids] == [f"done: task {n}" for n in range(40)]
    assert sorted(runs) == sorted(ids)


def test_b13_a_lease_is_renewed_over_a_long_handler(long_task: Future[str]) -> None:
    assert long_task.result(60) == "attempt 1"


def test_b14_a_cancel_reaches_the_handler(hub: Hub, alias: str) -> None:
    started, ended, went_on = threading.Event(), threading.Event(), threading.Event()
    seen: list[object] = []

    async def asynchronous(task: AsyncTask) -> str:
        if task.text == "quick":
            return "next"
        started.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            seen.append(task.cancelled)
            ended.set()
            raise
        return "too late"

    def synchronous(task: Task) -> str:
        if task.text == "quick":
            return "next"
        started.set()
        until(lambda: task.cancelled)
        went_on.set()
        with pytest.raises(TaskCancelled):
            task.progress(50)
        ended.set()
        task.check()
        return "too late"

    for handler in (asynchronous, synchronous):
        started.clear()
        ended.clear()
        with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
            sent = client.send(alias, "slow")
            assert started.wait(20)
            client.cancel(sent["task_id"], "not needed")
            assert ended.wait(20)
            assert client.call(alias, "quick") == "next"
            row = client.get(sent["task_id"])["task"]
            assert (row["status"], row.get("result")) == ("cancelled", "not needed")
    assert seen == [True]
    assert went_on.is_set()


def test_b15_a_question_is_answered_under_the_same_lease(hub: Hub, alias: str) -> None:
    def handler(task: Task) -> str:
        colour = task.ask("Which colour?", choices=["red", "blue"])
        return f"{task.text} is {colour}, attempt {task.attempt}"

    async def asynchronous(task: AsyncTask) -> str:
        return await task.ask("Why?")

    with hub.user() as client:
        with serving(Worker(alias, handler, client=hub.async_node(alias))):
            sent = client.send(alias, "the door", wait_seconds=30)
            row = sent["task"]
            assert row is not None
            assert row["status"] == "waiting_input"
            assert (row["messages"][-1]["content"], row["messages"][-1].get("options")) == (
                "Which colour?",
                ["red", "blue"],
            )
            with pytest.raises(codes.NotAnOption):
                client.answer(sent["task_id"], "green")
            assert client.get(sent["task_id"])["task"]["status"] == "waiting_input"
            client.answer(sent["task_id"], "blue")
            assert client.result(sent["task_id"], timeout=30) == "the door is blue, attempt 1"
        with serving(Worker(alias, asynchronous, client=hub.async_node(alias))):
            sent = client.send(alias, "the door", wait_seconds=30)
            client.answer(sent["task_id"], "because")
            assert client.result(sent["task_id"], timeout=30) == "because"


def test_b16_progress_is_seen_in_order_before_the_end(hub: Hub, alias: str) -> None:
    followed = threading.Event()

    def handler(task: Task) -> str:
        assert followed.wait(20)
        for percent in (10, 50, 90):
            task.progress(percent, f"at {percent}")
        return "done"

    seen: list[object] = []
    with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
        sent = client.send(alias, "go")
        for event in client.task_events(sent["task_id"]):
            followed.set()
            seen.append(event.data["percent"] if event.type == "progress" else event.data.get("status"))
    assert seen[-4:] == [10, 50, 90, "replied"]


def test_b17_a_handler_that_raises_fails_its_task_and_the_worker_goes_on(hub: Hub, alias: str) -> None:
    def handler(task: Task) -> str:
        if task.text == "break":
            raise ValueError("x" * 5_000)
        if task.text == "exit":
            sys.exit(3)
        return "fine"

    with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
        with pytest.raises(TaskFailed) as raised:
            client.call(alias, "break")
        assert raised.value.message.startswith("ValueError: xxx")
        assert len(raised.value.message) == 2_000
        with pytest.raises(TaskFailed, match="SystemExit"):
            client.call(alias, "exit")
        assert client.call(alias, "do") == "fine"


def test_b18_a_handler_can_reject_its_task(hub: Hub, alias: str) -> None:
    async def handler(task: AsyncTask) -> str:
        raise Reject("not my job")

    with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
        with pytest.raises(TaskFailed) as raised:
            client.call(alias, "do")
        assert raised.value.message == "not my job"
        assert raised.value.task.get("rejected") is True


def test_b19_a_reply_takes_the_next_task_along(hub: Hub, alias: str) -> None:
    def handler(task: Task) -> str:
        return task.text

    with hub.user() as client, forwarder(hub.url) as middle:
        hub.node_token(alias)
        ids = [str(one.get("task_id")) for one in client.send_many([{"alias": alias, "task": "t"}] * 6)]
        with serving(Worker(alias, handler, client=hub.async_node(alias, middle.url))):
            for one in ids:
                assert client.result(one, timeout=30) == "t"
        paths = [asked.path for asked in middle.asked if asked.path == "/api/claim" or asked.path.endswith("/reply")]
        last_reply = max(n for n, path in enumerate(paths) if path.endswith("/reply"))
        assert paths[:last_reply].count("/api/claim") == 1


def test_b20_a_worker_survives_a_restart_of_the_hub(own_hub: Hub, caplog: pytest.LogCaptureFixture) -> None:
    started, go = threading.Event(), threading.Event()

    def handler(task: Task) -> str:
        started.set()
        assert go.wait(60)
        return f"{task.text}, attempt {task.attempt}"

    # Its calls are not repeated, so that what is seen is the worker's own patience.
    agent = AsyncClient(own_hub.url, own_hub.node_token("coder"), retry=RetryPolicy(tries=1))
    with own_hub.user() as client, serving(Worker("coder", handler, client=agent)):
        sent = client.send("coder", "first")
        assert started.wait(20)
        own_hub.kill()
        go.set()
        until(lambda: "waiting for the hub with the result" in caplog.text)
        own_hub.start()
        assert client.result(sent["task_id"], timeout=60) == "first, attempt 1"
        own_hub.restart()
        assert client.call("coder", "second", timeout=60) == "second, attempt 1"


def test_b21_a_stopped_worker_ends_what_it_runs_and_takes_nothing_new(hub: Hub, alias: str, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        textwrap.dedent(f"""
        import pathlib, time
        from baton_hub import agent, run

        @agent("{alias}")
        def work(task):
            pathlib.Path("started").touch()
            while not pathlib.Path("go").exists():
                time.sleep(0.02)
            return "done"

        run()
        """)
    )
    source = Path(__file__).resolve().parents[1] / "src"
    settings = {"BATON_HUB": hub.url, "BATON_TOKEN": hub.node_token(alias)}
    environment = {**os.environ, **settings, "PYTHONPATH": str(source), "HOME": str(tmp_path)}
    worker = subprocess.Popen(
        [sys.executable, str(program)], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        with hub.user() as client:
            until(lambda: [one for one in client.agents() if one["alias"] == alias and one["workers"]])
            first = client.send(alias, "one")
            until((tmp_path / "started").exists)
            second = client.send(alias, "two")
            worker.send_signal(signal.SIGTERM)
            (tmp_path / "go").touch()
            log = worker.communicate(timeout=30)[1]
            assert worker.returncode == 0, log
            assert client.result(first["task_id"], timeout=30) == "done"
            assert client.get(second["task_id"])["task"]["status"] == "delivered"
            assert not [one for one in client.agents() if one["alias"] == alias and one["workers"]]
            assert "replied" in log
            assert hub.node_token(alias) not in log
    finally:
        worker.kill()


def test_a_second_signal_ends_a_worker_without_waiting_for_its_handler(hub: Hub, alias: str, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        "import pathlib, time\nfrom baton_hub import agent, run\n"
        f"@agent('{alias}')\ndef work(task):\n    pathlib.Path('started').touch()\n    time.sleep(3600)\nrun()\n"
    )
    source = Path(__file__).resolve().parents[1] / "src"
    settings = {"BATON_HUB": hub.url, "BATON_TOKEN": hub.node_token(alias)}
    environment = {**os.environ, **settings, "PYTHONPATH": str(source), "HOME": str(tmp_path)}
    worker = subprocess.Popen(
        [sys.executable, str(program)], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        with hub.user() as client:
            client.send(alias, "long")
            until((tmp_path / "started").exists)
            # Two signals that come at once may count as one.
            while worker.poll() is None:
                worker.send_signal(signal.SIGINT)
                time.sleep(0.02)
    finally:
        worker.kill()
        worker.communicate()


def test_b35_a_handler_that_is_started_again_sends_nothing_twice(hub: Hub, alias: str) -> None:
    helper = f"{alias}-helper"
    hub.node_token(helper)
    with hub.user() as client, hub.node(alias) as agent:
        client.send(alias, "plan")
        claimed = agent.claim(wait_seconds=10)
        assert claimed is not None

        async def send_both() -> list[str]:
            async with hub.async_node(alias) as asynchronous:
                task = AsyncTask(asynchronous, claimed)
                return [(await task.send(helper, "write"))["task_id"] for _ in range(2)]

        first, second = asyncio.run(send_both()), asyncio.run(send_both())
        assert first == second
        assert first[0] != first[1]
        assert client.get(first[0])["task"].get("parent_task_id") == claimed["task"]["task_id"]


def test_b34_a_result_that_is_too_long_for_a_reply_comes_back_whole(hub: Hub, alias: str) -> None:
    text = "é" * 600_000

    def handler(task: Task) -> str:
        return text

    with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
        assert client.call(alias, "much") == text
        row = next(iter(client.tasks(to_name=alias)))
        shown = client.get(row["task_id"])["task"]
        assert "this is the beginning" in str(shown.get("result"))


def test_a_worker_with_a_users_token_mints_one_and_revokes_it(hub: Hub, alias: str) -> None:
    def tokens() -> set[str]:
        headers = {"authorization": f"Bearer {hub.user_token}"}
        return {one["name"] for one in httpx.get(f"{hub.url}/api/auth/tokens", headers=headers).json()["tokens"]}

    def handler(task: Task) -> str:
        return "done"

    user = AsyncClient(hub.url, hub.user_token, hub.network_id)
    with hub.user() as client, serving(Worker(alias, handler, client=user)):
        assert client.call(alias, "go", timeout=60) == "done"
        assert f"node:{alias}" in tokens()
    assert f"node:{alias}" not in tokens()


def test_a_worker_that_is_stopped_before_it_starts_takes_nothing(hub: Hub, alias: str) -> None:
    worker = Worker(alias, lambda task: "x", client=hub.async_node(alias))
    with hub.user() as client:
        sent = client.send(alias, "one")
        worker.stop()
        asyncio.run(worker.serve())
        assert client.get(sent["task_id"])["task"]["status"] == "delivered"


def test_a_worker_with_the_token_of_another_agent_says_so(hub: Hub, alias: str) -> None:
    worker = Worker(alias, lambda task: "x", client=hub.async_node(f"{alias}-other"))
    with pytest.raises(SettingsError, match=f"speaks as {alias}-other"):
        asyncio.run(worker.serve())
