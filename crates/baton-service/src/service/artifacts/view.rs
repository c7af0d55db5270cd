//! Artifacts as every door shows them.

use baton_core::{ArtifactHash, ArtifactName, ArtifactSource, MediaType};
use baton_store::rows::{ArtifactRefRow, ArtifactRow, NewArtifactRef, TaskMessageRow};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::service::task_view::TaskMessageView;
use crate::service::wire_time::WireTime;

/// An artifact, or a reference to one.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Artifact)]
pub struct ArtifactView {
    sha256: ArtifactHash,
    /// In bytes.
    size: u64,
    name: ArtifactName,
    media_type: MediaType,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// What the reference came with.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ArtifactSource>,
    /// What its agent calls the artifact that it is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_id: Option<String>,
    /// The part itself, with one of `text`, `url` and `data`: its bytes are not stored elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    part: Option<Value>,
    /// In a list of artifacts: when it was first uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<WireTime>,
}

impl ArtifactView {
    pub(super) fn hash(&self) -> ArtifactHash {
        self.sha256
    }

    pub(super) fn uploaded(hash: ArtifactHash, size: u64, name: ArtifactName, media_type: MediaType) -> Self {
        Self {
            sha256: hash,
            size,
            name,
            media_type,
            description: None,
            source: None,
            artifact_id: None,
            part: None,
            created_at: None,
        }
    }
}

impl From<ArtifactRow> for ArtifactView {
    fn from(row: ArtifactRow) -> Self {
        let created_at = Some(WireTime(row.created_at));
        Self { created_at, ..Self::uploaded(row.hash, row.size, row.name, row.media_type) }
    }
}

impl From<ArtifactRefRow> for ArtifactView {
    fn from(row: ArtifactRefRow) -> Self {
        row.reference.into()
    }
}

impl From<NewArtifactRef> for ArtifactView {
    fn from(new: NewArtifactRef) -> Self {
        let (source, artifact_id) = (Some(new.source), new.artifact_id);
        let part = new.part.and_then(|part| serde_json::from_str(&part).ok());
        let description = new.description;
        Self {
            description,
            source,
            artifact_id,
            part,
            ..Self::uploaded(new.hash, new.size, new.name, new.media_type)
        }
    }
}

/// What a task refers to: with its messages, and beside them.
pub struct Conversation {
    pub messages: Vec<TaskMessageView>,
    /// What came with the task's text, its work and its reply.
    pub artifacts: Vec<ArtifactView>,
}

impl Conversation {
    /// Gives each message what came with it; what came with a message that is not shown is not shown either.
    pub fn new(messages: Vec<TaskMessageRow>, refs: Vec<ArtifactRefRow>) -> Self {
        let mut shown: Vec<(i64, TaskMessageView)> =
            messages.into_iter().map(|row| (row.n, TaskMessageView::from(row))).collect();
        let mut artifacts = Vec::new();
        for row in refs {
            match row.reference.message {
                None => artifacts.push(row.into()),
                Some(n) => {
                    if let Some((_, message)) = shown.iter_mut().find(|(number, _)| *number == n) {
                        message.artifacts.push(row.into());
                    }
                }
            }
        }
        Self { messages: shown.into_iter().map(|(_, message)| message).collect(), artifacts }
    }
}
