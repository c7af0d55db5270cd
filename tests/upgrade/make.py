#!/usr/bin/env python3
"""Makes the folder of an earlier release: runs that release's hub, uses it over HTTP, and packs what it leaves.

    make.py BATON COMMIT OUT.tar.gz

BATON is the program as that commit built it, COMMIT is what the archive says of itself. The archive has `data/`, the
folder as the stopped hub left it, and `then.json`: everything the hub answered about it before it stopped, with the
tokens that read it. `crates/baton/tests/it/keep/upgrade/` opens these archives with today's hub. All secrets in them
are of hubs that never ran anywhere else.
"""

import hashlib
import io
import json
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request

PASSWORD = "a-password-for-tests"
# So many lives fill an entry bundle of 256 events and more, with three events a life.
LIVES = 80


class Client:
    """Calls of one token."""

    def __init__(self, url, token=None):
        self.url, self.token = url, token

    def call(self, method, path, body=None, headers=None, answers=(200, 201, 202)):
        headers = {"content-type": "application/json", **(headers or {})}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        assert status in answers, f"{method} {path} {body}: {status} {text}"
        return text

    def get(self, path):
        return json.loads(self.call("GET", path))

    def post(self, path, body, **options):
        return json.loads(self.call("POST", path, body, **options))

    def tool(self, name, arguments):
        """A tool of the MCP door; its answer is on a `data:` line."""
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-03-26"}
        text = self.call("POST", "/mcp", body, headers)
        line = next(line for line in text.splitlines() if line.startswith("data: {"))
        answer = json.loads(json.loads(line[6:])["result"]["content"][0]["text"])
        assert answer["ok"], f"{name} {arguments}: {answer}"
        return answer

    def with_token(self, token):
        return Client(self.url, token)


class Network:
    """A network, the user it belongs to, and its agents."""

    def __init__(self, user, network_id):
        self.user, self.id, self.agents = user, network_id, {}

    def agent(self, alias):
        body = {"network_id": self.id, "node_name": alias}
        self.agents[alias] = self.user.with_token(self.user.post("/api/auth/node-token", body)["token"])
        return self.agents[alias]

    def send(self, sender, alias, text, **more):
        return sender.post("/api/task", {"alias": alias, "task": text, "ttl_seconds": 86_400, **more})["task_id"]

    def claim(self, alias, lease_seconds=3_600, wait_seconds=0):
        body = {"wait_seconds": wait_seconds, "lease_seconds": lease_seconds}
        return self.agents[alias].post("/api/claim", body)

    def reply(self, alias, claimed, text, status="replied"):
        body = {"text": text, "status": status, "lease_id": claimed["lease_id"]}
        self.agents[alias].post(f"/api/tasks/{claimed['task']['task_id']}/reply", body)

    def life(self, sender, alias, text, status="replied"):
        task_id = self.send(sender, alias, text)
        claimed = self.claim(alias)
        assert claimed["task"]["task_id"] == task_id, claimed
        self.reply(alias, claimed, f"{text}: done", status)
        return task_id

    def packets(self, first, count):
        """Packets of tasks elsewhere, handed in as reported."""
        packet = {
            "protocol": "a2a",
            "version": "0.2",
            "event_type": "task.requested",
            "timestamp": "2026-03-04T05:06:07Z",
            "agent": {"id": "agent://coordinator"},
        }
        lines = [
            json.dumps({**packet, "task": {"id": f"task-{number}", "kind": "delegation"}})
            for number in range(first, first + count)
        ]
        headers = {"content-type": "application/x-ndjson"}
        path = f"/api/evidence/packets?network_id={self.id}"
        answer = self.user.post(path, "\n".join(lines).encode() + b"\n", headers=headers)
        assert answer["recorded"] == count, answer


def until(what, ask):
    """Asks again until there is an answer."""
    for _ in range(600):
        if answer := ask():
            return answer
        time.sleep(0.1)
    sys.exit(f"never came: {what}")


def status(network, task_id):
    return network.user.get(f"/api/tasks/{task_id}")["task"]["status"]


def work(network, then):
    """One network's tasks in every state that the release knows."""
    lead, coder = network.agent("lead"), network.agent("coder")
    network.agent("reviewer")
    network.agent("idle")
    named = then["tasks_named"]
    for number in range(LIVES):
        end = ("replied", "replied", "replied", "failed", "cancelled")[number % 5]
        sender = (lead, network.user)[number % 2]
        named[f"ended {end}"] = network.life(sender, "coder", f"life {number}", end)
    # A new attempt of a task that failed, ended by its report of a completion.
    network.user.post(f"/api/tasks/{named['ended failed']}/retry", {})
    claimed = network.claim("coder")
    report = {"alias": "coder", "task": claimed["task"]["task_id"], "result": "at last", "lease_id": claimed["lease_id"]}
    report["artifacts"] = [{"name": "report.txt", "sha256": "a" * 64}]
    coder.tool("report_completion", report)
    skills = [{"id": "review", "name": "Review"}]
    working = {"resume_id": "coder", "alias": "coder", "status": "idle", "description": "codes", "skills": skills}
    coder.tool("report_status", working)
    cancelled = named["cancelled in its inbox"] = network.send(lead, "coder", "not any more")
    lead.post(f"/api/tasks/{cancelled}/cancel", {"reason": "no longer needed"})
    expired = named["expired"] = network.send(lead, "reviewer", "too late", ttl_seconds=1)
    until("the end of its time", lambda: status(network, expired) == "expired")
    # Two that workers hold, one of them in its second attempt.
    lapsed = named["running again"] = network.send(lead, "coder", "lapses once")
    assert network.claim("coder", lease_seconds=5)["task"]["task_id"] == lapsed
    until("the lapse", lambda: status(network, lapsed) == "delivered")
    hold(network, then, "coder", lapsed)
    hold(network, then, "coder", network.send(network.user, "coder", "takes long"))
    # What lies in inboxes: by urgency, handed on, acknowledged, below another task, with all that a send may carry.
    parent = named["open"] = network.send(lead, "coder", "open")
    named["open, low"] = network.send(lead, "coder", "when there is time", priority="low")
    named["open, high"] = network.send(lead, "coder", "at once", priority="high")
    handed_on = named["handed on"] = network.send(lead, "reviewer", "for somebody else")
    lead.post(f"/api/tasks/{handed_on}/reassign", {"new_alias": "coder"})
    acked = named["acked"] = network.send(lead, "reviewer", "seen")
    network.agents["reviewer"].post(f"/api/tasks/{acked}/ack", {})
    body = {"alias": "reviewer", "task": "once only", "idempotency_key": "key-1", "ttl_seconds": 86_400}
    body |= {"context": "beside it", "kind": "review", "meta": {"n": [1, 2.5, "é"]}, "parent_task_id": parent}
    then["keys"].append({"agent": "lead", "body": body, "task_id": lead.post("/api/task", body)["task_id"]})
    coder.tool("send_message", {"alias": "lead", "message": "a word beside the tasks"})
    network.user.post("/api/broadcast", {"message": "to all", "network_id": network.id})


def hold(network, then, alias, task_id):
    claimed = network.claim(alias)
    assert claimed["task"]["task_id"] == task_id, claimed
    then["leases"].append({"agent": alias, "task_id": task_id, "lease_id": claimed["lease_id"]})


def talk(network, then):
    """Conversations and receivers of pushes: of releases that know them."""
    named = then["tasks_named"]
    asked = named["asks"] = network.send(network.agents["lead"], "reviewer", "with a question", priority="high")
    for question in ("which one?", "and the other?"):
        claimed = network.claim("reviewer")
        assert claimed["task"]["task_id"] == asked, claimed
        body = {"question": question, "lease_id": claimed["lease_id"]}
        network.agents["reviewer"].post(f"/api/tasks/{asked}/ask", body)
        if question.startswith("which"):
            network.agents["lead"].post(f"/api/tasks/{asked}/answer", {"text": "the first"})
    pushed = named["pushed"] = network.send(network.user, "reviewer", "tell me")
    # Port 9 is nobody's.
    params = {"taskId": pushed, "id": "mine", "url": "http://127.0.0.1:9/hook", "token": "a-token-of-nobody"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "CreateTaskPushNotificationConfig", "params": params}
    made = network.user.post(f"/a2a/{network.id}/reviewer/", body, headers={"a2a-version": "1.0"})
    assert made["result"]["id"] == "mine", made
    then["pushes"].append({"task_id": pushed, "alias": "reviewer", "id": "mine"})


def note(network):
    """All that the hub answers about a network."""
    user, of = network.user, f"network_id={network.id}"
    tasks, cursor = [], ""
    while cursor is not None:
        page = user.get(f"/api/tasks?{of}&limit=200{cursor and f'&cursor={cursor}'}")
        tasks += page["tasks"]
        cursor = page["next_cursor"]
    histories = {}
    for task in tasks:
        events = user.get(f"/api/task_events?task_id={task['task_id']}&limit=500")["events"]
        histories[task["task_id"]] = events[::-1]
    evidence = user.get(f"/api/evidence?{of}&limit=1000")["events"]
    until("a signature over all", lambda: signed(network) == len(evidence))
    return {
        "network_id": network.id,
        "token": user.token,
        "agents": {alias: agent.token for alias, agent in network.agents.items()},
        "tasks": [user.get(f"/api/tasks/{task['task_id']}") for task in tasks],
        "histories": histories,
        "inboxes": {alias: agent.get("/api/inbox?limit=100")["messages"] for alias, agent in network.agents.items()},
        "messages": user.get(f"/api/messages?{of}&limit=500&since=2020-01-01T00:00:00Z")["messages"],
        "entries": len(evidence),
        "content_hashes": hashlib.sha256("".join(event["assaycontenthash"] for event in evidence).encode()).hexdigest(),
        "checkpoint": user.call("GET", f"/api/evidence/checkpoint?{of}"),
    }


def signed(network):
    """How many entries the newest checkpoint covers."""
    text = network.user.call("GET", f"/api/evidence/checkpoint?network_id={network.id}")
    return int(text.splitlines()[1])


def use(url):
    """Everything that is done to the hub, and what it says of itself afterwards."""
    then = {"tasks_named": {}, "leases": [], "keys": [], "pushes": []}
    anybody = Client(url)
    login = anybody.post("/api/auth/login", {"username": "admin", "password": PASSWORD})
    admin = anybody.with_token(login["token"])
    first = Network(admin, admin.get("/api/networks")["networks"][0]["network_id"])
    registered = anybody.post("/api/auth/register", {"username": "bob", "password": PASSWORD})
    bob = anybody.with_token(registered["token"])
    second = Network(bob, registered["network_id"])
    first.packets(0, 6)
    work(first, then)
    if json.loads(anybody.call("POST", f"/api/tasks/none/ask", {}, answers=(400, 401, 404, 405)) or "{}").get("error") != "not found":
        talk(first, then)
    # The other network has an agent of the same name, a member of the first, and a shorter log.
    builder, planner = second.agent("coder"), second.agent("planner")
    for number in range(3):
        second.life(planner, "coder", f"elsewhere {number}")
    then["tasks_named"]["open elsewhere"] = second.send(planner, "coder", "open elsewhere")
    second.packets(100, 2)
    invite = admin.post(f"/api/networks/{first.id}/invite", {"role": "member", "max_uses": 5})
    bob.post("/api/networks/join", {"invite_code": invite["invite_code"]})
    then["invite"] = {"network_id": first.id, "code": invite["invite_code"]}
    revoked = first.agent("gone").token
    listed = admin.get("/api/auth/tokens")["tokens"]
    gone = next(token for token in listed if token.get("name", "").endswith("gone"))
    admin.call("DELETE", f"/api/auth/tokens/{gone['token_id']}")
    del first.agents["gone"]
    then["revoked"] = revoked
    then["password"] = PASSWORD
    then["key"] = admin.get("/api/evidence/key")["key"]
    then["networks"] = [note(first), note(second)]
    return then


def start(program, folder):
    command = [program, "hub", "start", "--port", "0", "--data-dir", folder, "--username", "admin", "--password", PASSWORD]
    if "--allow-outbound" in subprocess.run([program, "hub", "start", "--help"], capture_output=True, text=True, check=True).stdout:
        command += ["--allow-outbound", "127.0.0.0/8"]
    hub = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in hub.stdout:
        if "listening on" in line:
            return hub, line.split()[-1].rstrip("/")
    sys.exit("the hub did not start")


def main():
    program, commit, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home, "data")
        hub, url = start(program, str(folder))
        try:
            then = use(url)
            then["commit"] = commit
        finally:
            hub.send_signal(signal.SIGTERM)
            print(f"the hub ended with {hub.wait(30)}")
        checked = subprocess.run([program, "hub", "check", "--data-dir", str(folder)], capture_output=True, text=True)
        print(checked.stdout, checked.stderr, sep="")
        assert checked.returncode == 0, "the folder does not agree with itself before the upgrade"
        with tarfile.open(out, "w:gz") as archive:
            for name in ("hub.db", "hub.db-wal", "evidence.key"):
                if pathlib.Path(folder, name).exists():
                    archive.add(pathlib.Path(folder, name), f"data/{name}")
            text = json.dumps(then, ensure_ascii=False, separators=(",", ":")).encode()
            entry = tarfile.TarInfo("then.json")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
        print(f"{out}: {pathlib.Path(out).stat().st_size} bytes, {len(text)} of notes")


if __name__ == "__main__":
    main()
