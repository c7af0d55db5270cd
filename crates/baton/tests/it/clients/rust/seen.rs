//! What the client saw, as the lines that every driver prints.

use a2a_types::{A2AError, AgentCard, Artifact, Part, StreamResponse, Task, TaskStatus};
use futures_util::StreamExt;
use serde_json::{Value, json, to_value};
use std::path::Path;

use super::Events;

pub(super) fn card_line(card: &AgentCard) -> Value {
    let of = |value: fn(&a2a_types::AgentInterface) -> &String| {
        let mut values: Vec<&String> = card.supported_interfaces.iter().map(value).collect();
        values.sort();
        values
    };
    let mut versions = of(|face| &face.protocol_version);
    versions.dedup();
    let skills: Vec<&String> = card.skills.iter().map(|skill| &skill.id).collect();
    json!({
        "step": "card", "name": card.name, "bindings": of(|face| &face.protocol_binding), "versions": versions,
        "skills": skills, "streaming": card.capabilities.streaming,
    })
}

/// What every step says of a task.
pub(super) fn shown(task: &Task) -> Value {
    json!({
        "id": task.id, "context": task.context_id, "state": task.status.state,
        "words": said(&task.status, task.artifacts.as_deref().unwrap_or_default()),
    })
}

/// What a status says; if it says nothing, what the task made.
pub(super) fn said(status: &TaskStatus, artifacts: &[Artifact]) -> String {
    let said: String = status.message.iter().flat_map(|message| words(&message.parts)).collect();
    match said.is_empty() {
        true => artifacts.iter().flat_map(|artifact| words(&artifact.parts)).collect(),
        false => said,
    }
}

fn words(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(Part::as_text)
}

pub(super) fn kind(event: &StreamResponse) -> &'static str {
    match event {
        StreamResponse::Task(_) => "task",
        StreamResponse::Message(_) => "message",
        StreamResponse::StatusUpdate(_) => "status_update",
        StreamResponse::ArtifactUpdate(_) => "artifact_update",
    }
}

pub(super) fn state(event: &StreamResponse) -> Value {
    match event {
        StreamResponse::Task(task) => to_value(&task.status.state).unwrap(),
        StreamResponse::StatusUpdate(update) => to_value(&update.status.state).unwrap(),
        _ => Value::Null,
    }
}

/// Reads a stream to its end and releases the agent at its first event: that event's kind, and the states in their
/// order without repetition.
pub(super) async fn followed(mut stream: Events, release: &Path) -> Result<Value, A2AError> {
    let (mut first, mut states) = (None, Vec::new());
    while let Some(event) = stream.next().await {
        let event = event?;
        if first.is_none() {
            first = Some(kind(&event));
            std::fs::write(release, "").unwrap();
        }
        let state = state(&event);
        if !state.is_null() && states.last() != Some(&state) {
            states.push(state);
        }
    }
    Ok(json!({"first": first, "states": states}))
}

/// Every event, or the first error before or within the stream.
pub(super) async fn all(stream: Result<Events, A2AError>) -> Result<Vec<StreamResponse>, A2AError> {
    let events: Vec<_> = stream?.collect().await;
    events.into_iter().collect()
}
