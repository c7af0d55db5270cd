//! Bundling: signed entries leave the tail of their log, 256 at a time, into compressed entry bundles. In the
//! background and in bounded steps, the logs in turns; the writer gets what was packed and compared beside it. One
//! transaction writes a step's bundles and drops the rows they replace, so a hub that is killed here has moved all of
//! them or none. After each step it rests for as long as packing took of a core, so it takes half of one at most.
//!
//! Hubs of earlier releases cannot read what is packed here: while one may run on the same database, entries stay in the tail.
//!
//! What is moved is byte for byte what was signed: before the rows go, the bundle is unpacked again and its events are
//! hashed and compared with the leaves of the tree.

use baton_core::{NetworkId, limits};
use baton_evidence::log::leaf_hash;
use baton_store::rows::TailEntries;
use baton_store::{Entries, EntryBundle, Share};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

use crate::hub::Hub;
use crate::service::Error;

const ROUND_MAX: Duration = Duration::from_secs(limits::BUNDLING_ROUND_MAX_SECONDS as u64);
/// Bytes of a hash in a tile.
const HASH: usize = 32; // not a limit: the format of a hash

/// Moves entries of every log that has enough of them, for a while. Answers how many bundles were made.
pub async fn round(hub: &Hub) -> Result<usize, Error> {
    let began = Instant::now();
    let mut round = Round::default();
    // One may start at any time.
    let has_older = || hub.peers.as_ref().is_some_and(|peers| peers.has_older());
    while began.elapsed() < ROUND_MAX && !has_older() && round.turn(hub).await {}
    round.report(hub).await;
    hub.long_tails.note(round.put_off);
    round.trouble.map_or(Ok(round.moved.values().sum()), Err)
}

/// What a round has done so far.
#[derive(Default)]
struct Round {
    /// Bundles made, by network.
    moved: BTreeMap<NetworkId, usize>,
    /// Logs the next round looks at again.
    put_off: Vec<NetworkId>,
    trouble: Option<Error>,
}

impl Round {
    /// One step of every log that has a long tail. Whether there may be more to do now.
    async fn turn(&mut self, hub: &Hub) -> bool {
        let mut has_more = false;
        for network in hub.long_tails.take() {
            if hub.shutdown.is_draining() || self.put_off.contains(&network) {
                self.put_off.push(network);
                continue;
            }
            match step(hub, &network).await {
                Ok(Step { moved: 0, .. }) => {}
                Ok(Step { moved, cpu }) => {
                    has_more = true;
                    *self.moved.entry(network.clone()).or_default() += moved;
                    hub.long_tails.note([network]);
                    // Nobody waits for this. What it waited for the writer is no work of its own: with that counted it
                    // would rest the longer the more there is to do.
                    tokio::time::sleep(cpu).await;
                }
                Err(Error::Store(error @ baton_store::Error::Corrupt(_))) => {
                    hub.long_tails.leave_alone(&network);
                    tracing::error!(network = %network, %error, "entries of a log stay in its tail until the next start");
                }
                Err(error) => {
                    self.put_off.push(network);
                    self.trouble.get_or_insert(error);
                }
            }
        }
        has_more
    }

    /// Tells how far the logs are that had much to move.
    async fn report(&self, hub: &Hub) {
        for (network, moved) in
            self.moved.iter().filter(|(_, moved)| **moved >= limits::BUNDLING_BACKLOG_COUNT)
        {
            let of = network.clone();
            let read = hub
                .store
                .read(move |rows| -> Result<_, Error> { Ok((rows.bundled(&of)?, rows.log_size(&of)?)) });
            if let Ok((bundled, size)) = read.await {
                tracing::info!(network = %network, moved, bundled, size, "entries of a log were moved into entry bundles");
            }
        }
    }
}

/// What was done for one log.
struct Step {
    /// Bundles made.
    moved: usize,
    /// The time of a core that packing them took.
    cpu: Duration,
}

/// Moves the next entries of a log, as many as one read may bring.
async fn step(hub: &Hub, network: &NetworkId) -> Result<Step, Error> {
    let of = network.clone();
    // With the slow reads: nobody waits for it, and it takes longer than a quick one may where cores are scarce.
    let found = hub.store.of(Share::Hub).scan(move |rows| -> Result<_, Error> {
        let tails =
            rows.entries_to_bundle(&of, limits::BUNDLING_STEP_MAX_COUNT, limits::BUNDLING_STEP_MAX_BYTES)?;
        let with_hashes = |tail: TailEntries| {
            let hashes = rows.tile(&of, 0, tail.first / limits::ENTRY_BUNDLE_COUNT as u64)?;
            Ok((tail, hashes))
        };
        tails.into_iter().map(with_hashes).collect::<Result<Vec<_>, Error>>()
    });
    let tails = found.await?;
    if tails.is_empty() {
        return Ok(Step { moved: 0, cpu: Duration::ZERO });
    }
    let (bundles, cpu) = pack_all(tails).await?;
    let mut moved = 0;
    for (first, bundle) in bundles {
        let of = network.clone();
        // One to a write, so that nobody's write waits for more than one.
        let put =
            hub.store.write(move |tx| -> Result<_, Error> { Ok(tx.put_entry_bundle(&of, first, &bundle)?) });
        moved += usize::from(put.await?);
    }
    Ok(Step { moved, cpu })
}

/// Packs entries on a thread of its own that yields to everything else: a thread that has lowered its priority may not
/// raise it again, so none of the runtime's is used.
async fn pack_all(tails: Vec<(TailEntries, Vec<u8>)>) -> Result<(Vec<(u64, EntryBundle)>, Duration), Error> {
    let (done, packed) = oneshot::channel();
    let work = move || {
        if let Err(error) = rustix::process::setpriority_process(None, limits::BUNDLING_NICENESS) {
            tracing::debug!(%error, "entries are packed at the usual priority");
        }
        let began = cpu_time();
        let pack = |(tail, hashes): &(TailEntries, Vec<u8>)| Ok((tail.first, pack(tail, hashes)?));
        let bundles = tails.iter().map(pack).collect::<Result<Vec<_>, Error>>();
        // A hub that has stopped meanwhile leaves them to its next start.
        let _ = done.send(bundles.map(|bundles| (bundles, cpu_time().saturating_sub(began))));
    };
    let started = std::thread::Builder::new().name("bundler".into()).spawn(work);
    started.map_err(|error| baton_store::Error::Unavailable(format!("a thread to pack entries: {error}")))?;
    packed.await.map_err(|_| baton_store::Error::Closed)?
}

/// How long this thread has run on a core.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Packs entries, and compares what comes out of the bundle with the tree's leaves and with the packets.
fn pack(tail: &TailEntries, hashes: &[u8]) -> Result<EntryBundle, Error> {
    let bundle = EntryBundle::pack(&tail.entries)?;
    let unpacked = Entries::unpack(bundle.bytes(), None)?;
    for (number, entry) in tail.entries.iter().enumerate() {
        let index = tail.first + number as u64;
        let Some(entry) = entry else { continue };
        let signed = hashes.get(number * HASH..(number + 1) * HASH);
        if signed != Some(&leaf_hash(unpacked.event(number)).0[..]) {
            return Err(differs(index, "its hash is not the one in the tree"));
        }
        if unpacked.packet(number) != entry.packet {
            return Err(differs(index, "its packet is not the one that was packed"));
        }
    }
    Ok(bundle)
}

fn differs(index: u64, what: impl Display) -> Error {
    baton_store::Error::Corrupt(format!("entry {index}: {what}")).into()
}

#[cfg(test)]
mod tests {
    use baton_core::{SystemRole, UnixMillis};
    use baton_evidence::log::{check_consistency, check_inclusion};
    use baton_store::rows::TileRow;
    use baton_store::{Asked, Entry, HubRow, Peers, SeenRow, Work};
    use bytes::Bytes;
    use futures_util::TryStreamExt;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::fixture::{TestHub, network};
    use crate::hub::Identity;
    use crate::service::evidence::export::Export;
    use crate::service::evidence::{export, page, proof, report, seal};

    /// A test's arguments, as a query gives them.
    fn args<T: DeserializeOwned>(query: Value) -> T {
        serde_json::from_value(query).unwrap()
    }

    /// Makes the log of this number so many entries longer; every hundredth is too long for an entry bundle.
    async fn grow(test: &TestHub, who: &Identity, number: u8, from: usize, count: usize) {
        let packet = |n: usize| {
            let unmapped = "x".repeat(if n % 100 == 7 { limits::ENTRY_BUNDLED_MAX_BYTES } else { 0 });
            Bytes::from(format!(
                r#"{{"protocol":"a2a","version":"0.2","event_type":"artifact.shared","agent":{{"id":"a"}},"artifact":{{"id":"{n}"}},"unmapped":"{unmapped}"}}"#
            ))
        };
        let packets: Vec<Bytes> = (from..from + count).map(packet).collect();
        for some in packets.chunks(500) {
            let query = args(json!({"network_id": network(number)}));
            report::run(&test.hub, &who.caller, query, some.to_vec()).await.unwrap();
        }
        seal::up_to_date(&test.hub, &network(number)).await.unwrap();
    }

    async fn bytes(export: Result<Export, Error>) -> Vec<u8> {
        export.unwrap().pieces.try_collect::<Vec<Bytes>>().await.unwrap().concat()
    }

    /// Everything a reader is shown of a log, as text and bytes.
    async fn shown(test: &TestHub, who: &Identity) -> Vec<Vec<u8>> {
        let hub = &test.hub;
        let mut shown = vec![
            bytes(export::bundle(hub, who, args(json!({"to": "600"}))).await).await,
            bytes(export::side_file(hub, who, args(json!({"to": "600"}))).await).await,
            bytes(export::bundle(hub, who, args(json!({"from": "250", "to": "520"}))).await).await,
        ];
        for (after, limit) in [(0, 1), (254, 2), (255, 300), (510, 5), (400, 1000)] {
            let query = args(json!({"after": after.to_string(), "limit": limit.to_string()}));
            let page = page::run_on_query(hub, &who.caller, query).await.unwrap();
            shown.push(serde_json::to_vec(&page).unwrap());
        }
        for index in [0, 7, 255, 256, 511, 512, 599] {
            let query = args(json!({"index": index.to_string(), "size": "600"}));
            let proof = proof::inclusion(hub, &who.caller, query).await.unwrap();
            shown.push(serde_json::to_vec(&proof).unwrap());
        }
        shown
    }

    async fn bundled(test: &TestHub, number: u8) -> u64 {
        test.hub.store.read(move |rows| rows.bundled(&network(number))).await.unwrap()
    }

    async fn person(test: &TestHub, name: &str, networks: &[u8]) -> Identity {
        let token = test.person(name, SystemRole::User, networks).await;
        test.hub.identify(&token).await.unwrap()
    }

    #[tokio::test]
    async fn exports_pages_and_proofs_are_byte_for_byte_the_same_once_entries_are_bundled() {
        let test = TestHub::start();
        let ada = person(&test, "ada", &[1]).await;
        grow(&test, &ada, 1, 0, 300).await;
        let early = seal::up_to_date(&test.hub, &network(1)).await.unwrap();
        grow(&test, &ada, 1, 300, 300).await;
        let before = shown(&test, &ada).await;
        assert_eq!(round(&test.hub).await.unwrap(), 2);
        assert_eq!(bundled(&test, 1).await, 512);
        assert!(shown(&test, &ada).await == before);
        assert_eq!(round(&test.hub).await.unwrap(), 0, "88 are too few");

        // What was signed before continues into what is signed after, and an old entry is in the new tree.
        grow(&test, &ada, 1, 600, 250).await;
        round(&test.hub).await.unwrap();
        assert_eq!(bundled(&test, 1).await, 768);
        let late = seal::up_to_date(&test.hub, &network(1)).await.unwrap();
        let query = args(json!({"from": early.size.to_string(), "to": late.size.to_string()}));
        let longer = proof::consistency(&test.hub, &ada.caller, query).await.unwrap();
        let longer: Value = serde_json::to_value(longer).unwrap();
        let hashes = |value: &Value| serde_json::from_value(value["hashes"].clone()).unwrap();
        let roots = (baton_evidence::log::Hash(early.root), baton_evidence::log::Hash(late.root));
        let proof: Vec<_> = hashes(&longer);
        check_consistency(early.size, &roots.0, late.size, &roots.1, &proof).unwrap();
        let query = args(json!({"index": "255"}));
        let answer = proof::inclusion(&test.hub, &ada.caller, query).await.unwrap();
        let answer: Value = serde_json::to_value(answer).unwrap();
        let leaf = serde_json::from_value(answer["leaf_hash"].clone()).unwrap();
        check_inclusion(&leaf, 255, late.size, &hashes(&answer), &roots.1).unwrap();
        let after = shown(&test, &ada).await;
        assert!(after[0] == before[0] && after[2] == before[2], "bundles of the same stretches");
        assert!(after[8..] == before[8..], "proofs of the earlier size");
    }

    /// Other hubs on the database; one of them is of an older release for as long as this says so.
    #[derive(Default)]
    struct Others {
        has_older: std::sync::atomic::AtomicBool,
        /// How often it is still asked before one starts; none if none does.
        asks_before_one_starts: std::sync::Mutex<Option<u32>>,
    }

    impl Peers for Others {
        fn alive_count(&self) -> u32 {
            2
        }

        fn has_older(&self) -> bool {
            if let Some(left) = &mut *self.asks_before_one_starts.lock().unwrap() {
                match left.checked_sub(1) {
                    Some(fewer) => *left = fewer,
                    None => self.has_older.store(true, Ordering::Release),
                }
            }
            self.has_older.load(Ordering::Acquire)
        }

        fn hubs(&self) -> Asked<'_, Vec<HubRow>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn take_work(&self, _: Work, keys: Vec<String>) -> Asked<'_, Vec<String>> {
            Box::pin(async { Ok(keys) })
        }

        fn leave_work(&self, _: Work, _: Vec<String>) -> Asked<'_, ()> {
            Box::pin(async { Ok(()) })
        }

        fn seen_since(&self, _: UnixMillis) -> Asked<'_, Vec<SeenRow>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn send_transient(&self, _: &NetworkId, _: &str) {}

        fn take_outage(&self) -> bool {
            false
        }
    }

    #[tokio::test]
    async fn while_an_older_hub_runs_beside_entries_stay_in_the_tail_which_it_can_read() {
        let others = Arc::new(Others::default());
        let peers: Arc<dyn Peers> = others.clone();
        let mut test = TestHub::start();
        Arc::get_mut(&mut test.hub).unwrap().peers = Some(peers);
        let ada = person(&test, "ada", &[1]).await;
        grow(&test, &ada, 1, 0, 300).await;
        others.has_older.store(true, Ordering::Release);
        assert_eq!(round(&test.hub).await.unwrap(), 0);
        assert_eq!(bundled(&test, 1).await, 0);
        others.has_older.store(false, Ordering::Release);
        assert_eq!(round(&test.hub).await.unwrap(), 1);
        assert_eq!(bundled(&test, 1).await, 256);
    }

    #[tokio::test]
    async fn a_round_ends_when_an_older_hub_starts_during_it() {
        let others = Arc::new(Others::default());
        *others.asks_before_one_starts.lock().unwrap() = Some(1);
        let peers: Arc<dyn Peers> = others.clone();
        let mut test = TestHub::start();
        Arc::get_mut(&mut test.hub).unwrap().peers = Some(peers);
        let ada = person(&test, "ada", &[1]).await;
        grow(&test, &ada, 1, 0, limits::BUNDLING_STEP_MAX_COUNT + 600).await;
        round(&test.hub).await.unwrap();
        assert_eq!(bundled(&test, 1).await, limits::BUNDLING_STEP_MAX_COUNT as u64, "one step");
    }

    #[tokio::test]
    async fn logs_with_long_tails_take_turns() {
        let test = TestHub::start();
        let ada = person(&test, "ada", &[1, 2]).await;
        let step = limits::BUNDLING_STEP_MAX_COUNT as u64;
        grow(&test, &ada, 1, 0, limits::BUNDLING_STEP_MAX_COUNT + 600).await;
        grow(&test, &ada, 2, 0, 300).await;
        let mut first = Round::default();
        assert!(first.turn(&test.hub).await);
        assert_eq!((bundled(&test, 1).await, bundled(&test, 2).await), (step, 256), "one step each");
        assert!(first.turn(&test.hub).await);
        assert_eq!((bundled(&test, 1).await, bundled(&test, 2).await), (step + 512, 256));
        // A hub that stops leaves the rest to its next start.
        test.hub.shutdown.begin();
        assert_eq!(round(&test.hub).await.unwrap(), 0);
        assert_eq!(test.hub.long_tails.take().len(), 1);
    }

    #[tokio::test]
    async fn a_log_whose_entries_are_not_those_of_the_tree_is_tried_once_and_the_others_go_on() {
        let test = TestHub::start();
        let ada = person(&test, "ada", &[1, 2]).await;
        grow(&test, &ada, 1, 0, 300).await;
        grow(&test, &ada, 2, 0, 300).await;
        let tile = test.hub.store.read(|rows| rows.tile(&network(1), 0, 0)).await.unwrap();
        let changed = TileRow { level: 0, index: 0, hashes: tile.iter().map(|byte| byte ^ 1).collect() };
        test.write(move |tx| tx.put_tile(&network(1), &changed)).await;
        assert_eq!(round(&test.hub).await.unwrap(), 1);
        assert_eq!((bundled(&test, 1).await, bundled(&test, 2).await), (0, 256));
        // It grows, is looked at again, and not tried again: it is logged once.
        test.hub.long_tails.look(&network(1), 0, 600);
        assert!(test.hub.long_tails.take().is_empty());
    }

    #[test]
    fn entries_that_are_not_the_signed_ones_are_not_moved() {
        let entry = |n: usize| Entry { event: format!("event {n}").into_bytes(), packet: b"packet".to_vec() };
        let entries: Vec<_> = (0..256).map(|n| (n != 9).then(|| entry(n))).collect();
        let hashes: Vec<u8> = (0..256).flat_map(|n| leaf_hash(format!("event {n}").as_bytes()).0).collect();
        let tail = TailEntries { first: 512, entries };
        assert_eq!(pack(&tail, &hashes).unwrap().count(), 255);
        let mut other = hashes.clone();
        other[32 * 9] ^= 1; // of the entry that keeps its row
        assert!(pack(&tail, &other).is_ok());
        other[32 * 100] ^= 1;
        let refused = pack(&tail, &other).unwrap_err();
        assert!(
            format!("{refused:?}").contains("entry 612: its hash is not the one in the tree"),
            "{refused:?}"
        );
        assert!(pack(&tail, &hashes[32..]).is_err());
        assert!(pack(&tail, &[]).is_err(), "a tile that is not there");
    }
}
