"""What every part of the client stands on: the settings, the connection, and the network that is meant.

Made by generate.py from `_async/`; do not edit.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Iterable, Mapping
from typing import Any, TypeVar, cast

from .. import models as m
from ..errors import SettingsError
from ..files import FileLike, reference
from ..retry import RetryPolicy
from ..settings import Settings, load
from ..trace import current_traceparent
from ..wire import Call, get
from . import artifacts as transfers
from .transport import Transport

# `Self` came with Python 3.11.
C = TypeVar("C", bound="Base")


class Base:
    """One hub, one token."""

    def __init__(
        self,
        hub: str | None = None,
        token: str | None = None,
        network: str | None = None,
        *,
        profile: str | None = None,
        ca: str | None = None,
        retry: RetryPolicy | None = None,
        timeout: float = 30.0,
    ) -> None:
        self._settings = load(hub, token, network, profile=profile, ca=ca)
        self._transport = Transport(self._settings, retry or RetryPolicy(), timeout)
        self._network_id: str | None = None

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def retry_policy(self) -> RetryPolicy:
        return self._transport.retry

    def with_retry(self: C, retry: RetryPolicy) -> C:
        """This client with another policy, over the same connections."""
        other = copy.copy(self)
        other._transport = copy.copy(self._transport)
        other._transport.retry = retry
        return other

    def with_token(self: C, token: str) -> C:
        """A client of the same hub and network with another token."""
        return type(self)(
            self._settings.hub,
            token,
            self._network_id or self._settings.network,
            ca=self._settings.ca,
            retry=self._transport.retry,
            timeout=self._transport.timeout,
        )

    def __enter__(self: C) -> C:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings!r})"

    def me(self) -> m.Profile:
        """Who this token speaks for."""
        return cast("m.Profile", self._transport.run(get("api", "auth", "me")))

    def mint_node_token(self, node_name: str) -> m.NodeTokenMinted:
        """Makes an agent's token, shown this once. Takes a user token."""
        network_id = self.network_id() or self._only_network()
        body = {"network_id": network_id, "node_name": node_name}
        return cast(
            "m.NodeTokenMinted", self._transport.run(Call("POST", ("api", "auth", "node-token"), {}, body))
        )

    def revoke_token(self, token_id: str) -> None:
        """Ends one of the user's own tokens."""
        self._transport.run(Call("DELETE", ("api", "auth", "tokens", token_id)))

    def network_id(self) -> str | None:
        """The id of the network that was named, by its id or its name; None if none was."""
        named = self._settings.network
        if self._network_id is None and named:
            self._network_id = named if named.startswith("net_") else self._find_network(named)
        return self._network_id

    def _only_network(self) -> str:
        networks = (self.me())["networks"]
        if len(networks) != 1:
            raise SettingsError("you belong to several networks, or to none; pass network= or set BATON_NETWORK")
        return networks[0]["network_id"]

    def _find_network(self, name: str) -> str:
        cursor: str | None = None
        while True:
            page = cast("m.Networks", self._transport.run(get("api", "networks", query={"cursor": cursor})))
            for network in page["networks"]:
                if network["network_name"] == name:
                    return network["network_id"]
            cursor = page.get("next_cursor")
            if cursor is None:
                raise SettingsError(f"no network of yours is called {name}")

    def _trace(self) -> dict[str, str]:
        traceparent = current_traceparent()
        return {"traceparent": traceparent} if traceparent else {}

    def upload(
        self, source: str | os.PathLike[str] | bytes, *, name: str | None = None, media_type: str | None = None
    ) -> m.Artifact:
        """Uploads a file, read piece by piece, or bytes. The hub refuses other bytes than were hashed here."""
        return transfers.upload(self._transport, source, name, media_type, self.network_id())

    def _references(self, files: Iterable[FileLike]) -> list[dict[str, Any]] | None:
        """Uploads what is a path; an artifact that was uploaded is referred to as it is."""
        found = []
        for file in files:
            artifact = cast("Mapping[str, Any]", file if isinstance(file, Mapping) else self.upload(file))
            found.append(reference(artifact))
        return found or None

    def _pages(
        self, path: tuple[str, ...], query: Mapping[str, str | int | None], key: str
    ) -> Iterator[Any]:
        cursor: str | None = None
        network_id = self.network_id()
        while True:
            page = self._transport.run(get(*path, query={**query, "network_id": network_id, "cursor": cursor}))
            for row in page[key]:
                yield row
            cursor = page.get("next_cursor")
            if cursor is None:
                return
