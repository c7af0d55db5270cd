"""W3C trace context, if OpenTelemetry is installed: a send carries the current `traceparent`, and a handler runs inside
the context its task was sent in. Without OpenTelemetry nothing happens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def current_traceparent() -> str | None:
    """The `traceparent` of the current span, if there is one."""
    try:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    except ImportError:
        return None
    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


@contextmanager
def within(traceparent: str | None) -> Iterator[None]:
    """Runs a block inside the context that a task was sent in."""
    if not traceparent:
        yield
        return
    try:
        from opentelemetry import context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    except ImportError:
        yield
        return
    token = context.attach(TraceContextTextMapPropagator().extract({"traceparent": traceparent}))
    try:
        yield
    finally:
        context.detach(token)
