//! A connection, as one thread uses it: it sends statements and waits for their answers, several at once where that saves
//! a round trip. What the use case that runs on it may do is in `scope.rs`.

use baton_core::{NetworkId, TokenId, UnixMillis, limits};
use foldhash::HashMap;
use futures_util::TryStreamExt;
use rusqlite::ToSql;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::{AsyncMessage, Client, Row, Statement, types};

use super::dialect;
use super::doubt::Doubts;
use super::fault;
use super::parameter::Parameter;
use super::registry;
use super::scope::{Ask, Extent, Found, Mode, Scope, key_of};
use super::set::{Array, Writes, given};
use super::settings::ConnectionSettings;
use super::tallies::Tallies;
use crate::error::Error;
use crate::meter::Meter;
use crate::peers::HubRow;
use crate::sql::known::Known;
use crate::sql::write_set::WriteSet;

/// Commits nothing, and waits as any commit does. A connection for quick reads has a timeout for its statements that is no
/// measure for a commit.
pub(crate) const BARRIER: &str =
    "BEGIN; SET LOCAL statement_timeout = 0; SELECT pg_logical_emit_message(true, 'baton', ''); COMMIT";

/// A statement that is sent where it is first polled, and its answer.
type Sent<'s, T> = Pin<Box<dyn Future<Output = Result<T, tokio_postgres::Error>> + 's>>;

/// A connection.
pub(crate) struct Session {
    runtime: Runtime,
    client: Client,
    statements: RefCell<HashMap<String, Statement>>,
    pub(crate) scope: RefCell<Scope>,
    meter: Arc<Meter>,
    /// PostgreSQL answered a COMMIT that was not replicated as it should be.
    was_not_replicated: Arc<AtomicBool>,
    /// Whether it is to be made again.
    is_abandoned: Cell<bool>,
    /// Walks that were begun.
    cursors: Cell<u64>,
    /// Longest wait for an answer; a server that was stopped keeps its connections open and says nothing.
    answer_max: Option<Duration>,
    /// When the server last answered.
    answered: Cell<Instant>,
    /// Whether its round trips are those of writes.
    counts_trips: bool,
    doubts: Arc<Doubts>,
    /// How many of them there were when its last barrier began.
    doubts_settled: Cell<u64>,
}

impl Session {
    /// Connects. `settings` are for this connection.
    pub(crate) fn connect(to: &ConnectionSettings, settings: &str, meter: Arc<Meter>) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Unavailable(error.to_string()))?;
        let was_not_replicated = Arc::new(AtomicBool::new(false));
        let client = runtime.block_on(async {
            let (client, mut connection) = to.connect().await?;
            let noted = was_not_replicated.clone();
            tokio::spawn(async move {
                while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                    match message {
                        Ok(AsyncMessage::Notice(notice)) if is_not_replicated(notice.message()) => {
                            noted.store(true, Ordering::Release);
                        }
                        Ok(_) => {}
                        // Callers that wait for an answer get the error.
                        Err(_) => break,
                    }
                }
            });
            let set = tokio::time::timeout(limits::POSTGRES_ANSWER_MAX, client.batch_execute(settings)).await;
            set.map_err(|_| silent(limits::POSTGRES_ANSWER_MAX))?.map_err(|error| fault::of(&error))?;
            Ok::<_, Error>(client)
        })?;
        let scope = RefCell::new(Scope::new(Mode::Read));
        meter.connected();
        Ok(Self {
            runtime,
            client,
            statements: RefCell::default(),
            scope,
            meter,
            was_not_replicated,
            is_abandoned: Cell::new(false),
            cursors: Cell::new(0),
            answer_max: None,
            answered: Cell::new(Instant::now()),
            counts_trips: false,
            doubts: Arc::default(),
            doubts_settled: Cell::new(0),
        })
    }

    /// Counts its round trips as those of writes.
    pub(crate) fn counting_trips(mut self) -> Self {
        self.counts_trips = true;
        self
    }

    /// Takes part in these doubts. A barrier has to follow.
    pub(crate) fn sharing(mut self, doubts: &Arc<Doubts>) -> Self {
        self.doubts = doubts.clone();
        self
    }

    /// Gives up on an answer after this time: the connection is closed then.
    pub(crate) fn answering_within(mut self, answer_max: Duration) -> Self {
        self.answer_max = Some(answer_max);
        self
    }

    /// Whether what is read on this connection can be relied on. A barrier is committed first if another server may be the
    /// primary by now, or if rows may be visible that no standby has.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_lost() && (!self.needs_barrier() || self.barrier().is_ok())
    }

    fn needs_barrier(&self) -> bool {
        self.answered.get().elapsed() >= limits::POSTGRES_SILENT_MAX
            || self.doubts_settled.get() != self.doubts.count()
    }

    /// Commits an empty transaction. With synchronous replication it is answered once a standby has everything that was
    /// committed before it, which no standby confirms to a server that is not the primary any more: whatever is
    /// read on this connection right after it is not stale, and cannot be lost by a failover.
    pub(crate) fn barrier(&self) -> Result<(), Error> {
        let doubts = self.doubts.count();
        self.command(BARRIER)?;
        match self.take_not_replicated() {
            false => {
                self.doubts_settled.set(doubts);
                Ok(())
            }
            true => {
                self.abandon();
                Err(Error::Unavailable("PostgreSQL stopped waiting for its standby".into()))
            }
        }
    }

    /// Whether the connection is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.client.is_closed() || self.is_abandoned.get()
    }

    /// It is not used again.
    pub(crate) fn abandon(&self) {
        self.is_abandoned.set(true);
    }

    /// Begins with nothing locked, answered or asked.
    pub(crate) fn enter(&self, mode: Mode) {
        *self.scope.borrow_mut() = Scope::new(mode);
    }

    /// What a statement finds.
    pub(crate) fn query(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<Found, Error> {
        let parameters = Parameter::all(parameters)?;
        let mode = self.scope.borrow().mode;
        if matches!(mode, Mode::Explore | Mode::Batch) {
            let mut scope = self.scope.borrow_mut();
            if let Some(found) = scope.answers.get(&key_of(sql, &parameters)) {
                return Ok(found.clone());
            }
            if mode == Mode::Explore {
                scope.needs.asks.push(Ask { sql: sql.to_owned(), parameters });
                return Err(scope.stop());
            }
            self.meter.missed_load();
        }
        let mut found = self.ask(&[Ask { sql: sql.to_owned(), parameters }])?;
        found.pop().ok_or_else(|| Error::Corrupt("a statement without an answer".into()))
    }

    /// Writes at once; answers how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, parameters: &[&dyn ToSql]) -> Result<usize, Error> {
        let parameters = Parameter::all(parameters)?;
        self.on_time()?;
        let changed = self.wait(async {
            let statement = self.statement(sql).await?;
            let parameters: Vec<_> =
                parameters.iter().map(|value| value as &(dyn types::ToSql + Sync)).collect();
            self.client.execute(&statement, &parameters).await
        });
        changed.map(|changed| usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// Asks several statements at once, and waits for all answers.
    pub(crate) fn ask(&self, asks: &[Ask]) -> Result<Vec<Found>, Error> {
        if asks.is_empty() {
            return Ok(Vec::new());
        }
        self.on_time()?;
        let begin = self.scope.borrow_mut().begin.take();
        Ok(self.open(begin, &Writes::default(), asks)?.1)
    }

    /// Sends a command, reads of many rows and statements that were asked for, in this order and in one go.
    pub(crate) fn open(
        &self,
        command: Option<&str>,
        reads: &Writes<'_>,
        asks: &[Ask],
    ) -> Result<(Vec<Vec<Row>>, Vec<Found>), Error> {
        let found = self.wait(async {
            let read_statements = self.all_statements(reads.all.iter().map(|read| &*read.sql)).await?;
            let statements = self.all_statements(asks.iter().map(|ask| &*ask.sql)).await?;
            let mut sent: Vec<Sent<'_, Vec<Row>>> = Vec::with_capacity(reads.all.len() + asks.len() + 1);
            if let Some(command) = command {
                sent.push(Box::pin(async { self.client.batch_execute(command).await.map(|()| Vec::new()) }));
            }
            for (read, statement) in reads.all.iter().zip(&read_statements) {
                sent.push(Box::pin(async move {
                    let parameters: Vec<_> = read.parameters.iter().map(|array| array.as_sql()).collect();
                    self.client.query(statement, &parameters).await
                }));
            }
            for (ask, statement) in asks.iter().zip(&statements) {
                sent.push(Box::pin(async move {
                    let parameters: Vec<_> =
                        ask.parameters.iter().map(|value| value as &(dyn types::ToSql + Sync)).collect();
                    self.client.query(statement, &parameters).await
                }));
            }
            in_order(sent).await.into_iter().collect::<Result<Vec<_>, _>>()
        });
        let mut found = found?;
        let asked = found.split_off(found.len() - asks.len());
        if command.is_some() {
            found.remove(0);
        }
        Ok((found, asked.into_iter().map(Arc::new).collect()))
    }

    /// Reads of many rows, each by one statement, all at once.
    pub(crate) fn read(&self, reads: &Writes<'_>) -> Result<Vec<Vec<Row>>, Error> {
        Ok(self.open(None, reads, &[])?.0)
    }

    async fn all_statements<'s>(
        &self,
        all: impl Iterator<Item = &'s str>,
    ) -> Result<Vec<Statement>, tokio_postgres::Error> {
        let mut statements = Vec::new();
        for sql in all {
            statements.push(self.statement(sql).await?);
        }
        Ok(statements)
    }

    /// Answers statements before they are asked again.
    pub(crate) fn prepare_answers(&self, asks: &[Ask]) -> Result<(), Error> {
        let is_new =
            |ask: &&Ask| !self.scope.borrow().answers.contains_key(&key_of(&ask.sql, &ask.parameters));
        let asks: Vec<_> = asks.iter().filter(is_new).cloned().collect();
        let found = self.ask(&asks)?;
        let mut scope = self.scope.borrow_mut();
        for (ask, found) in asks.iter().zip(found) {
            scope.answers.insert(key_of(&ask.sql, &ask.parameters), found);
        }
        Ok(())
    }

    /// Runs statements that are sent as they are and find nothing: BEGIN, ROLLBACK.
    pub(crate) fn command(&self, sql: &str) -> Result<(), Error> {
        self.wait(self.client.batch_execute(sql))
    }

    /// Writes what memory holds, every table at once.
    pub(crate) fn write(&self, rows: &mut WriteSet, known: &mut Known) -> Result<(), Error> {
        let tallies = Tallies::load(self, known, &rows.counts)?;
        let mut writes = Writes::of(rows);
        tallies.write(&mut writes);
        self.send(&writes, None)?;
        drop(writes);
        tallies.remember(known);
        rows.note_written();
        // They answer what was there before.
        self.scope.borrow_mut().answers.clear();
        Ok(())
    }

    /// Writes a time for each of these tokens, by one statement.
    pub(crate) fn write_times(&self, sql: &str, times: &[(TokenId, UnixMillis)]) -> Result<(), Error> {
        let columns = vec![
            ("token_id", Array::texts(times.iter().map(|(token, _)| token.as_str()))),
            ("at", Array::integers(times.iter().map(|(_, at)| at.get()))),
        ];
        let mut writes = Writes::default();
        writes.push(sql.replace("{given}", &given(&columns)).into(), columns);
        self.send(&writes, None)
    }

    /// The hubs on the database.
    pub(crate) fn hubs(&self) -> Result<Vec<HubRow>, Error> {
        self.wait(registry::hubs(&self.client))
    }

    /// The types of the columns that a query gives.
    pub(crate) fn types_of(&self, sql: &str) -> Result<Vec<types::Type>, Error> {
        let statement = self.wait(self.client.prepare(sql))?;
        Ok(statement.columns().iter().map(|column| column.type_().clone()).collect())
    }

    /// Hands over every row of a query as it arrives. No other statement runs meanwhile.
    pub(crate) fn read_all(
        &self,
        sql: &str,
        mut see: impl FnMut(&Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.runtime.block_on(async {
            let nothing = std::iter::empty::<&(dyn types::ToSql + Sync)>();
            let rows = self.client.query_raw(sql, nothing).await.map_err(|error| fault::of(&error))?;
            let mut rows = std::pin::pin!(rows);
            while let Some(row) = rows.try_next().await.map_err(|error| fault::of(&error))? {
                see(&row)?;
            }
            Ok(())
        })
    }

    /// Adds rows to a table by its COPY, until `next` has no more.
    pub(crate) fn copy_in(
        &self,
        sql: &str,
        types: &[types::Type],
        mut next: impl FnMut() -> Result<Option<Vec<Parameter>>, Error>,
    ) -> Result<(), Error> {
        self.runtime.block_on(async {
            let failed = |error: tokio_postgres::Error| fault::of(&error);
            let sink = self.client.copy_in(sql).await.map_err(failed)?;
            let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, types));
            while let Some(row) = next()? {
                let values: Vec<_> = row.iter().map(|value| value as &(dyn types::ToSql + Sync)).collect();
                writer.as_mut().write(&values).await.map_err(failed)?;
            }
            writer.finish().await.map(drop).map_err(failed)
        })
    }

    /// Walks the rows of a query until `step` breaks off, a few of them in memory at a time; inside a transaction. Others may
    /// be asked meanwhile.
    pub(crate) fn walk(
        &self,
        sql: &str,
        parameters: &[&dyn ToSql],
        step: &mut dyn FnMut(&Row) -> Result<ControlFlow<()>, Error>,
    ) -> Result<(), Error> {
        let number = self.cursors.replace(self.cursors.get() + 1);
        let parameters = Parameter::all(parameters)?;
        let declared = format!("DECLARE walk_{number} NO SCROLL CURSOR FOR {}", dialect::translate(sql));
        self.wait(async {
            let values: Vec<_> = parameters.iter().map(|value| value as &(dyn types::ToSql + Sync)).collect();
            self.client.execute(&*declared, &values).await
        })?;
        let fetch = format!("FETCH {} FROM walk_{number}", limits::POSTGRES_WALK_ROWS_COUNT);
        loop {
            let rows = self.wait(self.client.query(&*fetch, &[]))?;
            for row in &rows {
                if step(row)?.is_break() {
                    return self.command(&format!("CLOSE walk_{number}"));
                }
            }
            if rows.is_empty() {
                return self.command(&format!("CLOSE walk_{number}"));
            }
        }
    }

    /// Sends writes, and a command after them, in one go.
    pub(crate) fn send(&self, writes: &Writes<'_>, then: Option<&str>) -> Result<(), Error> {
        self.wait(async {
            let statements = self.all_statements(writes.all.iter().map(|write| &*write.sql)).await?;
            let mut sent: Vec<Sent<'_, ()>> = Vec::with_capacity(writes.all.len() + 1);
            for (write, statement) in writes.all.iter().zip(&statements) {
                sent.push(Box::pin(async move {
                    let parameters: Vec<_> = write.parameters.iter().map(|array| array.as_sql()).collect();
                    self.client.execute(statement, &parameters).await.map(drop)
                }));
            }
            if let Some(then) = then {
                sent.push(Box::pin(self.client.batch_execute(then)));
            }
            // The first error says what went wrong: all after it fail because of it.
            in_order(sent).await.into_iter().collect::<Result<(), _>>()
        })
    }

    /// Waits for what was sent, and notes an error: the transaction is lost then, whatever a use case makes of it.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Error> {
        let answer = match self.is_abandoned.get() {
            true => Err(Error::Unavailable("the connection to PostgreSQL was given up".into())),
            false => self.await_answer(answer),
        };
        if let Err(error) = &answer {
            self.scope.borrow_mut().failure.get_or_insert_with(|| error.clone());
        }
        answer
    }

    fn await_answer<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        if self.counts_trips {
            self.meter.round_trip();
        }
        let began = Instant::now();
        let answer = self.runtime.block_on(async {
            match self.answer_max {
                Some(max) => tokio::time::timeout(max, answer).await.map_err(|_| max),
                None => Ok(answer.await),
            }
        });
        let now = Instant::now();
        {
            let left = &mut self.scope.borrow_mut().time_left;
            *left = left.map(|left| left.saturating_sub(now - began));
        }
        match answer {
            Ok(answer) => {
                self.answered.set(now);
                answer.map_err(|error| {
                    // The server closes the connection after such an error. A COMMIT before it may have taken place.
                    if fault::ends_connection(&error) {
                        self.abandon();
                    }
                    fault::of(&error)
                })
            }
            Err(max) => {
                self.abandon();
                Err(silent(max))
            }
        }
    }

    async fn statement(&self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        let known = self.statements.borrow().get(sql).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(&dialect::translate(sql)).await?;
        let mut statements = self.statements.borrow_mut();
        // Some texts are made for one list; those that are used often are soon there again.
        if statements.len() >= limits::POSTGRES_STATEMENTS_MAX_COUNT {
            statements.clear();
        }
        statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Stops a read whose time is over.
    fn on_time(&self) -> Result<(), Error> {
        let mut scope = self.scope.borrow_mut();
        if scope.time_left.is_some_and(|left| left.is_zero()) {
            scope.failure.get_or_insert(Error::TookTooLong);
            return Err(Error::TookTooLong);
        }
        Ok(())
    }

    /// Bounds how long the statements that follow may take, all together.
    pub(crate) fn set_time(&self, time: Duration) {
        self.scope.borrow_mut().time_left = Some(time);
    }

    /// The first error since the transaction began.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.scope.borrow().failure.clone()
    }

    /// Whether a COMMIT was answered that PostgreSQL stopped waiting for a standby with; asked once.
    pub(crate) fn take_not_replicated(&self) -> bool {
        self.was_not_replicated.swap(false, Ordering::AcqRel)
    }

    pub(crate) fn reach(&self, network: &NetworkId) -> Result<(), Error> {
        self.scope.borrow_mut().reach(network)
    }

    pub(crate) fn begin_change(&self, network: &NetworkId) -> Result<(), Error> {
        self.scope.borrow_mut().begin_change(network)
    }

    pub(crate) fn begin_statement(&self, of: &Extent<'_>) -> Result<(), Error> {
        self.scope.borrow_mut().begin_statement(of)
    }

    /// A use case asked for the time, or for something that is known: it needs a transaction, if only to see that it holds.
    pub(crate) fn need_look(&self) {
        self.scope.borrow_mut().needs.look = true;
    }

    /// A network that is locked and has no rows yet gets its key before the use case is run again.
    pub(crate) fn need_key(&self, network: &NetworkId) -> Error {
        let mut scope = self.scope.borrow_mut();
        scope.needs.new.insert(network.clone());
        scope.stop()
    }

    /// Whether a network that is locked has a head; none if it is not locked.
    pub(crate) fn has_head(&self, network: &NetworkId) -> Option<bool> {
        self.scope.borrow().locked.get(network).copied()
    }

    /// How a use case runs.
    pub(crate) fn mode(&self) -> Mode {
        self.scope.borrow().mode
    }

    /// The next place of a task or a delivery. It was taken from its sequence under the lock of the network, so places of a
    /// network are in the order of commits.
    pub(crate) fn next_place(&self) -> Result<i64, Error> {
        self.next_number(|scope| &mut scope.places, "places")
    }

    /// The next id of a row of history.
    pub(crate) fn next_event(&self) -> Result<i64, Error> {
        self.next_number(|scope| &mut scope.events, "events")
    }

    fn next_number(
        &self,
        stock: impl Fn(&mut Scope) -> &mut std::collections::VecDeque<i64>,
        sequence: &str,
    ) -> Result<i64, Error> {
        if stock(&mut self.scope.borrow_mut()).is_empty() {
            let sql = format!(
                "SELECT nextval('{sequence}') AS n FROM generate_series(1, {})",
                limits::POSTGRES_NUMBERS_COUNT
            );
            let ask = Ask { sql, parameters: Vec::new() };
            let found = self.ask(&[ask])?;
            let numbers = found.iter().flat_map(|rows| rows.iter()).map(|row| row.get::<_, i64>(0));
            stock(&mut self.scope.borrow_mut()).extend(numbers);
        }
        stock(&mut self.scope.borrow_mut())
            .pop_front()
            .ok_or_else(|| Error::Corrupt("nothing is numbered".into()))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.meter.disconnected();
    }
}

/// The error of a server that does not answer.
pub(crate) fn silent(max: Duration) -> Error {
    Error::Unavailable(format!("PostgreSQL did not answer within {} s", max.as_secs_f64().round()))
}

/// The words PostgreSQL uses where it answers a COMMIT that its standbys may not have.
pub(crate) fn is_not_replicated(message: &str) -> bool {
    message.contains("wait for synchronous replication")
}

/// Waits for all of these. Each is sent before the next one is, so that the server runs them in this order.
async fn in_order<T>(mut sent: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = sent.iter().map(|_| None).collect();
    // Answers come in this order too.
    let mut first = 0;
    poll_fn(move |context| {
        let mut is_first = true;
        for (at, answer) in sent.iter_mut().enumerate().skip(first) {
            if answers[at].is_none() {
                match answer.as_mut().poll(context) {
                    Poll::Ready(answer) => answers[at] = Some(answer),
                    Poll::Pending => is_first = false,
                }
            }
            if is_first {
                first = at + 1;
            }
        }
        match first == sent.len() {
            true => Poll::Ready(answers.drain(..).flatten().collect()),
            false => Poll::Pending,
        }
    })
    .await
}
