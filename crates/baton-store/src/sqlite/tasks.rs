//! Tasks, the leases on them and idempotency keys in SQL. Their history is in `history.rs`.

use baton_core::access::TaskReach;
use baton_core::{
    Alias, ContextId, LeaseId, MessageId, MonotonicMillis, NetworkId, Principal, PrincipalKind, Status,
    TaskId, TaskSnapshot, UnixMillis, limits,
};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

use super::columns::{get, order_of, parsed, principal, time};
use super::edges::Edge;
use super::rows::Rows;
use super::task_row::{Known, number_of, snapshot, task_by_id, task_row, tasks};
use super::{changed, history, search};
use crate::error::Error;
use crate::parked::Inbox;
use crate::rows::{
    ChangedFilter, ChangedPage, DueLease, EventFilter, EventRow, IdempotentSend, InboxState, LeaseChange,
    LeaseRow, NewEvent, NewTaskMessage, NewTaskRow, Page, PageBounds, TaskChange, TaskFilter, TaskMessageRow,
    TaskReads, TaskRow, TaskSearch, TaskTexts, TaskWrites,
};
use crate::store::ChangedTask;

fn message_row(row: &Row<'_>) -> Result<TaskMessageRow, Error> {
    Ok(TaskMessageRow {
        n: get(row, "n")?,
        message_id: parsed(row, "message_id", MessageId::parse)?,
        author: principal(row, "author_kind", "author")?,
        content: get(row, "content")?,
        parts: get(row, "parts")?,
        meta: get(row, "meta")?,
        created_at: time(row, "created_at")?,
    })
}

impl Rows<'_> {
    /// A network's counts of tasks as earlier batches left them.
    pub(super) fn task_counts_written(&self, network: &NetworkId) -> Result<Vec<(Status, i64)>, Error> {
        let sql = "SELECT status, count FROM task_counts WHERE network_id = ?1";
        self.all(sql, [network.as_str()], |row| {
            Ok((parsed(row, "status", Status::parse)?, get::<i64>(row, "count")?))
        })
    }

    /// The task in this place in the order.
    pub(super) fn task_at(&self, seq: i64, texts: TaskTexts) -> Result<Option<TaskRow>, Error> {
        self.one(&format!("{} WHERE t.seq = ?1", tasks(texts)), [seq], task_row)
    }

    /// The place of the task that began the conversation asked for, if the filter lets it through: its row names no
    /// context.
    pub(super) fn beginning(
        &self,
        network: &NetworkId,
        reach: &TaskReach,
        filter: &TaskFilter,
    ) -> Result<Option<i64>, Error> {
        let Some(id) = filter.context.as_ref().and_then(|context| TaskId::parse(context.as_str())) else {
            return Ok(None);
        };
        let is_meant = |row: &TaskRow| {
            let task = &row.snapshot;
            reach.shows(task.parties())
                && task.network_id == *network
                && task.context_id.is_none()
                && filter.status.is_none_or(|status| status == task.status)
                && filter.to_name.as_ref().is_none_or(|name| *name == task.to.as_str())
                && filter.from_name.as_ref().is_none_or(|name| *name == task.from.name())
        };
        Ok(self.task(&id)?.filter(is_meant).map(|row| row.seq))
    }
}

impl TaskReads for Rows<'_> {
    fn task(&self, id: &TaskId) -> Result<Option<TaskRow>, Error> {
        self.one_known(id, task_row)
    }

    fn task_snapshot(&self, id: &TaskId) -> Result<Option<TaskSnapshot>, Error> {
        self.one_known(id, snapshot)
    }

    fn task_network(&self, id: &TaskId) -> Result<Option<NetworkId>, Error> {
        let sql =
            "SELECT k.network_id FROM tasks t JOIN network_keys k ON k.key = t.network WHERE t.task_id = ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)";
        self.one(sql, [id.as_str()], |row| parsed(row, "network_id", NetworkId::parse))
    }

    fn tasks(&self, filter: &TaskFilter) -> Result<Page<TaskRow>, Error> {
        let examined_rows = limits::SEARCH_EXAMINED_COUNT;
        search::page(self, &TaskSearch { filter: filter.clone(), examined_rows, ..TaskSearch::default() })
    }

    fn changed_tasks(&self, filter: &ChangedFilter) -> Result<ChangedPage, Error> {
        changed::page(self, filter)
    }

    fn count_changed_tasks(&self, filter: &ChangedFilter, counted: usize) -> Result<usize, Error> {
        changed::count(self, filter, counted)
    }

    fn task_counts(&self, network: &NetworkId) -> Result<Vec<(Status, i64)>, Error> {
        let written = self.task_counts_written(network)?;
        let count = |status: Status| {
            let written =
                written.iter().find(|(counted, _)| *counted == status).map_or(0, |(_, count)| *count);
            written + self.counted.task(network, status) + self.staged.counts.task(network, status)
        };
        let counts = Status::ALL.iter().map(|status| (*status, count(*status)));
        Ok(counts.filter(|(_, count)| *count != 0).collect())
    }

    fn open_tasks_with_content(
        &self,
        network: &NetworkId,
        to: &Alias,
        content: &str,
    ) -> Result<Vec<TaskId>, Error> {
        // Looked for among the alias's latest tasks: whoever means an older one has its id.
        let sql = "SELECT task_id FROM
                   (SELECT seq, task_id, status, content FROM tasks WHERE network = ?1 AND to_name = ?2
                    ORDER BY seq DESC LIMIT 1000)
                   WHERE content = ?3 AND status IN ('delivered', 'acked', 'running') ORDER BY seq DESC LIMIT 2";
        self.all(sql, params![self.key(network)?, to.as_str(), content], |row| {
            parsed(row, "task_id", TaskId::parse)
        })
    }

    fn next_task(&self, network: &NetworkId, to: &Alias) -> Result<Option<TaskId>, Error> {
        // A task somebody reported working on may still lie open in the inbox; it is not to be had.
        let sql = "SELECT task_id FROM tasks WHERE network = ?1 AND to_name = ?2 AND inbox_state = 0
                     AND status = 'delivered'
                   ORDER BY priority, inbox_place LIMIT 1";
        self.one(sql, params![self.key(network)?, to.as_str()], |row| parsed(row, "task_id", TaskId::parse))
    }

    fn task_messages(&self, network: &NetworkId, id: &TaskId) -> Result<Vec<TaskMessageRow>, Error> {
        let sql = "SELECT * FROM task_messages WHERE network_id = ?1 AND task_id = ?2 ORDER BY n";
        self.all(sql, params![network.as_str(), id.as_str()], message_row)
    }

    fn newest_task_messages(
        &self,
        network: &NetworkId,
        id: &TaskId,
        until: Option<UnixMillis>,
        bounds: PageBounds,
    ) -> Result<Vec<TaskMessageRow>, Error> {
        let (network, id) = (network.as_str(), id.as_str());
        let most = i64::try_from(bounds.rows).unwrap_or(i64::MAX);
        let mut newest = match until {
            // Without the time nothing of a message that is not shown is read.
            None => {
                let sql = "SELECT * FROM task_messages WHERE network_id = ?1 AND task_id = ?2
                           ORDER BY n DESC LIMIT ?3";
                self.page(sql, params![network, id, most], bounds, message_row, |_| ())?.rows
            }
            Some(until) => {
                let sql = "SELECT * FROM task_messages WHERE network_id = ?1 AND task_id = ?2
                             AND created_at <= ?3
                           ORDER BY n DESC LIMIT ?4";
                self.page(sql, params![network, id, until.get(), most], bounds, message_row, |_| ())?.rows
            }
        };
        newest.reverse();
        Ok(newest)
    }

    fn newest_question(
        &self,
        network: &NetworkId,
        id: &TaskId,
        sender: &Principal,
        until: UnixMillis,
    ) -> Result<Option<TaskMessageRow>, Error> {
        let sql = "SELECT * FROM task_messages WHERE network_id = ?1 AND task_id = ?2
                     AND (author_kind <> ?3 OR author <> ?4) AND created_at <= ?5
                   ORDER BY n DESC LIMIT 1";
        let sender = (sender.kind().as_str(), sender.name());
        self.one(sql, params![network.as_str(), id.as_str(), sender.0, sender.1, until.get()], message_row)
    }

    fn task_messages_bytes(&self, network: &NetworkId, id: &TaskId) -> Result<usize, Error> {
        // A length in bytes stands in a row's head: the texts themselves are not read.
        let sql = "SELECT COALESCE(SUM(octet_length(content) + COALESCE(octet_length(parts), 0)
                       + COALESCE(octet_length(meta), 0)), 0) AS bytes
                   FROM task_messages WHERE network_id = ?1 AND task_id = ?2";
        let bytes = self.one(sql, params![network.as_str(), id.as_str()], |row| get::<i64>(row, "bytes"))?;
        Ok(bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default())
    }

    fn task_history(&self, id: &TaskId) -> Result<Vec<EventRow>, Error> {
        history::of_task(self, id)
    }

    fn last_event(&self, id: &TaskId) -> Result<Option<EventRow>, Error> {
        history::last_of_task(self, id)
    }

    fn events(&self, filter: &EventFilter) -> Result<Page<EventRow>, Error> {
        history::page(self, filter)
    }

    fn lease(&self, id: &LeaseId) -> Result<Option<LeaseRow>, Error> {
        let sql = "SELECT t.lease_id, t.task_id, k.network_id, t.to_name, t.lease_seconds, t.lease_deadline,
                       t.lease_expires_at
                   FROM tasks t JOIN network_keys k ON k.key = t.network WHERE t.lease_id = ?1";
        self.one(sql, [id.as_str()], |row| {
            Ok(LeaseRow {
                lease_id: parsed(row, "lease_id", LeaseId::parse)?,
                task_id: parsed(row, "task_id", TaskId::parse)?,
                network_id: parsed(row, "network_id", NetworkId::parse)?,
                alias: parsed(row, "to_name", |text| Alias::parse(text).ok())?,
                lease_seconds: get(row, "lease_seconds")?,
                deadline: MonotonicMillis::new(get(row, "lease_deadline")?),
                expires_at: time(row, "lease_expires_at")?,
            })
        })
    }

    fn holds_lease(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM tasks WHERE network = ?1 AND to_name = ?2 AND lease_id IS NOT NULL LIMIT 1";
        Ok(self.one(sql, params![self.key(network)?, alias.as_str()], |_| Ok(()))?.is_some())
    }

    fn due_leases(&self, now: MonotonicMillis, limit: usize) -> Result<Vec<DueLease>, Error> {
        let sql = "SELECT lease_id, task_id FROM tasks t WHERE lease_id IS NOT NULL AND lease_deadline <= ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)
                   ORDER BY lease_deadline LIMIT ?2";
        self.all(sql, params![now.get(), limit as i64], |row| {
            Ok(DueLease {
                lease_id: parsed(row, "lease_id", LeaseId::parse)?,
                task_id: parsed(row, "task_id", TaskId::parse)?,
            })
        })
    }

    fn overdue_tasks(
        &self,
        now: UnixMillis,
        after: (i64, i64),
        limit: usize,
    ) -> Result<Vec<(i64, i64, TaskId)>, Error> {
        let sql = "SELECT expires_at, seq, task_id FROM tasks t
                   WHERE completed_at IS NULL AND expires_at <= ?1 AND (expires_at, seq) > (?2, ?3)
                     AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)
                   ORDER BY expires_at, seq LIMIT ?4";
        self.all(sql, params![now.get(), after.0, after.1, limit as i64], |row| {
            Ok((get(row, "expires_at")?, get(row, "seq")?, parsed(row, "task_id", TaskId::parse)?))
        })
    }

    fn idempotent_send(
        &self,
        network: &NetworkId,
        sender: &Principal,
        key: &str,
    ) -> Result<Option<IdempotentSend>, Error> {
        let sql = "SELECT * FROM idempotency_keys
                   WHERE network_id = ?1 AND sender_kind = ?2 AND sender = ?3 AND key = ?4";
        self.one(sql, params![network.as_str(), sender.kind().as_str(), sender.name(), key], |row| {
            Ok(IdempotentSend {
                arguments: get(row, "arguments")?,
                task_id: parsed(row, "task_id", TaskId::parse)?,
                session_status: get(row, "session_status")?,
                created_at: time(row, "created_at")?,
            })
        })
    }
}

impl Rows<'_> {
    /// For those who wait for the task, once this is committed.
    pub(super) fn note_changed(
        &mut self,
        network: &NetworkId,
        task: &TaskId,
        from: Option<Status>,
        status: Option<Status>,
    ) {
        let (network_id, task_id) = (network.clone(), task.clone());
        self.staged.changed_tasks.push(ChangedTask { network_id, task_id, from, status });
    }

    /// A task by its id, remembered for the change that may follow.
    fn one_known<T>(
        &self,
        id: &TaskId,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        self.one(task_by_id(), [id.as_str()], |row| {
            if self.is_writing {
                self.staged.known.borrow_mut().insert(id.clone(), Known::read(row)?);
            }
            read(row)
        })
    }

    /// What a change of a task asks of its row.
    pub(super) fn known(&self, id: &TaskId) -> Result<Known, Error> {
        if let Some(known) = self.staged.known.borrow().get(id) {
            return Ok(known.clone());
        }
        let known = self.one(task_by_id(), [id.as_str()], Known::read)?;
        let known = known.ok_or_else(|| Error::Corrupt(format!("there is no task {id}")))?;
        self.staged.known.borrow_mut().insert(id.clone(), known.clone());
        Ok(known)
    }

    /// Keeps a former delivery of a task, which is acked: the task's row has room for its newest.
    fn keep_former_delivery(&self, id: &TaskId, known: &Known) -> Result<(), Error> {
        let message_id = known.delivery_id.as_deref().unwrap_or(id.as_str());
        let made_at = known.redelivered_at.unwrap_or(known.created_at);
        self.execute(
            "INSERT INTO deliveries (seq, message_id, network, to_kind, to_name, from_kind, from_name, type, priority,
                task, content, created_at, state)
             SELECT ?2, ?3, network, 'node', to_name, from_kind, from_name, 'task', priority, seq, NULL, ?4, 2
             FROM tasks WHERE seq = ?1",
            params![known.seq, known.inbox_place, message_id, made_at.get()],
        )?;
        Ok(())
    }

    /// Counts what leaves an inbox and what comes into one, and tells claims that wait there.
    fn count_inbox(&mut self, network: &NetworkId, before: &Known, after: &Known) {
        let mut count = |known: &Known, change: i64| {
            if known.inbox == InboxState::Open {
                self.staged.counts.add_delivery(network, PrincipalKind::Node, known.to.as_str(), change);
            }
        };
        count(before, -1);
        count(after, 1);
        let is_new = before.inbox != InboxState::Open || before.inbox_place != after.inbox_place;
        if after.inbox == InboxState::Open && is_new {
            self.staged.opened.push(Inbox { network_id: network.clone(), alias: after.to.clone() });
        }
    }
}

/// The columns that a change writes. Columns that stay as they are are left out: SQLite writes the entry of every index
/// that a written column is in anew, whether or not its value is another.
struct Columns {
    sql: String,
    values: Vec<Value>,
}

impl Columns {
    fn set(&mut self, column: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        let comma = if self.sql.is_empty() { "" } else { ", " };
        self.sql.push_str(&format!("{comma}{column} = ?{}", self.values.len()));
    }

    fn set_lease(&mut self, change: &LeaseChange) {
        match change {
            LeaseChange::Grant { lease_id, lease_seconds, deadline, expires_at } => {
                self.set("lease_id", lease_id.as_str().to_owned());
                self.set("lease_seconds", i64::from(*lease_seconds));
                self.set("lease_deadline", deadline.get());
                self.set("lease_expires_at", expires_at.get());
            }
            LeaseChange::Extend { deadline, expires_at } => {
                self.set("lease_deadline", deadline.get());
                self.set("lease_expires_at", expires_at.get());
            }
            LeaseChange::End => {
                for column in ["lease_id", "lease_seconds", "lease_deadline", "lease_expires_at"] {
                    self.set(column, Value::Null);
                }
            }
        }
    }

    /// Everything a change says, with the delivery as it is to be.
    fn of(from: Status, to: Status, change: &TaskChange, before: &Known, after: &Known) -> Self {
        let mut columns = Self { sql: String::new(), values: Vec::new() };
        if from != to {
            columns.set("status", to.as_str().to_owned());
        }
        if let Some(alias) = &change.to {
            columns.set("to_name", alias.as_str().to_owned());
        }
        if let Some(attempt) = change.attempt {
            columns.set("attempt", i64::from(attempt));
        }
        if let Some((delivered_at, expires_at)) = change.delivered {
            columns.set("delivered_at", delivered_at.get());
            columns.set("expires_at", expires_at.get());
        }
        if let Some(at) = change.started_at {
            columns.set("started_at", at.get());
        }
        if let Some(result) = &change.result {
            columns.set("result", result.clone());
        }
        if let Some(at) = change.completed_at {
            columns.set("completed_at", at.get());
        }
        if change.answered_bare {
            columns.set("answered_bare", 1);
        }
        if before.inbox != after.inbox {
            columns.set("inbox_state", number_of(after.inbox));
        }
        if change.redelivery.is_some() {
            columns.set("inbox_place", after.inbox_place);
            columns.set("redelivered_at", after.redelivered_at.map(UnixMillis::get));
            columns.set("delivery_id", after.delivery_id.clone());
        }
        if let Some(lease) = &change.lease {
            columns.set_lease(lease);
        }
        columns
    }
}

impl TaskWrites for Rows<'_> {
    fn insert_task(&mut self, row: NewTaskRow<'_>) -> Result<(), Error> {
        let task = row.task;
        let (key, place) = (self.key_to_write(&task.network_id)?, self.next_place()?);
        self.execute(
            "INSERT INTO tasks (seq, task_id, network, from_kind, from_name, to_name, kind, priority, status, content,
                context, meta, parent_task_id, retry_of, attempt, max_attempts, ttl_seconds, created_at,
                delivered_at, expires_at, salt, context_id, parts, traceparent, inbox_state, inbox_place, answered_bare)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?18, ?19, ?20,
                ?21, ?22, ?23, ?24, ?1, 0)",
            params![
                place,
                task.id.as_str(),
                key,
                task.from.kind().as_str(),
                task.from.name(),
                task.to.as_str(),
                task.kind.as_str(),
                order_of(row.priority),
                row.status.as_str(),
                row.content,
                row.context,
                row.meta,
                task.parent_task_id.as_ref().map(TaskId::as_str),
                task.retry_of.as_ref().map(TaskId::as_str),
                task.attempt,
                task.max_attempts,
                task.ttl.get(),
                task.delivered_at.get(),
                task.expires_at.get(),
                row.salt,
                task.context_id.as_ref().map(ContextId::as_str),
                row.parts,
                row.traceparent.map(|trace| trace.to_string()),
                number_of(InboxState::Open),
            ],
        )?;
        let known = Known {
            seq: place,
            key,
            from: task.from.clone(),
            to: task.to.clone(),
            created_at: task.delivered_at,
            inbox: InboxState::Open,
            inbox_place: place,
            redelivered_at: None,
            delivery_id: None,
            has_lease: false,
        };
        self.staged.known.borrow_mut().insert(task.id.clone(), known);
        self.staged.counts.add_task(&task.network_id, row.status, 1);
        self.staged.counts.add_delivery(&task.network_id, PrincipalKind::Node, task.to.as_str(), 1);
        self.staged.opened.push(Inbox { network_id: task.network_id.clone(), alias: task.to.clone() });
        self.staged.counts.minute(&task.network_id, task.delivered_at).sent += 1;
        let edge = Edge::new(task.delivered_at, &task.from, &task.to);
        self.staged.counts.edges.add(&task.network_id, edge, row.status, 1);
        Ok(())
    }

    fn change_task(
        &mut self,
        network: &NetworkId,
        id: &TaskId,
        from: Status,
        to: Status,
        change: &TaskChange,
    ) -> Result<(), Error> {
        let before = self.known(id)?;
        let mut after = before.clone();
        after.to = change.to.clone().unwrap_or(after.to);
        after.inbox = change.inbox.unwrap_or(after.inbox);
        if let Some(redelivery) = &change.redelivery {
            self.keep_former_delivery(id, &before)?;
            after.inbox = InboxState::Open;
            after.inbox_place = self.next_place()?;
            after.redelivered_at = Some(redelivery.at);
            after.delivery_id = Some(redelivery.message_id.to_string());
        }
        let columns = Columns::of(from, to, change, &before, &after);
        if !columns.sql.is_empty() {
            let Columns { sql, mut values } = columns;
            values.push(before.seq.into());
            values.push(from.as_str().to_owned().into());
            let sql = format!(
                "UPDATE tasks SET {sql} WHERE seq = ?{} AND status = ?{}",
                values.len() - 1,
                values.len()
            );
            if self.execute(&sql, params_from_iter(values))? != 1 {
                return Err(Error::Corrupt(format!("task {id} is not {from}")));
            }
        }
        self.count_inbox(network, &before, &after);
        match change.lease {
            Some(LeaseChange::Grant { .. }) if before.has_lease => {
                return Err(Error::Corrupt(format!("task {id} has a lease")));
            }
            Some(LeaseChange::Grant { .. }) => self.staged.tally.leases += 1,
            Some(LeaseChange::End) => self.staged.tally.leases -= i64::from(before.has_lease),
            Some(LeaseChange::Extend { .. }) | None => {}
        }
        after.has_lease = match change.lease {
            Some(LeaseChange::Grant { .. }) => true,
            Some(LeaseChange::End) => false,
            Some(LeaseChange::Extend { .. }) | None => before.has_lease,
        };
        if let Some(ended_at) = change.completed_at {
            self.staged.counts.minute(network, ended_at).note_end(to, before.created_at, ended_at);
        }
        if from.is_terminal() != to.is_terminal() || before.to != after.to {
            let counts = &mut self.staged.counts;
            counts.edges.add(network, before.edge(), from, -1);
            counts.edges.add(network, after.edge(), to, 1);
        }
        if from != to {
            self.staged.counts.add_task(network, from, -1);
            self.staged.counts.add_task(network, to, 1);
        }
        self.staged.known.borrow_mut().insert(id.clone(), after);
        Ok(())
    }

    fn append_task_message(&mut self, message: NewTaskMessage<'_>) -> Result<i64, Error> {
        let n = self.one(
            "INSERT INTO task_messages (network_id, task_id, n, message_id, author_kind, author, content, parts, meta, created_at)
             SELECT ?1, ?2, COALESCE(MAX(n), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9
             FROM task_messages WHERE network_id = ?1 AND task_id = ?2 RETURNING n",
            params![
                message.network_id.as_str(),
                message.task_id.as_str(),
                message.message_id.as_str(),
                message.author.kind().as_str(),
                message.author.name(),
                message.content,
                message.parts,
                message.meta,
                message.at.get(),
            ],
            |row| get::<i64>(row, "n"),
        )?;
        self.note_changed(message.network_id, message.task_id, None, None);
        n.ok_or_else(|| Error::Corrupt("a message without a number".into()))
    }

    fn append_event(&mut self, event: NewEvent<'_>) -> Result<u64, Error> {
        history::append(self, event)
    }

    fn rearm_leases(&mut self, monotonic: MonotonicMillis, now: UnixMillis) -> Result<(), Error> {
        let sql = "/* scans */ UPDATE tasks SET lease_deadline = ?1 + lease_seconds * 1000,
                       lease_expires_at = ?2 + lease_seconds * 1000
                   WHERE lease_id IS NOT NULL";
        self.execute(sql, params![monotonic.get(), now.get()])?;
        Ok(())
    }

    fn remember_send(
        &mut self,
        network: &NetworkId,
        sender: &Principal,
        key: &str,
        send: &IdempotentSend,
    ) -> Result<(), Error> {
        self.execute(
            "INSERT OR REPLACE INTO idempotency_keys
                (network_id, sender_kind, sender, key, arguments, task_id, session_status, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                network.as_str(),
                sender.kind().as_str(),
                sender.name(),
                key,
                send.arguments,
                send.task_id.as_str(),
                send.session_status,
                send.created_at.get(),
            ],
        )?;
        Ok(())
    }

    fn forget_sends(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error> {
        let sql = "DELETE FROM idempotency_keys WHERE (network_id, sender_kind, sender, key) IN
                   (SELECT network_id, sender_kind, sender, key FROM idempotency_keys WHERE created_at < ?1 LIMIT ?2)";
        self.execute(sql, params![before.get(), limit as i64])
    }
}
