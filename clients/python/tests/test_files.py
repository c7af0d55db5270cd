"""Artifacts: numbers 22 to 25 of clients/BEHAVIOUR.md."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from pathlib import Path

import pytest
from conftest import serving
from hub import Hub
from middle import Asked, Told, forwarder, stub

from baton_hub import AsyncTask, Client, Reply, Task, Worker, WrongBytes
from baton_hub import error_codes as codes

TOKEN = "ntok_0123456789abcdef"


def test_b22_files_go_both_ways_and_are_checked(hub: Hub, alias: str, tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    source = tmp_path / "numbers.bin"
    source.write_bytes(content)
    work = tmp_path / "work"
    work.mkdir()

    def handler(task: Task) -> Reply:
        [file] = task.files
        saved = file.save(work)
        assert saved.read_bytes() == file.read()
        reversed_file = work / "reversed.bin"
        reversed_file.write_bytes(saved.read_bytes()[::-1])
        return Reply("reversed", files=[reversed_file])

    async def asynchronous(task: AsyncTask) -> Reply:
        [file] = task.files
        return Reply(files=[await task.client.upload((await file.read())[::-1], name="reversed.bin")])

    for one in (handler, asynchronous):
        with hub.user() as client, serving(Worker(alias, one, client=hub.async_node(alias))):
            sent = client.send(alias, "reverse", files=[source], wait_seconds=30)
            row = client.get(sent["task_id"])["task"]
            [back] = [artifact for artifact in row.get("artifacts", []) if artifact.get("source") == "reply"]
            assert back["name"] == "reversed.bin"
            target = client.download(back["sha256"], tmp_path / "back.bin")
            assert target.read_bytes() == content[::-1]
            assert back["sha256"] == hashlib.sha256(content[::-1]).hexdigest()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back.bin", "numbers.bin", "work"]


def test_b23_a_download_goes_on_where_it_broke(hub: Hub, tmp_path: Path) -> None:
    content = os.urandom(1_000_000)
    ranges: list[str | None] = []

    def cut_twice(asked: Asked, told: Told) -> Told:
        if asked.method == "GET" and "/api/artifacts/" in asked.path:
            ranges.append(asked.headers.get("range"))
            if len(ranges) < 3:
                told.cut = 300_000
        return told

    with forwarder(hub.url, cut_twice) as middle, hub.user(middle.url) as client:
        artifact = client.upload(content, name="random.bin")
        target = client.download(artifact["sha256"], tmp_path / "random.bin")
        assert target.read_bytes() == content
        assert ranges[0] is None
        assert len(ranges) == 3
        assert all(one and one.startswith("bytes=") and one != "bytes=0-" for one in ranges[1:])


def test_b24_wrong_bytes_leave_no_file(tmp_path: Path) -> None:
    wanted = hashlib.sha256(b"right").hexdigest()
    target = tmp_path / "file"
    target.write_bytes(b"from before")
    with stub(Told(200, b"wrong")) as server, Client(server.url, TOKEN) as client:
        with pytest.raises(WrongBytes):
            client.download(wanted, target)
        with pytest.raises(WrongBytes):
            client.read_artifact(wanted)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert target.read_bytes() == b"from before"


def test_b25_work_is_shown_before_the_end(hub: Hub, alias: str, tmp_path: Path) -> None:
    shown, looked = threading.Event(), threading.Event()
    (tmp_path / "draft.txt").write_text("a draft")

    def handler(task: Task) -> str:
        task.share(tmp_path / "draft.txt")
        task.share(text="one\n", name="log")
        task.share(text="two\n", name="log", append=True)
        shown.set()
        assert looked.wait(20)
        return "done"

    with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
        sent = client.send(alias, "write")
        assert shown.wait(20)
        row = client.get(sent["task_id"])["task"]
        assert row["status"] == "running"
        work = [artifact for artifact in row.get("artifacts", []) if artifact.get("source") == "work"]
        [draft] = [artifact for artifact in work if artifact.get("artifact_id") == "draft.txt"]
        assert client.read_artifact(draft["sha256"]) == b"a draft"
        parts = [artifact.get("part") or {} for artifact in work if artifact.get("artifact_id") == "log"]
        assert [part.get("text") for part in parts] == ["one\n", "two\n"]
        looked.set()
        client.wait(sent["task_id"], timeout=30)


def test_an_upload_is_repeated_after_a_break_and_refused_for_an_artifact_that_is_not_there(
    hub: Hub, alias: str
) -> None:
    broken: list[Asked] = []

    def break_once(asked: Asked, told: Told) -> Told:
        if asked.method == "PUT" and not broken:
            broken.append(asked)
            told.cut = 0
        return told

    hub.node_token(alias)
    with forwarder(hub.url, break_once) as middle, hub.user(middle.url) as client:
        assert client.upload(b"hello", name="a.txt")["media_type"] == "text/plain"
        assert broken
        with pytest.raises(codes.ArtifactNotFound):
            client.send(alias, "look", files=[{"sha256": "0" * 64}])


def test_evidence_is_exported_with_its_proofs_and_replaces_nothing(hub: Hub, alias: str, tmp_path: Path) -> None:
    hub.node_token(alias)
    with hub.user() as client:
        sent = client.send(alias, "leave a trace")
        page = client.evidence(task_id=sent["task_id"])
        assert len(page["events"]) == 1
        bundle, side_file = client.export_evidence(tmp_path / "evidence.tar.gz", task_id=sent["task_id"])
        assert bundle.read_bytes()[:2] == b"\x1f\x8b"
        assert side_file.read_bytes()[:1] == b"{"
        with pytest.raises(FileExistsError):
            client.export_evidence(tmp_path / "evidence.tar.gz", task_id=sent["task_id"])
        assert bundle.exists()

    async def page_of_another() -> int:
        async with hub.async_node(alias) as client:
            return len((await client.evidence(task_id=sent["task_id"]))["events"])

    assert asyncio.run(page_of_another()) == 1
