//! A client's message, checked: who says it, that it says something, and that each part is one thing. Its text is what
//! agents read; its parts are kept as they came when they are more than that text.

use a2a_types::{Part, Role};
use baton_core::{ArtifactRef, IdempotencyKey, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::agent_caller::AgentCaller;
use super::artifact::ARTIFACT;
use super::error::A2aError;
use crate::hub::Hub;
use crate::service::Error;
use crate::service::artifacts::part;
use crate::service::follow_up::MessageContent;

/// A message as it came.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    message_id: String,
    pub(super) task_id: Option<String>,
    pub(super) context_id: Option<String>,
    role: Role,
    parts: Vec<Map<String, Value>>,
    metadata: Option<Map<String, Value>>,
    extensions: Option<Vec<String>>,
    reference_task_ids: Option<Vec<String>>,
}

/// What a message says beside its text and parts: kept with it, given to the agent, shown in the history again.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Envelope {
    pub(super) message_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metadata: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) extensions: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reference_task_ids: Option<Vec<String>>,
}

/// A message's or a task's `meta`, of which this door writes and reads one member.
#[derive(Debug, Serialize, Deserialize)]
struct Meta {
    a2a: Envelope,
}

impl Envelope {
    /// What came with a message that came by A2A.
    pub(super) fn of_meta(meta: Option<&str>) -> Option<Self> {
        serde_json::from_str::<Meta>(meta?).ok().map(|meta| meta.a2a)
    }
}

const CONTENTS: [&str; 4] = ["text", "raw", "url", "data"];
/// What a part is kept with; the protocol has no more.
const KNOWN: [&str; 7] = ["text", "raw", "url", "data", "filename", "mediaType", "metadata"];

/// A message, checked, whose files are still in it.
pub(super) struct Checked {
    parts: Vec<Map<String, Value>>,
    meta: String,
    key: Option<IdempotencyKey>,
}

impl Checked {
    /// Whether something must be stored before it can be sent.
    pub(super) fn has_files(&self) -> bool {
        self.parts.iter().any(|part| !part.contains_key("text"))
    }

    /// What the hub is to keep and pass on. Everything but texts becomes an artifact that its agent receives.
    pub(super) async fn said(mut self, hub: &Hub, visitor: &AgentCaller) -> Result<MessageContent, A2aError> {
        let text = text_of(&self.parts);
        let mut artifacts = Vec::new();
        for (at, stored) in self.parts.iter().enumerate().filter(|(_, part)| !part.contains_key("text")) {
            let in_place = |error| match error {
                Error::Argument { field, rule } => {
                    Error::argument(format!("message.parts[{at}].{field}"), rule)
                }
                error => error,
            };
            let args = serde_json::from_value(Value::Object(stored.clone()));
            let args = args.map_err(|error| A2aError::params(format!("message.parts[{at}]: {error}")))?;
            let read = part::read(args).map_err(Error::of_argument).map_err(in_place)?;
            let uploaded =
                read.upload(hub, &visitor.identity, &visitor.agent.network_id).await.map_err(in_place)?;
            artifacts.push(uploaded);
        }
        if json(&self.parts)?.len() > limits::PARTS_MAX_BYTES {
            self.name_files(&artifacts);
        }
        let parts = kept(&self.parts)?;
        Ok(MessageContent { text, parts, meta: Some(self.meta), artifacts, key: self.key, push: None })
    }
}

impl Checked {
    /// In a message that is too large to be kept as it came, the hashes of files stand for their bytes.
    fn name_files(&mut self, artifacts: &[ArtifactRef]) {
        let files = self.parts.iter_mut().filter(|part| !part.contains_key("text"));
        for (stored, artifact) in files.zip(artifacts) {
            if stored.remove("raw").is_some() {
                stored.insert(ARTIFACT.into(), artifact.hash.to_string().into());
            }
        }
    }
}

impl Message {
    /// Checks all of it; nothing is stored yet.
    pub(super) fn check(self, key: Option<IdempotencyKey>) -> Result<Checked, A2aError> {
        if self.role != Role::User {
            return Err(A2aError::params("message.role must be ROLE_USER"));
        }
        let parts = check_parts(self.parts)?;
        let envelope = Envelope {
            message_id: self.message_id,
            metadata: self.metadata,
            extensions: self.extensions,
            reference_task_ids: self.reference_task_ids,
        };
        let meta = json(&Meta { a2a: envelope })?;
        if meta.len() > limits::META_MAX_BYTES {
            let most = limits::META_MAX_BYTES;
            return Err(A2aError::params(format!("message.metadata must be at most {most} bytes of JSON")));
        }
        Ok(Checked { parts, meta, key })
    }
}

/// Each part exactly one of its four contents, and of the type that one has.
fn check_parts(parts: Vec<Map<String, Value>>) -> Result<Vec<Map<String, Value>>, A2aError> {
    if parts.is_empty() || parts.len() > limits::PARTS_MAX_COUNT {
        return Err(A2aError::params(format!(
            "message.parts must be 1 to {} parts",
            limits::PARTS_MAX_COUNT
        )));
    }
    let checked = parts.into_iter().enumerate().map(|(at, mut part)| {
        let contents: Vec<_> = CONTENTS.iter().filter(|content| part.contains_key(**content)).collect();
        let [content] = *contents else {
            let rule = format!("message.parts[{at}] must have exactly one of text, raw, url and data");
            return Err(A2aError::params(rule));
        };
        if *content != "data" && !part[*content].is_string() {
            return Err(A2aError::params(format!("message.parts[{at}].{content} must be a string")));
        }
        part.retain(|name, _| KNOWN.contains(&&**name));
        match serde_json::from_value::<Part>(Value::Object(part.clone())) {
            Ok(_) => Ok(part),
            Err(error) => Err(A2aError::params(format!("message.parts[{at}]: {error}"))),
        }
    });
    checked.collect()
}

/// The texts, a line each; of a message without any, what it consists of.
fn text_of(parts: &[Map<String, Value>]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    let text = texts.join("\n");
    if !text.trim().is_empty() {
        return text;
    }
    let counts = CONTENTS.iter().filter_map(|content| {
        let count = parts.iter().filter(|part| part.contains_key(*content)).count();
        let parts = if count == 1 { "part" } else { "parts" };
        (count > 0).then(|| format!("{count} {content} {parts}"))
    });
    format!("[{}]", counts.collect::<Vec<_>>().join(", "))
}

/// The parts, unless a text says all of them.
fn kept(parts: &[Map<String, Value>]) -> Result<Option<String>, A2aError> {
    if let [part] = parts
        && part.len() == 1
        && part.get("text").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    {
        return Ok(None);
    }
    let kept = json(&parts)?;
    if kept.len() > limits::PARTS_MAX_BYTES {
        let most = limits::PARTS_MAX_BYTES;
        return Err(A2aError::params(format!("message.parts must be at most {most} bytes of JSON")));
    }
    Ok(Some(kept))
}

fn json(value: &impl Serialize) -> Result<String, A2aError> {
    serde_json::to_string(value).map_err(|error| A2aError::params(format!("message: {error}")))
}
