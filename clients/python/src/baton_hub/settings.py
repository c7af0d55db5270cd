"""Which hub is called, as whom, and in which network: arguments come before the environment, the environment before the
profile that `baton login` wrote. As with the command line, a profile's token is sent to that profile's hub only."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import SettingsError

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - one of the two
    import tomli as tomllib

LOCAL_HUB = "http://127.0.0.1:9200"
PROFILES_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Settings:
    """What a client needs to know."""

    hub: str
    token: str = field(repr=False)
    network: str | None = None
    """Id or name."""
    ca: str | None = None
    """A PEM file; with one, only its certificates are believed."""


def load(
    hub: str | None = None,
    token: str | None = None,
    network: str | None = None,
    *,
    profile: str | None = None,
    ca: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Fills up what is not given from the environment, then from the profile. An empty variable counts as none."""
    env = os.environ if environment is None else environment
    hub = hub or env.get("BATON_HUB") or None
    token = token or env.get("BATON_TOKEN") or None
    network = network or env.get("BATON_NETWORK") or None
    ca = ca or env.get("BATON_CA") or None
    name = profile or env.get("BATON_PROFILE") or "default"
    # Whoever names hub and token needs no profile: a worker in a container has none.
    kept = {} if hub and token and ca else _profile(name, env)
    address = _address(hub or kept.get("hub") or LOCAL_HUB)
    if kept and _address(kept.get("hub", "")) != address:
        kept = {}
    if token is None:
        token, network = kept.get("token"), network or kept.get("network")
    if not token:
        raise SettingsError(
            f"no token for the hub at {address}: pass token=, set BATON_TOKEN, or run `baton login --hub {address}`"
        )
    if not re.fullmatch(r"[un]tok_[!-~]{1,200}", token):
        raise SettingsError("a token begins with utok_ or ntok_; see `baton login` or `baton node create`")
    return Settings(address, token, network, ca or kept.get("ca"))


def _address(text: str) -> str:
    """`http` or `https`, a host, maybe a port and a path in front; no user, no query, no fragment."""
    text = text.strip().rstrip("/")
    try:
        url = urlsplit(text)
        is_plain = not (url.username or url.password or url.query or url.fragment) and (url.port or 1) > 0
    except ValueError:
        url, is_plain = urlsplit(""), False
    if url.scheme not in ("http", "https") or not url.hostname or not is_plain:
        raise SettingsError("give the hub's address, such as http://127.0.0.1:9200 or https://hub.example.org")
    return text


def _profile(name: str, env: Mapping[str, str]) -> dict[str, str]:
    home = env.get("HOME")
    if not home:
        return {}
    path = Path(home) / ".baton" / "config.toml"
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if os.name == "posix" and stat.S_IMODE(found.st_mode) & 0o077:
                raise SettingsError(f"others may read {path}: run `chmod 600 {path}`")
            text = file.read(PROFILES_MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from None
    if len(text) > PROFILES_MAX_BYTES:
        raise SettingsError(f"{path} is larger than {PROFILES_MAX_BYTES} bytes")
    try:
        # The text holds tokens: what it says stays out of the message.
        profiles: Any = tomllib.loads(text.decode()).get("profile", {})
    except ValueError:
        raise SettingsError(f"{path} is not TOML") from None
    kept = profiles.get(name, {}) if isinstance(profiles, dict) else {}
    return {key: value for key, value in kept.items() if isinstance(value, str)}
