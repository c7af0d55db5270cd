//! What every client must have seen, step by step, whatever its language and its binding.

use serde_json::{Value, json};

use super::stage::ALIAS;

/// What the hub says to a caller without a token.
const NO_TOKEN: &str = "send a valid token";

/// What a client calls the typed errors.
pub(super) struct Names {
    pub(super) task_not_found: &'static str,
    pub(super) task_not_cancelable: &'static str,
    pub(super) unsupported_operation: &'static str,
    pub(super) invalid_params: &'static str,
    pub(super) version_not_supported: &'static str,
}

/// A step's line, found by its name.
struct Steps<'a>(&'a [Value]);

impl Steps<'_> {
    fn named(&self, step: &str) -> &Value {
        let found = self.0.iter().find(|line| line["step"] == step);
        found.unwrap_or_else(|| panic!("no step {step} in {:#?}", self.0))
    }

    /// Asserts members of a step's line.
    #[track_caller]
    fn says(&self, step: &str, expected: &Value) {
        let line = self.named(step);
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&line[name], value, "{name} of {line}");
        }
    }

    #[track_caller]
    fn refuses(&self, what: &str, expected: &str) {
        let line = self.error(what);
        assert_eq!(line["type"], expected, "{line}");
    }

    fn error(&self, what: &str) -> &Value {
        let found = self.0.iter().find(|line| line["step"] == "error" && line["what"] == what);
        found.unwrap_or_else(|| panic!("no error {what} in {:#?}", self.0))
    }
}

/// Holds a client's lines against the contract.
pub(super) fn assert_steps(lines: &[Value], names: &Names) {
    let steps = Steps(lines);
    assert_card(&steps);
    assert_work(&steps);
    assert_parked(&steps);
    assert_errors(&steps, names);
    steps.named("done");
}

fn assert_card(steps: &Steps<'_>) {
    let card = json!({
        "name": ALIAS, "bindings": ["GRPC", "HTTP+JSON", "JSONRPC"], "versions": ["1.0"], "skills": ["task"], "streaming": true,
    });
    steps.says("card", &card);
    steps.says("extended card", &json!({"name": ALIAS}));
}

fn assert_work(steps: &Steps<'_>) {
    let sent = steps.named("send");
    let (id, context) = (&sent["id"], &sent["context"]);
    assert!(id.as_str().is_some_and(|id| !id.is_empty()) && context != "", "{sent}");
    steps.says("send", &json!({"state": "TASK_STATE_COMPLETED", "words": "hello"}));
    let states = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"];
    steps.says("stream", &json!({"first": "task", "states": states}));
    let refined = json!({"new": true, "context": context, "state": "TASK_STATE_COMPLETED", "words": "again"});
    steps.says("refine", &refined);
    let got = json!({"id": id, "context": context, "state": "TASK_STATE_COMPLETED", "words": "hello", "without": 0});
    steps.says("get", &got);
    assert_eq!(steps.named("get")["roles"][0], "ROLE_USER", "the history begins with what was sent");
    let listed = json!({"pages": 2, "total": 2, "oldest": true, "states": [states[2], states[2]]});
    steps.says("list", &listed);
    steps.says("subscribe", &json!({"first": "task", "left_at": "TASK_STATE_WORKING"}));
    // It was left running and is sent again from its first event: nothing is missing.
    steps.says("resume", &json!({"first": "task", "states": states}));
    steps.says("cancel", &json!({"same": true, "state": "TASK_STATE_CANCELED"}));
}

fn assert_parked(steps: &Steps<'_>) {
    steps.says("parked", &json!({"state": "TASK_STATE_INPUT_REQUIRED", "words": "which colour?"}));
    let answered = json!({
        "same": true, "parked_stream": "TASK_STATE_INPUT_REQUIRED", "state": "TASK_STATE_COMPLETED",
        "words": "you said blue",
    });
    steps.says("answered", &answered);
}

fn assert_errors(steps: &Steps<'_>, names: &Names) {
    for what in ["get unknown", "cancel unknown", "send to unknown"] {
        steps.refuses(what, names.task_not_found);
    }
    for what in ["send to ended", "subscribe ended"] {
        steps.refuses(what, names.unsupported_operation);
    }
    steps.refuses("cancel ended", names.task_not_cancelable);
    for what in ["page too large", "mismatching context"] {
        steps.refuses(what, names.invalid_params);
    }
    for what in ["version", "version of a stream"] {
        steps.refuses(what, names.version_not_supported);
    }
    for what in ["no token", "no token for a stream"] {
        assert!(is_unauthenticated(steps.error(what)), "{}", steps.error(what));
    }
}

/// No token is HTTP's 401 and gRPC's 16. A client shows the number, the name, or the hub's message; the protocol has no
/// type for it.
fn is_unauthenticated(line: &Value) -> bool {
    let message = line["message"].as_str().unwrap_or_default();
    line["type"].is_string()
        && (["401", "UNAUTHENTICATED", NO_TOKEN].iter().any(|words| message.contains(words))
            || [json!(401), json!(16)].contains(&line["status"])
            || line["reason"] == "UNAUTHENTICATED")
}
