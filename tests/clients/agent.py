"""The agent behind the alias, run by `baton work` for each task: it does what the task's first word says.

  say WORDS      prints the words
  hold NAME      waits until the file NAME is in the folder $WHERE, then prints "released NAME"
  ask QUESTION   asks the sender, and when the task comes back prints what the sender said
"""

import json
import os
import sys
import time
import urllib.request

HOLD_MAX_SECONDS = 60


def call(method, path, body=None):
    """One REST call to the hub, as the agent this command works for."""
    request = urllib.request.Request(
        os.environ["BATON_HUB"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "authorization": "Bearer " + os.environ["BATON_TOKEN"],
            "content-type": "application/json",
        },
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10) as answer:
        return json.load(answer)


def hold(name):
    path = os.path.join(os.environ["WHERE"], name)
    until = time.monotonic() + HOLD_MAX_SECONDS
    while not os.path.exists(path):
        if time.monotonic() > until:
            sys.exit(f"nobody released {name}")
        time.sleep(0.02)
    print("released", name)


def ask(question):
    task = os.environ["BATON_TASK_ID"]
    said = [
        message["content"]
        for message in call("GET", "/api/inbox?limit=100")["messages"]
        if message["task_id"] == task and message["type"] != "task"
    ]
    if said:
        print("you said", said[-1])
    else:
        # The lease ends with the question; the task comes back when the sender has answered.
        call("POST", f"/api/tasks/{task}/ask", {"question": question})


word, _, rest = sys.stdin.read().strip().partition(" ")
{"say": print, "hold": hold, "ask": ask}[word](rest)
