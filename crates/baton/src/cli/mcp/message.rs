//! One line of JSON-RPC, read only as far as a bridge must know it. The line itself is passed on as it came, but for a task that is
//! sent from within another one: that gets its parent.

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The SDK's code for "the server, not the call, is at fault".
const SERVER_ERROR: i64 = -32_000; // not a limit: a code
const PARSE_ERROR: i64 = -32_700; // not a limit: a code
/// Where a message of the newest protocol says which version it speaks.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A message on its way to the hub.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) line: String,
    read: Read,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Read {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
}

impl Message {
    /// Reads a line; one that is not a JSON object is answered here.
    pub(crate) fn read(line: String) -> Result<Self, String> {
        match serde_json::from_str::<Read>(&line) {
            Ok(read) => Ok(Self { line, read }),
            Err(error) => Err(failure(&Value::Null, PARSE_ERROR, &format!("invalid JSON-RPC: {error}"))),
        }
    }

    /// The id that an answer must carry; none if nobody waits for one.
    pub(crate) fn awaited_id(&self) -> Option<&Value> {
        self.read.id.as_ref().filter(|_| self.read.method.is_some())
    }

    pub(crate) fn method(&self) -> Option<&str> {
        self.read.method.as_deref()
    }

    pub(crate) fn is_initialize(&self) -> bool {
        self.method() == Some("initialize")
    }

    /// What the `Mcp-Name` header names: a tool, a prompt, a resource or a task.
    pub(crate) fn name(&self) -> Option<&str> {
        let member = match self.method()? {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
            _ => return None,
        };
        self.read.params.get(member)?.as_str()
    }

    /// Whether its answer is a stream that continues until somebody ends it.
    pub(crate) fn is_subscription(&self) -> bool {
        self.method() == Some("subscriptions/listen")
    }

    /// The same, as part of this task if it sends a task and names no parent itself.
    pub(crate) fn under(self, parent: Option<&str>) -> Self {
        let sends = self.method() == Some("tools/call") && self.name() == Some("send_task");
        let is_named = self.read.params.pointer("/arguments/parent_task_id").is_some_and(|id| !id.is_null());
        match parent.filter(|_| sends && !is_named).and_then(|parent| with_parent(&self.line, parent)) {
            Some(line) => Self { line, ..self },
            None => self,
        }
    }

    /// The version of this message, if it has one.
    pub(crate) fn version(&self) -> Option<&str> {
        self.read.params.get("_meta")?.get(META_VERSION)?.as_str()
    }

    /// The request that this message cancels.
    pub(crate) fn cancels(&self) -> Option<String> {
        let id = self.read.params.get("requestId")?;
        (self.method() == Some("notifications/cancelled")).then(|| id.to_string())
    }

    /// An error in the hub's place.
    pub(crate) fn failed(&self, message: &str) -> Option<String> {
        self.awaited_id().map(|id| failure(id, SERVER_ERROR, message))
    }
}

/// The members of an object, each as it was written: what an argument nests is not read.
type Members = BTreeMap<String, Box<RawValue>>;

/// The line with one argument more; none if it has no arguments to add it to.
fn with_parent(line: &str, parent: &str) -> Option<String> {
    let mut message: Members = serde_json::from_str(line).ok()?;
    let mut params: Members = serde_json::from_str(message.get("params")?.get()).ok()?;
    let mut arguments: Members = serde_json::from_str(params.get("arguments")?.get()).ok()?;
    arguments.insert("parent_task_id".to_owned(), to_raw_value(parent).ok()?);
    params.insert("arguments".to_owned(), to_raw_value(&arguments).ok()?);
    message.insert("params".to_owned(), to_raw_value(&params).ok()?);
    serde_json::to_string(&message).ok()
}

/// The version that an answer to `initialize` agreed on.
pub(super) fn agreed_version(answer: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    Some(answer.get("result")?.get("protocolVersion")?.as_str()?.to_owned())
}

fn failure(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Message {
        Message::read(line.into()).unwrap()
    }

    #[test]
    fn only_a_request_awaits_an_answer() {
        let request =
            read(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"claim_task"}}"#);
        assert_eq!((request.awaited_id(), request.name()), (Some(&json!("a")), Some("claim_task")));
        let failed: Value = serde_json::from_str(&request.failed("away").unwrap()).unwrap();
        let error = json!({"code": -32000, "message": "away"});
        assert_eq!(failed, json!({"jsonrpc": "2.0", "id": "a", "error": error}));
        let look = read(r#"{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"019a"}}"#);
        assert_eq!(look.name(), Some("019a"));
        for line in [r#"{"method":"notifications/initialized"}"#, r#"{"id":1,"result":{}}"#] {
            assert_eq!(read(line).failed("away"), None, "{line}");
        }
    }

    #[test]
    fn a_task_that_is_sent_within_another_gets_its_parent_and_nothing_else_changes() {
        let send = |arguments: &str| {
            let line = format!(
                r#"{{"id":1,"method":"tools/call","params":{{"name":"send_task","arguments":{arguments}}}}}"#
            );
            let sent: Value = serde_json::from_str(&read(&line).under(Some("p")).line).unwrap();
            sent["params"]["arguments"].clone()
        };
        assert_eq!(
            send(r#"{"alias":"b","meta":1e400}"#.replace("1e400", "1.50").as_str())["parent_task_id"],
            "p"
        );
        assert_eq!(send(r#"{"parent_task_id":"own"}"#), json!({"parent_task_id": "own"}));
        for line in [
            r#"{"id":1,"method":"tools/call","params":{"name":"get_task","arguments":{}}}"#,
            r#"{"id":1, "method":"tools/call","params":{"name":"send_task"}}"#,
            r#"{"id":1,"method":"tools/list"}"#,
        ] {
            assert_eq!(read(line).under(Some("p")).line, line);
        }
        let line =
            r#"{"id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"alias":"b"}}}"#;
        assert_eq!(read(line).under(None).line, line);
    }

    #[test]
    fn a_call_off_names_its_request() {
        let line = r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert_eq!(read(line).cancels(), Some("7".into()));
        assert_eq!(read(r#"{"id":1,"method":"tools/list"}"#).cancels(), None);
    }

    #[test]
    fn versions_are_read_from_where_they_stand() {
        let line = r#"{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        assert_eq!(read(line).version(), Some("2026-07-28"));
        assert_eq!(
            agreed_version(r#"{"result":{"protocolVersion":"2025-06-18"}}"#),
            Some("2025-06-18".into())
        );
        assert_eq!(agreed_version(r#"{"error":{}}"#), None);
    }

    #[test]
    fn what_is_no_message_is_answered_as_such() {
        let answer: Value = serde_json::from_str(&Message::read("[".into()).unwrap_err()).unwrap();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    }
}
