//! The engines under test. Each opens a store of its own over a folder, and again over the same folder.

use baton_core::{ClockJumps, MonotonicMillis, NetworkId};
use baton_store::rows::CheckReads;
use baton_store::{
    Bell, Clock, ClockReading, Error, Hint, PostgresOptions, PostgresStore, Ring, SqliteOptions, SqliteStore,
    Store,
};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

use super::fixtures::NOW;
use super::postgres;

/// What a store has reported.
pub type Noted<T> = Arc<Mutex<Vec<T>>>;

/// A store under test, with everything it reported after its commits.
pub struct Engine {
    pub store: Arc<dyn Store>,
    pub rings: Noted<Ring>,
    pub grown: Noted<NetworkId>,
    pub folder: TempDir,
    /// How often a write is run if nothing gets in its way.
    pub most_runs: usize,
    /// How many cases by chance are tried: fewer where each statement is a round trip.
    pub seeds: u64,
}

impl Engine {
    pub fn new(open: Open) -> Self {
        Self::over(open, tempfile::tempdir().unwrap())
    }

    /// A store over what a folder holds.
    pub fn over(open: Open, folder: TempDir) -> Self {
        Self::of(open(folder.path()), folder)
    }

    fn of(Opened { store, rings, grown, most_runs, seeds }: Opened, folder: TempDir) -> Self {
        Self { store, rings, grown, folder, most_runs, seeds }
    }

    /// Looks at the database itself, as a check does.
    pub fn inspect<T: Send>(
        &self,
        look: impl FnMut(&dyn CheckReads) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        match postgres::named_in(self.folder.path()) {
            Some(database) => baton_store::inspect_postgres(&postgres::settings(&database), look),
            None => baton_store::inspect(&self.folder.path().join("hub.db"), look),
        }
    }

    /// Changes the database behind the store's back.
    pub fn execute(&self, sql: &str) {
        match postgres::named_in(self.folder.path()) {
            Some(database) => postgres::run_on(&database, sql),
            None => {
                let database = rusqlite::Connection::open(self.folder.path().join("hub.db")).unwrap();
                database.execute_batch(sql).unwrap();
            }
        }
    }

    /// Closes the store and opens it again over what it left.
    pub fn reopen(&mut self, open: Open) {
        self.store.close();
        let Opened { store, rings, grown, .. } = open(self.folder.path());
        (self.store, self.rings, self.grown) = (store, rings, grown);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.store.close();
        postgres::forget(self.folder.path());
    }
}

/// A store that was opened, and what it reports.
pub struct Opened {
    store: Arc<dyn Store>,
    rings: Noted<Ring>,
    grown: Noted<NetworkId>,
    most_runs: usize,
    seeds: u64,
}

pub type Open = fn(&Path) -> Opened;

/// A clock that has moved on whenever it is read, and whose every second reading is older than the one before.
#[derive(Default)]
struct UnsteadyClock(AtomicI64);

impl Clock for UnsteadyClock {
    fn read(&self) -> ClockReading {
        let reading = self.0.fetch_add(1, Ordering::Relaxed);
        let millis = 10 * reading + if reading % 2 == 0 { 20 } else { 0 };
        ClockReading {
            now: NOW.plus_millis(millis),
            monotonic: MonotonicMillis::new(millis),
            clock_jumps: ClockJumps::default(),
        }
    }
}

/// The clock of an engine under test.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(UnsteadyClock::default())
}

/// The embedded engine.
pub fn sqlite(folder: &Path) -> Opened {
    open_sqlite(folder).0
}

/// The embedded engine, also as what only it can do.
pub fn with_sqlite() -> (Engine, Arc<SqliteStore>) {
    let folder = tempfile::tempdir().unwrap();
    let (opened, sqlite) = open_sqlite(folder.path());
    (Engine::of(opened, folder), sqlite)
}

fn open_sqlite(folder: &Path) -> (Opened, Arc<SqliteStore>) {
    let (bell, rings, grown) = listening();
    let store = SqliteStore::open(&folder.join("hub.db"), SqliteOptions::default(), clock(), bell).unwrap();
    let store = Arc::new(store);
    (Opened { store: store.clone(), rings, grown, most_runs: 1, seeds: 12 }, store)
}

/// PostgreSQL, with a database of its own for each folder.
pub fn postgres(folder: &Path) -> Opened {
    let (bell, rings, grown) = listening();
    // One lane, because some cases hold up the writer.
    let options = PostgresOptions { lanes: 1, ..PostgresOptions::default() };
    let store =
        PostgresStore::open(&postgres::settings(&postgres::database_of(folder)), options, bell).unwrap();
    // Once to find out what a write needs.
    Opened { store: Arc::new(store), rings, grown, most_runs: 2, seeds: 3 }
}

/// What a store reports, and where it is recorded.
fn listening() -> (Bell, Noted<Ring>, Noted<NetworkId>) {
    let (rings, grown) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let heard = (rings.clone(), grown.clone());
    let bell = Arc::new(move |hint: Hint| {
        let Hint::Moved(moved) = hint else { return };
        for moved in moved {
            let (network_id, changes) = (moved.network_id, moved.changes.unwrap_or_default());
            let ring = |to| Ring { network_id: network_id.clone(), to };
            heard.0.lock().unwrap().extend(changes.recipients.into_iter().map(ring));
            heard.1.lock().unwrap().extend(changes.log.map(|_| network_id.clone()));
        }
    });
    (bell, rings, grown)
}

/// One test per engine of a case written over any of them.
macro_rules! engines {
    ($($(#[$doc:meta])* async fn $name:ident($engine:ident: &mut Engine, $open:ident: Open) $body:block)*) => {
        $(
            $(#[$doc])*
            mod $name {
                #[allow(unused_imports)]
                use super::*;

                async fn case($engine: &mut Engine, $open: Open) {
                    let _ = $open;
                    $body
                }

                #[tokio::test]
                async fn on_sqlite() {
                    let open = $crate::it::engine::sqlite as Open;
                    case(&mut Engine::new(open), open).await;
                }

                #[tokio::test]
                async fn on_postgres() {
                    let open = $crate::it::engine::postgres as Open;
                    case(&mut Engine::new(open), open).await;
                }
            }
        )*
    };
}

pub(crate) use engines;
