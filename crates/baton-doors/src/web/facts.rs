//! `/assets/facts.js`: what the pages know of the rules, made from the rules: the statuses of a task and their groups, and
//! the limits that forms and reads keep to.

use baton_core::{Status, limits};
use serde_json::{Value, json};

macro_rules! limits {
    ($($name:ident)+) => { json!({ $(stringify!($name): limits::$name),+ }) };
}

/// The limits that the pages use.
fn limits() -> Value {
    limits! {
        AGENT_PAGE_MAX ALIAS_MAX_CHARS ARTIFACT_MAX_BYTES ARTIFACT_REFS_MAX_COUNT EVENT_PAGE_MAX INVITE_MAX_DAYS
        INVITE_MAX_USES NETWORK_NAME_MAX_CHARS PASSWORD_MIN_CHARS REASON_MAX_CHARS TASK_OUTPUT_KEPT_BYTES TASK_PAGE_MAX
        TEXT_MAX_BYTES TOKEN_EXPIRES_SOON_SECONDS TRANSFER_WAIT_MAX_SECONDS UPLOAD_GRACE_SECONDS UPLOAD_MIN_BYTES_PER_SECOND
        USERNAME_MAX_CHARS USERNAME_MIN_CHARS
    }
}

/// The module.
pub(super) fn script() -> String {
    let meanings: Value =
        Status::ALL.iter().map(|status| (status.to_string(), Value::from(status.meaning()))).collect();
    let group = |is_in: fn(Status) -> bool| {
        Status::ALL.iter().filter(|status| is_in(**status)).map(|status| json!(status)).collect::<Value>()
    };
    let facts = [
        ("MEANINGS", meanings),
        ("OPEN", group(|status| !status.is_terminal())),
        ("ENDS", group(Status::is_terminal)),
        ("RETRYABLE", group(Status::is_retryable)),
        ("REASSIGNABLE", group(Status::is_reassignable)),
        ("LIMITS", limits()),
    ];
    let line = |(name, value)| format!("export const {name} = {value};\n");
    facts.map(line).concat()
}
