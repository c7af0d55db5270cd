//! A remote agent's answer as the text of a reply or a question: bounded, and never empty.

use a2a_types::{Message, Part, PartContent, Role, Task};
use baton_core::limits;

/// The text of a message's parts.
pub(super) fn of_parts(parts: &[Part]) -> String {
    let texts: Vec<String> = parts.iter().map(of_part).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() {
        return "(the remote agent answered without a text)".into();
    }
    bounded(&texts.join("\n"))
}

fn of_part(part: &Part) -> String {
    match &part.content {
        PartContent::Text(text) => text.clone(),
        PartContent::Url(url) => url.clone(),
        PartContent::Data(data) => data.to_string(),
        PartContent::Raw(bytes) => {
            let name = part.filename.as_deref().unwrap_or("a file");
            format!("[{name}, {} bytes]", bytes.len())
        }
    }
}

/// What a task came to: its artifacts, else what goes with its status, else the last word of the agent.
pub(super) fn of_result(task: &Task) -> String {
    let artifacts = task.artifacts.iter().flatten();
    let parts: Vec<Part> = artifacts.flat_map(|artifact| artifact.parts.iter().cloned()).collect();
    if !parts.is_empty() {
        return of_parts(&parts);
    }
    let last = task.history.iter().flatten().rev().find(|message| message.role == Role::Agent);
    match task.status.message.as_ref().or(last) {
        Some(message) => of_parts(&message.parts),
        None => of_parts(&[]),
    }
}

/// What goes with a task's status, or these words.
pub(super) fn of_status(task: &Task, otherwise: &str) -> String {
    let message: Option<&Message> = task.status.message.as_ref();
    message.map_or_else(|| otherwise.to_owned(), |message| of_parts(&message.parts))
}

/// That credentials are wanted, and what the agent says of them.
pub(super) fn of_wanted_credentials(task: &Task) -> String {
    let text = "the remote agent wants credentials that the hub does not have";
    match &task.status.message {
        Some(message) => format!("{text}: {}", of_parts(&message.parts)),
        None => text.into(),
    }
}

/// By what a question is known again: its message's id, or when it was asked.
pub(super) fn question_id(task: &Task) -> String {
    let id = task.status.message.as_ref().map(|message| message.message_id.clone());
    // A proto's absent string is an empty one.
    id.filter(|id| !id.is_empty())
        .or_else(|| task.status.timestamp.map(|at| at.to_rfc3339()))
        .unwrap_or_default()
}

/// A text cut to the length of a reply; the cut is marked.
pub(super) fn bounded(text: &str) -> String {
    const CUT: &str = "\n[cut: the text was longer than a reply may be]";
    if text.len() <= limits::TEXT_MAX_BYTES {
        return text.to_owned();
    }
    let kept = text.floor_char_boundary(limits::TEXT_MAX_BYTES - CUT.len());
    format!("{}{CUT}", &text[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_every_kind_become_text_and_none_becomes_words() {
        let parts = [
            Part::text("one"),
            Part::url("https://a.example/x"),
            Part::data(serde_json::json!({"n": 1})),
            Part::raw(vec![0; 3]).with_filename("x.bin"),
        ];
        assert_eq!(of_parts(&parts), "one\nhttps://a.example/x\n{\"n\":1}\n[x.bin, 3 bytes]");
        assert!(!of_parts(&[]).is_empty());
    }

    #[test]
    fn a_question_without_an_id_is_known_by_when_it_was_asked() {
        let asked = |message_id: &str| -> String {
            let message = serde_json::json!({"messageId": message_id, "role": "ROLE_AGENT", "parts": []});
            let status = serde_json::json!({"state": "TASK_STATE_INPUT_REQUIRED", "message": message,
                "timestamp": "2026-01-02T03:04:05Z"});
            let task = serde_json::json!({"id": "t", "contextId": "c", "status": status});
            question_id(&serde_json::from_value(task).unwrap())
        };
        assert_eq!(asked("m"), "m");
        assert!(asked("").starts_with("2026-01-02T03:04:05"));
    }

    #[test]
    fn a_long_text_is_cut_to_what_a_reply_takes() {
        let text = format!("a{}", "ü".repeat(limits::TEXT_MAX_BYTES / 2));
        let cut = bounded(&text);
        assert!((limits::TEXT_MAX_BYTES - 1..=limits::TEXT_MAX_BYTES).contains(&cut.len()));
        assert!(cut.ends_with("]"));
        assert_eq!(bounded("short"), "short");
    }
}
