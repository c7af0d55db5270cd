"""A real hub for the tests: started on loopback in a folder of its own, killed, and started again where it was."""

from __future__ import annotations

import os
import re
import signal
import ssl
import subprocess
import threading
from pathlib import Path
from typing import IO

import httpx

from baton_hub import AsyncClient, Client

REPOSITORY = Path(__file__).resolve().parents[3]
PASSWORD = "a-password-for-tests-1"


def binary() -> str:
    path = Path(os.environ.get("BATON_TEST_BINARY", REPOSITORY / "target" / "debug" / "baton"))
    assert path.exists(), (
        f"{path} is not there: build it with `cargo build --package baton-hub`, or set BATON_TEST_BINARY"
    )
    return str(path)


class Hub:
    """One hub process."""

    def __init__(self, folder: Path, certificate: Path | None = None, key: Path | None = None) -> None:
        self._folder = folder
        self._port = 0
        self._scheme = "https" if certificate else "http"
        self._options = ["--tls-cert", str(certificate), "--tls-key", str(key)] if certificate else []
        self.start()
        verify = ssl.create_default_context(cafile=certificate) if certificate else False
        login = {"username": "admin", "password": PASSWORD}
        answer = httpx.post(f"{self.url}/api/auth/login", json=login, verify=verify, trust_env=False)
        self.user_token: str = answer.json()["token"]
        self.network_id: str = answer.json()["network_id"]
        self._tokens: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._port}"

    def start(self) -> None:
        command = [binary(), "hub", "start", "--port", str(self._port), "--data-dir", str(self._folder / "data")]
        command += self._options
        with (self._folder / "log").open("ab") as log:
            environment = {**os.environ, "BATON_ADMIN_PASSWORD": PASSWORD, "HOME": str(self._folder)}
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"listening on https?://127\.0\.0\.1:(\d+)", line):
                self._port = int(found.group(1))
                threading.Thread(target=_drain, args=(self._process.stdout,), daemon=True).start()
                return
        raise AssertionError(f"the hub does not start: {(self._folder / 'log').read_text()}")

    def kill(self) -> None:
        """SIGKILL: nothing is saved on exit."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(30)

    def restart(self) -> None:
        self.kill()
        self.start()

    def node_token(self, alias: str) -> str:
        if alias not in self._tokens:
            with self.user() as user:
                self._tokens[alias] = user.mint_node_token(alias)["token"]
        return self._tokens[alias]

    def user(self, url: str | None = None) -> Client:
        return Client(url or self.url, self.user_token, self.network_id)

    def node(self, alias: str, url: str | None = None) -> Client:
        return Client(url or self.url, self.node_token(alias))

    def async_node(self, alias: str, url: str | None = None) -> AsyncClient:
        return AsyncClient(url or self.url, self.node_token(alias))


def _drain(pipe: IO[str]) -> None:
    for _ in pipe:
        pass
