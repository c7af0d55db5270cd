//! One call to a hub that may be dead, deaf or full: what came of it, as far as the caller can know.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::it::http::{Client, Response, read_response};

/// Longer than any call of a run waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// Between two tries at a hub that is not there.
const MOMENT: Duration = Duration::from_millis(10);

/// What the caller knows.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The hub says it is done.
    Done(Value),
    /// A rule refused; nothing was changed.
    Refused(Value),
    /// The hub could not, and says that nothing was changed.
    Unavailable,
    /// Nobody was there to hear it.
    Unreached,
    /// It may have happened, or not.
    Lost,
    /// Something no client should ever hear.
    Absurd(String),
}

impl Outcome {
    pub(super) fn column(&self) -> usize {
        match self {
            Self::Done(_) => 0,
            Self::Refused(_) | Self::Absurd(_) => 1,
            Self::Unavailable => 2,
            Self::Unreached => 3,
            Self::Lost => 4,
        }
    }
}

/// A call; a rude caller hangs up before the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller<'a> {
    pub(super) client: &'a Client,
    /// The hub that is called.
    pub(super) at: SocketAddr,
    pub(super) hangs_up: bool,
}

impl Caller<'_> {
    pub(super) fn post(&self, path: &str, body: &Value) -> Outcome {
        self.exchange("POST", path, &[], Some(body)).map_or_else(|outcome| outcome, |answer| of_rest(&answer))
    }

    pub(super) fn get(&self, path: &str) -> Outcome {
        self.exchange("GET", path, &[], None).map_or_else(|outcome| outcome, |answer| of_rest(&answer))
    }

    /// An answer that is no JSON.
    pub(super) fn get_text(&self, path: &str) -> Option<String> {
        let answer = self.exchange("GET", path, &[], None).ok()?;
        (answer.status == 200).then(|| answer.text())
    }

    pub(super) fn tool(&self, name: &str, arguments: &Value) -> Outcome {
        let headers =
            [("accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-03-26")];
        let params = json!({"name": name, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        match self.exchange("POST", "/mcp", &headers, Some(&body)) {
            Ok(answer) => of_mcp(&answer),
            Err(outcome) => outcome,
        }
    }

    pub(super) fn a2a(&self, base: &str, method: &str, params: &Value, key: &str) -> Outcome {
        let headers = [("a2a-version", "1.0"), ("idempotency-key", key)];
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        match self.exchange("POST", base, &headers, Some(&body)) {
            Ok(answer) => of_a2a(&answer),
            Err(outcome) => outcome,
        }
    }

    /// A whole answer, or what its absence means.
    fn exchange(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Response, Outcome> {
        let client = Client { address: self.at, token: self.client.token.clone() };
        let request = client.request(method, path, headers, body.map(Value::to_string).as_deref());
        let connected = TcpStream::connect_timeout(&self.at, PATIENCE);
        let mut socket = connected.map_err(|_| {
            std::thread::sleep(MOMENT); // as a client would, and to leave the machine to the hub's start
            Outcome::Unreached
        })?;
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        socket.write_all(&request).map_err(|_| Outcome::Lost)?;
        if self.hangs_up {
            return Err(Outcome::Lost);
        }
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).map_err(|_| Outcome::Lost)?;
        if !is_whole(&bytes) {
            return Err(Outcome::Lost);
        }
        read_response(&bytes[..]).ok_or(Outcome::Lost)
    }
}

/// Whether the hub said all it began to say.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let head = head.to_ascii_lowercase();
    if head.contains("transfer-encoding: chunked") {
        return body.ends_with("0\r\n\r\n");
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse::<usize>().ok()).is_some_and(|length| body.len() >= length)
}

fn of_rest(answer: &Response) -> Outcome {
    let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else {
        return Outcome::Absurd(format!("{} {}", answer.status, answer.text()));
    };
    of_body(answer.status, body)
}

/// The same words by every door.
fn of_body(status: u16, body: Value) -> Outcome {
    if body["ok"] == true && status < 300 {
        return Outcome::Done(body);
    }
    let code = body["error"].as_str().unwrap_or_default().to_owned();
    match (status, code.as_str()) {
        (_, "busy" | "starting" | "storage_unavailable") => Outcome::Unavailable,
        (_, "shutting_down" | "outcome_unknown") => Outcome::Lost,
        (500.., _) | (_, "internal_error" | "unauthorized") => Outcome::Absurd(format!("{status} {body}")),
        _ => Outcome::Refused(body),
    }
}

fn of_mcp(answer: &Response) -> Outcome {
    if answer.status != 200 {
        return of_rest(answer);
    }
    let text = answer.text();
    let data = text.lines().find_map(|line| line.strip_prefix("data: {"));
    let response = data.and_then(|data| serde_json::from_str::<Value>(&format!("{{{data}")).ok());
    let said = response.as_ref().and_then(|response| response["result"]["content"][0]["text"].as_str());
    match said.and_then(|said| serde_json::from_str(said).ok()) {
        Some(body) => of_body(200, body),
        None => Outcome::Absurd(text),
    }
}

fn of_a2a(answer: &Response) -> Outcome {
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else {
        return Outcome::Absurd(format!("{} {}", answer.status, answer.text()));
    };
    if body["result"].is_object() {
        return Outcome::Done(body["result"].take());
    }
    let error = &body["error"];
    match (error["code"].as_i64(), error["message"].as_str()) {
        (Some(-32093), Some(said)) if said.contains("stopping") || said.contains("may or may not") => {
            Outcome::Lost
        }
        (Some(-32093), _) => Outcome::Unavailable,
        (Some(-32603) | None, _) => of_rest(answer),
        (Some(_), _) => Outcome::Refused(body),
    }
}
