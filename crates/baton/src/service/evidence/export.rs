//! Exports: a bundle of one task's events or of a stretch of the log, and its side file with the checkpoint, the
//! proofs and the packets. Both are put together page by page on a thread of their own and go out as they come, so
//! that neither memory nor the WAL grows with the log.

use baton_core::{Caller, NetworkId, Refusal, TaskId, limits};
use baton_evidence::bundle::{self, BundleWriter};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use baton_evidence::log::{self, CachedTiles, Hash};
use baton_evidence::note::VerifierKey;
use baton_evidence::side_file::SideFileWriter;
use baton_store::rows::{CheckpointRow, LeafPage, LeafRow};
use baton_store::{Snapshot, Store};
use bytes::Bytes;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use utoipa::IntoParams;

use super::reader::{Reader, number, task_named};
use super::seal;
use super::tree::{LogTiles, damaged};
use crate::hub::Hub;
use crate::service::Error;

/// Events read at once.
const PAGE: usize = 1_000;
/// Bytes handed to the connection at once, and how many such pieces may wait for it.
const PIECE_BYTES: usize = 64 << 10;
const PIECES_WAITING: usize = 8;
/// A reader that takes nothing for this long has gone, and one that is not done after so long loses its turn.
const PATIENCE: Duration = Duration::from_secs(30);
const WHOLE_PATIENCE: Duration = Duration::from_secs(600);
/// How long an export waits for its turn.
const TURN_PATIENCE: Duration = Duration::from_secs(60);
/// Events of less than this fit into one bundle, however badly they compress.
const SURELY_FITS_BYTES: usize = 90 << 20;
/// Bytes of a hash in a side file, in base64 with its quotes and comma, and of an entry's names and index.
const HASH_BYTES: usize = 47;
const NAMES_BYTES: usize = 64;

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
    pub(crate) pieces: mpsc::Receiver<io::Result<Bytes>>,
}

/// What an export is made of.
struct Selection {
    store: Arc<dyn Store>,
    handle: Handle,
    network: NetworkId,
    task: Option<TaskId>,
    checkpoint: CheckpointRow,
    spool_in: PathBuf,
    from: u64,
    to: u64,
    /// A bundle ends before its side file gets larger than this.
    side_file_bytes: usize,
    /// Exports take turns.
    _turn: OwnedSemaphorePermit,
}

/// The bundle.
pub(crate) async fn bundle(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Export, Error> {
    let selection = Selection::find(hub, caller, args).await?;
    // Events are read before the first byte goes out, so that trouble with them is told as such.
    let packed = tokio::task::spawn_blocking(move || {
        let (bundle, to) = selection.spool()?;
        Ok::<_, Error>((Selection { to, ..selection }, bundle))
    });
    let (selection, bundle) = packed.await.map_err(|_| baton_store::Error::Closed)??;
    let (name, from, to) = (selection.name(), selection.from, selection.to);
    let (pieces, received) = mpsc::channel(PIECES_WAITING);
    tokio::task::spawn_blocking(move || {
        let handle = &selection.handle;
        let end = Pieces::new(pieces.clone(), handle.clone());
        if let Err(error) = bundle.finish(Pieces::new(pieces, handle.clone())) {
            end.fail(&error);
        }
    });
    Ok(Export { name, from, to, pieces: received })
}

/// The side file of the bundle that the same arguments give.
pub(crate) async fn side_file(hub: &Hub, caller: &Caller, args: QueryArgs) -> Result<Export, Error> {
    let selection = Selection::find(hub, caller, args).await?;
    let ended = tokio::task::spawn_blocking(move || {
        let to = selection.end()?;
        Ok::<_, Error>(Selection { to, ..selection })
    });
    let selection = ended.await.map_err(|_| baton_store::Error::Closed)??;
    let (name, from, to) = (selection.name(), selection.from, selection.to);
    let key = hub.evidence_key.verifier_key();
    let (pieces, received) = mpsc::channel(PIECES_WAITING);
    tokio::task::spawn_blocking(move || {
        let mut out = Pieces::new(pieces, selection.handle.clone());
        if let Err(error) = selection.write_side_file(&mut out, &key) {
            out.fail(&error);
        }
    });
    Ok(Export { name, from, to, pieces: received })
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
        let turn = tokio::time::timeout(TURN_PATIENCE, hub.exports.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| baton_store::Error::Busy)?.map_err(|_| baton_store::Error::Closed)?;
        Ok(Self {
            store: hub.store.clone(),
            handle: Handle::current(),
            network: reader.network,
            task,
            checkpoint,
            spool_in: hub.settings.data_folder.clone(),
            from,
            to,
            side_file_bytes: limits::SIDE_FILE_MAX_BYTES,
            _turn: turn,
        })
    }

    fn name(&self) -> String {
        match &self.task {
            Some(task) => format!("evidence-{task}"),
            None => format!("evidence-{}-{}-{}", self.network, self.from, self.to),
        }
    }

    /// The events from `next` on, a page of them, seen through `look`.
    fn page<T: Send + 'static>(
        &self,
        next: u64,
        look: impl FnOnce(&dyn Snapshot, &NetworkId, Vec<LeafRow>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let page = LeafPage { from: next, to: self.to, limit: PAGE, bytes: limits::EVIDENCE_PAGE_MAX_BYTES };
        let (network, task) = (self.network.clone(), self.task.clone());
        self.handle.block_on(self.store.read(move |rows| {
            let leaves = match &task {
                Some(task) => rows.leaves_of_task(&network, task, page)?,
                None => rows.leaves(&network, page)?,
            };
            look(rows, &network, leaves)
        }))
    }

    /// Every event, spooled and hashed, ready to be packed, and the index they end before: what readers would not
    /// accept in one bundle and one side file is left for the next. How large a bundle becomes is measured, not
    /// guessed from what its events say of themselves.
    fn spool(&self) -> Result<(BundleWriter<File>, u64), Error> {
        // Beside the database: the system's temporary folder may be memory.
        let spool = tempfile::tempfile_in(&self.spool_in).map_err(|error| unavailable(&error))?;
        let mut bundle =
            BundleWriter::new(spool, Some(self.network.to_string())).map_err(|error| unavailable(&error))?;
        let mut writer = Writer::new();
        let (mut next, mut side_file_bytes) = (self.from, 0);
        loop {
            let leaves = self.page(next, |_, _, leaves| Ok(leaves))?;
            if leaves.is_empty() {
                break;
            }
            for leaf in &leaves {
                side_file_bytes += entry_bytes(leaf, self.checkpoint.size);
                if next > self.from && !(bundle.has_room() && side_file_bytes <= self.side_file_bytes) {
                    return Ok((bundle, leaf.index));
                }
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
        Ok((bundle, self.to))
    }

    /// Where the bundle of the same events ends. It is only put together if there is so much that it may be split.
    fn end(&self) -> Result<u64, Error> {
        let size = self.checkpoint.size;
        let (mut next, mut count, mut bytes, mut side_file_bytes) = (self.from, 0, 0, 0);
        loop {
            let lengths = self.page(next, move |_, _, leaves| {
                let lengths =
                    leaves.iter().map(|leaf| (leaf.index, leaf.event.len(), entry_bytes(leaf, size)));
                Ok(lengths.collect::<Vec<_>>())
            })?;
            let Some((last, ..)) = lengths.last() else { return Ok(self.to) };
            next = last + 1;
            count += lengths.len() as u64;
            bytes += lengths.iter().map(|(_, event, _)| event).sum::<usize>();
            side_file_bytes += lengths.iter().map(|(.., entry)| entry).sum::<usize>();
            let fits = bytes <= SURELY_FITS_BYTES && side_file_bytes <= self.side_file_bytes;
            if count > bundle::limits::EVENTS || !fits {
                return self.spool().map(|(_, to)| to);
            }
        }
    }

    fn write_side_file(&self, out: &mut Pieces, key: &VerifierKey) -> Result<(), Error> {
        let size = self.checkpoint.size;
        let io = |error: io::Error| Error::from(unavailable(&error));
        let mut side_file = SideFileWriter::new(Vec::new(), &self.checkpoint.note, key).map_err(io)?;
        let mut next = self.from;
        loop {
            let entries =
                self.page(next, move |rows, network, leaves| proven(rows, network, leaves, size))?;
            let Some(last) = entries.last() else { break };
            next = last.index + 1;
            for Entry { index, proof, packet } in &entries {
                side_file.add(*index, proof, packet).map_err(|error| unavailable(&error))?;
            }
            out.write_all(&side_file.take()).map_err(io)?;
        }
        out.write_all(&side_file.finish().map_err(io)?).map_err(io)?;
        out.flush().map_err(io)
    }
}

/// Bytes of an event's entry in a side file, at most, for a log of this size.
fn entry_bytes(leaf: &LeafRow, size: u64) -> usize {
    let hashes = (u64::BITS - size.leading_zeros()) as usize;
    leaf.packet.len().div_ceil(3) * 4 + hashes * HASH_BYTES + NAMES_BYTES
}

/// An entry of a side file.
struct Entry {
    index: u64,
    proof: Vec<Hash>,
    packet: Vec<u8>,
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

fn unavailable(error: &dyn std::error::Error) -> baton_store::Error {
    baton_store::Error::Unavailable(format!("an export: {error}"))
}

/// Writes into a channel, in pieces; waits for a slow reader, but not for one that is gone.
struct Pieces {
    out: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
    handle: Handle,
    until: Instant,
}

impl Pieces {
    fn new(out: mpsc::Sender<io::Result<Bytes>>, handle: Handle) -> Self {
        let until = Instant::now() + WHOLE_PATIENCE;
        Self { out, piece: Vec::with_capacity(PIECE_BYTES), handle, until }
    }

    fn send(&self, piece: io::Result<Bytes>) -> io::Result<()> {
        let patience = PATIENCE.min(self.until.saturating_duration_since(Instant::now()));
        let sent = self.handle.block_on(async { tokio::time::timeout(patience, self.out.send(piece)).await });
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Breaks the connection off: half an export must not look like a whole one.
    fn fail(&self, error: &dyn std::error::Error) {
        tracing::warn!(%error, "an export was broken off");
        // A reader that is gone needs no telling.
        let _ = self.send(Err(io::Error::other("the export was broken off")));
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_BYTES {
            let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE_BYTES));
            self.send(Ok(piece.into()))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::take(&mut self.piece);
        self.send(Ok(piece.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network};
    use crate::service::evidence::report;
    use baton_core::SystemRole;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_bundle_ends_before_its_side_file_is_too_large_and_both_end_alike() {
        let test = TestHub::start();
        let token = test.person("ada", SystemRole::User, &[1]).await;
        let caller = test.hub.identify(&token).await.unwrap().caller;
        // Small events of large packets: what an event does not carry of its packet is in the side file all the same.
        let packet = |number: u32| {
            let unmapped = "x".repeat(2_000);
            let text = format!(
                r#"{{"protocol":"a2a","version":"0.2","event_type":"artifact.shared","agent":{{"id":"a"}},"artifact":{{"id":"{number}"}},"unmapped":"{unmapped}"}}"#
            );
            Bytes::from(text)
        };
        let packets = (0..10).map(packet).collect();
        report::run(&test.hub, &caller, report::QueryArgs::default(), packets).await.unwrap();
        let args = || QueryArgs { network_id: Some(network(1).to_string()), ..QueryArgs::default() };
        let ends = |side_file_bytes: usize| {
            let (hub, caller, args) = (test.hub.clone(), caller.clone(), args());
            async move {
                let selection = Selection::find(&hub, &caller, args).await.unwrap();
                let selection = Selection { side_file_bytes, ..selection };
                let both = tokio::task::spawn_blocking(move || {
                    (selection.spool().unwrap().1, selection.end().unwrap())
                });
                both.await.unwrap()
            }
        };
        assert_eq!(ends(limits::SIDE_FILE_MAX_BYTES).await, (10, 10));
        assert_eq!(ends(10_000).await, (3, 3));
        // An event is never too large to be exported by itself.
        assert_eq!(ends(1).await, (1, 1));
    }
}
