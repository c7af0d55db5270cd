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
//! own: with the heads of its networks if its rows belong to them (`Extent::Network`), with a lock for these rows if they belong
//! to nobody and anybody may write them (`Extent::Guarded`), else with the lock of all writes for itself. So writes are serialized by network, whatever the isolation level; it is READ COMMITTED, in which
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
//! savepoint in it. What other hubs changed shows in the heads; that they did is announced beside the transactions (`link.rs`).

mod clock;
pub(crate) mod column;
mod commit;
mod copy_in;
mod copy_out;
mod dialect;
mod doubt;
mod fault;
mod heads;
mod lane;
mod link;
mod nul;
mod parameter;
mod readers;
mod registry;
mod schema;
mod schema_check;
mod scope;
mod session;
mod set;
mod settings;
mod tables;
mod tallies;

use baton_core::limits;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

use crate::clock::Clock;
use crate::copy::{Backup, Copying};
use crate::error::Error;
use crate::fair_queue::Bounds;
use crate::hint::Bell;
use crate::job::{ReadJob, WriteJob};
use crate::meter::{Meter, Tally};
use crate::parked::Parked;
use crate::peers::HubRow;
use crate::peers::Peers;
use crate::refused::Refused;
use crate::rows::CheckReads;
use crate::share::Share;
use crate::sql::rows::Rows;
use crate::store::{AccessEpoch, Health, Lane, Store, WriteCheck};
use crate::waiting::{Mail, Waiting};
use clock::ServerClock;
pub use copy_in::{Filled, fill_postgres};
pub use copy_out::copy_postgres;
use doubt::Doubts;
use lane::{Shared, Turn};
use link::Link;
use readers::Readers;
pub use registry::HubFacts;
pub(crate) use schema_check::differences as schema_differences;
use scope::Ask;
pub(crate) use scope::{Extent, Guard, Mode};
pub(crate) use session::Session;
pub use settings::{ConnectionSettings, PasswordSources, SettingsError};

/// How the engine is set up.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// What other hubs can know of this one.
    pub hub: HubFacts,
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
    /// How long an answer to a write is waited for before its connection is closed.
    pub answer_max: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            hub: HubFacts::default(),
            lanes: limits::POSTGRES_LANES_COUNT,
            readers: 3,
            writes_waiting_per_share: limits::WRITES_WAITING_PER_SHARE_MAX_COUNT,
            quick_read_max: Duration::from_millis(limits::QUICK_READ_MAX_MILLIS),
            slow_read_max: Duration::from_millis(limits::SLOW_READ_MAX_MILLIS),
            answer_max: limits::POSTGRES_ANSWER_MAX,
        }
    }
}

/// A store on PostgreSQL.
pub struct PostgresStore {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    link: Mutex<Option<JoinHandle<()>>>,
    readers: Readers,
}

impl PostgresStore {
    /// Opens a database, and creates or migrates it if need be. Times are the server's. A server that is starting up or
    /// recovering is waited for.
    pub fn open(
        connection: &ConnectionSettings,
        options: PostgresOptions,
        bell: Bell,
    ) -> Result<Self, Error> {
        in_a_thread("opening the database", move || {
            let until = Instant::now() + limits::POSTGRES_STARTED_WITHIN;
            connection.wait_until_started(until)?;
            loop {
                match Self::open_here(connection, &options, bell.clone()) {
                    // It may have crashed meanwhile.
                    Err(Error::Unavailable(_)) if connection.wait_until_started(until)? => {}
                    opened => return opened,
                }
            }
        })
    }

    fn open_here(
        connection: &ConnectionSettings,
        options: &PostgresOptions,
        bell: Bell,
    ) -> Result<Self, Error> {
        let session = Session::connect(connection, &commit::settings(), quiet_meter())?;
        schema::prepare(&session)?;
        let meter = Arc::new(Meter::new(&there_is(&session)?));
        let epoch = Arc::new(AtomicU64::new(access_epoch(&session)?));
        let clock = Arc::new(ServerClock::start(server_time(&session)?));
        let lanes = options.lanes.max(1);
        let turns = Waiting::new(Bounds {
            waiting: limits::WRITES_WAITING_MAX_COUNT,
            waiting_per_share: options.writes_waiting_per_share,
            running_per_share: limits::WRITE_BATCH_MAX_COUNT,
        });
        let doubts = Arc::new(Doubts::default());
        commit::forget_lanes(&session)?;
        let hub = hub_name(&session)?;
        let (link, inbound) = Link::new(hub.clone(), options.hub.clone());
        let shared = Arc::new(Shared {
            connection: connection.clone(),
            turns,
            parked: Arc::default(),
            bell,
            epoch,
            clock,
            meter: meter.clone(),
            answer_max: options.answer_max,
            doubts: doubts.clone(),
            refused: Refused::default(),
            link: Arc::new(link),
            mail: (0..lanes).map(|_| Mail::default()).collect(),
        });
        // All connections first: no thread is left behind if one of them cannot be made.
        let lane = |number| {
            let name = format!("{hub}/{number}");
            let session = commit::connect_lane(&shared, &name)?;
            Ok(lane::Lane::new(shared.clone(), name, number, session))
        };
        let lanes = (0..lanes).map(lane).collect::<Result<Vec<_>, Error>>()?;
        let readers = Readers::start(connection, options, &meter, &doubts)?;
        let mut threads = Vec::new();
        for (number, lane) in lanes.into_iter().enumerate() {
            let thread =
                std::thread::Builder::new().name(format!("writer-{number}")).spawn(move || lane.run());
            threads.push(thread.map_err(|error| Error::Unavailable(error.to_string()))?);
        }
        let linked = shared.clone();
        let thread =
            std::thread::Builder::new().name("link".into()).spawn(move || link::run(&linked, inbound));
        let link = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { shared, threads: Mutex::new(threads), link: Mutex::new(Some(link)), readers })
    }

    /// The other hubs on the database.
    pub fn peers(&self) -> Arc<dyn Peers> {
        self.shared.link.clone()
    }

    /// The server's clock, as this hub knows it: hubs whose own clocks differ agree on the time by it.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.shared.clock.clone()
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

    fn newest_access_epoch(&self) -> AccessEpoch {
        AccessEpoch::Asked(self.shared.link.ask_access_epoch())
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
            let _ = thread.join(); // a panic there was logged when it happened
        }
        // Once the last commit is announced.
        self.shared.link.close();
        if let Some(link) = self.link.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = link.join(); // a panic there was logged when it happened
        }
        self.shared.parked.close();
        self.readers.close();
    }
}

impl Backup for PostgresStore {
    fn copy(&self, _: PathBuf) -> Result<Copying, Error> {
        Err(Error::Unavailable(
            "this hub uses a PostgreSQL database; name it with --store or BATON_STORE to back it up".into(),
        ))
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

/// The hubs that run on a database, and those that were killed recently.
pub fn list_hubs(connection: &ConnectionSettings) -> Result<Vec<HubRow>, Error> {
    in_a_thread("listing hubs", || {
        let session = Session::connect(&connection.for_reading(), "SET jit = off", quiet_meter())?;
        schema::refuse_other(&session)?;
        session.hubs()
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

/// The server's time in milliseconds since 1970.
fn server_time(session: &Session) -> Result<i64, Error> {
    let found = rows(session, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now")?;
    found.first().map(|row| row.get("now")).ok_or_else(|| Error::Corrupt("no answer".into()))
}

fn access_epoch(session: &Session) -> Result<u64, Error> {
    let found = rows(session, "SELECT epoch FROM access_epoch WHERE one = 1")?;
    let epoch = found.first().map(|row| row.get::<_, i64>("epoch"));
    epoch.map(i64::unsigned_abs).ok_or_else(|| Error::Corrupt("there is no access epoch".into()))
}

/// How many tasks and leases there are.
fn there_is(session: &Session) -> Result<Tally, Error> {
    registry::tally(&rows(session, registry::TASKS)?, &rows(session, registry::LEASES)?)
}
