//! Lives in SQLite alone, in this process and without a network: one writer that commits whatever waits in one
//! transaction, WAL with `synchronous=FULL`, and the fewest rows a life can have. Nobody is asked who he is, nothing
//! is recorded: the near limit of any hub on this library and this disk.

use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::{Alive, RESULT, TASK, repeat};
use crate::failure::{Failure, during};
use crate::tally::{Tally, together};
use crate::trouble::Trouble;

pub(super) const NAME: &str = "raw SQLite";
/// Most writes that may wait, and most in one commit.
const WAITING_MAX: usize = 4096;
const TABLES: &str = "
    CREATE TABLE tasks (id INTEGER PRIMARY KEY, worker INTEGER NOT NULL, state INTEGER NOT NULL, content TEXT NOT NULL,
        result TEXT) STRICT;
    CREATE INDEX open_tasks ON tasks (worker, id) WHERE state = 0;";

/// The writer, and a connection to read.
pub(super) struct Sqlite {
    writes: Option<mpsc::SyncSender<Write>>,
    reader: Arc<Mutex<Connection>>,
    writer: Option<JoinHandle<()>>,
    _folder: TempDir,
}

/// One write and who waits for it to be on the disk; the answer is the task's id, if there was one.
struct Write {
    what: What,
    done: oneshot::Sender<rusqlite::Result<Option<i64>>>,
}

enum What {
    Send { worker: u32 },
    Claim { worker: u32 },
    Reply { task: i64 },
}

impl Sqlite {
    pub(super) fn start(scratch: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let file = folder.path().join("tasks.db");
        let writer = open(&file)?;
        writer.execute_batch(TABLES).map_err(Failure::of(NAME))?;
        let reader = Arc::new(Mutex::new(open(&file)?));
        let (writes, waiting) = mpsc::sync_channel(WAITING_MAX);
        let writer = thread::spawn(move || write_all(&writer, &waiting));
        Ok(Self { writes: Some(writes), reader, writer: Some(writer), _folder: folder })
    }

    pub(super) async fn lives(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let Some(writes) = &self.writes else { return Ok(Tally::default()) };
        let client = |worker| Client { worker, writes: writes.clone(), reader: Arc::clone(&self.reader) };
        Ok(together((0..).take(clients).map(|worker| repeat(client(worker), length))).await)
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // The writer ends when nobody can write any more.
        self.writes = None;
        if let Some(writer) = self.writer.take() {
            // It panics nowhere, and a drop has nobody to tell.
            let _ = writer.join();
        }
    }
}

fn open(file: &Path) -> Result<Connection, Failure> {
    let connection = Connection::open(file).map_err(Failure::of(NAME))?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;",
        )
        .map_err(Failure::of(NAME))?;
    Ok(connection)
}

/// Takes whatever waits, commits it once, and answers all.
fn write_all(connection: &Connection, waiting: &mpsc::Receiver<Write>) {
    while let Ok(first) = waiting.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE");
        let mut answers = Vec::new();
        for Write { what, done } in std::iter::once(first).chain(waiting.try_iter().take(WAITING_MAX)) {
            answers.push((run(connection, &what), done));
        }
        let committed = begun.and_then(|()| connection.execute_batch("COMMIT"));
        for (answer, done) in answers {
            let answer = match &committed {
                Ok(()) => answer,
                Err(error) => Err(rusqlite::Error::ToSqlConversionFailure(error.to_string().into())),
            };
            // A client that has gone waits for nothing.
            let _ = done.send(answer);
        }
    }
}

fn run(connection: &Connection, what: &What) -> rusqlite::Result<Option<i64>> {
    match what {
        What::Send { worker } => {
            let sql = "INSERT INTO tasks (worker, state, content) VALUES (?1, 0, ?2)";
            connection.prepare_cached(sql)?.execute(params![worker, TASK])?;
            Ok(Some(connection.last_insert_rowid()))
        }
        What::Claim { worker } => {
            let sql =
                "UPDATE tasks SET state = 1 WHERE id = (SELECT id FROM tasks WHERE state = 0 AND worker = ?1
                ORDER BY id LIMIT 1) RETURNING id";
            connection.prepare_cached(sql)?.query_row(params![worker], |row| row.get(0)).optional()
        }
        What::Reply { task } => {
            let sql = "UPDATE tasks SET state = 2, result = ?2 WHERE id = ?1 AND state = 1 RETURNING id";
            connection.prepare_cached(sql)?.query_row(params![task, RESULT], |row| row.get(0)).optional()
        }
    }
}

/// One client: a sender and its worker.
struct Client {
    worker: u32,
    writes: mpsc::SyncSender<Write>,
    reader: Arc<Mutex<Connection>>,
}

impl Client {
    async fn write(&self, call: &'static str, what: What) -> Result<i64, Trouble> {
        let (done, answer) = oneshot::channel();
        // There is room for every client's one write, so this never waits.
        self.writes.try_send(Write { what, done }).map_err(|error| during(call)(error.to_string()))?;
        let id = answer.await.map_err(during(call))?.map_err(during(call))?;
        id.ok_or_else(|| Trouble::Unexpected { call, body: "no such task".into() })
    }
}

impl Alive for Client {
    async fn live(&mut self) -> Result<(), Trouble> {
        let worker = self.worker;
        self.write("a send", What::Send { worker }).await?;
        let task = self.write("a claim", What::Claim { worker }).await?;
        self.write("a reply", What::Reply { task }).await?;
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut look =
            reader.prepare_cached("SELECT result FROM tasks WHERE id = ?1").map_err(during("a look"))?;
        let seen: String = look.query_row([task], |row| row.get(0)).map_err(during("a look"))?;
        if seen == RESULT { Ok(()) } else { Err(Trouble::Unexpected { call: "a look", body: seen }) }
    }
}
