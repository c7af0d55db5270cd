"""What stands between a client and a hub in the tests: a server with scripted answers (`Stub`), one that passes calls on and
may drop or cut their answers (`Forwarder`), and a gate for bytes (`Gate`)."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass
class Asked:
    """A call as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)

    @property
    def json(self) -> Any:
        return json.loads(self.body or b"{}")


@dataclass
class Told:
    """An answer: `cut` sends so many bytes of the body and breaks the connection; 0 breaks it before the head."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None

    @staticmethod
    def of(value: Any, status: int = 200, **headers: str) -> Told:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return Told(status, json.dumps(value).encode(), {"content-type": "application/json", **named})


BREAK = Told(cut=0)


class Server:
    """An HTTP server on loopback whose answers a function gives."""

    def __init__(self, answer: Callable[[Asked], Told]) -> None:
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                outer.asked.append(asked)
                told = answer(asked)
                if told.cut == 0:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(told.status)
                for name, value in told.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(told.body)))
                self.end_headers()
                self.wfile.write(told.body if told.cut is None else told.body[: told.cut])
                if told.cut is not None:
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)

            do_GET = do_POST = do_PUT = do_DELETE = do

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def count(self, method: str, path: str) -> int:
        return sum(1 for one in self.asked if one.method == method and one.path.split("?")[0] == path)


@contextlib.contextmanager
def stub(*answers: Told) -> Iterator[Server]:
    """Gives these answers in order, and the last one from then on."""
    left = list(answers)
    server = Server(lambda _: left.pop(0) if len(left) > 1 else left[0])
    try:
        yield server
    finally:
        server.close()


@contextlib.contextmanager
def forwarder(hub_url: str, change: Callable[[Asked, Told], Told] = lambda _, told: told) -> Iterator[Server]:
    """Passes calls on to a hub; `change` decides what becomes of each answer."""
    where = urlsplit(hub_url)
    left_out = {"content-length", "transfer-encoding", "connection", "date"}

    def answer(asked: Asked) -> Told:
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=90)
        try:
            headers = {name: value for name, value in asked.headers.items() if name not in ("host", "connection")}
            connection.request(asked.method, asked.path, asked.body, headers)
            response = connection.getresponse()
            kept = {name.lower(): value for name, value in response.getheaders() if name.lower() not in left_out}
            told = Told(response.status, response.read(), kept)
        except (OSError, http.client.HTTPException):
            return BREAK
        finally:
            connection.close()
        return change(asked, told)

    server = Server(answer)
    try:
        yield server
    finally:
        server.close()


class Gate:
    """Passes bytes on to a port; while it is shut, connections break and new ones are closed at once."""

    def __init__(self, url: str) -> None:
        self._target = ("127.0.0.1", urlsplit(url).port or 0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._is_open = True
        self._open_sockets: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def shut(self) -> None:
        self._is_open = False
        for one in list(self._open_sockets):
            _close(one)

    def open(self) -> None:
        self._is_open = True

    def close(self) -> None:
        self.shut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                inner, _ = self._listener.accept()
                outer = socket.create_connection(self._target) if self._is_open else None
            except ConnectionError:
                _close(inner)
                continue
            except OSError:
                return
            if outer is None:
                _close(inner)
                continue
            self._open_sockets |= {inner, outer}
            for one, other in ((inner, outer), (outer, inner)):
                threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    def _copy(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while chunk := one.recv(65536):
                other.sendall(chunk)
        except OSError:
            pass
        for ended in (one, other):
            self._open_sockets.discard(ended)
            _close(ended)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
