"""Files on this side: what may be uploaded, how it is hashed and named, and how a download is put into its place."""

from __future__ import annotations

import hashlib
import mimetypes
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, TypeAlias

from .errors import WrongBytes

PIECE_BYTES = 256 << 10

FileLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A file to send along: a path, or an artifact that was uploaded before (at least its `sha256`)."""


def reference(artifact: Mapping[str, Any]) -> dict[str, Any]:
    """An artifact as a task, a question, an answer or a reply refers to it."""
    return {key: artifact[key] for key in ("sha256", "name", "media_type", "description") if artifact.get(key)}


def media_type_of(name: str) -> str:
    guessed, encoding = mimetypes.guess_type(name)
    return guessed if guessed and not encoding else "application/octet-stream"


def hash_of(file: IO[bytes]) -> tuple[str, int]:
    """SHA-256 and size of a file from its beginning, where it is left."""
    file.seek(0)
    digest, size = hashlib.sha256(), 0
    while piece := file.read(PIECE_BYTES):
        digest.update(piece)
        size += len(piece)
    file.seek(0)
    return digest.hexdigest(), size


class Download:
    """Bytes on their way into a file. It gets its name only when the hash is right; until then, and if it never is,
    nothing lies there."""

    def __init__(self, sha256: str, path: Path) -> None:
        self._sha256 = sha256
        self._path = path
        self._part = path.with_name(f".baton-{secrets.token_hex(8)}.part")
        self._file = self._part.open("xb")
        self._digest = hashlib.sha256()
        self.size = 0
        """How many bytes are there: a download goes on after them."""

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    def finish(self) -> Path:
        """Checks the hash and gives the file its name."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if self._digest.hexdigest() != self._sha256.lower():
            raise WrongBytes(f"the bytes of artifact {self._sha256} have another SHA-256")
        os.replace(self._part, self._path)
        return self._path

    def discard(self) -> None:
        """Removes what is not finished; harmless after `finish`."""
        self._file.close()
        self._part.unlink(missing_ok=True)
