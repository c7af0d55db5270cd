//! Exports: a bundle of one task's events or of a stretch of the log, and its side file with the checkpoint, the
//! proofs and the packets. Both are read page by page, so that neither memory nor the WAL grows with the log. A bundle
//! is packed into a file first; how both are sent is in `export_body`, who may when in `hub/export_permits.rs`.

use baton_core::{Caller, NetworkId, Refusal, TaskId, limits};
use baton_evidence::bundle::{self, BundleWriter};
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::EventLine;
use baton_evidence::log::{self, CachedTiles, Hash};
use baton_store::rows::{CheckpointRow, LeafPage, LeafRow};
use baton_store::{Share, Snapshot, Store};
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
use crate::hub::in_flight::Cost;
use crate::hub::{Hub, Identity};
use crate::service::Error;

/// Events read at once: whole entry bundles, where an export begins with one.
const PAGE: usize = 4 * limits::ENTRY_BUNDLE_COUNT;
/// Bytes of a hash in a side file, in base64 with its quotes and comma, and of an entry's names and index.
const HASH_BYTES: usize = 47; // not a limit: the format of a side file
const NAMES_BYTES: usize = 64; // not a limit: the format of a side file

/// What to export: one task's events, or those from an index up to another (exclusive).
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QueryArgs {
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
pub struct Export {
    /// What a user would call the file, without its ending.
    pub name: String,
    /// The stretch of the log it covers.
    pub from: u64,
    pub to: u64,
    /// How long it is, where that is known before it is sent.
    pub length: Option<u64>,
    pub pieces: Pieces,
}

/// What an export is made of.
pub(super) struct Selection {
    store: Arc<dyn Store>,
    handle: Handle,
    network: NetworkId,
    task: Option<TaskId>,
    pub(super) checkpoint: CheckpointRow,
    spool_in: PathBuf,
    pub(super) from: u64,
    to: u64,
    /// A bundle ends before its side file gets larger than this.
    side_file_bytes: usize,
}

/// The bundle.
pub async fn bundle(hub: &Hub, who: &Identity, args: QueryArgs) -> Result<Export, Error> {
    let selection = Selection::find(hub, &who.caller, args).await?;
    let open = hub.exports.open(who).await?;
    let turn = hub.exports.work(who).await?;
    // Packed before the first byte goes out, so that an error is answered as one and a slow reader holds no turn.
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
pub async fn side_file(hub: &Hub, who: &Identity, args: QueryArgs) -> Result<Export, Error> {
    let selection = Selection::find(hub, &who.caller, args).await?;
    let open = hub.exports.open(who).await?;
    let turn = hub.exports.work(who).await?;
    let ended = tokio::task::spawn_blocking(move || {
        let to = selection.end()?;
        drop(turn);
        Ok::<_, Error>(Selection { to, ..selection })
    });
    let selection = ended.await.map_err(|_| baton_store::Error::Closed)??;
    let (name, from, to) = (selection.name(), selection.from, selection.to);
    let memory = hub.in_flight.reserve(who, Cost::SideFile).await?;
    let turns = (hub.exports.clone(), who.clone());
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
            .store_for(caller)
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
            side_file_bytes: limits::SIDE_FILE_MAX_BYTES,
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
        look: impl Fn(&dyn Snapshot, &NetworkId, Vec<LeafRow>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let page = LeafPage { from: next, to: self.to, limit: PAGE, bytes, with_packets: true };
        let (network, task, size) = (self.network.clone(), self.task.clone(), self.checkpoint.size);
        let read = self.store.of(Share::Network(self.network.clone())).scan(move |rows| {
            // A network that is deleted takes its log with it, in the middle of an export too.
            if rows.log_size(&network)? < size {
                return Err(Refusal::NoEvidence.into());
            }
            let leaves = match &task {
                Some(task) => rows.leaves_of_task(&network, task, page)?,
                None => rows.leaves(&network, page)?,
            };
            look(rows, &network, leaves)
        });
        read.await
    }

    /// Whether no more events means the end. A task's events are far apart; those of a stretch are all there, and half of
    /// them must not look like all.
    pub(super) fn check_end(&self, next: u64) -> Result<(), Error> {
        match self.task.is_none() && next < self.to {
            true => Err(baton_store::Error::Corrupt(format!("event {next} is missing")).into()),
            false => Ok(()),
        }
    }

    /// Packs every event into a file, ready to be read.
    fn pack(self) -> Result<(Self, File), Error> {
        let out = tempfile::tempfile_in(&self.spool_in).map_err(|error| unavailable(&error))?;
        let (bundle, to) = self.spool()?;
        let mut out = io::BufWriter::new(out);
        bundle.finish(&mut out).map_err(|error| unavailable(&error))?;
        let mut out = out.into_inner().map_err(|error| unavailable(&error))?;
        out.rewind().map_err(|error| unavailable(&error))?;
        Ok((Self { to, ..self }, out))
    }

    /// A page of entries of a side file, from `next` on.
    pub(super) async fn proven(&self, next: u64) -> Result<Vec<Entry>, Error> {
        let size = self.checkpoint.size;
        let look =
            move |rows: &dyn Snapshot, network: &NetworkId, leaves| proven(rows, network, leaves, size);
        self.page(next, limits::SIDE_FILE_PAGE_BYTES, look).await
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
            let page = self.page(next, limits::EVIDENCE_PAGE_MAX_BYTES, |_, _, leaves| Ok(leaves));
            let leaves = self.handle.block_on(page)?;
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
        self.check_end(next)?;
        Ok((bundle, self.to))
    }

    /// Where the bundle of the same events ends. It is only put together if there is so much that it may be split.
    fn end(&self) -> Result<u64, Error> {
        let size = self.checkpoint.size;
        let (mut next, mut count, mut bytes, mut side_file_bytes) = (self.from, 0, 0, 0);
        loop {
            let lengths = self.page(next, limits::EVIDENCE_PAGE_MAX_BYTES, move |_, _, leaves| {
                let lengths =
                    leaves.iter().map(|leaf| (leaf.index, leaf.event.len(), entry_bytes(leaf, size)));
                Ok(lengths.collect::<Vec<_>>())
            });
            let lengths = self.handle.block_on(lengths)?;
            let Some((last, ..)) = lengths.last() else { return Ok(self.to) };
            next = last + 1;
            count += lengths.len() as u64;
            bytes += lengths.iter().map(|(_, event, _)| event).sum::<usize>();
            side_file_bytes += lengths.iter().map(|(.., entry)| entry).sum::<usize>();
            let fits = bytes <= limits::EXPORT_SURELY_FITS_BYTES && side_file_bytes <= self.side_file_bytes;
            if count > bundle::limits::EVENTS || !fits {
                return self.spool().map(|(_, to)| to);
            }
        }
    }
}

/// Bytes of an event's entry in a side file, at most, for a log of this size.
fn entry_bytes(leaf: &LeafRow, size: u64) -> usize {
    let hashes = (u64::BITS - size.leading_zeros()) as usize;
    leaf.packet.len().div_ceil(3) * 4 + hashes * HASH_BYTES + NAMES_BYTES
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{TestHub, network};
    use crate::service::evidence::report;
    use baton_core::SystemRole;
    use bytes::Bytes;

    /// A packet with so many bytes that its event does not carry.
    fn packet(number: u32, bytes: usize) -> Bytes {
        let unmapped = "x".repeat(bytes);
        let text = format!(
            r#"{{"protocol":"a2a","version":"0.2","event_type":"artifact.shared","agent":{{"id":"a"}},"artifact":{{"id":"{number}"}},"unmapped":"{unmapped}"}}"#
        );
        Bytes::from(text)
    }

    /// A side file of a network with ten large events, up to this index.
    async fn side_file_up_to(test: &TestHub, to: u64) -> SideFile {
        let (hub, token) = (&test.hub, test.person("ada", SystemRole::User, &[1]).await);
        let who = hub.identify(&token).await.unwrap();
        for number in 0..10 {
            let packets = vec![packet(number, limits::SIDE_FILE_PAGE_BYTES / 5)];
            report::run(hub, &who.caller, report::QueryArgs::default(), packets).await.unwrap();
        }
        let selection = Selection::find(hub, &who.caller, QueryArgs::default()).await.unwrap();
        let selection = Selection { to, ..selection };
        let open = hub.exports.open(&who).await.unwrap();
        let memory = hub.in_flight.reserve(&who, Cost::SideFile).await.unwrap();
        let key = hub.evidence_key.verifier_key();
        SideFile::new(selection, &key, (hub.exports.clone(), who), (open, memory)).unwrap()
    }

    /// The pages of a side file until it ends or is broken off.
    async fn all_pages(side_file: &mut SideFile) -> Result<usize, Error> {
        let mut count = 0;
        while side_file.page().await?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    #[tokio::test]
    async fn a_side_file_whose_network_is_deleted_meanwhile_is_broken_off() {
        let test = TestHub::start();
        let mut side_file = side_file_up_to(&test, 10).await;
        assert!(side_file.page().await.unwrap().is_some());
        test.write(|tx| tx.delete_network(&network(1))).await;
        let ended = all_pages(&mut side_file).await;
        assert!(matches!(ended, Err(Error::Refused(Refusal::NoEvidence))), "{ended:?}");
    }

    #[tokio::test]
    async fn a_stretch_of_the_log_ends_where_it_should_or_is_broken_off() {
        let test = TestHub::start();
        let pages = all_pages(&mut side_file_up_to(&test, 10).await).await.unwrap();
        assert!(pages > 2, "{pages}");
        let test = TestHub::start();
        let ended = all_pages(&mut side_file_up_to(&test, 11).await).await;
        assert!(matches!(ended, Err(Error::Store(baton_store::Error::Corrupt(_)))), "{ended:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_bundle_ends_before_its_side_file_is_too_large_and_both_end_alike() {
        let test = TestHub::start();
        let token = test.person("ada", SystemRole::User, &[1]).await;
        let caller = test.hub.identify(&token).await.unwrap().caller.clone();
        // Small events of large packets: what an event does not carry of its packet is in the side file anyway.
        let packets = (0..10).map(|number| packet(number, 2_000)).collect();
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
