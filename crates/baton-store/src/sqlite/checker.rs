//! Looks for damage that no call has met yet: for a moment at the start, and every so often in the background, table
//! by table. A read keeps the WAL from being folded, so each table is a read of its own with a bound in time, and
//! after each the checker rests longer than it worked.

use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use baton_core::limits;

use super::check;
use super::connection;
use super::damage::Damage;
use crate::error::Error;

const START_MAX: Duration = Duration::from_millis(limits::CHECK_AT_START_MAX_MILLIS as u64);
const TABLE_MAX: Duration = Duration::from_secs(limits::CHECK_TABLE_MAX_SECONDS as u64);

/// How far a check got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckProgress {
    ThroughAll,
    /// The time was over first.
    UntilTimeWasOver,
}

/// Checks a database before it is used, for a bounded time. On a connection of its own: the pages it reads would
/// push others out of the writer's cache.
pub(super) fn check_at_start(path: &Path) -> Result<CheckProgress, Error> {
    let mut connection = connection::open_reader(path)?;
    bound(&mut connection, Instant::now() + START_MAX, None)?;
    quick_check(&connection, "PRAGMA quick_check(1)")
}

/// The thread that checks in the background.
pub(super) struct Checker {
    stop: Mutex<Option<SyncSender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    is_stopping: Arc<AtomicBool>,
}

impl Checker {
    /// Checks after `first`, and then whenever `every` has passed since the last check ended.
    pub(super) fn start(
        path: &Path,
        first: Duration,
        every: Duration,
        damage: Damage,
    ) -> Result<Self, Error> {
        let (stop, stopped) = sync_channel::<()>(0);
        let is_stopping = Arc::new(AtomicBool::new(false));
        let round = Round { path: path.to_owned(), stopped, is_stopping: is_stopping.clone(), damage };
        let thread = std::thread::Builder::new().name("checker".into()).spawn(move || {
            let mut wait = first;
            while round.rests(wait) && !round.damage.is_known() {
                match round.run() {
                    Ok(()) => {}
                    Err(Error::Damaged(what)) => round.damage.report(&what),
                    Err(error) => {
                        tracing::warn!(%error, "the database could not be checked in the background");
                    }
                }
                wait = every;
            }
        });
        let thread = thread.map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { stop: Mutex::new(Some(stop)), thread: Mutex::new(Some(thread)), is_stopping })
    }

    pub(super) fn close(&self) {
        self.is_stopping.store(true, Ordering::Release);
        drop(self.stop.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
    }
}

struct Round {
    path: PathBuf,
    stopped: Receiver<()>,
    is_stopping: Arc<AtomicBool>,
    damage: Damage,
}

struct Table {
    name: String,
    has_rowid: bool,
}

impl Round {
    /// False once the hub stops.
    fn rests(&self, time: Duration) -> bool {
        matches!(self.stopped.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    fn run(&self) -> Result<(), Error> {
        // A new one each time: what an old connection has in its cache says nothing about the file.
        let mut connection = connection::open_reader(&self.path)?;
        let began = Instant::now();
        for table in tables(&connection)? {
            if !self.check(&mut connection, &table)? {
                return Ok(());
            }
        }
        tracing::info!(seconds = began.elapsed().as_secs(), "the database was checked: no damage found");
        Ok(())
    }

    /// False once the hub stops.
    fn check(&self, connection: &mut Connection, table: &Table) -> Result<bool, Error> {
        let began = Instant::now();
        bound(connection, began + TABLE_MAX, Some(self.is_stopping.clone()))?;
        let looked = quick_check(connection, &format!("PRAGMA quick_check({})", quoted(&table.name)));
        connection.progress_handler(0, None::<fn() -> bool>)?;
        if looked? == CheckProgress::ThroughAll {
            return Ok(self.rests_after(began));
        }
        if self.is_stopping.load(Ordering::Acquire) {
            return Ok(false);
        }
        if table.has_rowid {
            return self.walk(connection, table);
        }
        tracing::info!(
            table = table.name,
            "too large to be checked while the hub runs; `baton hub check` does"
        );
        Ok(self.rests_after(began))
    }

    /// Reads every row of a table that is too large for one check, some at a time. Its indexes are left out.
    fn walk(&self, connection: &Connection, table: &Table) -> Result<bool, Error> {
        let sql = format!(
            "SELECT rowid, * FROM {} WHERE rowid > ?1 ORDER BY rowid LIMIT {}",
            quoted(&table.name),
            limits::CHECK_STEP_ROWS_MAX_COUNT
        );
        let mut statement = connection.prepare(&sql)?;
        let columns = statement.column_count();
        let mut after = i64::MIN;
        loop {
            let began = Instant::now();
            let before = after;
            let mut rows = statement.query([after])?;
            while let Some(row) = rows.next()? {
                after = row.get(0)?;
                for column in 1..columns {
                    row.get_ref(column)?; // reads the overflow pages too
                }
            }
            drop(rows);
            if after == before || !self.rests_after(began) {
                return Ok(after == before);
            }
        }
    }

    fn rests_after(&self, began: Instant) -> bool {
        self.rests((began.elapsed() * limits::CHECK_REST_FACTOR).max(limits::CHECK_REST_MIN))
    }
}

fn tables(connection: &Connection) -> Result<Vec<Table>, Error> {
    let sql = "SELECT name, wr FROM pragma_table_list
               WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema' ORDER BY name";
    let mut statement = connection.prepare(sql)?;
    let tables = statement
        .query_map([], |row| Ok(Table { name: row.get("name")?, has_rowid: !row.get::<_, bool>("wr")? }))?;
    Ok(tables.collect::<Result<_, _>>()?)
}

/// Ends statements of a connection at a time, or when the hub stops.
fn bound(
    connection: &mut Connection,
    deadline: Instant,
    is_stopping: Option<Arc<AtomicBool>>,
) -> Result<(), Error> {
    let is_over = move || {
        let is_stopping = is_stopping.as_ref().is_some_and(|stopping| stopping.load(Ordering::Acquire));
        is_stopping || Instant::now() >= deadline
    };
    Ok(connection.progress_handler(limits::CHECK_STEPS_COUNT, Some(is_over))?)
}

/// Turns a finding into an error.
fn quick_check(connection: &Connection, sql: &str) -> Result<CheckProgress, Error> {
    match check::first_finding(connection, sql) {
        Ok(None) => Ok(CheckProgress::ThroughAll),
        Ok(Some(damage)) => Err(Error::Damaged(damage)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            Ok(CheckProgress::UntilTimeWasOver)
        }
        Err(error) => Err(error.into()),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    /// A database with a table of long rows, and the number of its pages.
    fn database(folder: &tempfile::TempDir) -> (PathBuf, u64) {
        let path = folder.path().join("hub.db");
        let connection = Connection::open(&path).unwrap();
        let rows = "CREATE TABLE long (id INTEGER PRIMARY KEY, text TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO long SELECT i, hex(randomblob(600)) FROM n";
        connection.execute_batch(rows).unwrap();
        let pages = connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0)).unwrap();
        (path, pages.unsigned_abs())
    }

    fn round(path: &Path) -> (Round, SyncSender<()>) {
        let (stop, stopped) = sync_channel(0);
        let is_stopping = Arc::new(AtomicBool::new(false));
        (Round { path: path.to_owned(), stopped, is_stopping, damage: Damage::default() }, stop)
    }

    fn overwrite(path: &Path, page: u64) {
        File::options().write(true).open(path).unwrap().write_all_at(&[0xAA; 4096], page * 4096).unwrap();
    }

    #[test]
    fn a_table_that_is_read_row_by_row_is_read_to_its_end_and_damage_in_its_middle_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (path, pages) = database(&folder);
        let table = Table { name: "long".into(), has_rowid: true };
        let (round, _stop) = round(&path);
        let walk = || round.walk(&connection::open_reader(&path).unwrap(), &table);
        assert!(walk().unwrap(), "no damage yet");
        overwrite(&path, pages / 2);
        assert!(matches!(walk(), Err(Error::Damaged(_))), "the walk met the page");
    }

    #[test]
    fn a_check_finds_damage_or_ends_when_its_time_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let (path, pages) = database(&folder);
        assert_eq!(check_at_start(&path).unwrap(), CheckProgress::ThroughAll);
        overwrite(&path, pages / 4); // SQLite looks at the last pages first
        assert!(matches!(check_at_start(&path), Err(Error::Damaged(_))));
        let mut late = connection::open_reader(&path).unwrap();
        bound(&mut late, Instant::now(), None).unwrap();
        assert_eq!(quick_check(&late, "PRAGMA quick_check(1)").unwrap(), CheckProgress::UntilTimeWasOver);
    }

    #[test]
    fn a_round_ends_when_the_hub_stops() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = database(&folder);
        let (round, stop) = round(&path);
        drop(stop);
        round.run().unwrap();
    }
}
