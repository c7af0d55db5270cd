"""Calls over HTTP: sent, answered, and made again where that is safe (`retry`)."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx

from ..errors import BatonError, HubUnreachable, SettingsError
from ..retry import RetryPolicy, Tries
from ..settings import Settings
from ..version import VERSION
from ..wire import ANSWER_MAX_BYTES, Call, answer_of
from .host import pause

CONNECT_SECONDS = 5.0
ERROR_MAX_BYTES = 1 << 20


class AsyncTransport:
    """One hub, one token."""

    def __init__(self, settings: Settings, retry: RetryPolicy, timeout: float) -> None:
        self.settings = settings
        self.retry = retry
        self.timeout = timeout
        is_https = settings.hub.startswith("https:")
        context = _certificates(settings.ca) if is_https else False
        self._http = httpx.AsyncClient(
            headers={"authorization": f"Bearer {settings.token}", "user-agent": f"baton-hub-client-python/{VERSION}"},
            verify=context,
            # A hub on this machine has no proxy before it, whatever the environment says.
            trust_env=not _is_loopback(settings.hub),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=100),
        )

    async def aclose(self) -> None:
        await self._http.aclose()

    async def run(self, call: Call, retry: RetryPolicy | None = None) -> dict[str, Any]:
        """Makes a call, and again where that is safe."""
        tries = Tries(retry or self.retry)
        while True:
            try:
                return await self.once(call)
            except BatonError as error:
                wait = tries.pause_after(error, is_repeatable=call.is_repeatable)
                if wait is None:
                    raise
            await pause(wait)

    async def once(self, call: Call, content: Any = None) -> dict[str, Any]:
        """Makes a call one time; `content` is a body that is sent as it is read."""
        async with self._open(call, self.timeout + call.wait_seconds, content) as response:
            body = await _bounded(response, ANSWER_MAX_BYTES)
            return answer_of(call, response.status_code, response.headers, body)

    @asynccontextmanager
    async def open(self, call: Call, read_seconds: float) -> AsyncGenerator[httpx.Response, None]:
        """An answer whose body is the caller's to read; raises what the hub refused."""
        async with self._open(call, read_seconds) as response:
            if not response.is_success:
                body = await _bounded(response, ERROR_MAX_BYTES)
                answer_of(call, response.status_code, response.headers, body)
            yield response

    @asynccontextmanager
    async def _open(self, call: Call, read_seconds: float, content: Any = None) -> AsyncGenerator[httpx.Response, None]:
        headers: Mapping[str, str] = call.headers
        has_json = content is None and call.method != "GET"
        timeout = httpx.Timeout(self.timeout, connect=CONNECT_SECONDS, read=read_seconds)
        try:
            async with self._http.stream(
                call.method,
                call.url(self.settings.hub),
                params=call.parameters(),
                json=call.sent_body() if has_json else None,
                content=content,
                headers=headers,
                timeout=timeout,
            ) as response:
                yield response
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                hint = "if the hub has a private CA, pass ca= or set BATON_CA"
                raise SettingsError(f"{_words(self.settings.hub, error)}; {hint}") from error
            raise HubUnreachable(_words(self.settings.hub, error), is_unsent=True) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise HubUnreachable(_words(self.settings.hub, error)) from error


async def _bounded(response: httpx.Response, most: int) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > most:
            raise BatonError(
                f"the answer has more than {most} bytes", code="answer_too_large", status=response.status_code
            )
    return bytes(body)


def _certificates(ca: str | None) -> ssl.SSLContext:
    """The system's certificates; with a private CA, only that one's."""
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"cannot use the certificates in {ca}: {error}; it must be a PEM file") from error


def _words(hub: str, error: Exception) -> str:
    cause = "no answer in time" if isinstance(error, httpx.TimeoutException) else str(error) or type(error).__name__
    return f"the hub at {hub} cannot be reached: {cause}"


def _is_loopback(hub: str) -> bool:
    host = urlsplit(hub).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
