//! Artifacts: bytes with a name. Uploaded into a network, referred to by tasks, messages and replies, downloaded by whoever
//! may see them, and removed once nothing refers to them.
//!
//! Users who may read a network, and coordinators, may read all of its artifacts. Any other agent may read what it uploaded
//! itself, and what a task refers to that it sent or was given. Nobody may refer to what they may not read.

pub mod download;
pub mod inline;
pub mod list;
pub mod part;
pub mod reference;
pub mod sweep;
pub mod upload;
mod view;

pub use reference::RefArgs;
pub use view::{ArtifactView, Conversation};

use baton_core::access::TaskReach;
use baton_core::{ArtifactHash, limits};
use baton_store::Snapshot;
use baton_store::rows::{ArtifactRefRow, ArtifactRow, TaskRow};

use super::Error;
use super::permit::Permitted;

/// Those of these artifacts that there are and that the caller may read, in no order.
pub(super) fn readable(
    rows: &dyn Snapshot,
    permitted: &Permitted<'_>,
    hashes: &[ArtifactHash],
) -> Result<Vec<ArtifactRow>, Error> {
    let agent = match permitted.reach()? {
        TaskReach::Network => None,
        TaskReach::Own(alias) => Some(alias),
    };
    let examined = limits::ARTIFACT_REFS_EXAMINED_COUNT;
    Ok(rows.artifacts_by_hash(permitted.network(), hashes, agent.as_ref(), examined)?)
}

/// What a task refers to, with its messages and its reply. A task that refers to nothing costs nothing.
pub(super) fn of_task(rows: &dyn Snapshot, task: &TaskRow) -> Result<Vec<ArtifactRefRow>, Error> {
    match task.artifacts {
        0 => Ok(Vec::new()),
        _ => Ok(rows.artifact_refs(task.seq)?),
    }
}
