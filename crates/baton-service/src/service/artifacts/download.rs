//! Finds an artifact that the caller may read, and opens its bytes. Every other is one that does not exist.

use baton_core::{Action, ArtifactHash, Caller, Refusal};
use baton_store::Snapshot;
use baton_store::rows::ArtifactRow;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use utoipa::IntoParams;

use super::readable;
use crate::hub::{Hub, Identity};
use crate::objects::{self, ObjectStream};
use crate::service::network_ref::NetworkRef;
use crate::service::{Error, audit};

/// Where it is.
#[derive(Debug, Clone, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; needed unless the token has only one
    pub network_id: Option<String>,
}

/// An artifact by its SHA-256.
pub async fn find(hub: &Hub, caller: &Caller, sha256: &str, args: &QueryArgs) -> Result<ArtifactRow, Error> {
    let place = NetworkRef::of_write(args.network_id.as_deref());
    let hash = ArtifactHash::parse(sha256);
    let asker = caller.clone();
    let read = hub.store_for(caller).read(move |rows| find_row(rows, &asker, &place, hash));
    let (artifact, audited) = read.await?;
    audit::network_read(hub, caller, audited, "artifact").await?;
    Ok(artifact)
}

/// The artifact, and the network if that look is to be recorded.
fn find_row(
    rows: &dyn Snapshot,
    caller: &Caller,
    place: &NetworkRef,
    hash: Option<ArtifactHash>,
) -> Result<(ArtifactRow, Option<baton_core::NetworkId>), Error> {
    let missing = || Error::from(Refusal::ArtifactNotFound { hash });
    let hidden = |error| match error {
        // A user of several networks is asked which one is meant.
        Error::Refused(Refusal::NetworkIdRequired) => error,
        Error::Refused(_) => missing(),
        error => error,
    };
    let permitted = place.permit(rows, caller, Action::ReadNetwork).map_err(hidden)?;
    let hash = hash.ok_or_else(missing)?;
    let found = readable(rows, &permitted, &[hash]).map_err(hidden)?.into_iter().next();
    let audited = permitted.is_audited().then(|| permitted.network().clone());
    Ok((found.ok_or_else(missing)?, audited))
}

/// Opens a range of an artifact's bytes. The turn is held until they have been read or the reader has gone.
pub async fn open(
    hub: &Hub,
    who: &Identity,
    artifact: &ArtifactRow,
    range: Range<u64>,
) -> Result<ObjectStream, Error> {
    let turn = hub.transfers.download(who).await?;
    let opened = hub.objects.read(&artifact.object, artifact.size, range).await;
    let bytes = opened.map_err(|error| {
        // Its row is there, so its object was: removed since, or lost.
        tracing::error!(%error, object = artifact.object, "an artifact cannot be read");
        match error {
            objects::Error::Missing => Refusal::ArtifactNotFound { hash: Some(artifact.hash) }.into(),
            error => Error::from(error),
        }
    })?;
    Ok(bytes
        .inspect(move |_| {
            let _held = &turn;
        })
        .boxed())
}
