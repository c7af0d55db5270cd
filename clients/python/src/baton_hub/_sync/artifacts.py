"""Uploads and downloads. Neither side holds more than a piece of a file, and both compare the SHA-256.

Made by generate.py from `_async/`; do not edit.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from ..errors import BatonError, WrongBytes
from ..files import PIECE_BYTES, Download, hash_of, media_type_of
from ..models import Artifact
from ..retry import Tries
from ..wire import Call
from .host import blocking, pause
from .transport import Transport

TURN_SECONDS = 30.0
"""An upload or a download may wait so long for its turn."""
SLOWEST_BYTES_PER_SECOND = 16 << 10


def upload(
    transport: Transport,
    source: str | os.PathLike[str] | bytes,
    name: str | None,
    media_type: str | None,
    network_id: str | None,
) -> Artifact:
    """Uploads a file or bytes. Twice is no harm, so it is repeated: the bytes are one artifact."""
    if isinstance(source, bytes):
        return _upload(transport, io.BytesIO(source), name or "artifact", media_type, network_id)
    path = Path(source)
    file = blocking(path.open, "rb")
    try:
        return _upload(transport, cast("IO[bytes]", file), name or path.name, media_type, network_id)
    finally:
        blocking(file.close)


def _upload(
    transport: Transport, file: IO[bytes], name: str, media_type: str | None, network_id: str | None
) -> Artifact:
    sha256, size = blocking(hash_of, file)
    call = Call(
        "PUT",
        ("api", "artifacts"),
        {
            "network_id": network_id,
            "name": name,
            "media_type": media_type or media_type_of(name),
            "sha256": sha256,
        },
        is_repeatable=True,
        wait_seconds=TURN_SECONDS + size / SLOWEST_BYTES_PER_SECOND,
        headers={"content-type": "application/octet-stream", "content-length": str(size)},
    )
    tries = Tries(transport.retry)
    while True:
        try:
            blocking(file.seek, 0)
            answer = transport.once(call, content=_pieces(file, size))
            artifact = cast("Artifact", answer["artifact"])
            if artifact["sha256"].lower() != sha256:
                raise WrongBytes(f"the hub has other bytes of {name} than were uploaded")
            return artifact
        except BatonError as error:
            wait = tries.pause_after(error, is_repeatable=True)
            if wait is None:
                raise
        pause(wait)


def _pieces(file: IO[bytes], size: int) -> Iterator[bytes]:
    left = size
    while left > 0:
        piece = blocking(file.read, min(left, PIECE_BYTES))
        if not piece:
            raise WrongBytes("the file became shorter while it was uploaded")
        left -= len(piece)
        yield piece


def download(transport: Transport, sha256: str, path: Path, network_id: str | None) -> Path:
    """Downloads an artifact into a file, going on where a connection broke."""
    target = blocking(Download, sha256, path)
    try:
        for piece in pieces_of(transport, sha256, network_id):
            blocking(target.write, piece)
        return blocking(target.finish)
    finally:
        blocking(target.discard)


def read(transport: Transport, sha256: str, network_id: str | None, most: int) -> bytes:
    """An artifact's bytes in memory."""
    body = bytearray()
    for piece in pieces_of(transport, sha256, network_id):
        body += piece
        if len(body) > most:
            raise BatonError(
                f"the artifact has more than {most} bytes: download it to a file", code="artifact_too_large"
            )
    if hashlib.sha256(body).hexdigest() != sha256.lower():
        raise WrongBytes(f"the bytes of artifact {sha256} have another SHA-256")
    return bytes(body)


def pieces_of(transport: Transport, sha256: str, network_id: str | None) -> Iterator[bytes]:
    """The bytes in pieces; after a break the rest is asked for. The hash is the caller's to check."""
    done, tries = 0, Tries(transport.retry)
    while True:
        headers = {"range": f"bytes={done}-"} if done else {}
        call = Call("GET", ("api", "artifacts", sha256), {"network_id": network_id}, headers=headers)
        try:
            with transport.open(call, transport.timeout + TURN_SECONDS) as response:
                if (response.status_code == 206) != bool(done):
                    raise WrongBytes("the hub sends other bytes than were asked for")
                for piece in response.iter_bytes():
                    done += len(piece)
                    # Something came, so the next break is a new one.
                    tries = Tries(transport.retry)
                    yield piece
            return
        except BatonError as error:
            # The connection broke just behind the last byte.
            if error.status == 416 and done:
                return
            wait = tries.pause_after(error, is_repeatable=True)
            if wait is None:
                raise
        pause(wait)
