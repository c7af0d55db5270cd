//! The engine for several hubs on one database: PostgreSQL.
//!
//! **How a batch runs.** A lane (`lane.rs`) is a thread with a connection. It takes what waits and runs each use case over
//! what it has in memory, to see what it needs: the networks it reaches and the statements it asks that nothing in memory
//! answers. What all of them ask is answered in one round trip, until each comes to its first change. Then one round
//! trip begins the transaction, locks the heads of all networks in the order of their keys, reads the time, and loads what
//! was asked for (`heads.rs`). The use cases run for real, over the same rows in memory as on SQLite (`sql/work.rs`); one
//! that needs more than was found is stopped, and runs in the next batch with that. Counters are read in one more round trip
//! (`tallies.rs`), and the last one writes every table by one statement with an array for each column (`set.rs`), the
//! heads, the number of the batch, and commits.
//!
//! **What is locked.** Whoever writes holds the lock of all writes, shared, and the head of each network it touches. A use
//! case that writes rows which memory does not hold (accounts, tokens, tiles, messages on a task) has a transaction of its
//! own: with the heads of its networks if its rows belong to them (`Extent::Network`), else with the lock of all writes for
//! itself. So writes are serialized by network, whatever the isolation level; it is READ COMMITTED, in which
//! each statement after the lock sees what was committed before it.
//!
//! **What is kept in memory, and when it holds.** Rows of a network hold as long as the version in its head is the one they
//! were learnt with, whoever read them and when: every change raises it. What stands in no network holds as long as the
//! epoch of `hub_state` stays, which every use case raises that had the lock for itself.
//!
//! **Numbers.** Events, frames and log entries are numbered from the head, without gaps and in the order of commits. Places
//! and ids of events come from sequences, taken under the lock: in order within a network, with gaps.
//!
//! **Commits whose answer never came** are looked up by the number of the batch (`commit.rs`). There is no `NOTIFY` and no
//! savepoint. What other hubs changed shows in the heads.

pub(crate) mod column;
mod commit;
mod copy_in;
mod copy_out;
mod dialect;
mod fault;
mod heads;
mod lane;
mod nul;
mod parameter;
mod readers;
mod schema;
mod schema_check;
mod scope;
mod session;
mod set;
mod settings;
mod tables;
mod tallies;

use baton_core::{Status, limits};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::fair_queue::Bounds;
use crate::job::{ReadJob, WriteJob};
use crate::meter::{Meter, Tally};
use crate::parked::Parked;
use crate::refused::Refused;
use crate::rows::CheckReads;
use crate::share::Share;
use crate::sql::rows::Rows;
use crate::store::{Bell, Health, Lane, Store, WriteCheck};
use crate::waiting::{Mail, Waiting};
pub use copy_in::{Filled, fill_postgres};
pub use copy_out::copy_postgres;
use lane::{Shared, Turn};
use readers::Readers;
pub(crate) use schema_check::differences as schema_differences;
use scope::Ask;
pub(crate) use scope::{Extent, Mode};
pub(crate) use session::Session;
pub use settings::{ConnectionSettings, PasswordSources, SettingsError};

/// How the engine is set up.
#[derive(Clone, Copy, Debug)]
pub struct PostgresOptions {
    /// Connections that write.
    pub lanes: usize,
    /// Connections for quick reads; slow ones have theirs.
    pub readers: usize,
    /// Writes of one share that may wait.
    pub writes_waiting_per_share: usize,
    /// How long a quick read may take before it begins again in the slow lane.
    pub quick_read_max: Duration,
    /// How long a slow read may take before it is stopped.
    pub slow_read_max: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            lanes: limits::POSTGRES_LANES_COUNT,
            readers: 3,
            writes_waiting_per_share: limits::WRITES_WAITING_PER_SHARE_MAX_COUNT,
            quick_read_max: Duration::from_millis(limits::QUICK_READ_MAX_MILLIS),
            slow_read_max: Duration::from_millis(limits::SLOW_READ_MAX_MILLIS),
        }
    }
}

/// A store on PostgreSQL.
pub struct PostgresStore {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    readers: Readers,
}

impl PostgresStore {
    /// Opens a database, and creates or migrates it if need be. Times are the server's.
    pub fn open(
        connection: &ConnectionSettings,
        options: PostgresOptions,
        bell: Bell,
    ) -> Result<Self, Error> {
        in_a_thread("opening the database", || Self::open_here(connection.clone(), options, bell))
    }

    fn open_here(
        connection: ConnectionSettings,
        options: PostgresOptions,
        bell: Bell,
    ) -> Result<Self, Error> {
        let session = Session::connect(&connection, &commit::settings(), quiet_meter())?;
        schema::prepare(&session)?;
        let meter = Arc::new(Meter::new(&there_is(&session)?));
        let epoch = Arc::new(AtomicU64::new(access_epoch(&session)?));
        let lanes = options.lanes.max(1);
        let turns = Waiting::new(Bounds {
            waiting: limits::WRITES_WAITING_MAX_COUNT,
            waiting_per_share: options.writes_waiting_per_share,
            running_per_share: limits::WRITE_BATCH_MAX_COUNT,
        });
        let readers = Readers::start(&connection, &options, &meter)?;
        let shared = Arc::new(Shared {
            connection,
            turns,
            parked: Arc::default(),
            bell,
            epoch,
            meter,
            refused: Refused::default(),
            mail: (0..lanes).map(|_| Mail::default()).collect(),
        });
        commit::forget_lanes(&session)?;
        let hub = hub_name(&session)?;
        let mut threads = Vec::new();
        for number in 0..lanes {
            let name = format!("{hub}/{number}");
            let session = commit::connect_lane(&shared, &name)?;
            let lane = lane::Lane::new(shared.clone(), name, number, session);
            let thread =
                std::thread::Builder::new().name(format!("writer-{number}")).spawn(move || lane.run());
            threads.push(thread.map_err(|error| Error::Unavailable(error.to_string()))?);
        }
        Ok(Self { shared, threads: Mutex::new(threads), readers })
    }

    fn push(&self, share: Share, turn: Turn) -> Result<(), Error> {
        // Before it is there to be taken.
        self.shared.meter.write_waits();
        let pushed = self.shared.turns.push(share, turn).map_err(|(error, _)| error);
        pushed.inspect_err(|_| self.shared.meter.write_taken())
    }

    async fn probe(&self) -> Result<(), Error> {
        let (caller, committed) = oneshot::channel();
        self.push(Share::Hub, Turn::Probe(caller))?;
        committed.await.unwrap_or(Err(Error::Closed))
    }
}

impl Store for PostgresStore {
    fn submit(&self, share: Share, job: Box<dyn WriteJob>) -> Result<(), Error> {
        self.push(share, Turn::Write(job))
    }

    fn query(&self, share: Share, lane: Lane, job: Box<dyn ReadJob>) -> Result<(), Error> {
        self.readers.query(share, lane, job)
    }

    fn parked(&self) -> &Arc<Parked> {
        &self.shared.parked
    }

    fn access_epoch(&self) -> u64 {
        self.shared.epoch.load(Ordering::Acquire)
    }

    fn meter(&self) -> &Meter {
        &self.shared.meter
    }

    fn health(&self) -> Health {
        match self.shared.refused.is_lately() {
            true => Health::RefusesWrites,
            false => Health::Well,
        }
    }

    fn check_writes(&self) -> WriteCheck<'_> {
        Box::pin(self.probe())
    }

    fn close(&self) {
        self.shared.turns.close();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = thread.join(); // a panic there was told when it happened
        }
        self.shared.parked.close();
        self.readers.close();
    }
}

/// Looks at one consistent state of a database, whether or not hubs run on it.
pub fn inspect_postgres<T: Send, E: From<Error> + Send>(
    connection: &ConnectionSettings,
    look: impl FnOnce(&dyn CheckReads) -> Result<T, E> + Send,
) -> Result<T, E> {
    let connection = connection.for_reading();
    in_a_thread("looking at the database", || {
        let session = Session::connect(&connection, "SET jit = off", quiet_meter())?;
        session.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        schema::refuse_other(&session)?;
        look(&Rows::of(&session))
    })
}

/// Runs something that waits for PostgreSQL's answers, which a thread that runs asynchronous tasks must not.
fn in_a_thread<T: Send, E: From<Error> + Send>(
    what: &str,
    run: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let ran = std::thread::scope(|scope| scope.spawn(run).join());
    ran.unwrap_or_else(|_| Err(Error::Panicked(what.into()).into()))
}

/// Counts for a connection of which nobody asks.
fn quiet_meter() -> Arc<Meter> {
    Arc::new(Meter::new(&Tally::default()))
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

fn rows(session: &Session, sql: &str) -> Result<scope::Found, Error> {
    let mut found = session.ask(&[Ask { sql: sql.into(), parameters: Vec::new() }])?;
    found.pop().ok_or_else(|| Error::Corrupt("no answer".into()))
}

/// A name that no other hub has, for the rows of this one's lanes.
fn hub_name(session: &Session) -> Result<String, Error> {
    let found = rows(session, "SELECT gen_random_uuid()::text AS name")?;
    found.first().map(|row| row.get("name")).ok_or_else(|| Error::Corrupt("no answer".into()))
}

fn access_epoch(session: &Session) -> Result<u64, Error> {
    let found = rows(session, "SELECT epoch FROM access_epoch WHERE one = 1")?;
    let epoch = found.first().map(|row| row.get::<_, i64>("epoch"));
    epoch.map(i64::unsigned_abs).ok_or_else(|| Error::Corrupt("there is no access epoch".into()))
}

/// How many tasks and leases there are; looked up once, when the store is opened.
fn there_is(session: &Session) -> Result<Tally, Error> {
    let mut tally = Tally::default();
    for row in
        rows(session, "SELECT status, SUM(count)::bigint AS count FROM task_counts GROUP BY status")?.iter()
    {
        let status: String = row.get("status");
        let known = Status::parse(&status).ok_or_else(|| Error::Corrupt(format!("status {status:?}")))?;
        tally.add_tasks(known, row.get("count"));
    }
    let leases = "SELECT COUNT(*) AS count FROM tasks WHERE lease_id IS NOT NULL
                      AND network NOT IN (SELECT network FROM removals WHERE network IS NOT NULL)";
    tally.leases = rows(session, leases)?.first().map_or(0, |row| row.get("count"));
    Ok(tally)
}
