//! The newest checkpoint of a log, and the key it is signed with.

use baton_core::Caller;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::reader::Reader;
use super::seal;
use crate::hub::Hub;
use crate::service::Error;

/// Whose log.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
}

/// The note itself, text for text. It may be a second behind the log.
pub async fn run(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<String, Error> {
    let asker = caller.clone();
    let (reader, newest) = hub
        .store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let reader = Reader::of(rows, &asker, args.network_id.as_deref())?;
            let newest = rows.checkpoint(&reader.network)?;
            Ok((reader, newest))
        })
        .await?;
    reader.write_down(hub, caller).await?;
    match newest {
        Some(newest) => Ok(newest.note),
        None => Ok(seal::up_to_date(hub, &reader.network).await?.note),
    }
}

/// The public key.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EvidenceKey)]
pub struct Key {
    ok: bool,
    key: String,
}

/// The key every network's checkpoints are signed with; it is for everybody.
pub fn key(hub: &Hub) -> Key {
    Key { ok: true, key: hub.evidence_key.verifier_key().to_string() }
}
