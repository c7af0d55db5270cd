//! What a log is checked with: its newest checkpoint, the key that signs it, and proofs in RFC 6962's order: that an event
//! is in the log of some size, and that a longer log continues from a shorter one. A verifier needs no trust in
//! this code.

use baton_core::{Caller, NetworkId, limits};
use baton_evidence::log::{self, Hash};
use baton_store::Snapshot;
use baton_store::rows::LeafPage;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::reader::{Reader, number};
use super::seal;
use super::tree::{LogTiles, damaged};
use crate::hub::Hub;
use crate::service::Error;

/// Which event, in a log of which size.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct InclusionArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// Which event
    #[param(value_type = Option<u64>)]
    index: Option<String>,
    /// Of the log at this size; now by default
    #[param(value_type = Option<u64>)]
    size: Option<String>,
}

/// The way from the event to the root.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InclusionProof)]
pub struct Inclusion {
    ok: bool,
    index: u64,
    size: u64,
    #[schema(value_type = String)]
    leaf_hash: Hash,
    #[schema(value_type = Vec<String>)]
    hashes: Vec<Hash>,
}

/// From which size to which.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ConsistencyArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// The smaller size
    #[param(value_type = Option<u64>)]
    from: Option<String>,
    /// The larger; now by default
    #[param(value_type = Option<u64>)]
    to: Option<String>,
}

/// What the longer log has beside the shorter one.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConsistencyProof)]
pub struct Consistency {
    ok: bool,
    from: u64,
    to: u64,
    #[schema(value_type = Vec<String>)]
    hashes: Vec<Hash>,
}

/// Proves that an event is in the log.
pub async fn inclusion(hub: &Hub, caller: &Caller, args: InclusionArgs) -> Result<Inclusion, Error> {
    let index =
        number("index", args.index.as_deref())?.ok_or_else(|| Error::argument("index", "is required"))?;
    let size = number("size", args.size.as_deref())?;
    let reader = reader(hub, caller, args.network_id).await?;
    let size = sealed(hub, &reader.network, "size", size).await?;
    if index >= size {
        return Err(Error::argument("index", format!("must be below the size, {size}")));
    }
    let asker = caller.clone();
    hub.store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let leaf_hash = leaf_hash(rows, &asker, &reader, index)?;
            let tiles = LogTiles::new(rows, &reader.network);
            let hashes = log::inclusion(&tiles, index, size).map_err(damaged)?;
            Ok(Inclusion { ok: true, index, size, leaf_hash, hashes })
        })
        .await
}

fn leaf_hash(rows: &dyn Snapshot, caller: &Caller, reader: &Reader, index: u64) -> Result<Hash, Error> {
    let bytes = limits::EVIDENCE_PAGE_MAX_BYTES;
    let page = LeafPage { from: index, to: index + 1, limit: 1, bytes, with_packets: false };
    let leaf = rows.leaves(&reader.network, page)?.pop();
    let leaf = leaf.ok_or_else(|| baton_store::Error::Corrupt(format!("no event {index} in the log")))?;
    reader.sees_event(rows, caller, &leaf.event)?;
    Ok(log::leaf_hash(&leaf.event))
}

/// Proves that the log only grew.
pub async fn consistency(hub: &Hub, caller: &Caller, args: ConsistencyArgs) -> Result<Consistency, Error> {
    let from = number("from", args.from.as_deref())?.ok_or_else(|| Error::argument("from", "is required"))?;
    let to = number("to", args.to.as_deref())?;
    let reader = reader(hub, caller, args.network_id).await?;
    let to = sealed(hub, &reader.network, "to", to).await?;
    if from > to {
        return Err(Error::argument("from", format!("must be at most {to}")));
    }
    // Every log continues from the empty one and from itself.
    if from == 0 || from == to {
        return Ok(Consistency { ok: true, from, to, hashes: Vec::new() });
    }
    hub.store_for(caller)
        .read(move |rows| -> Result<_, Error> {
            let tiles = LogTiles::new(rows, &reader.network);
            let hashes = log::consistency(&tiles, from, to).map_err(damaged)?;
            Ok(Consistency { ok: true, from, to, hashes })
        })
        .await
}

async fn reader(hub: &Hub, caller: &Caller, network_id: Option<String>) -> Result<Reader, Error> {
    let asker = caller.clone();
    let reader =
        hub.store_for(caller).read(move |rows| Reader::of(rows, &asker, network_id.as_deref())).await?;
    reader.write_down(hub, caller).await?;
    Ok(reader)
}

/// A size the tree has reached: the one asked for, or the last that was signed. What was written in the last moments
/// is sealed for it.
async fn sealed(
    hub: &Hub,
    network: &NetworkId,
    field: &'static str,
    asked: Option<u64>,
) -> Result<u64, Error> {
    let of = network.clone();
    let newest = hub.store_of(network).read(move |rows| rows.checkpoint(&of)).await.map_err(Error::from)?;
    let mut size = newest.map_or(0, |row| row.size);
    if asked.is_none_or(|asked| asked > size) {
        size = seal::up_to_date(hub, network).await?.size;
    }
    match asked {
        None => Ok(size),
        Some(asked) if asked <= size => Ok(asked),
        Some(_) => Err(Error::argument(field, format!("must be at most the log's size, {size}"))),
    }
}

/// Whose log.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CheckpointArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
}

/// The note itself, text for text. It may be a second behind the log.
pub async fn checkpoint(hub: &Hub, caller: &Caller, args: CheckpointArgs) -> Result<String, Error> {
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
