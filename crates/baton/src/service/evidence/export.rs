//! Exports: a bundle of one task's events or of a stretch of the log, and its side file with the checkpoint, the
//! proofs and the packets. Both are read page by page, so that neither memory nor the WAL grows with the log. A bundle
//! is packed into a file first; how both are sent is in `export_body`, who may when in `export_turns`.

use baton_core::{Caller, NetworkId, Refusal, TaskId, limits};
use baton_evidence::bundle::{self, BundleWriter};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use baton_evidence::log::{self, CachedTiles, Hash};
use baton_store::rows::{CheckpointRow, LeafPage, LeafRow};
use baton_store::{Snapshot, Store};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Seek};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use utoipa::IntoParams;

use super::export_body::{self, Pieces, SideFile};
use super::reader::{Reader, number, task_named};
use super::seal;
use super::tree::{LogTiles, damaged};
use crate::hub::{Hub, Identity};
use crate::in_flight::Cost;
use crate::service::Error;

/// Events read at once.
const PAGE: usize = 1_000;
/// What a bundle may weigh, so that it stays within what its readers take packed, whatever is in it. The hub's own
/// events are much alike and pack to a twentieth; of what others report nothing is known.
const WEIGHT_MAX: usize = 90 << 20;
const OWN_LIGHTER_BY: usize = 8;

/// What is to be exported: one task's events, or those from an index up to another, which is not meant.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct QueryArgs {
    /// The network; not needed by those who have one
    network_id: Option<String>,
    /// Only about this task
    task_id: Option<String>,
    /// From this index
    #[param(value_type = Option<u64>)]
    from: Option<String>,
    /// Up to this one, which is not part of it
    #[param(value_type = Option<u64>)]
    to: Option<String>,
}

/// An export on its way out.
pub(crate) struct Export {
    /// What a person would call the file, without its ending.
    pub(crate) name: String,
    /// The stretch of the log it covers.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// How long it is, where that is known before it is sent.
    pub(crate) length: Option<u64>,
    pub(crate) pieces: Pieces,
}

/// What an export is made of.
pub(super) struct Selection {
    store: Arc<dyn Store>,
    handle: Handle,
    pub(super) network: NetworkId,
    task: Option<TaskId>,
    pub(super) checkpoint: CheckpointRow,
    spool_in: PathBuf,
    pub(super) from: u64,
    to: u64,
}

/// The bundle.
pub(crate) async fn bundle(hub: &Hub, who: &Identity, args: QueryArgs) -> Result<Export, Error> {
    let selection = Selection::find(hub, &who.caller, args).await?;
    let open = hub.exports.open(&selection.network, who).await?;
    let turn = hub.exports.work(&selection.network, &who.token_id).await?;
    // Packed before the first byte goes out, so that any error is told as such and a slow reader holds no turn.
    let packed = tokio::task::spawn_blocking(move || {
        let packed = selection.pack();
        drop(turn);
        packed
    });
    let (selection, file) = packed.await.map_err(|_| baton_store::Error::Closed)??;
    let length = file.metadata().map_err(|error| unavailable(&error))?.len();
    let pieces = export_body::of_file(file, open);
    Ok(Export {
        name: selection.name(),
        from: selection.from,
        to: selection.to,
        length: Some(length),
        pieces,
    })
}

/// The side file of the bundle that the same arguments give.
pub(crate) async fn side_file(hub: &Hub, who: &Identity, args: QueryArgs) -> Result<Export, Error> {
    let selection = Selection::find(hub, &who.caller, args).await?;
    let (name, from, to) = (selection.name(), selection.from, selection.to);
    let open = hub.exports.open(&selection.network, who).await?;
    let memory = hub.in_flight.reserve(who, Cost::SideFile).await?;
    let turns = (hub.exports.clone(), who.token_id.clone());
    let mut side_file = SideFile::new(selection, &hub.evidence_key.verifier_key(), turns, (open, memory))?;
    let first = side_file.page().await?.unwrap_or_default();
    Ok(Export { name, from, to, length: None, pieces: side_file.pieces(first) })
}

impl Selection {
    async fn find(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Self, Error> {
        let task = task_named(args.task_id.as_deref())?;
        let from = number("from", args.from.as_deref())?.unwrap_or(0);
        let to = number("to", args.to.as_deref())?;
        let (asker, about) = (caller.clone(), task.clone());
        let reader = hub
            .store
            .read(move |rows| match &about {
                Some(task) => Reader::of_task(rows, &asker, args.network_id.as_deref(), task),
                None => {
                    let reader = Reader::of(rows, &asker, args.network_id.as_deref())?;
                    reader.sees_all()?;
                    Ok(reader)
                }
            })
            .await?;
        reader.write_down(hub, caller).await?;
        let checkpoint = seal::up_to_date(hub, &reader.network).await?;
        let to = to.unwrap_or(checkpoint.size);
        if to > checkpoint.size {
            let rule = format!("must be at most the log's size, {}", checkpoint.size);
            return Err(Error::argument("to", rule));
        }
        // A task's events are far apart; those of a stretch are all there.
        let to = if task.is_some() { to } else { to.min(from.saturating_add(bundle::limits::EVENTS)) };
        if from >= to {
            return Err(Refusal::NoEvidence.into());
        }
        Ok(Self {
            store: hub.store.clone(),
            handle: Handle::current(),
            network: reader.network,
            task,
            checkpoint,
            spool_in: hub.settings.data_folder.clone(),
            from,
            to,
        })
    }

    fn name(&self) -> String {
        match &self.task {
            Some(task) => format!("evidence-{task}"),
            None => format!("evidence-{}-{}-{}", self.network, self.from, self.to),
        }
    }

    /// The events from `next` on, a page of them, seen through `look`.
    async fn page<T: Send + 'static>(
        &self,
        next: u64,
        bytes: usize,
        look: impl FnOnce(&dyn Snapshot, &NetworkId, Vec<LeafRow>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let page = LeafPage { from: next, to: self.to, limit: PAGE, bytes };
        let (network, task) = (self.network.clone(), self.task.clone());
        let read = self.store.read(move |rows| {
            let leaves = match &task {
                Some(task) => rows.leaves_of_task(&network, task, page)?,
                None => rows.leaves(&network, page)?,
            };
            look(rows, &network, leaves)
        });
        read.await
    }

    /// Packs every event into a file, ready to be read.
    fn pack(self) -> Result<(Self, File), Error> {
        let out = tempfile::tempfile_in(&self.spool_in).map_err(|error| unavailable(&error))?;
        let (selection, bundle) = self.spool()?;
        let mut out = io::BufWriter::new(out);
        bundle.finish(&mut out).map_err(|error| unavailable(&error))?;
        let mut out = out.into_inner().map_err(|error| unavailable(&error))?;
        out.rewind().map_err(|error| unavailable(&error))?;
        Ok((selection, out))
    }

    /// A page of entries of a side file, from `next` on.
    pub(super) async fn proven(&self, next: u64) -> Result<Vec<Entry>, Error> {
        let size = self.checkpoint.size;
        let look =
            move |rows: &dyn Snapshot, network: &NetworkId, leaves| proven(rows, network, leaves, size);
        self.page(next, limits::SIDE_FILE_PAGE_BYTES, look).await
    }

    /// Every event, spooled and hashed, ready to be packed. What is more than a bundle holds is left for the next one.
    fn spool(mut self) -> Result<(Self, BundleWriter<File>), Error> {
        // Beside the database: the system's temporary folder may be memory.
        let spool = tempfile::tempfile_in(&self.spool_in).map_err(|error| unavailable(&error))?;
        let mut bundle =
            BundleWriter::new(spool, Some(self.network.to_string())).map_err(|error| unavailable(&error))?;
        let mut writer = Writer::new();
        let (mut next, mut count, mut weight) = (self.from, 0, 0);
        'events: loop {
            let page = self.page(next, limits::EVIDENCE_PAGE_MAX_BYTES, |_, _, leaves| Ok(leaves));
            let leaves = self.handle.block_on(page)?;
            if leaves.is_empty() {
                break;
            }
            for leaf in &leaves {
                let is_full = count == bundle::limits::EVENTS || weight > WEIGHT_MAX;
                if is_full {
                    self.to = leaf.index;
                    break 'events;
                }
                count += 1;
                weight += weight_of(&leaf.event);
                next = leaf.index + 1;
                let damage =
                    |what: String| baton_store::Error::Corrupt(format!("event {}: {what}", leaf.index));
                let line = std::str::from_utf8(&leaf.event).map_err(|error| damage(error.to_string()))?;
                let event = EventLine::read(&mut writer, line).map_err(|error| damage(error.to_string()))?;
                bundle.add(&event).map_err(|error| damage(error.to_string()))?;
            }
        }
        if next == self.from {
            return Err(Refusal::NoEvidence.into());
        }
        Ok((self, bundle))
    }
}

/// What an event weighs, packed, at most.
fn weight_of(event: &[u8]) -> usize {
    let is_own = memchr::memmem::find(event, br#""batonorigin":"hub""#).is_some();
    if is_own { event.len() / OWN_LIGHTER_BY } else { event.len() }
}

/// An entry of a side file.
pub(super) struct Entry {
    pub(super) index: u64,
    pub(super) proof: Vec<Hash>,
    pub(super) packet: Vec<u8>,
}

/// Each event's index, inclusion proof and packet.
fn proven(
    rows: &dyn Snapshot,
    network: &NetworkId,
    leaves: Vec<LeafRow>,
    size: u64,
) -> Result<Vec<Entry>, Error> {
    let tiles = CachedTiles::new(LogTiles::new(rows, network));
    let prove = |leaf: LeafRow| {
        let proof = log::inclusion(&tiles, leaf.index, size).map_err(damaged)?;
        Ok(Entry { index: leaf.index, proof, packet: leaf.packet })
    };
    leaves.into_iter().map(prove).collect()
}

pub(super) fn unavailable(error: &dyn std::error::Error) -> baton_store::Error {
    baton_store::Error::Unavailable(format!("an export: {error}"))
}
