//! The rows of a batch as writes: one statement for each table, however many rows, with an array for each column.

use baton_core::{Principal, Status, TaskId, UnixMillis};
use std::borrow::Cow;
use tokio_postgres::types::ToSql;

use super::nul;
use crate::sql::columns::order_of;
use crate::sql::evidence::{INDEX_BITS, index_of};
use crate::sql::task_row::Task;
use crate::sql::write_set::WriteSet;

/// A column of many rows.
#[derive(Debug)]
pub(crate) enum Array<'a> {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<Cow<'a, str>>>),
    Blobs(Vec<Option<Cow<'a, [u8]>>>),
}

impl<'a> Array<'a> {
    pub(crate) fn integers(all: impl IntoIterator<Item = impl Into<Option<i64>>>) -> Self {
        Self::Integers(all.into_iter().map(Into::into).collect())
    }

    pub(crate) fn texts(all: impl IntoIterator<Item = impl Into<Option<&'a str>>>) -> Self {
        Self::Texts(all.into_iter().map(|text| text.into().map(nul::write)).collect())
    }

    pub(crate) fn blobs(all: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self::Blobs(all.into_iter().map(|bytes| Some(Cow::Borrowed(bytes))).collect())
    }

    pub(crate) fn owned_blobs(all: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self::Blobs(all.into_iter().map(|bytes| Some(Cow::Owned(bytes))).collect())
    }

    pub(crate) fn as_sql(&self) -> &(dyn ToSql + Sync) {
        match self {
            Self::Integers(all) => all,
            Self::Texts(all) => all,
            Self::Blobs(all) => all,
        }
    }

    const fn type_name(&self) -> &'static str {
        match self {
            Self::Integers(_) => "bigint[]",
            Self::Texts(_) => "text[]",
            Self::Blobs(_) => "bytea[]",
        }
    }
}

/// A statement that writes many rows of a table.
#[derive(Debug)]
pub(crate) struct Write<'a> {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) parameters: Vec<Array<'a>>,
}

/// All writes of a batch, in the order in which they are sent.
#[derive(Debug, Default)]
pub(crate) struct Writes<'a> {
    pub(crate) all: Vec<Write<'a>>,
}

/// Columns with their names.
type Columns<'a> = Vec<(&'static str, Array<'a>)>;

/// `unnest($1::bigint[], …) AS given (seq, …)`
pub(crate) fn given(columns: &[(&'static str, Array<'_>)]) -> String {
    let arrays: Vec<_> = columns
        .iter()
        .enumerate()
        .map(|(at, (_, array))| format!("${}::{}", at + 1, array.type_name()))
        .collect();
    format!("unnest({}) AS given ({})", arrays.join(", "), names(columns).join(", "))
}

fn names(columns: &[(&'static str, Array<'_>)]) -> Vec<&'static str> {
    columns.iter().map(|(name, _)| *name).collect()
}

impl<'a> Writes<'a> {
    /// What a write set has, its counters aside.
    pub(crate) fn of(rows: &'a WriteSet) -> Self {
        let mut writes = Self::default();
        writes.tasks(rows);
        writes.events(rows);
        writes.leaves(rows);
        writes.frames(rows);
        writes.deliveries(rows);
        writes.sends(rows);
        writes.tasks_counted(rows);
        writes.recipients(rows);
        writes
    }

    /// Inserts rows; `then` says what becomes of those that are there already.
    pub(crate) fn insert(&mut self, table: &'static str, columns: Columns<'a>, then: &str) {
        let names = names(&columns).join(", ");
        let sql = format!("INSERT INTO {table} ({names}) SELECT {names} FROM {} {then}", given(&columns));
        self.push(sql.into(), columns);
    }

    pub(crate) fn push(&mut self, sql: Cow<'static, str>, columns: Columns<'a>) {
        let parameters = columns.into_iter().map(|(_, array)| array).collect();
        self.all.push(Write { sql, parameters });
    }

    fn tasks(&mut self, rows: &'a WriteSet) {
        let (mut made, mut changed) = (Vec::new(), Vec::new());
        for entry in rows.tasks.values().filter(|entry| !entry.is_written()) {
            match &entry.written {
                None => made.push(&*entry.now),
                Some(written) => changed.push((written.row.snapshot.status, &*entry.now)),
            }
        }
        if !made.is_empty() {
            made.sort_unstable_by_key(|task| task.row.seq);
            let mut columns = fixed_columns(&made);
            columns.extend(moving_columns(&made));
            self.insert("tasks", columns, "");
        }
        if !changed.is_empty() {
            changed.sort_unstable_by_key(|(_, task)| task.row.seq);
            let tasks: Vec<_> = changed.iter().map(|(_, task)| *task).collect();
            let moving = moving_columns(&tasks);
            let sets: Vec<_> = names(&moving).iter().map(|name| format!("{name} = given.{name}")).collect();
            let mut columns = vec![
                ("seq", Array::integers(tasks.iter().map(|task| task.row.seq))),
                ("written_status", Array::texts(changed.iter().map(|(status, _)| status.as_str()))),
            ];
            columns.extend(moving);
            // A row that is not as it is known to be fails the whole.
            let sql = format!(
                "WITH changed AS (UPDATE tasks SET {} FROM {} WHERE tasks.seq = given.seq
                     AND tasks.status = given.written_status RETURNING tasks.seq)
                 SELECT must_be((SELECT COUNT(*) FROM changed), cardinality($1::bigint[]))",
                sets.join(", "),
                given(&columns)
            );
            self.push(sql.into(), columns);
        }
    }

    fn events(&mut self, rows: &'a WriteSet) {
        if rows.events.is_empty() {
            return;
        }
        let all = || rows.events.iter();
        let columns = vec![
            ("place", Array::integers(all().map(|event| event.place))),
            ("task", Array::integers(all().map(|event| event.task))),
            ("n", Array::integers(all().map(|event| event.n))),
            ("previous", Array::integers(all().map(|event| event.previous))),
            ("from_status", Array::texts(all().map(|event| event.from.map(Status::as_str)))),
            ("to_status", Array::texts(all().map(|event| event.to.as_str()))),
            ("actor_kind", kinds(all().map(|event| &event.actor))),
            ("actor", principals(all().map(|event| &event.actor))),
            ("detail", Array::texts(all().map(|event| &*event.detail))),
            ("created_at", Array::integers(all().map(|event| event.at.get()))),
            ("log_index", Array::integers(all().map(|event| event.log_index))),
            ("number", Array::integers(all().map(|event| event.number))),
            ("actor_token", Array::texts(all().map(|event| event.actor_token.as_deref()))),
        ];
        self.insert("task_events", columns, "");
    }

    fn leaves(&mut self, rows: &'a WriteSet) {
        if rows.leaves.is_empty() {
            return;
        }
        let all = || rows.leaves.iter();
        let columns = vec![
            ("place", Array::integers(all().map(|leaf| leaf.place))),
            ("about", Array::texts(all().map(|leaf| leaf.about.as_deref()))),
            ("event", Array::blobs(all().map(|leaf| &*leaf.event))),
            ("packet", Array::blobs(all().map(|leaf| &*leaf.packet))),
        ];
        self.insert("evidence", columns, "");
        // The first entry of a log brings the log's own row.
        let new: Vec<_> =
            all().filter(|leaf| index_of(leaf.place) == 0).map(|leaf| leaf.place >> INDEX_BITS).collect();
        if !new.is_empty() {
            let sql = "INSERT INTO logs (log, network_id) SELECT key, network_id FROM network_keys
                       WHERE key = ANY ($1::bigint[]) ON CONFLICT DO NOTHING";
            self.push(sql.into(), vec![("log", Array::integers(new))]);
        }
    }

    fn frames(&mut self, rows: &'a WriteSet) {
        if rows.frames.is_empty() {
            return;
        }
        let all = || rows.frames.iter();
        let columns = vec![
            ("place", Array::integers(all().map(|frame| frame.place))),
            ("to_kind", kinds(all().map(|frame| &frame.to))),
            ("to_name", principals(all().map(|frame| &frame.to))),
            ("body", Array::texts(all().map(|frame| &*frame.body))),
            ("previous", Array::integers(all().map(|frame| frame.previous))),
        ];
        self.insert("feed", columns, "");
    }

    fn deliveries(&mut self, rows: &'a WriteSet) {
        if rows.deliveries.is_empty() {
            return;
        }
        let all = || rows.deliveries.iter();
        let columns = vec![
            ("seq", Array::integers(all().map(|delivery| delivery.seq))),
            ("message_id", Array::texts(all().map(|delivery| &*delivery.message_id))),
            ("network", Array::integers(all().map(|delivery| delivery.network))),
            ("to_kind", kinds(all().map(|delivery| &delivery.to))),
            ("to_name", principals(all().map(|delivery| &delivery.to))),
            ("from_kind", kinds(all().map(|delivery| &delivery.from))),
            ("from_name", principals(all().map(|delivery| &delivery.from))),
            ("type", Array::texts(all().map(|delivery| delivery.kind))),
            ("priority", Array::integers(all().map(|delivery| delivery.priority))),
            ("task", Array::integers(all().map(|delivery| delivery.task))),
            ("content", Array::texts(all().map(|delivery| delivery.content.as_deref()))),
            ("created_at", Array::integers(all().map(|delivery| delivery.at.get()))),
            ("state", Array::integers(all().map(|delivery| delivery.state))),
        ];
        self.insert("deliveries", columns, "");
    }

    fn sends(&mut self, rows: &'a WriteSet) {
        if rows.sends.is_empty() {
            return;
        }
        let all = || rows.sends.iter();
        let columns = vec![
            ("network_id", Array::texts(all().map(|(key, _)| key.network.as_str()))),
            ("sender_kind", kinds(all().map(|(key, _)| &key.sender))),
            ("sender", principals(all().map(|(key, _)| &key.sender))),
            ("key", Array::texts(all().map(|(key, _)| &*key.key))),
            ("arguments", Array::blobs(all().map(|(_, send)| &send.arguments[..]))),
            ("task_id", Array::texts(all().map(|(_, send)| send.task_id.as_str()))),
            ("session_status", Array::texts(all().map(|(_, send)| &*send.session_status))),
            ("created_at", Array::integers(all().map(|(_, send)| send.created_at.get()))),
        ];
        let then =
            "ON CONFLICT (network_id, sender_kind, sender, key) DO UPDATE SET arguments = excluded.arguments,
                    task_id = excluded.task_id, session_status = excluded.session_status,
                    created_at = excluded.created_at";
        self.insert("idempotency_keys", columns, then);
    }

    fn tasks_counted(&mut self, rows: &'a WriteSet) {
        let mut counted: Vec<_> = rows.counts.tasks().iter().filter(|(_, change)| **change != 0).collect();
        if counted.is_empty() {
            return;
        }
        counted.sort_unstable_by_key(|((network, status), _)| (network.as_str(), status.as_str()));
        let columns = vec![
            ("network_id", Array::texts(counted.iter().map(|((network, _), _)| network.as_str()))),
            ("status", Array::texts(counted.iter().map(|((_, status), _)| status.as_str()))),
            ("count", Array::integers(counted.iter().map(|(_, change)| **change))),
        ];
        let then =
            "ON CONFLICT (network_id, status) DO UPDATE SET count = task_counts.count + excluded.count";
        self.insert("task_counts", columns, then);
    }

    fn recipients(&mut self, rows: &'a WriteSet) {
        let recipients = rows.counts.recipients().iter().flat_map(|(network, recipients)| {
            recipients.iter().map(move |((kind, name), change)| (network, *kind, name, change))
        });
        let changed: Vec<_> = recipients.filter(|(.., change)| **change != Default::default()).collect();
        if changed.is_empty() {
            return;
        }
        let columns = vec![
            ("network_id", Array::texts(changed.iter().map(|(network, ..)| network.as_str()))),
            ("to_kind", Array::texts(changed.iter().map(|(_, kind, ..)| kind.as_str()))),
            ("to_name", Array::texts(changed.iter().map(|(_, _, name, _)| name.as_str()))),
            ("count", Array::integers(changed.iter().map(|(.., change)| change.open))),
            ("leases", Array::integers(changed.iter().map(|(.., change)| change.leases))),
            ("newest_frame", Array::integers(changed.iter().map(|(.., change)| change.newest_frame))),
        ];
        let then = "ON CONFLICT (network_id, to_kind, to_name) DO UPDATE SET
                    count = inbox_counts.count + excluded.count, leases = inbox_counts.leases + excluded.leases,
                    newest_frame = COALESCE(excluded.newest_frame, inbox_counts.newest_frame)";
        self.insert("inbox_counts", columns, then);
    }
}

fn kinds<'a>(all: impl Iterator<Item = &'a Principal>) -> Array<'a> {
    Array::texts(all.map(|principal| principal.kind().as_str()))
}

fn principals<'a>(all: impl Iterator<Item = &'a Principal>) -> Array<'a> {
    Array::texts(all.map(Principal::name))
}

/// What stays in a task's life.
fn fixed_columns<'a>(tasks: &[&'a Task]) -> Columns<'a> {
    let all = || tasks.iter().copied();
    vec![
        ("seq", Array::integers(all().map(|task| task.row.seq))),
        ("task_id", Array::texts(all().map(|task| task.row.snapshot.id.as_str()))),
        ("network", Array::integers(all().map(|task| task.network))),
        ("from_kind", kinds(all().map(|task| &task.row.snapshot.from))),
        ("from_name", principals(all().map(|task| &task.row.snapshot.from))),
        ("kind", Array::texts(all().map(|task| task.row.snapshot.kind.as_str()))),
        ("priority", Array::integers(all().map(|task| order_of(task.row.priority)))),
        ("content", Array::texts(all().map(|task| &*task.row.content))),
        ("context", Array::texts(all().map(|task| task.row.context.as_deref()))),
        ("meta", Array::texts(all().map(|task| task.row.meta.as_deref()))),
        ("parts", Array::texts(all().map(|task| task.row.parts.as_deref()))),
        ("parent_task_id", Array::texts(all().map(|task| task.parent_task_id.as_ref().map(TaskId::as_str)))),
        ("retry_of", Array::texts(all().map(|task| task.row.retry_of.as_ref().map(TaskId::as_str)))),
        ("max_attempts", Array::integers(all().map(|task| i64::from(task.row.snapshot.max_attempts)))),
        ("ttl_seconds", Array::integers(all().map(|task| i64::from(task.row.snapshot.ttl.get())))),
        ("created_at", Array::integers(all().map(|task| task.row.created_at.get()))),
        ("salt", Array::blobs(all().map(|task| &*task.row.salt))),
        (
            "context_id",
            Array::texts(
                all().map(|task| task.row.snapshot.context_id.as_ref().map(baton_core::ContextId::as_str)),
            ),
        ),
        (
            "traceparent",
            Array::Texts(
                all().map(|task| task.row.traceparent.map(|trace| trace.to_string().into())).collect(),
            ),
        ),
        (
            "retry_backoff_seconds",
            Array::integers(all().map(|task| i64::from(task.row.snapshot.runs.retry_backoff.get()))),
        ),
        (
            "run_timeout_seconds",
            Array::integers(
                all().map(|task| task.row.snapshot.runs.run_timeout.map(|seconds| i64::from(seconds.get()))),
            ),
        ),
    ]
}

/// What changes in a task's life.
fn moving_columns<'a>(tasks: &[&'a Task]) -> Columns<'a> {
    let all = || tasks.iter().copied();
    let millis = |at: Option<UnixMillis>| at.map(UnixMillis::get);
    let mut columns = vec![
        ("to_name", Array::texts(all().map(|task| task.row.snapshot.to.as_str()))),
        ("status", Array::texts(all().map(|task| task.row.snapshot.status.as_str()))),
        ("attempt", Array::integers(all().map(|task| i64::from(task.row.snapshot.attempt)))),
        ("expires_at", Array::integers(all().map(|task| task.row.snapshot.expires_at.get()))),
        ("delivered_at", Array::integers(all().map(|task| task.row.delivered_at.get()))),
        ("started_at", Array::integers(all().map(|task| millis(task.row.started_at)))),
        ("completed_at", Array::integers(all().map(|task| millis(task.row.completed_at)))),
        ("result", Array::texts(all().map(|task| task.row.result.as_deref()))),
        ("answered_bare", Array::integers(all().map(|task| i64::from(task.row.answered_bare)))),
        ("rejected", Array::integers(all().map(|task| i64::from(task.row.is_rejected)))),
        ("inbox_state", Array::integers(all().map(Task::inbox_number))),
        ("inbox_place", Array::integers(all().map(|task| task.inbox_place))),
        ("redelivered_at", Array::integers(all().map(|task| millis(task.redelivered_at)))),
        ("delivery_id", Array::texts(all().map(|task| task.delivery_id.as_deref()))),
        ("artifacts", Array::integers(all().map(|task| task.row.artifacts))),
        ("last_event", Array::integers(all().map(|task| task.last_event))),
        ("due_at", Array::integers(all().map(|task| millis(task.row.snapshot.due_at)))),
    ];
    let lease = |task: &'a Task| task.row.snapshot.lease.as_ref();
    columns.extend([
        ("lease_id", Array::texts(all().map(|task| lease(task).map(|lease| lease.id.as_str())))),
        ("lease_deadline", Array::integers(all().map(|task| lease(task).map(|lease| lease.deadline.get())))),
        (
            "lease_seconds",
            Array::integers(all().map(|task| task.lease.map(|lease| i64::from(lease.seconds)))),
        ),
        (
            "lease_expires_at",
            Array::integers(all().map(|task| task.lease.map(|lease| lease.expires_at.get()))),
        ),
    ]);
    let progress = |task: &'a Task| task.row.progress.as_ref();
    columns.extend([
        ("progress_n", Array::integers(all().map(|task| progress(task).map(|progress| progress.n)))),
        ("progress_event", Array::integers(all().map(|task| progress(task).map(|progress| progress.event)))),
        (
            "progress_percent",
            Array::integers(
                all().map(|task| progress(task).and_then(|progress| progress.percent.map(i64::from))),
            ),
        ),
        (
            "progress_message",
            Array::texts(all().map(|task| progress(task).and_then(|progress| progress.message.as_deref()))),
        ),
        ("progress_at", Array::integers(all().map(|task| progress(task).map(|progress| progress.at.get())))),
    ]);
    columns
}
