//! The head of a network: the row that a batch locks before it reads anything of the network, in the order of keys. It has
//! the newest numbers, so that they have no gaps and appear in the order of commits; the newest time; and a version that
//! every change raises: what a hub keeps of a network in memory holds as long as the version is the one it was learnt with.

use baton_core::{ClockJumps, MonotonicMillis, NetworkId, UnixMillis};
use foldhash::{HashMap, HashSet};
use std::collections::BTreeSet;
use tokio_postgres::Row;

use super::scope::{Ask, Mode, Needs};
use super::session::Session;
use super::set::{Array, Writes, given};
use crate::clock::ClockReading;
use crate::error::Error;
use crate::sql::evidence::LogHead;
use crate::sql::known::Known;
use crate::sql::work::Work;
use crate::sql::write_set::Head;

/// Whoever writes holds this lock: shared as long as they hold the heads of all they touch, alone otherwise.
const WRITES: i64 = 0x0062_6174_6f6e; // not a limit: "baton"

/// The place of the statements that come after the lane's own, among those that begin a transaction.
const AFTER_OWN: usize = 1; // not a limit: a place

/// What a transaction learns where it begins.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The version of everything that stands in no network.
    pub(crate) epoch: i64,
    /// The access epoch as it was last committed.
    pub(crate) access: i64,
    /// The server's clock.
    pub(crate) now: i64,
}

/// Begins a transaction: takes its locks, tells the time, and loads what its use cases were found to ask for; all in one
/// round trip.
pub(crate) fn open(
    session: &Session,
    work: &mut Work,
    needs: &Needs,
    lane: &str,
    count: usize,
) -> Result<Opened, Error> {
    let mode = session.mode();
    let networks: Vec<_> = needs.networks.iter().map(NetworkId::as_str).collect();
    let has_key =
        |network: &&NetworkId| work.known.networks.get(*network).is_some_and(|known| known.key.is_some());
    let new: Vec<_> = needs.new.iter().filter(|network| !has_key(network)).map(NetworkId::as_str).collect();
    let guards: Vec<_> = needs.guards.iter().map(|guard| guard.number()).collect();
    let reads = lock(mode, lane, &guards, &networks, &new, count);
    let (mut found, asked) = session.open(Some(begin(mode)), &reads, &needs.asks)?;
    // The statements of which only the locks and keys count.
    found.drain(AFTER_OWN..AFTER_OWN + usize::from(!guards.is_empty()) + usize::from(!new.is_empty()));
    let [own, heads, state] = &found[..] else {
        return Err(Error::Corrupt("a transaction that was begun in part".into()));
    };
    if own.is_empty() {
        // Another hub took this lane for one that is gone; a new connection has a new row.
        session.abandon();
        return Err(Error::Conflict);
    }
    let state = state.first().ok_or_else(|| Error::Corrupt("the row of the hub is missing".into()))?;
    let opened = Opened { epoch: state.get("epoch"), access: state.get("access"), now: state.get("now") };
    let newest = enter_heads(session, &mut work.known, &needs.networks, heads, &opened);
    // No time of a network is from before an earlier one, whatever became of the server's clock.
    let now: i64 = opened.now.max(newest);
    work.begin(ClockReading {
        now: UnixMillis::new(now),
        monotonic: MonotonicMillis::new(now),
        clock_jumps: ClockJumps::default(),
    });
    let mut scope = session.scope.borrow_mut();
    scope.guards.clone_from(&needs.guards);
    scope.has_new_keys = !new.is_empty();
    scope.is_replicated = state.get("is_replicated");
    scope.places.extend(state.get::<_, Vec<i64>>("places"));
    scope.events.extend(state.get::<_, Vec<i64>>("events"));
    for (Ask { sql, parameters }, found) in needs.asks.iter().zip(asked) {
        scope.answers.insert(super::scope::key_of(sql, parameters), found);
    }
    Ok(opened)
}

/// The statements of a batch are few, the same all the time, and find rows by their keys. They take arrays, and PostgreSQL cannot
/// tell how long these are before it sees them: it would plan some of them again for every batch, which takes it several
/// times as long as running them.
const fn begin(mode: Mode) -> &'static str {
    match mode {
        Mode::Batch => "BEGIN; SET LOCAL plan_cache_mode = force_generic_plan",
        Mode::Read | Mode::Explore | Mode::Alone | Mode::AloneWithAll => "BEGIN",
    }
}

/// The statements that begin a transaction: its own locks, the keys of new networks if there are any, the heads, and then what
/// has to be read after all these locks. Each statement costs the server as much as some rows, so there are few.
fn lock<'a>(
    mode: Mode,
    lane: &'a str,
    guards: &[i64],
    networks: &[&'a str],
    new: &[&'a str],
    count: usize,
) -> Writes<'a> {
    let mut reads = Writes::default();
    // The row of the lane is held until the transaction has ended: whoever looks up what became of it waits for that.
    let locks = match mode {
        Mode::AloneWithAll => {
            "WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(($2::bigint[])[1]) AS is_locked)
             SELECT number FROM lanes, locked WHERE lane = ($1::text[])[1] FOR UPDATE OF lanes"
        }
        Mode::Read | Mode::Explore | Mode::Batch | Mode::Alone => {
            "WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(($2::bigint[])[1]) AS is_locked)
             SELECT number FROM lanes, locked WHERE lane = ($1::text[])[1] FOR UPDATE OF lanes"
        }
    };
    let columns = vec![("lane", Array::texts([lane])), ("lock", Array::integers([WRITES]))];
    reads.push(locks.into(), columns);
    if !guards.is_empty() {
        let sql = "SELECT pg_advisory_xact_lock(n) FROM unnest($1::bigint[]) WITH ORDINALITY AS g (n, at) ORDER BY at";
        reads.push(sql.into(), vec![("guard", Array::integers(guards.iter().copied()))]);
    }
    if !new.is_empty() {
        let sql =
            "INSERT INTO network_keys (network_id) SELECT n FROM unnest($1::text[]) n ON CONFLICT DO NOTHING";
        reads.push(sql.into(), vec![("network_id", Array::texts(new.iter().copied()))]);
    }
    let sql = "SELECT k.network_id, h.network, h.version, h.event_number, h.frame, h.log_size, h.newest
               FROM heads h JOIN network_keys k ON k.key = h.network
               WHERE k.network_id = ANY ($1::text[]) ORDER BY h.network FOR UPDATE OF h";
    reads.push(sql.into(), vec![("network_id", Array::texts(networks.iter().copied()))]);
    // About as many numbers as its use cases are going to want; more are fetched if these run out.
    let count = if mode == Mode::Batch { count * 2 + 2 } else { 0 };
    let sql = "SELECT epoch, (SELECT epoch FROM access_epoch WHERE one = 1) AS access,
                   (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
                   current_setting('synchronous_standby_names') <> '' AS is_replicated,
                   ARRAY(SELECT nextval('places') FROM generate_series(1, ($1::bigint[])[1])) AS places,
                   ARRAY(SELECT nextval('events') FROM generate_series(1, ($1::bigint[])[1])) AS events
               FROM hub_state WHERE one = 1";
    reads.push(sql.into(), vec![("count", Array::integers([count as i64]))]);
    reads
}

/// Forgets what no longer holds, and takes in the heads. Answers the newest time of them.
fn enter_heads(
    session: &Session,
    known: &mut Known,
    networks: &BTreeSet<NetworkId>,
    heads: &[Row],
    opened: &Opened,
) -> i64 {
    if known.epoch != Some(opened.epoch) {
        known.forget_everything();
        known.epoch = Some(opened.epoch);
    }
    let found: HashMap<&str, &Row> = heads.iter().map(|row| (row.get("network_id"), row)).collect();
    let mut newest = 0;
    let mut scope = session.scope.borrow_mut();
    for network in networks {
        let head = found.get(network.as_str());
        scope.locked.insert(network.clone(), head.is_some());
        let version = head.map(|head| head.get::<_, i64>("version"));
        if version.is_none() || known.networks.get(network).is_none_or(|known| known.version != version) {
            known.forget_rows_of(network);
        }
        let Some(head) = head else { continue };
        let key: i64 = head.get("network");
        let log = head
            .get::<_, Option<i64>>("log_size")
            .map(|size| LogHead { log: key, size: size.unsigned_abs() });
        let network = known.network(network);
        (network.key, network.version) = (Some(key), version);
        network.head =
            Head { frame: Some(head.get("frame")), event_number: Some(head.get("event_number")), log };
        newest = newest.max(head.get("newest"));
    }
    newest
}

/// What is written of the heads at the end of a transaction.
#[derive(Debug)]
pub(crate) struct Close<'a> {
    pub(crate) changed: &'a HashSet<NetworkId>,
    pub(crate) mode: Mode,
    pub(crate) lane: &'a str,
    /// The number of the batch.
    pub(crate) number: i64,
}

impl Close<'_> {
    /// Adds the writes of it.
    pub(crate) fn write<'w>(&'w self, work: &Work, writes: &mut Writes<'w>) {
        if !self.changed.is_empty() {
            let head = |network: &NetworkId| {
                work.known.networks.get(network).map(|network| network.head).unwrap_or_default()
            };
            let all = || self.changed.iter();
            let columns = vec![
                ("network_id", Array::texts(all().map(NetworkId::as_str))),
                ("event_number", Array::integers(all().map(|network| head(network).event_number))),
                ("frame", Array::integers(all().map(|network| head(network).frame))),
                (
                    "log_size",
                    Array::integers(all().map(|network| head(network).log.map(|log| log.size as i64))),
                ),
                ("newest", Array::integers(all().map(|_| work.time.now.get()))),
            ];
            let sql = format!(
                "UPDATE heads SET version = version + 1, event_number = COALESCE(given.event_number, heads.event_number),
                     frame = COALESCE(given.frame, heads.frame), log_size = COALESCE(given.log_size, heads.log_size),
                     newest = GREATEST(given.newest, heads.newest)
                 FROM {} JOIN network_keys k ON k.network_id = given.network_id WHERE heads.network = k.key",
                given(&columns)
            );
            writes.push(sql.into(), columns);
        }
        if self.mode == Mode::AloneWithAll {
            writes.push("UPDATE hub_state SET epoch = epoch + 1 WHERE one = 1".into(), Vec::new());
        }
        // Whether a COMMIT that was not answered took place is looked up by this.
        let sql = "UPDATE lanes SET number = ($1::bigint[])[1], seen_at = clock_timestamp()
                   WHERE lane = ($2::text[])[1]";
        let columns = vec![("number", Array::integers([self.number])), ("lane", Array::texts([self.lane]))];
        writes.push(sql.into(), columns);
    }
}

/// The versions that changed networks have now, as far as they are known.
pub(crate) fn versions(known: &Known, changed: &HashSet<NetworkId>) -> Vec<(NetworkId, Option<i64>)> {
    let version = |network: &NetworkId| known.networks.get(network).and_then(|known| known.version);
    changed.iter().map(|network| (network.clone(), version(network))).collect()
}

/// What is known of changed networks holds on: nobody else has changed them.
pub(crate) fn note_committed(known: &mut Known, changed: &HashSet<NetworkId>) {
    for network in changed {
        if let Some(known) = known.networks.get_mut(network) {
            known.version = known.version.map(|version| version + 1);
        }
    }
}
