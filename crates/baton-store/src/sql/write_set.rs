//! Rows to be written: what one use case changed, or all of a batch. Each table is written once, in the order of its
//! key; a task that is made, claimed and answered in one batch is one row.

use baton_core::{NetworkId, Principal, Status, TaskId, UnixMillis};
use foldhash::HashMap;
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use std::collections::VecDeque;
use std::sync::Arc;

use super::columns::order_of;
use super::counts::Counts;
use super::evidence::LogHead;
use super::known::Known;
use super::task_row::{Columns, Task};
use crate::error::Error;
use crate::hint::{ChangesByNetwork, GrownLog};
use crate::meter::Tally;
use crate::parked::Inbox;
use crate::rows::IdempotentSend;
use crate::sqlite::plans;

/// A task that was changed.
#[derive(Debug)]
pub(crate) struct Entry {
    /// As the use case found it; none if it made it.
    pub(crate) before: Option<Arc<Task>>,
    /// As it stands in the database; none if it is not there yet.
    pub(crate) written: Option<Arc<Task>>,
    pub(crate) now: Arc<Task>,
}

impl Entry {
    pub(crate) fn is_written(&self) -> bool {
        self.written.as_ref().is_some_and(|written| Arc::ptr_eq(written, &self.now))
    }
}

/// A row of history.
#[derive(Debug)]
pub(crate) struct NewEventRow {
    pub(crate) place: i64,
    pub(crate) task: i64,
    pub(crate) n: i64,
    pub(crate) previous: Option<i64>,
    pub(crate) from: Option<Status>,
    pub(crate) to: Status,
    pub(crate) actor: Principal,
    pub(crate) detail: String,
    pub(crate) at: UnixMillis,
    pub(crate) log_index: Option<i64>,
    pub(crate) number: Option<i64>,
    pub(crate) actor_token: Option<String>,
}

/// An entry of a log's tail.
#[derive(Debug)]
pub(crate) struct NewLeafRow {
    pub(crate) place: i64,
    pub(crate) about: Option<String>,
    pub(crate) event: Vec<u8>,
    pub(crate) packet: Vec<u8>,
}

/// A frame of a feed.
#[derive(Debug)]
pub(crate) struct NewFrameRow {
    pub(crate) place: i64,
    pub(crate) to: Principal,
    pub(crate) previous: Option<i64>,
    pub(crate) body: String,
}

/// A delivery that is not a task's newest.
#[derive(Debug)]
pub(crate) struct NewDeliveryRow {
    pub(crate) seq: i64,
    pub(crate) message_id: String,
    pub(crate) network: i64,
    pub(crate) to: Principal,
    pub(crate) from: Principal,
    pub(crate) kind: &'static str,
    pub(crate) priority: i64,
    pub(crate) task: Option<i64>,
    pub(crate) content: Option<String>,
    pub(crate) at: UnixMillis,
    pub(crate) state: i64,
}

/// Whose idempotency key it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SendKey {
    pub(crate) network: NetworkId,
    pub(crate) sender: Principal,
    pub(crate) key: String,
}

/// What is to be done once the changes are committed.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// For those who listen.
    pub(crate) changes: ChangesByNetwork,
    /// Where a task can be claimed from now on, once for each.
    pub(crate) opened: VecDeque<Inbox>,
    /// Networks that were deleted.
    pub(crate) gone: Vec<NetworkId>,
    /// Tasks, leases and how many of them there are more or fewer.
    pub(crate) tally: Tally,
    pub(crate) touches_access: bool,
}

/// The newest numbers of a network, as far as they were given out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) frame: Option<i64>,
    pub(crate) event_number: Option<i64>,
    pub(crate) log: Option<LogHead>,
}

impl Head {
    pub(crate) fn take_in(&mut self, newer: Self) {
        self.frame = newer.frame.or(self.frame);
        self.event_number = newer.event_number.or(self.event_number);
        self.log = newer.log.or(self.log);
    }
}

/// Changes, by table.
#[derive(Default)]
pub(crate) struct WriteSet {
    pub(crate) tasks: HashMap<TaskId, Entry>,
    /// The retries made of tasks, by the task that was retried.
    pub(crate) retries: HashMap<TaskId, TaskId>,
    pub(crate) events: Vec<NewEventRow>,
    pub(crate) leaves: Vec<NewLeafRow>,
    pub(crate) frames: Vec<NewFrameRow>,
    pub(crate) deliveries: Vec<NewDeliveryRow>,
    pub(crate) sends: HashMap<SendKey, IdempotentSend>,
    /// What is counted and not written yet.
    pub(crate) counts: Counts,
    /// What was counted and is written: only a layer has this, for the code that keeps the whole.
    pub(crate) counted: Counts,
    /// Newest numbers that it gave out.
    pub(crate) heads: HashMap<NetworkId, Head>,
    pub(crate) hints: Hints,
    /// Whether tasks were changed by statements.
    pub(crate) forgets_tasks: bool,
}

impl WriteSet {
    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.leaves.is_empty()
            && self.frames.is_empty()
            && self.deliveries.is_empty()
            && self.sends.is_empty()
            && self.counts.is_empty()
            && self.tasks.values().all(Entry::is_written)
    }

    /// Takes in the rows and hints of a layer that stays; its tasks were taken before.
    pub(crate) fn take_in(&mut self, layer: Self) {
        self.retries.extend(layer.retries);
        self.events.extend(layer.events);
        self.leaves.extend(layer.leaves);
        self.frames.extend(layer.frames);
        self.deliveries.extend(layer.deliveries);
        self.sends.extend(layer.sends);
        layer.counts.tally(&mut self.hints.tally);
        layer.counted.tally(&mut self.hints.tally);
        self.counts.take_in(layer.counts);
        let Hints { changes, opened, gone: _, tally, touches_access } = layer.hints;
        self.hints.changes.add(changes);
        self.hints.opened.extend(opened);
        self.hints.tally.add(&tally);
        self.hints.touches_access |= touches_access;
    }

    /// Notes that a log has one entry more.
    pub(crate) fn note_growth(&mut self, network: &NetworkId, size: u64) {
        self.hints.changes.of(network).add_growth(GrownLog { size, gained: 1 });
    }

    /// Drops what was counted of a network that is gone.
    pub(crate) fn forget_network(&mut self, network: &NetworkId) {
        self.counts.forget(network);
        self.hints.changes.forget_log(network);
    }

    /// Writes everything but the hints. Entries of tasks stay, for later reads of their state.
    pub(crate) fn write(&mut self, connection: &Connection, known: &mut Known) -> Result<(), Error> {
        known.write_numbers(connection)?;
        self.write_tasks(connection)?;
        self.write_events(connection)?;
        self.write_leaves(connection)?;
        self.write_frames(connection)?;
        self.write_deliveries(connection)?;
        self.write_sends(connection)?;
        self.counts.write(connection)?;
        self.note_written();
        Ok(())
    }

    /// The changes are written; entries of tasks are recorded by later readers of their state.
    pub(crate) fn note_written(&mut self) {
        self.events.clear();
        self.leaves.clear();
        self.frames.clear();
        self.deliveries.clear();
        self.sends.clear();
        let counts = std::mem::take(&mut self.counts);
        self.counted.take_in(counts);
    }

    fn write_tasks(&self, connection: &Connection) -> Result<(), Error> {
        let mut entries: Vec<_> = self.tasks.values().filter(|entry| !entry.is_written()).collect();
        entries.sort_unstable_by_key(|entry| entry.now.row.seq);
        for entry in entries {
            match &entry.written {
                None => insert_task(connection, &entry.now)?,
                Some(written) => update_task(connection, written, &entry.now)?,
            }
        }
        Ok(())
    }

    fn write_events(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.events.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO task_events (place, task, n, previous, from_status, to_status, actor_kind, actor, detail,
                       created_at, log_index, number, actor_token)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        self.events.sort_unstable_by_key(|event| event.place);
        let mut statement = connection.prepare_cached(sql)?;
        for event in self.events.drain(..) {
            statement.execute(params![
                event.place,
                event.task,
                event.n,
                event.previous,
                event.from.map(Status::as_str),
                event.to.as_str(),
                event.actor.kind().as_str(),
                event.actor.name(),
                event.detail,
                event.at.get(),
                event.log_index,
                event.number,
                event.actor_token,
            ])?;
        }
        Ok(())
    }

    fn write_leaves(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.leaves.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO evidence (place, about, event, packet) VALUES (?1, ?2, ?3, ?4)";
        self.leaves.sort_unstable_by_key(|leaf| leaf.place);
        let mut statement = connection.prepare_cached(sql)?;
        for leaf in self.leaves.drain(..) {
            statement.execute(params![leaf.place, leaf.about, leaf.event, leaf.packet])?;
        }
        Ok(())
    }

    fn write_frames(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.frames.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO feed (place, to_kind, to_name, body, previous) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.frames.sort_unstable_by_key(|frame| frame.place);
        let mut statement = connection.prepare_cached(sql)?;
        for frame in self.frames.drain(..) {
            let to = (frame.to.kind().as_str(), frame.to.name());
            statement.execute(params![frame.place, to.0, to.1, frame.body, frame.previous])?;
        }
        Ok(())
    }

    fn write_deliveries(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.deliveries.is_empty() {
            return Ok(());
        }
        let sql =
            "INSERT INTO deliveries (seq, message_id, network, to_kind, to_name, from_kind, from_name, type,
                       priority, task, content, created_at, state)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        self.deliveries.sort_unstable_by_key(|delivery| delivery.seq);
        let mut statement = connection.prepare_cached(sql)?;
        for delivery in self.deliveries.drain(..) {
            statement.execute(params![
                delivery.seq,
                delivery.message_id,
                delivery.network,
                delivery.to.kind().as_str(),
                delivery.to.name(),
                delivery.from.kind().as_str(),
                delivery.from.name(),
                delivery.kind,
                delivery.priority,
                delivery.task,
                delivery.content,
                delivery.at.get(),
                delivery.state,
            ])?;
        }
        Ok(())
    }

    fn write_sends(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.sends.is_empty() {
            return Ok(());
        }
        let sql = "INSERT OR REPLACE INTO idempotency_keys
                       (network_id, sender_kind, sender, key, arguments, task_id, session_status, created_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let mut statement = connection.prepare_cached(sql)?;
        for (SendKey { network, sender, key }, send) in self.sends.drain() {
            statement.execute(params![
                network.as_str(),
                sender.kind().as_str(),
                sender.name(),
                key,
                send.arguments,
                send.task_id.as_str(),
                send.session_status,
                send.created_at.get(),
            ])?;
        }
        Ok(())
    }
}

fn insert_task(connection: &Connection, task: &Task) -> Result<(), Error> {
    let (row, snapshot) = (&task.row, &task.row.snapshot);
    connection
        .prepare_cached(
            "INSERT INTO tasks (seq, task_id, network, from_kind, from_name, to_name, kind, priority, status, content,
                context, meta, parent_task_id, retry_of, attempt, max_attempts, ttl_seconds, created_at, delivered_at,
                expires_at, salt, context_id, parts, traceparent, inbox_state, inbox_place, answered_bare, started_at,
                completed_at, result, redelivered_at, delivery_id, lease_id, lease_seconds, lease_deadline,
                lease_expires_at, last_event, artifacts, rejected, progress_n, progress_event, progress_percent,
                progress_message, progress_at, retry_backoff_seconds, run_timeout_seconds, due_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?47)",
        )?
        .execute(params![
            row.seq,
            snapshot.id.as_str(),
            task.network,
            snapshot.from.kind().as_str(),
            snapshot.from.name(),
            snapshot.to.as_str(),
            snapshot.kind.as_str(),
            order_of(row.priority),
            snapshot.status.as_str(),
            row.content,
            row.context,
            row.meta,
            task.parent_task_id.as_ref().map(TaskId::as_str),
            row.retry_of.as_ref().map(TaskId::as_str),
            snapshot.attempt,
            snapshot.max_attempts,
            snapshot.ttl.get(),
            row.created_at.get(),
            row.delivered_at.get(),
            snapshot.expires_at.get(),
            row.salt,
            snapshot.context_id.as_ref().map(baton_core::ContextId::as_str),
            row.parts,
            row.traceparent.map(|trace| trace.to_string()),
            task.inbox_number(),
            task.inbox_place,
            row.answered_bare,
            row.started_at.map(UnixMillis::get),
            row.completed_at.map(UnixMillis::get),
            row.result,
            task.redelivered_at.map(UnixMillis::get),
            task.delivery_id,
            snapshot.lease.as_ref().map(|lease| lease.id.as_str()),
            task.lease.map(|lease| lease.seconds),
            snapshot.lease.as_ref().map(|lease| lease.deadline.get()),
            task.lease.map(|lease| lease.expires_at.get()),
            task.last_event,
            row.artifacts,
            row.is_rejected,
            row.progress.as_ref().map(|progress| progress.n),
            row.progress.as_ref().map(|progress| progress.event),
            row.progress.as_ref().and_then(|progress| progress.percent),
            row.progress.as_ref().and_then(|progress| progress.message.as_deref()),
            row.progress.as_ref().map(|progress| progress.at.get()),
            snapshot.runs.retry_backoff.get(),
            snapshot.runs.run_timeout.map(baton_core::RunTimeoutSeconds::get),
            snapshot.due_at.map(UnixMillis::get),
        ])?;
    Ok(())
}

/// Writes what is other than in the database. Columns that stay as they are are left out: SQLite writes the entry of
/// every index that a written column is in again, whether or not its value is another.
fn update_task(connection: &Connection, written: &Task, now: &Task) -> Result<(), Error> {
    let Columns { sql, mut values } = Columns::that_differ(written, now);
    if sql.is_empty() {
        return Ok(());
    }
    let status = written.row.snapshot.status;
    values.push(Value::from(now.row.seq));
    values.push(Value::from(status.as_str().to_owned()));
    let (seq, from) = (values.len() - 1, values.len());
    let sql = format!("UPDATE tasks SET {sql} WHERE seq = ?{seq} AND status = ?{from}");
    plans::check(connection, &sql);
    if connection.prepare_cached(&sql)?.execute(params_from_iter(values))? != 1 {
        return Err(Error::Corrupt(format!("task {} is not {status}", now.row.snapshot.id)));
    }
    Ok(())
}
