//! A model that follows a script, behind the interfaces that clients call theirs by: Anthropic's messages, OpenAI's responses and
//! Gemini's contents. It is also the proxy that the clients are given, so that a call to anywhere else is noticed, and refused.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::{Arc, Mutex};

/// What the model does next: calls a tool with arguments that follow from what the tools have answered so far, or says its
/// last words; or it is idle until it receives a text with these words.
pub(super) enum Step {
    Call(&'static str, Arguments),
    Say(&'static str),
    IdleUntil(&'static str),
}

type Arguments = Box<dyn Fn(&[Value]) -> Value + Send + Sync>;

/// A step that calls a tool.
pub(super) fn calls(
    tool: &'static str,
    arguments: impl Fn(&[Value]) -> Value + Send + Sync + 'static,
) -> Step {
    Step::Call(tool, Box::new(arguments))
}

/// A running model.
pub(super) struct Model {
    pub(super) url: String,
    script: Arc<Script>,
    _runtime: tokio::runtime::Runtime,
}

struct Script {
    steps: Vec<Step>,
    /// What the tools answered, as the client told it last.
    answers: Mutex<Vec<Value>>,
    /// Calls to anywhere else.
    strays: Mutex<Vec<String>>,
}

impl Model {
    pub(super) fn start(steps: Vec<Step>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let script = Arc::new(Script { steps, answers: Mutex::default(), strays: Mutex::default() });
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = Router::new().fallback(answer).with_state(script.clone());
        runtime.spawn(async move { axum::serve(listener, served).await });
        Self { url, script, _runtime: runtime }
    }

    /// What the tools answered, in order.
    pub(super) fn answers(&self) -> Vec<Value> {
        self.script.answers.lock().unwrap().clone()
    }

    /// Calls of the client to anything but its model and its hub.
    pub(super) fn strays(&self) -> Vec<String> {
        self.script.strays.lock().unwrap().clone()
    }
}

async fn answer(State(script): State<Arc<Script>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    match (method, uri.path()) {
        (Method::POST, "/v1/messages") if uri.authority().is_none() => script.as_anthropic(&asked),
        (Method::POST, "/v1/responses") if uri.authority().is_none() => script.as_openai(&asked),
        (Method::POST, path) if uri.authority().is_none() && path.ends_with(":streamGenerateContent") => {
            script.as_gemini(&asked)
        }
        // Whether it is there, and what it could do: a client may ask that.
        (Method::HEAD | Method::GET, "/" | "/v1/models") if uri.authority().is_none() => {
            StatusCode::NOT_FOUND.into_response()
        }
        (method, _) => {
            script.strays.lock().unwrap().push(format!("{method} {uri}"));
            StatusCode::NOT_FOUND.into_response()
        }
    }
}

impl Script {
    /// The step that follows what the tools have answered.
    fn next(
        &self,
        asked: &Value,
        answers: Vec<Value>,
    ) -> (usize, Option<(&'static str, Value)>, &'static str) {
        let told = asked.to_string();
        let is_passed = |step: &&Step| matches!(step, Step::IdleUntil(words) if told.contains(words));
        let place = answers.len() + self.steps.iter().filter(is_passed).count();
        let next = match self.steps.get(place) {
            Some(Step::IdleUntil(_)) => (place, None, "idle"),
            Some(Step::Call(tool, arguments)) => (place, Some((*tool, arguments(&answers))), ""),
            Some(Step::Say(words)) => (place, None, *words),
            None => (place, None, "the script is over"),
        };
        *self.answers.lock().unwrap() = answers;
        next
    }

    fn as_anthropic(&self, asked: &Value) -> Response {
        let results = asked["messages"].as_array().into_iter().flatten().flat_map(|message| {
            message["content"].as_array().into_iter().flatten().filter(|part| part["type"] == "tool_result")
        });
        let answers = results.map(|result| answered(&result["content"])).collect();
        let (place, call, words) = self.next(asked, answers);
        let (block, delta, stop) = match call {
            Some((tool, arguments)) => (
                json!({"type": "tool_use", "id": format!("toolu_{place}"), "name": format!("mcp__baton__{tool}"), "input": {}}),
                json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
                "tool_use",
            ),
            None => (
                json!({"type": "text", "text": ""}),
                json!({"type": "text_delta", "text": words}),
                "end_turn",
            ),
        };
        let usage = json!({"input_tokens": 1, "output_tokens": 1});
        let message = json!({
            "id": format!("msg_{place}"), "type": "message", "role": "assistant", "model": asked["model"],
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        stream(&[
            json!({"type": "message_start", "message": message}),
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "content_block_delta", "index": 0, "delta": delta}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": usage}),
            json!({"type": "message_stop"}),
        ])
    }

    fn as_openai(&self, asked: &Value) -> Response {
        let outputs = asked["input"].as_array().into_iter().flatten();
        let outputs = outputs.filter(|item| item["type"] == "function_call_output");
        let answers = outputs.map(|item| answered(&item["output"])).collect();
        let (place, call, words) = self.next(asked, answers);
        let item = match call {
            Some((tool, arguments)) => json!({
                "type": "function_call", "id": format!("fc_{place}"), "call_id": format!("call_{place}"),
                "namespace": "mcp__baton", "name": tool, "arguments": arguments.to_string(),
            }),
            None => json!({
                "type": "message", "role": "assistant", "id": format!("msg_{place}"),
                "content": [{"type": "output_text", "text": words}],
            }),
        };
        let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
        stream(&[
            json!({"type": "response.created", "response": {"id": "resp"}}),
            json!({"type": "response.output_item.done", "item": item}),
            json!({"type": "response.completed", "response": {"id": "resp", "usage": usage}}),
        ])
    }

    fn as_gemini(&self, asked: &Value) -> Response {
        let parts = asked["contents"].as_array().into_iter().flatten().flat_map(|content| {
            content["parts"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|part| part["functionResponse"].is_object())
        });
        let answers = parts.map(|part| {
            let response = &part["functionResponse"]["response"];
            answered(if response["error"].is_null() { &response["output"] } else { &response["error"] })
        });
        let answers = answers.collect();
        let (_, call, words) = self.next(asked, answers);
        let part = match call {
            Some((tool, arguments)) => {
                json!({"functionCall": {"name": format!("mcp_baton_{tool}"), "args": arguments}})
            }
            None => json!({"text": words}),
        };
        let said = json!({
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        });
        ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {said}\n\n")).into_response()
    }
}

/// What a tool answered, in the words that its client has for it: the JSON in them, or else the words.
fn answered(content: &Value) -> Value {
    let text = match content {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    };
    // A client may add words of its own, before and after.
    let read = |begin: usize| serde_json::Deserializer::from_str(&text[begin..]).into_iter().next()?.ok();
    text.find('{').and_then(read).unwrap_or(Value::String(text))
}

fn stream(events: &[Value]) -> Response {
    let mut text = String::new();
    for event in events {
        let _ = write!(text, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    }
    ([(header::CONTENT_TYPE, "text/event-stream")], text).into_response()
}
