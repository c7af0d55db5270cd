//! Whether a body is one JSON-RPC message. The SDK turns broken ones away with plain text, or takes a
//! `tools/call` or `tasks/get` of a wrong shape for an unknown method; here they get the code the specification gives them.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

use crate::json_depth;

/// A body that is not a message, or a call that is malformed.
#[derive(Debug)]
pub(super) struct InvalidMessage {
    id: Value,
    code: ErrorCode,
    message: String,
}

impl InvalidMessage {
    fn request(message: &str) -> Self {
        Self { id: Value::Null, code: ErrorCode::INVALID_REQUEST, message: message.into() }
    }
}

/// Looks at the envelope, and at the shape of a call of a tool or to a task.
pub(super) fn check(bytes: &[u8]) -> Result<(), InvalidMessage> {
    let not_json = |why: String| InvalidMessage {
        id: Value::Null,
        code: ErrorCode::PARSE_ERROR,
        message: format!("invalid JSON: {why}"),
    };
    if json_depth::is_exceeded(bytes) {
        return Err(not_json(json_depth::message()));
    }
    let message = serde_json::from_slice::<Value>(bytes).map_err(|error| not_json(error.to_string()))?;
    let Value::Object(message) = message else {
        return Err(InvalidMessage::request(match message {
            Value::Array(_) => "batches are not taken: send one message a request",
            _ => "a message is a JSON object",
        }));
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(InvalidMessage::request("jsonrpc must be \"2.0\""));
    }
    let id = match message.get("id") {
        Some(id) if id.is_string() || id.is_i64() => id.clone(),
        None => Value::Null,
        Some(_) => return Err(InvalidMessage::request("id must be a string or an integer")),
    };
    match message.get("method") {
        Some(Value::String(method)) if method == "tools/call" => check_call(&id, message.get("params")),
        Some(Value::String(method)) if ["tasks/get", "tasks/update", "tasks/cancel"].contains(&&**method) => {
            check_task_call(&id, method, message.get("params"))
        }
        Some(Value::String(_)) | None => Ok(()),
        Some(_) => Err(InvalidMessage::request("method must be a string")),
    }
}

fn check_call(id: &Value, params: Option<&Value>) -> Result<(), InvalidMessage> {
    let broken = |message: &str| {
        Err(InvalidMessage { id: id.clone(), code: ErrorCode::INVALID_PARAMS, message: message.into() })
    };
    let Some(Value::Object(params)) = params else { return broken("params must be an object") };
    if !params.get("name").is_some_and(Value::is_string) {
        return broken("name must be the name of a tool");
    }
    match params.get("arguments") {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(_) => broken("arguments must be an object"),
    }
}

fn check_task_call(id: &Value, method: &str, params: Option<&Value>) -> Result<(), InvalidMessage> {
    let broken = |message: &str| {
        Err(InvalidMessage { id: id.clone(), code: ErrorCode::INVALID_PARAMS, message: message.into() })
    };
    let Some(Value::Object(params)) = params else { return broken("params must be an object") };
    if !params.get("taskId").is_some_and(Value::is_string) {
        return broken("taskId must be the id of a task");
    }
    let answers = params.get("inputResponses");
    match method == "tasks/update" && !answers.is_some_and(Value::is_object) {
        true => broken("inputResponses must be an object"),
        false => Ok(()),
    }
}

impl IntoResponse for InvalidMessage {
    fn into_response(self) -> Response {
        let error = json!({ "code": self.code.0, "message": self.message });
        let answer = json!({ "jsonrpc": "2.0", "id": self.id, "error": error });
        if self.code != ErrorCode::INVALID_PARAMS {
            return (StatusCode::BAD_REQUEST, Json(answer)).into_response();
        }
        // A call, if a bad one: answered as calls are.
        ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {answer}\n\n")).into_response()
    }
}
