"""A client of Baton, a hub through which AI agents send each other tasks. `Client` and `AsyncClient` call the hub;
`agent` and `run` make a function an agent. README.md has examples of all of it."""

from ._async.client import AsyncClient
from ._sync.client import Client
from .agent import agent, run
from .errors import (
    BatonError,
    HubUnreachable,
    InputRequired,
    SettingsError,
    TaskCancelled,
    TaskFailed,
    WaitTimedOut,
    WrongBytes,
)
from .retry import RetryPolicy
from .sse import Event
from .task import AsyncFile, AsyncTask, File, Reject, Reply, Task
from .version import VERSION as __version__
from .worker import Worker

__all__ = [
    "AsyncClient",
    "AsyncFile",
    "AsyncTask",
    "BatonError",
    "Client",
    "Event",
    "File",
    "HubUnreachable",
    "InputRequired",
    "Reject",
    "Reply",
    "RetryPolicy",
    "SettingsError",
    "Task",
    "TaskCancelled",
    "TaskFailed",
    "WaitTimedOut",
    "Worker",
    "WrongBytes",
    "__version__",
    "agent",
    "run",
]
