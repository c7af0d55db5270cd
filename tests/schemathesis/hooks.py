# Names that are there, in about half of what schemathesis makes up, so that calls get past "not found"; and waits of at
# most a second. The choice hangs on the case alone, so that every run of a seed is the same.
import json
import os
import zlib

import schemathesis

NETWORK = os.environ["BATON_NETWORK"]
TASKS = os.environ["BATON_TASKS"].split(",")


def number(case):
    return zlib.crc32(json.dumps(case, sort_keys=True, default=str).encode())


def wait_less(values):
    """Waits of at most a second, wherever a call may wait."""
    if isinstance(values.get("wait_seconds"), int):
        values["wait_seconds"] = min(values["wait_seconds"], 1)


@schemathesis.hook
def map_query(context, query):
    if isinstance(query, dict):
        query = dict(query)
        wait_less(query)
    return query


@schemathesis.hook
def map_body(context, body):
    if not isinstance(body, dict):
        return body
    chosen = number(body)
    body = dict(body)
    wait_less(body)
    if isinstance(body.get("claim_next"), dict):
        body["claim_next"] = dict(body["claim_next"])
        wait_less(body["claim_next"])
    if chosen % 2:
        for name in ("alias", "new_alias"):
            if name in body and context.operation.path != "/api/networks/{network}/remotes":
                body[name] = "helper"
        if context.operation.path in ("/api/task", "/api/broadcast", "/api/auth/node-token"):
            body["network_id"] = NETWORK
    return body


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and "/tasks/{id}" in context.operation.path:
        chosen = number([context.operation.label, path_parameters])
        if chosen % 2:
            return {**path_parameters, "id": TASKS[chosen // 2 % len(TASKS)]}
    return path_parameters
