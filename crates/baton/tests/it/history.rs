//! What a legal task looks like from outside: its row, its events, and how the two agree (section 6).

use serde_json::{Value, json};

const TERMINAL: [&str; 4] = ["replied", "failed", "cancelled", "expired"];

/// Asserts that a row and its events, oldest first, tell one gap-free legal story.
pub(crate) fn assert_legal(row: &Value, events: &[Value]) {
    let story = || format!("{row} with {events:?}");
    assert_eq!(events.first().map(|event| &event["from_status"]), Some(&Value::Null), "{}", story());
    for event in events {
        assert_eq!(event["task_id"], row["task_id"], "{}", story());
        assert!(event["actor"].as_str().is_some_and(|actor| !actor.is_empty()), "{}", story());
        let (from, to) = (&event["from_status"], event["to_status"].as_str().unwrap());
        assert!(is_step(from.as_str(), to), "{from} to {to} in {}", story());
    }
    for pair in events.windows(2) {
        assert_eq!(pair[0]["to_status"], pair[1]["from_status"], "a gap in {}", story());
        assert!(pair[0]["id"].as_u64() < pair[1]["id"].as_u64(), "the order of {}", story());
    }
    let status = row["status"].as_str().unwrap();
    assert_eq!(events.last().unwrap()["to_status"], json!(status), "{}", story());
    let is_terminal = TERMINAL.contains(&status);
    assert_eq!(row["completed_at"].is_string(), is_terminal, "completed_at of {}", story());
    assert!(row["delivered_at"].is_string(), "{}", story());
}

/// The table of section 6, as pairs.
fn is_step(from: Option<&str>, to: &str) -> bool {
    match from {
        None => to == "delivered",
        Some("delivered") => to != "waiting_input",
        Some("acked") => !matches!(to, "acked" | "waiting_input"),
        // An artifact that is shared before the end leaves the task running.
        Some("running") => to != "acked",
        Some("waiting_input") => {
            matches!(to, "delivered" | "running" | "cancelled" | "expired" | "waiting_input")
        }
        Some(_) => false,
    }
}
