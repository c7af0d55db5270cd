//! A user with a network, its agents, and the calls most tests begin with.

use serde_json::{Value, json};
use std::io::{ErrorKind, Write};
use std::net::TcpStream;

use super::http::{Client, Response, connect};
use super::hub::Hub;

/// A user and the network made for that user.
pub(crate) struct Tenant {
    pub(crate) user: Client,
    pub(crate) network_id: String,
}

impl Tenant {
    /// A new user.
    pub(crate) fn register(hub: &Hub, username: &str) -> Self {
        let (user, answer) = hub.register(username);
        Self { user, network_id: text(&answer["network_id"]) }
    }

    /// The hub's first admin.
    pub(crate) fn of_admin(hub: &Hub) -> Self {
        let user = hub.admin();
        let networks = user.get("/api/networks").json();
        Self { network_id: text(&networks["networks"][0]["network_id"]), user }
    }

    /// A node token for an alias of this network.
    pub(crate) fn agent(&self, alias: &str) -> Client {
        self.mint(alias, "node").0
    }

    pub(crate) fn coordinator(&self, alias: &str) -> Client {
        self.mint(alias, "coordinator").0
    }

    /// A node token and its id.
    pub(crate) fn mint(&self, alias: &str, scope: &str) -> (Client, String) {
        let body = json!({"network_id": self.network_id, "node_name": alias, "scope": scope});
        let answer = succeed(&self.user.post("/api/auth/node-token", &body));
        (self.user.with_token(answer["token"].as_str().unwrap()), text(&answer["token_id"]))
    }

    /// Makes another user a member.
    pub(crate) fn admit(&self, other: &Client, role: &str) {
        let path = format!("/api/networks/{}/invite", self.network_id);
        let invite = succeed(&self.user.post(&path, &json!({"role": role, "max_uses": 1})));
        let joined =
            succeed(&other.post("/api/networks/join", &json!({"invite_code": invite["invite_code"]})));
        assert_eq!(joined["role"], role);
    }
}

/// The body of a success.
pub(crate) fn succeed(answer: &Response) -> Value {
    assert!((200..300).contains(&answer.status), "{} {}", answer.status, answer.text());
    let body = answer.json();
    assert_eq!(body["ok"], true, "{body}");
    body
}

/// Asserts a refusal: its status and its code. Gives the body.
pub(crate) fn refused(answer: &Response, status: u16, code: &str) -> Value {
    assert_eq!(answer.status, status, "expected {code}, got {}", answer.text());
    let body = answer.json();
    assert_eq!((&body["ok"], &body["error"]), (&json!(false), &json!(code)), "{body}");
    body
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// Sends a task over REST and gives its id.
pub(crate) fn send(from: &Client, alias: &str, task: &str) -> String {
    send_with(from, &json!({"alias": alias, "task": task}))
}

pub(crate) fn send_with(from: &Client, body: &Value) -> String {
    let sent = succeed(&from.post("/api/task", body));
    assert_eq!(sent["task_id"], sent["message_id"]);
    text(&sent["task_id"])
}

/// Does one of `cancel`, `retry`, `reassign`, `reply`, `ack` to a task.
pub(crate) fn act(client: &Client, task_id: &str, action: &str, body: &Value) -> Response {
    client.post(&format!("/api/tasks/{task_id}/{action}"), body)
}

/// A task's row.
pub(crate) fn task(reader: &Client, task_id: &str) -> Value {
    succeed(&reader.get(&format!("/api/tasks/{task_id}")))["task"].clone()
}

/// A task's events, oldest first.
pub(crate) fn events(reader: &Client, task_id: &str) -> Vec<Value> {
    let answer = succeed(&reader.get(&format!("/api/task_events?task_id={task_id}&limit=500")));
    let mut events = answer["events"].as_array().unwrap().clone();
    events.reverse();
    events
}

/// Takes the next task under a lease, waiting for one.
pub(crate) fn claim(worker: &Client, wait_seconds: u32, lease_seconds: u32) -> Value {
    let body = json!({"wait_seconds": wait_seconds, "lease_seconds": lease_seconds});
    succeed(&worker.post("/api/claim", &body))
}

/// Ids of the tasks in an agent's inbox.
pub(crate) fn inbox_task_ids(agent: &Client) -> Vec<String> {
    let inbox = succeed(&agent.get("/api/inbox?limit=100"));
    let messages = inbox["messages"].as_array().unwrap();
    messages
        .iter()
        .filter(|message| message["type"] == "task")
        .map(|message| text(&message["task_id"]))
        .collect()
}

/// Reports a session.
pub(crate) fn report(agent: &Client, alias: &str, status: &str) -> Value {
    super::tool::call(agent, "report_status", &json!({"resume_id": alias, "alias": alias, "status": status}))
}

/// A claim that gets no task and so waits as long as a claim may. A test that has to show that something did not wait
/// begins one first and looks afterwards whether it still waits: the hub's own clock decides, however busy the machine is.
pub(crate) struct LongestWait(TcpStream);

impl LongestWait {
    pub(crate) fn begin(idle: &Client) -> Self {
        let (token, body) = (idle.token.as_deref().unwrap(), r#"{"wait_seconds":50}"#);
        let mut connection = connect(idle.address);
        let head =
            format!("POST /api/claim HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
        let rest = format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        connection.write_all((head + &rest).as_bytes()).unwrap();
        Self(connection)
    }

    /// Whether the hub has not answered yet.
    pub(crate) fn still_waits(&self) -> bool {
        self.0.set_nonblocking(true).unwrap();
        self.0.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }
}
