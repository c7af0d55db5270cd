//! Lives through a queue as pgmq makes it on PostgreSQL: its tables, its indexes and the statements of its `send`,
//! `read`, `archive` and `pop`, prepared once. Every agent has queues of its own, so nobody waits for another's rows.
//! Archiving the task and sending the answer are one statement: one transaction, one round trip.

use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tokio_postgres::types::Json;
use tokio_postgres::{Client as Session, Config, NoTls, Statement};

use super::{Alive, CLIENTS_MAX, RESULT, TASK, repeat};
use crate::failure::{Failure, during};
use crate::server::postgres::Postgres as Server;
use crate::tally::{Tally, together};
use crate::trouble::Trouble;

pub(crate) const NAME: &str = "pgmq";
/// How long a read hides a task from others.
const HIDDEN_SECONDS: f64 = 60.0;

/// The server with the queues of all clients.
pub(crate) struct Pgmq {
    server: Server,
    _folder: TempDir,
}

impl Pgmq {
    pub(crate) async fn start(programs: &Path, scratch: &Path) -> Result<Self, Failure> {
        let folder = tempfile::tempdir_in(scratch).map_err(Failure::file(scratch.display()))?;
        let server = Server::start(programs, folder.path())?;
        let session = connect(&server).await?;
        let queues =
            (0..CLIENTS_MAX).flat_map(|number| [format!("task_{number}"), format!("answer_{number}")]);
        let all: String = queues.map(|queue| tables(&queue)).collect();
        session.batch_execute(&all).await.map_err(Failure::of(NAME))?;
        Ok(Self { server, _folder: folder })
    }

    pub(crate) async fn lives(&self, clients: usize, length: Duration) -> Result<Tally, Failure> {
        let mut lives = Vec::with_capacity(clients);
        for number in 0..clients {
            lives.push(repeat(Client::open(&self.server, number).await?, length));
        }
        Ok(together(lives).await)
    }
}

async fn connect(server: &Server) -> Result<Session, Failure> {
    let mut config = Config::new();
    config.host("127.0.0.1").port(server.port).user("postgres").dbname("postgres");
    let (session, connection) = config.connect(NoTls).await.map_err(Failure::of(NAME))?;
    // Ends with the session; what breaks it, the session's calls say.
    tokio::spawn(connection);
    Ok(session)
}

/// A queue and its archive, as `pgmq.create` makes them.
fn tables(queue: &str) -> String {
    format!(
        "CREATE TABLE q_{queue} (msg_id BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY, read_ct INT DEFAULT 0 NOT NULL,
            enqueued_at TIMESTAMPTZ DEFAULT now() NOT NULL, vt TIMESTAMPTZ NOT NULL, message JSONB, headers JSONB);
         CREATE INDEX q_{queue}_vt ON q_{queue} (vt ASC);
         CREATE TABLE a_{queue} (msg_id BIGINT PRIMARY KEY, read_ct INT DEFAULT 0 NOT NULL,
            enqueued_at TIMESTAMPTZ DEFAULT now() NOT NULL, archived_at TIMESTAMPTZ DEFAULT now() NOT NULL,
            vt TIMESTAMPTZ NOT NULL, message JSONB, headers JSONB);
         CREATE INDEX a_{queue}_archived_at ON a_{queue} (archived_at);"
    )
}

/// One client: a sender and its worker, on one connection.
struct Client {
    session: Session,
    send: Statement,
    read: Statement,
    answer: Statement,
    pop: Statement,
}

impl Client {
    async fn open(server: &Server, number: usize) -> Result<Self, Failure> {
        let session = connect(server).await?;
        let (tasks, answers) = (format!("task_{number}"), format!("answer_{number}"));
        let send =
            format!("INSERT INTO q_{tasks} (vt, message) VALUES (clock_timestamp(), $1) RETURNING msg_id");
        let read = format!(
            "WITH cte AS (SELECT msg_id FROM q_{tasks} WHERE vt <= clock_timestamp() ORDER BY msg_id ASC LIMIT 1
                FOR UPDATE SKIP LOCKED)
             UPDATE q_{tasks} m SET vt = clock_timestamp() + make_interval(secs => $1), read_ct = read_ct + 1
             FROM cte WHERE m.msg_id = cte.msg_id RETURNING m.msg_id, m.message"
        );
        let answer = format!(
            "WITH gone AS (DELETE FROM q_{tasks} WHERE msg_id = $1
                RETURNING msg_id, vt, read_ct, enqueued_at, message, headers),
             archived AS (INSERT INTO a_{tasks} (msg_id, vt, read_ct, enqueued_at, message, headers)
                SELECT msg_id, vt, read_ct, enqueued_at, message, headers FROM gone RETURNING msg_id)
             INSERT INTO q_{answers} (vt, message) SELECT clock_timestamp(), $2 FROM archived RETURNING msg_id"
        );
        let pop = format!(
            "WITH cte AS (SELECT msg_id FROM q_{answers} WHERE vt <= clock_timestamp() ORDER BY msg_id ASC LIMIT 1
                FOR UPDATE SKIP LOCKED)
             DELETE FROM q_{answers} WHERE msg_id = (SELECT msg_id FROM cte) RETURNING msg_id, message"
        );
        let failed = Failure::of(NAME);
        Ok(Self {
            send: session.prepare(&send).await.map_err(&failed)?,
            read: session.prepare(&read).await.map_err(&failed)?,
            answer: session.prepare(&answer).await.map_err(&failed)?,
            pop: session.prepare(&pop).await.map_err(&failed)?,
            session,
        })
    }
}

impl Alive for Client {
    async fn live(&mut self) -> Result<(), Trouble> {
        let session = &self.session;
        session.query_one(&self.send, &[&Json(json!({"task": TASK}))]).await.map_err(during("a send"))?;
        let task = session.query_one(&self.read, &[&HIDDEN_SECONDS]).await.map_err(during("a read"))?;
        let (id, Json(_)): (i64, Json<Value>) = (task.get(0), task.get(1));
        let result = Json(json!({"text": RESULT}));
        session.query_one(&self.answer, &[&id, &result]).await.map_err(during("an answer"))?;
        let answer = session.query_one(&self.pop, &[]).await.map_err(during("a pop"))?;
        let Json(seen): Json<Value> = answer.get(1);
        if seen["text"] == RESULT {
            return Ok(());
        }
        Err(Trouble::Unexpected { call: "a pop", body: seen.to_string() })
    }
}
