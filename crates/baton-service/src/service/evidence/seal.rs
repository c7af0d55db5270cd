//! Sealing: what a log has gained since its last checkpoint is hashed into the tree and a new checkpoint is signed.
//! Everything is computed from the rows on a read connection; the writer gets tiles and a note. A hub that is killed
//! here has written all or nothing of a seal, and makes it after its next start.
//!
//! A log that no longer bears out its own last checkpoint was changed behind the hub's back. It is not signed again.

use baton_core::{NetworkId, limits};
use baton_evidence::log::{self, Hash, Tile, Tiles as _};
use baton_evidence::note::{Checkpoint, SigningKey};
use baton_store::Snapshot;
use baton_store::rows::{CheckpointRow, LeafPage};
use std::collections::HashSet;
use std::fmt::Display;
use std::time::Instant;

use super::tree::{LogTiles, damaged, row_of};
use crate::hub::Hub;
use crate::service::Error;

/// Events hashed in one step; a long backlog takes several.
const STEP: LeafPage = LeafPage {
    from: 0,
    to: u64::MAX,
    limit: limits::SEAL_STEP_MAX_COUNT,
    bytes: limits::SEAL_STEP_MAX_BYTES,
    with_packets: false,
};

/// Seals every log that has grown, in turns: a log with a backlog takes a step, and the others have theirs before it takes
/// the next. A log that cannot be sealed is notified of and does not hold up the others.
pub async fn round(hub: &Hub) -> Result<usize, Error> {
    let mut round = Round::default();
    while round.turn(hub).await {}
    hub.bells.note_grown(round.put_off);
    round.trouble.map_or(Ok(round.sealed), Err)
}

/// What a round has done so far.
#[derive(Default)]
struct Round {
    /// Logs sealed as far as they go.
    sealed: usize,
    /// Logs the next round looks at again.
    put_off: HashSet<NetworkId>,
    trouble: Option<Error>,
}

impl Round {
    /// One step of every log that has grown, those since the last turn with them. Whether any of them has more.
    async fn turn(&mut self, hub: &Hub) -> bool {
        let mut has_more = false;
        for network in hub.bells.take_grown() {
            if self.put_off.contains(&network) {
                continue;
            }
            // The holder seals this log now, and may have looked before it last grew. To wait here would keep every
            // other log waiting for as long as somebody exports this one again and again.
            let Some(_turn) = hub.sealing.try_lock(&network) else {
                self.put_off.insert(network);
                continue;
            };
            match step(hub, &network).await {
                Ok(Sealed::Whole(_)) => self.sealed += 1,
                Ok(Sealed::Part) => {
                    has_more = true;
                    hub.bells.note_grown([network]);
                }
                Err(Error::Store(error @ baton_store::Error::Corrupt(_))) => {
                    tracing::error!(network = %network, %error, "a log does not bear out its checkpoint; it is not signed");
                }
                Err(error) => {
                    // The next round tries it again; the others have their turn now.
                    self.put_off.insert(network);
                    self.trouble.get_or_insert(error);
                }
            }
        }
        has_more
    }
}

/// Has every log looked at: some may have grown just before the hub was last stopped.
pub async fn look_at_all(hub: &Hub) -> Result<(), Error> {
    let mut after = 0;
    loop {
        let page = hub
            .store
            .read(move |rows| -> Result<_, Error> { Ok(rows.logs(after, limits::SEAL_LOGS_PAGE_COUNT)?) })
            .await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        hub.bells.note_grown(page.into_iter().map(|(_, network)| network));
    }
}

/// The same for logs that another hub may have left unsealed when it ended. Answers 0: the next round seals them.
pub async fn look_at_left(hub: &Hub) -> Result<usize, Error> {
    if hub.peers.is_some() {
        look_at_all(hub).await?;
    }
    Ok(0)
}

/// Seals a log as far as it goes now, and answers its checkpoint. A log that has not grown needs no sealing and no lock.
pub async fn up_to_date(hub: &Hub, network: &NetworkId) -> Result<CheckpointRow, Error> {
    let looked = Instant::now();
    let (key, of) = (hub.evidence_key.clone(), network.clone());
    let newest = hub.store_of(network).read(move |rows| Step::unless_grown(rows, &of, &key)).await?;
    if let Some(newest) = newest {
        return sealed(hub, network, newest, looked);
    }
    let _turn = hub.sealing.lock(network).await;
    seal(hub, network).await
}

/// The same for the holder of the network's lock: of two at a time one would compute for nothing.
async fn seal(hub: &Hub, network: &NetworkId) -> Result<CheckpointRow, Error> {
    loop {
        if let Sealed::Whole(checkpoint) = step(hub, network).await? {
            return Ok(checkpoint);
        }
    }
}

/// How far a step came.
enum Sealed {
    /// As far as the log went when it was looked at.
    Whole(CheckpointRow),
    /// There is more.
    Part,
}

/// Seals some of what a log has gained.
async fn step(hub: &Hub, network: &NetworkId) -> Result<Sealed, Error> {
    let looked = Instant::now();
    let (key, of) = (hub.evidence_key.clone(), network.clone());
    let step = hub.store.read(move |rows| Step::find(rows, &of, &key)).await?;
    let Step { before, leaves, size, bundled } = step;
    let from = before.as_ref().map_or(0, |row| row.size);
    let to = from + leaves.len() as u64;
    if leaves.is_empty() {
        hub.long_tails.look(network, bundled, from);
        return sealed(hub, network, before, looked).map(Sealed::Whole);
    }
    let Some(checkpoint) = grow(hub, network, before, leaves).await? else {
        return Ok(Sealed::Part); // the next look finds no log, or the newer checkpoint
    };
    hub.long_tails.look(network, bundled, to);
    if to < size {
        return Ok(Sealed::Part);
    }
    sealed(hub, network, Some(checkpoint), looked).map(Sealed::Whole)
}

/// The checkpoint of a log that had nothing to seal when it was looked at.
fn sealed(
    hub: &Hub,
    network: &NetworkId,
    newest: Option<CheckpointRow>,
    looked: Instant,
) -> Result<CheckpointRow, Error> {
    hub.bells.unsealed.sealed(network, newest.as_ref().map_or(0, |row| row.size), looked);
    newest.map_or_else(|| signed(hub, network, 0, log::empty_root()), Ok)
}

/// What a sealing starts from.
struct Step {
    before: Option<CheckpointRow>,
    /// The hashes of the events after it; of some, if there are many.
    leaves: Vec<Hash>,
    /// How many events the log has.
    size: u64,
    /// How many of them are in entry bundles.
    bundled: u64,
}

impl Step {
    /// The checkpoint of a log with nothing to seal; none if the log is not as long as its checkpoint says.
    fn unless_grown(
        rows: &dyn Snapshot,
        network: &NetworkId,
        key: &SigningKey,
    ) -> Result<Option<Option<CheckpointRow>>, Error> {
        let before = rows.checkpoint(network)?;
        if rows.log_size(network)? != before.as_ref().map_or(0, |row| row.size) {
            return Ok(None);
        }
        if let Some(row) = &before {
            check_borne_out(rows, network, row, key)?;
        }
        Ok(Some(before))
    }

    fn find(rows: &dyn Snapshot, network: &NetworkId, key: &SigningKey) -> Result<Self, Error> {
        let before = rows.checkpoint(network)?;
        let size = before.as_ref().map_or(0, |row| row.size);
        if let Some(row) = &before {
            check_borne_out(rows, network, row, key)?;
        }
        let leaves = rows.leaves(network, LeafPage { from: size, ..STEP })?;
        for (leaf, expected) in leaves.iter().zip(size..) {
            if leaf.index != expected {
                return Err(rewritten(format_args!("event {expected} is missing")));
            }
        }
        let hashes = leaves.iter().map(|leaf| log::leaf_hash(&leaf.event)).collect();
        Ok(Self { before, leaves: hashes, size: rows.log_size(network)?, bundled: rows.bundled(network)? })
    }
}

/// Whether the log still is what its last checkpoint says: signed by this hub, no shorter, with the same root.
fn check_borne_out(
    rows: &dyn Snapshot,
    network: &NetworkId,
    row: &CheckpointRow,
    key: &SigningKey,
) -> Result<(), Error> {
    let signed = Checkpoint::open(&row.note, &key.verifier_key());
    let signed = signed.map_err(|error| rewritten(format_args!("the last checkpoint: {error}")))?;
    let said = Checkpoint { origin: origin(network), size: row.size, root: Hash(row.root) };
    if signed != said {
        return Err(rewritten("the last checkpoint is not the one that was signed"));
    }
    let size = rows.log_size(network)?;
    if size < row.size {
        return Err(rewritten(format_args!("{size} events are left of {} that were signed", row.size)));
    }
    let root = log::root(&LogTiles::new(rows, network), row.size).map_err(damaged)?;
    if root != signed.root {
        return Err(rewritten(format_args!("the first {} events are not those that were signed", row.size)));
    }
    check_last(rows, network, row.size)
}

/// Whether the last event that was signed is still there. A log that was cut short and has grown again is as long as
/// it was, and its tiles are untouched; but the event at this place is another one.
fn check_last(rows: &dyn Snapshot, network: &NetworkId, size: u64) -> Result<(), Error> {
    let Some(last) = size.checked_sub(1) else { return Ok(()) };
    let signed = LogTiles::new(rows, network).node(0, last).map_err(damaged)?;
    let leaf = rows.leaves(network, LeafPage { from: last, to: size, limit: 1, ..STEP })?.pop();
    match leaf {
        Some(leaf) if log::leaf_hash(&leaf.event) == signed => Ok(()),
        _ => Err(rewritten(format_args!("event {last} is not the one that was signed"))),
    }
}

/// Writes the tree and the checkpoint of a longer log; none if the network was deleted meanwhile, or if somebody else,
/// another hub perhaps, has sealed the log since it was read.
async fn grow(
    hub: &Hub,
    network: &NetworkId,
    before: Option<CheckpointRow>,
    leaves: Vec<Hash>,
) -> Result<Option<CheckpointRow>, Error> {
    let from = before.as_ref().map_or(0, |row| row.size);
    let to = from + leaves.len() as u64;
    let of = network.clone();
    let (tiles, root) = hub
        .store
        .read(move |rows| -> Result<(Vec<Tile>, Hash), Error> {
            let tree = LogTiles::new(rows, &of);
            let tiles = log::grow(&tree, from, &leaves).map_err(damaged)?;
            let root = log::root(&tree.with(&tiles), to).map_err(damaged)?;
            Ok((tiles, root))
        })
        .await?;
    let checkpoint = signed(hub, network, to, root)?;
    let of = network.clone();
    hub.store
        .write(move |tx| -> Result<_, Error> {
            let size = tx.log_size(&of)?;
            if size == 0 {
                return Ok(None);
            }
            if size < to {
                return Err(rewritten(format_args!("it has fewer than the {to} events just read")));
            }
            // First: tiles that were grown from an older checkpoint must not be written over newer ones.
            if !tx.put_checkpoint(&of, before.as_ref(), &checkpoint)? {
                return Ok(None);
            }
            for tile in &tiles {
                tx.put_tile(&of, &row_of(tile))?;
            }
            Ok(Some(checkpoint.clone()))
        })
        .await
}

fn signed(hub: &Hub, network: &NetworkId, size: u64, root: Hash) -> Result<CheckpointRow, Error> {
    let checkpoint = Checkpoint { origin: origin(network), size, root };
    let note = checkpoint.sign(&hub.evidence_key);
    let note = note.map_err(|error| baton_store::Error::Corrupt(format!("a checkpoint: {error}")))?;
    Ok(CheckpointRow { size, root: root.0, note, sealed_at: hub.clock.now() })
}

/// The name of a network's log.
pub fn origin(network: &NetworkId) -> String {
    format!("{}{network}", baton_evidence::note::ORIGIN_PREFIX)
}

fn rewritten(what: impl Display) -> Error {
    baton_store::Error::Corrupt(format!("the log was changed behind the hub's back: {what}")).into()
}

#[cfg(test)]
mod tests {
    use baton_core::SystemRole;
    use bytes::Bytes;

    use super::*;
    use crate::fixture::{TestHub, network};
    use crate::service::evidence::{export, report};
    use baton_store::rows::NewLeaf;

    /// Makes the log of this user's only network one event longer.
    async fn grow_to(test: &TestHub, token: &str, size: u64) {
        let caller = test.hub.identify(token).await.unwrap().caller.clone();
        let packet = format!(
            r#"{{"protocol":"a2a","version":"0.2","event_type":"artifact.shared","agent":{{"id":"a"}},"artifact":{{"id":"{size}"}}}}"#
        );
        let args = report::QueryArgs::default();
        report::run(&test.hub, &caller, args, vec![Bytes::from(packet)]).await.unwrap();
    }

    #[tokio::test]
    async fn whoever_seals_one_log_holds_up_no_other_and_nobody_who_only_reads() {
        let test = TestHub::start();
        let hub = &test.hub;
        let ada = test.person("ada", SystemRole::User, &[1]).await;
        let bob = test.person("bob", SystemRole::User, &[2]).await;
        let (first, second) = (network(1), network(2));
        grow_to(&test, &ada, 1).await;
        assert_eq!(up_to_date(hub, &first).await.unwrap().size, 1);
        // Somebody seals the first log and takes very long.
        let held = hub.sealing.lock(&first).await;
        assert_eq!(up_to_date(hub, &first).await.unwrap().size, 1, "it has not grown");
        assert_eq!(up_to_date(hub, &second).await.unwrap().size, 0, "an empty log");
        grow_to(&test, &ada, 2).await;
        grow_to(&test, &bob, 1).await;
        assert_eq!(round(hub).await.unwrap(), 1, "the worker seals the second");
        assert_eq!(hub.bells.take_grown(), HashSet::from([first.clone()]), "and has the first before it");
        grow_to(&test, &bob, 2).await;
        assert_eq!(up_to_date(hub, &second).await.unwrap().size, 2);
        drop(held);
        let both = tokio::join!(up_to_date(hub, &first), up_to_date(hub, &first));
        assert_eq!((both.0.unwrap().size, both.1.unwrap().size), (2, 2));
    }

    /// Gives a log so many entries that nobody has looked at.
    async fn append(test: &TestHub, number: u8, count: u64) {
        let append = move |tx: &mut dyn baton_store::Transaction| -> Result<(), Error> {
            let network_id = &network(number);
            for _ in 0..count {
                let index = tx.log_size(network_id)?;
                let event = format!("event {index}").into_bytes();
                tx.append_leaf(NewLeaf { network_id, index, about: None, event: &event, packet: b"packet" })?;
            }
            Ok(())
        };
        test.hub.store.write(append).await.unwrap();
    }

    async fn signed_size(test: &TestHub, number: u8) -> u64 {
        let found = test.hub.store.read(move |rows| rows.checkpoint(&network(number))).await.unwrap();
        found.map_or(0, |row| row.size)
    }

    #[tokio::test]
    async fn a_log_with_a_backlog_takes_a_step_and_the_others_have_their_turn() {
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        test.person("bob", SystemRole::User, &[2]).await;
        let step = STEP.limit as u64;
        append(&test, 1, 2 * step + 10).await;
        append(&test, 2, 3).await;
        let mut round = Round::default();
        assert!(round.turn(&test.hub).await, "the first has more");
        assert_eq!((signed_size(&test, 1).await, signed_size(&test, 2).await), (step, 3));
        // What grows while the backlog is worked off waits for one step of it, not for all.
        append(&test, 2, 4).await;
        assert!(round.turn(&test.hub).await);
        assert_eq!((signed_size(&test, 1).await, signed_size(&test, 2).await), (2 * step, 7));
        assert!(!round.turn(&test.hub).await);
        assert_eq!((signed_size(&test, 1).await, round.sealed), (2 * step + 10, 3));
    }

    #[tokio::test]
    async fn of_two_that_seal_from_the_same_checkpoint_one_wins_and_the_log_bears_it_out() {
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        append(&test, 1, 300).await;
        let (hub, of) = (&test.hub, network(1));
        let key = hub.evidence_key.clone();
        let find = move |rows: &dyn Snapshot| Step::find(rows, &network(1), &key);
        // A second hub, which does not know of the first one's lock, has read the same and then more.
        let first = hub.store.read(find.clone()).await.unwrap();
        append(&test, 1, 50).await;
        let second = hub.store.read(find).await.unwrap();
        assert_eq!((first.leaves.len(), second.leaves.len()), (300, 350));
        assert_eq!(grow(hub, &of, None, first.leaves).await.unwrap().unwrap().size, 300);
        assert_eq!(grow(hub, &of, None, second.leaves).await.unwrap(), None, "it comes too late");
        assert_eq!(signed_size(&test, 1).await, 300);
        // It reads again, and finds tree and checkpoint in agreement.
        assert_eq!(up_to_date(hub, &of).await.unwrap().size, 350);
        assert!(hub.store.read(|rows| rows.tile(&network(1), 0, 1)).await.unwrap().len() == 94 * 32);
        assert_eq!(up_to_date(hub, &of).await.unwrap().size, 350);
    }

    #[tokio::test]
    async fn an_export_waits_for_no_other_networks_sealing() {
        let test = TestHub::start();
        test.person("ada", SystemRole::User, &[1]).await;
        let bob = test.person("bob", SystemRole::User, &[2]).await;
        append(&test, 1, 3 * STEP.limit as u64).await;
        // Somebody works on the first log's backlog and never ends.
        let first = network(1);
        let _held = test.hub.sealing.lock(&first).await;
        let mut sealing = Box::pin(up_to_date(&test.hub, &first));
        assert!(futures_util::poll!(&mut sealing).is_pending());
        grow_to(&test, &bob, 1).await;
        let who = test.hub.identify(&bob).await.unwrap();
        let export = export::bundle(&test.hub, &who, export::QueryArgs::default()).await.unwrap();
        assert_eq!((export.from, export.to), (0, 1));
        let export = export::side_file(&test.hub, &who, export::QueryArgs::default()).await.unwrap();
        assert_eq!(export.to, 1);
        assert_eq!(signed_size(&test, 1).await, 0);
    }

    #[tokio::test]
    async fn a_round_that_fails_forgets_no_log() {
        let test = TestHub::start();
        let hub = &test.hub;
        let grown: HashSet<_> = (1..=3).map(|n| NetworkId::from_random([n; 6])).collect();
        hub.bells.note_grown(grown.clone());
        let store = hub.store.clone();
        tokio::task::spawn_blocking(move || store.close()).await.unwrap();
        assert!(round(hub).await.is_err());
        assert_eq!(hub.bells.take_grown(), grown);
    }
}
