//! An agent shares an artifact, or more of one, before its task ends: A2A streams show it at once, in order and once, since
//! it is an event of the task. Several parts may make one artifact, and an artifact may come in several calls.

use baton_core::{
    ArtifactId, ArtifactName, ArtifactRef, ArtifactSource, Command, Refusal, Status, TaskId, limits,
};
use baton_store::rows::NewArtifactRef;
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::artifacts::part::{self, Inline, Part, PartArgs};
use super::artifacts::reference;
use super::network_ref::NetworkRef;
use super::operation::Found;
use super::permit::Permitted;
use super::stamp::Stamp;
use super::{Error, operation, send_reply};
use crate::hub::{Hub, Identity};

/// The body of `POST /api/tasks/:id/artifacts`.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SharedArtifact)]
pub struct PathArgs {
    /// The lease you hold
    pub lease_id: String,
    /// Your id for the artifact; using it again replaces it, or appends with --append
    pub artifact_id: String,
    /// Append to what was shared under this id instead of replacing it
    #[serde(default)]
    pub append: bool,
    /// Whether nothing is added to it any more
    #[serde(default)]
    pub last_chunk: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    pub parts: Vec<PartArgs>,
}

/// How the parts of an event continue with those before: kept with the first of them. Its members stand in the body too, and
/// not as one flattened there: a body refuses members it does not know, which serde cannot do with a flattened one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    #[serde(default)]
    pub append: bool,
    #[serde(default)]
    pub last_chunk: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// Where it stands in the task's history.
#[derive(Debug, Serialize, ToSchema)]
pub struct ArtifactShared {
    ok: bool,
    task_id: TaskId,
    artifact_id: String,
    /// The number of the task's event
    event: u64,
    status: Status,
}

/// A part that is ready to be referred to.
#[derive(Debug, Clone)]
enum Ready {
    Inline(Inline, Part),
    Artifact(ArtifactRef, Part),
}

/// Shares it. The bytes of its parts are stored first, if the caller may; they are swept if the call fails.
pub async fn run_on_path(
    hub: &Hub,
    who: &Identity,
    task: &str,
    args: PathArgs,
) -> Result<ArtifactShared, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let artifact_id = ArtifactId::parse("artifact_id", &args.artifact_id).map_err(Error::of_argument)?;
    let chunk = chunk(&args)?;
    let parts = part::read_all("parts", args.parts)?;
    let lease_id = send_reply::lease(Some(&args.lease_id))?.ok_or(Refusal::LeaseLost)?;
    let command = Command::ShareArtifact { lease_id, artifact_id };
    let ready = prepare(hub, who, &task, &command, parts).await?;
    let (stamp, caller) = (Stamp::new(hub), who.caller.clone());
    let sharing = move |tx: &mut dyn Transaction| -> Result<ArtifactShared, Error> {
        let place = NetworkRef::TheTasks;
        let Found { task: found, actor, permitted } =
            operation::find_for(tx.as_snapshot(), &stamp, &caller, &place, Some(&task), &command)?;
        let mut refs = refer(&ready, tx.as_snapshot(), &permitted)?;
        for new in &mut refs {
            new.artifact_id = Some(args.artifact_id.clone());
        }
        // How they continue with those before stands with the first.
        if let Some(first) = refs.first_mut() {
            first.chunk = Some(chunk.clone());
        }
        let done = operation::carry_out_with(tx, &stamp, &actor, found, &command, refs)?;
        let event = done.event_number.unwrap_or_default();
        let artifact_id = args.artifact_id.clone();
        Ok(ArtifactShared { ok: true, task_id: task.clone(), artifact_id, event, status: done.transition.to })
    };
    hub.store_for(&who.caller).write(sharing).await
}

/// The chunk as it is kept.
fn chunk(args: &PathArgs) -> Result<String, Error> {
    let name = args.name.as_deref().map(|name| ArtifactName::parse("name", name)).transpose();
    name.map_err(Error::of_argument)?;
    let chunk = Chunk {
        append: args.append,
        last_chunk: args.last_chunk,
        name: args.name.clone(),
        description: args.description.clone(),
        metadata: args.metadata.clone(),
    };
    let chunk =
        serde_json::to_string(&chunk).map_err(|error| Error::argument("metadata", error.to_string()))?;
    let most = limits::META_MAX_BYTES;
    if chunk.len() > most {
        return Err(Error::argument(
            "metadata",
            format!("must be at most {most} bytes of JSON with name and description"),
        ));
    }
    Ok(chunk)
}

/// Stores the bytes of the parts, once it is clear that the caller may share them.
async fn prepare(
    hub: &Hub,
    who: &Identity,
    task: &TaskId,
    command: &Command,
    parts: Vec<Part>,
) -> Result<Vec<Ready>, Error> {
    let (caller, wanted, command, stamp) =
        (who.caller.clone(), task.clone(), command.clone(), Stamp::new(hub));
    let look = hub.store_for(&who.caller).read(move |rows| {
        operation::would_act(rows, &stamp, &caller, &NetworkRef::TheTasks, &wanted, &command)
    });
    let network = look.await?;
    let mut ready = Vec::with_capacity(parts.len());
    let mut bytes = 0;
    for part in parts {
        bytes += metadata(&part).map_or(0, |text| text.len());
        ready.push(match part.inline()? {
            Some(inline) => {
                bytes += inline.json.len();
                Ready::Inline(inline, part)
            }
            None => Ready::Artifact(part.upload(hub, who, &network).await?, part),
        });
        if bytes > limits::PARTS_MAX_BYTES {
            let most = limits::PARTS_MAX_BYTES;
            return Err(Error::argument(
                "parts",
                format!("must be at most {most} bytes of JSON beside raw ones"),
            ));
        }
    }
    Ok(ready)
}

/// The references that are added for the parts, in their order.
fn refer(
    ready: &[Ready],
    rows: &dyn Snapshot,
    permitted: &Permitted<'_>,
) -> Result<Vec<NewArtifactRef>, Error> {
    let given = ready.iter().filter_map(|ready| match ready {
        Ready::Artifact(given, _) => Some(given.clone()),
        Ready::Inline(..) => None,
    });
    let given: Vec<_> = given.collect();
    let mut found = reference::resolve(rows, permitted, &given, ArtifactSource::Work)?.into_iter();
    let refer = |ready: &Ready| match ready {
        Ready::Inline(inline, part) => Some(of_inline(inline, part)),
        Ready::Artifact(_, part) => Some(NewArtifactRef { metadata: metadata(part), ..found.next()? }),
    };
    // Each that was given was found, or the call was refused.
    Ok(ready.iter().filter_map(refer).collect())
}

fn of_inline(inline: &Inline, part: &Part) -> NewArtifactRef {
    NewArtifactRef {
        source: ArtifactSource::Work,
        message: None,
        event: None,
        hash: inline.hash,
        size: inline.size,
        name: part.name.clone().unwrap_or_default(),
        media_type: inline.media_type.clone(),
        description: None,
        artifact_id: None,
        metadata: metadata(part),
        part: Some(inline.json.clone()),
        chunk: None,
    }
}

fn metadata(part: &Part) -> Option<String> {
    part.metadata.clone().map(|metadata| Value::Object(metadata).to_string())
}
