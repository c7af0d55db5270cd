"""A model that follows a script, behind the Messages API: it calls one tool, and then says what the tool gave back. Claude Code
itself runs, as the Claude Agent SDK brings it along."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def events(block: dict[str, Any], stop_reason: str) -> bytes:
    """One content block as the API streams it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if block["type"] == "tool_use":
        start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    frames = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in frames)


def answer_to(request: dict[str, Any], name: str, arguments: dict[str, str]) -> tuple[dict[str, Any], str]:
    """A call of the tool if it is offered and was not called yet; else the text that the tool gave back."""
    for message in reversed(request["messages"]):
        parts = message["content"] if isinstance(message["content"], list) else []
        for part in parts:
            if part.get("type") == "tool_result":
                content = part["content"]
                text = content if isinstance(content, str) else "".join(one.get("text", "") for one in content)
                return {"type": "text", "text": f"The agent says: {text}"}, "end_turn"
    if any(one.get("name") == name for one in request.get("tools", [])):
        return {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}, "tool_use"
    return {"type": "text", "text": "ok"}, "end_turn"


@contextlib.contextmanager
def scripted_messages(name: str, arguments: dict[str, str]) -> Iterator[str]:
    """The address of such a model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                return self._say(b'{"input_tokens":1}', "application/json")
            block, reason = answer_to(request, name, arguments)
            if request.get("stream"):
                return self._say(events(block, reason), "text/event-stream")
            message = {
                "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [block],
                "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
            }  # fmt: skip
            return self._say(json.dumps(message).encode(), "application/json")

        def do_GET(self) -> None:
            self._say(b"{}", "application/json")

        do_HEAD = do_GET

        def _say(self, body: bytes, media_type: str) -> None:
            self.send_response(200)
            self.send_header("content-type", media_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
