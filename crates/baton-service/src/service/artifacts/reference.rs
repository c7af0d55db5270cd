//! References to artifacts: read from a call's arguments, and resolved in its transaction. One that names an artifact the
//! caller may not read is refused like one that does not exist, and nothing of the call is done.

use baton_core::{
    ArtifactDescription, ArtifactHash, ArtifactName, ArtifactRef, ArtifactSource, MediaType, Refusal, limits,
};
use baton_store::Snapshot;
use baton_store::rows::{ArtifactRefRow, NewArtifactRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

use super::readable;
use crate::service::Error;
use crate::service::permit::Permitted;

/// A reference to an artifact that was uploaded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, ToSchema)]
#[schema(as = ArtifactReference)]
#[serde(deny_unknown_fields)]
pub struct RefArgs {
    /// Of its bytes
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub sha256: String,
    /// What it is called here; by default as it was uploaded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// By default as it was uploaded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The references of a call, checked.
pub fn read(refs: Option<Vec<RefArgs>>) -> Result<Vec<ArtifactRef>, Error> {
    let refs = refs.unwrap_or_default();
    let most = limits::ARTIFACT_REFS_MAX_COUNT;
    if refs.len() > most {
        return Err(Error::argument("artifacts", format!("must be at most {most}")));
    }
    let in_place = |(at, given): (usize, RefArgs)| {
        read_one(&given).map_err(|error| match error {
            Refusal::InvalidInput { field, rule } => {
                Error::argument(format!("artifacts[{at}].{field}"), rule)
            }
            other => other.into(),
        })
    };
    refs.into_iter().enumerate().map(in_place).collect()
}

fn read_one(given: &RefArgs) -> Result<ArtifactRef, Refusal> {
    let name = given.name.as_deref().map(|name| ArtifactName::parse("name", name)).transpose()?;
    let media_type =
        given.media_type.as_deref().map(|text| MediaType::parse("media_type", text)).transpose()?;
    let description =
        given.description.as_deref().map(|text| ArtifactDescription::parse("description", text));
    let hash = ArtifactHash::parse(&given.sha256)
        .ok_or_else(|| Refusal::invalid("sha256", "must be 64 lower-case hex digits"))?;
    Ok(ArtifactRef { hash, name, media_type, description: description.transpose()? })
}

/// The references as one text, for the digest of a call that may be repeated; none if there are none.
pub fn as_text(refs: &[ArtifactRef]) -> Option<String> {
    let one = |given: &ArtifactRef| {
        let texts = [
            given.name.as_ref().map(ArtifactName::as_str),
            given.media_type.as_ref().map(MediaType::as_str),
            given.description.as_ref().map(ArtifactDescription::as_str),
        ];
        serde_json::json!([given.hash, texts]).to_string()
    };
    (!refs.is_empty()).then(|| refs.iter().map(one).collect())
}

/// The references with what the artifacts themselves say, each of which the caller may read. All are looked up at once.
pub(in crate::service) fn resolve(
    rows: &dyn Snapshot,
    permitted: &Permitted<'_>,
    refs: &[ArtifactRef],
    source: ArtifactSource,
) -> Result<Vec<NewArtifactRef>, Error> {
    if refs.is_empty() {
        return Ok(Vec::new());
    }
    let hashes: Vec<_> = refs.iter().map(|given| given.hash).collect();
    let found = readable(rows, permitted, &hashes)?;
    let found: HashMap<_, _> = found.into_iter().map(|artifact| (artifact.hash, artifact)).collect();
    let resolved = refs.iter().map(|given| {
        let artifact = found.get(&given.hash);
        let artifact = artifact.ok_or(Refusal::ArtifactNotFound { hash: Some(given.hash) })?;
        Ok(NewArtifactRef {
            source,
            message: None,
            event: None,
            hash: artifact.hash,
            size: artifact.size,
            name: given.name.clone().unwrap_or_else(|| artifact.name.clone()),
            media_type: given.media_type.clone().unwrap_or_else(|| artifact.media_type.clone()),
            description: given.description.as_ref().map(ToString::to_string),
            artifact_id: None,
            metadata: None,
            part: None,
            chunk: None,
        })
    });
    resolved.collect()
}

/// What a task came with, for a new task that is made of it.
pub fn of_retried(refs: Vec<ArtifactRefRow>) -> Vec<NewArtifactRef> {
    let own = refs.into_iter().map(|row| row.reference).filter(|row| row.source == ArtifactSource::Task);
    own.map(|reference| NewArtifactRef { message: None, event: None, ..reference }).collect()
}
