//! What a task brought, as the protocol shows it: the result, what was reported with it, the files of the reply, and what
//! the agent shared before the end. And parts that are files: in place where they are small, else by where they are.

use a2a_types::{Artifact, Part, PartContent, StreamResponse, TaskArtifactUpdateEvent};
use baton_core::{ArtifactHash, ArtifactSource, Status};
use baton_store::rows::{ArtifactRefRow, EventRow, NewArtifactRef};
use serde_json::{Map, Value};
use std::collections::HashMap;

use super::task::ids;
use crate::service::share_artifact::Chunk;
use crate::service::task_record::TaskRecord;

/// The artifact that is a task's result.
const RESULT: &str = "result";

/// The artifacts as they stood at an event of the task, where its status was this one.
pub(super) fn at(record: &TaskRecord, event: i64, status: Status) -> Vec<Artifact> {
    let mut artifacts = shared_until(record, event);
    if status.is_terminal() {
        artifacts.extend(ended(record));
    }
    artifacts
}

/// What an event adds to the artifacts, each as a frame of its own.
pub(super) fn updates(record: &TaskRecord, event: &EventRow) -> Vec<StreamResponse> {
    if let Some((chunk, artifact)) = shared_at(record, event.n) {
        return vec![update(record, artifact, Some(chunk.append), chunk.last_chunk)];
    }
    match event.to_status.is_terminal() {
        true => ended(record).into_iter().map(|artifact| update(record, artifact, None, true)).collect(),
        false => Vec::new(),
    }
}

fn update(record: &TaskRecord, artifact: Artifact, append: Option<bool>, last_chunk: bool) -> StreamResponse {
    let (task_id, context_id) = ids(record);
    let last_chunk = Some(last_chunk);
    StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
        task_id,
        context_id,
        artifact,
        append: append.filter(|append| *append),
        last_chunk,
        metadata: None,
    })
}

/// What an agent shared with an event.
fn shared_at(record: &TaskRecord, event: i64) -> Option<(Chunk, Artifact)> {
    let is_shared = |row: &NewArtifactRef| row.source == ArtifactSource::Work && row.event == Some(event);
    let refs: Vec<_> = record.refs.iter().filter(|row| is_shared(&row.reference)).collect();
    let first = &refs.first()?.reference;
    let chunk: Chunk =
        first.chunk.as_deref().and_then(|chunk| serde_json::from_str(chunk).ok()).unwrap_or_default();
    let artifact = Artifact {
        artifact_id: first.artifact_id.clone().unwrap_or_default(),
        name: chunk.name.clone(),
        description: chunk.description.clone(),
        parts: refs.iter().map(|row| of_ref(record, row)).collect(),
        metadata: chunk.metadata.clone().map(|metadata| metadata.into_iter().collect()),
        extensions: None,
    };
    Some((chunk, artifact))
}

/// What an agent had shared by an event: what is added goes to the artifact of its id, anything else replaces that.
fn shared_until(record: &TaskRecord, event: i64) -> Vec<Artifact> {
    let mut events: Vec<i64> =
        record.refs.iter().filter_map(|row| row.reference.chunk.as_ref().and(row.reference.event)).collect();
    events.retain(|n| *n <= event);
    let mut artifacts: Vec<Artifact> = Vec::new();
    for (chunk, shared) in events.into_iter().filter_map(|n| shared_at(record, n)) {
        match artifacts.iter_mut().find(|artifact| artifact.artifact_id == shared.artifact_id) {
            Some(artifact) if chunk.append => artifact.parts.extend(shared.parts),
            Some(artifact) => *artifact = shared,
            None => artifacts.push(shared),
        }
    }
    artifacts
}

/// What the end of the task brought: the result, what was reported with it, the files of the reply.
fn ended(record: &TaskRecord) -> Vec<Artifact> {
    let row = &record.row;
    if row.answered_bare {
        return Vec::new();
    }
    let is_answered = row.snapshot.status == Status::Replied;
    let result = row.result.iter().filter(|result| is_answered && !result.is_empty());
    let result = result.map(|text| artifact(RESULT.into(), None, Part::text(text)));
    let reported = record.artifacts.iter().filter(|_| is_answered).enumerate().map(|(at, value)| {
        let name = value.get("name").and_then(Value::as_str).map(str::to_owned);
        let part = match value {
            Value::String(text) => Part::text(text),
            other => Part::data(other.clone()),
        };
        artifact(format!("artifact-{}", at + 1), name, part)
    });
    let files = of_reply(record).map(|row| {
        let name = Some(row.reference.name.as_str().to_owned());
        let file = artifact(format!("file-{}", row.n), name, of_ref(record, row));
        Artifact { description: row.reference.description.clone(), ..file }
    });
    result.chain(reported).chain(files).collect()
}

/// The files of the reply.
pub(super) fn of_reply(record: &TaskRecord) -> impl Iterator<Item = &ArtifactRefRow> {
    record.refs.iter().filter(|row| row.reference.source == ArtifactSource::Reply)
}

fn artifact(artifact_id: String, name: Option<String>, part: Part) -> Artifact {
    Artifact { artifact_id, name, description: None, parts: vec![part], metadata: None, extensions: None }
}

/// A reference as a part.
pub(super) fn of_ref(record: &TaskRecord, row: &ArtifactRefRow) -> Part {
    let row = &row.reference;
    let metadata = row.metadata.as_deref().and_then(|metadata| serde_json::from_str(metadata).ok());
    let content = match row.part.as_deref().map(serde_json::from_str::<Part>) {
        Some(Ok(part)) => part.content,
        _ => file_content(record, &row.hash),
    };
    // A name that nobody gave is not shown.
    let is_named = row.name != baton_core::ArtifactName::default();
    Part {
        content,
        filename: is_named.then(|| row.name.as_str().to_owned()),
        media_type: Some(row.media_type.as_str().to_owned()),
        metadata,
    }
}

/// A part of a message as it is stored: its bytes, if it had any, are an artifact.
pub(super) fn of_stored(record: &TaskRecord, mut part: Map<String, Value>) -> Option<Part> {
    let Some(artifact) = part.remove(ARTIFACT) else { return serde_json::from_value(part.into()).ok() };
    let hash = ArtifactHash::parse(artifact.as_str()?)?;
    let text = |name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
    let metadata = part.get("metadata").and_then(Value::as_object).cloned();
    Some(Part {
        content: file_content(record, &hash),
        filename: text("filename"),
        media_type: text("mediaType"),
        metadata: metadata.map(|metadata| metadata.into_iter().collect::<HashMap<_, _>>()),
    })
}

/// What stands in a stored part for its bytes.
pub(super) const ARTIFACT: &str = "artifact";

fn file_content(record: &TaskRecord, hash: &ArtifactHash) -> PartContent {
    match record.files.bytes_of(hash) {
        Some(bytes) => PartContent::Raw(bytes.to_vec()),
        None => PartContent::Url(record.files.url_of(hash)),
    }
}
