//! A task's columns, and the types they are read into.

use baton_core::{
    Alias, ContextId, Lease, LeaseId, MonotonicMillis, NetworkId, ParentTask, RetryBackoffSeconds, RunTerms,
    RunTimeoutSeconds, Status, TaskId, TaskSnapshot, TraceParent, TtlSeconds, UnixMillis, limits,
};

use rusqlite::types::Value;
use std::fmt::Write;
use std::sync::LazyLock;

use super::columns::{
    Column, ColumnIndex, Row, get, optional, optional_time, order_of, parsed, principal, priority, time,
};
use super::edges::Edge;
use crate::error::Error;
use crate::rows::{CourseRow, InboxState, ProgressRow, TaskRow, TaskTexts, kind_of};

/// A task's own columns, in the order they are asked for.
const OWN: [&str; 47] = [
    "seq",
    "task_id",
    "network",
    "from_kind",
    "from_name",
    "to_name",
    "kind",
    "priority",
    "status",
    "parent_task_id",
    "retry_of",
    "attempt",
    "max_attempts",
    "ttl_seconds",
    "created_at",
    "delivered_at",
    "started_at",
    "completed_at",
    "expires_at",
    "inbox_state",
    "inbox_place",
    "redelivered_at",
    "delivery_id",
    "lease_id",
    "lease_deadline",
    "lease_seconds",
    "lease_expires_at",
    "last_event",
    "salt",
    "context_id",
    "content",
    "context",
    "meta",
    "result",
    "parts",
    "answered_bare",
    "traceparent",
    "artifacts",
    "rejected",
    "progress_n",
    "progress_event",
    "progress_percent",
    "progress_message",
    "progress_at",
    "retry_backoff_seconds",
    "run_timeout_seconds",
    "due_at",
];

/// What stands beside a task's own columns, in the order of [`BESIDE_SQL`]: its network, its parent, its retry.
const BESIDE: [&str; 6] = [
    "network_id",
    "parent_network_id",
    "parent_from_kind",
    "parent_from_name",
    "parent_to_name",
    "retried_to",
];
const BESIDE_SQL: &str = "
           k.network_id, q.network_id, p.from_kind, p.from_name, p.to_name,
           (SELECT r.task_id FROM tasks r WHERE r.retry_of = t.task_id)
    FROM tasks t
    JOIN network_keys k ON k.key = t.network
    LEFT JOIN tasks p ON p.task_id = t.parent_task_id
    LEFT JOIN network_keys q ON q.key = p.network";

/// Where a column of a task stands in its row; known when this is compiled.
const fn place(name: &'static str) -> ColumnIndex {
    let mut at = 0;
    while at < OWN.len() + BESIDE.len() {
        let here = if at < OWN.len() { OWN[at] } else { BESIDE[at - OWN.len()] };
        if is_same(here.as_bytes(), name.as_bytes()) {
            return ColumnIndex { at, name };
        }
        at += 1;
    }
    panic!("a task has no such column")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// A column of a task, by its name for the reader and by its place for the machine.
macro_rules! column {
    ($name:literal) => {
        const { place($name) }
    };
}

/// Tasks with what stands beside them, put together once.
pub(crate) fn tasks(texts: TaskTexts) -> &'static str {
    static WHOLE: LazyLock<String> = LazyLock::new(|| select(|name| format!("t.{name}")));
    // Parts, and what stands behind them, are the longest way to go: texts that are not shown are not read.
    static BEGINNING: LazyLock<String> = LazyLock::new(|| {
        select(|name| match name {
            "content" => format!("substr(t.content, 1, {})", limits::ROW_CONTENT_MAX_CHARS),
            "context" | "meta" | "result" | "parts" | "traceparent" => "NULL".into(),
            name if name.starts_with("progress_") => "NULL".into(),
            "answered_bare" | "artifacts" => "0".into(),
            _ => format!("t.{name}"),
        })
    });
    static LISTED: LazyLock<String> = LazyLock::new(|| {
        select(|name| match name {
            "content" => listed("t.content", limits::LISTED_TEXT_MAX_CHARS),
            "result" => listed("t.result", limits::LISTED_RESULT_MAX_CHARS),
            _ => format!("t.{name}"),
        })
    });
    match texts {
        TaskTexts::Whole => &WHOLE,
        TaskTexts::Listed => &LISTED,
        TaskTexts::Beginning => &BEGINNING,
    }
}

/// A text as a list shows it, and one character more where there is more.
pub(crate) fn listed(column: &str, chars: usize) -> String {
    format!("substr({column}, 1, {})", chars + 1)
}

fn select(column: impl Fn(&str) -> String) -> String {
    format!("SELECT {}, {BESIDE_SQL}", OWN.map(column).join(", "))
}

/// One task; those of a deleted network are gone, though their rows may not be removed yet.
pub(crate) fn task_by_id() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let tasks = tasks(TaskTexts::Whole);
        format!(
            "{tasks} WHERE t.task_id = ?1
             AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)"
        )
    });
    &SQL
}

/// How far one task has come, by [`course_row`].
pub(crate) const COURSE_BY_ID: &str = "
    SELECT t.status, t.progress_n, t.progress_event, t.progress_percent, t.progress_message, t.progress_at
    FROM tasks t WHERE t.task_id = ?1 AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)";

pub(crate) fn course_row(row: &Row<'_>) -> Result<CourseRow, Error> {
    Ok(CourseRow {
        status: parsed(row, "status", Status::parse)?,
        progress: progress(
            row,
            ["progress_n", "progress_event", "progress_percent", "progress_message", "progress_at"],
        )?,
    })
}

/// The number a delivery's state is stored as.
pub(crate) const fn number_of(state: InboxState) -> i64 {
    match state {
        InboxState::Open => 0,
        InboxState::Hidden => 1,
        InboxState::Acked => 2,
    }
}

fn inbox_state(row: &Row<'_>) -> Result<InboxState, Error> {
    let number: i64 = get(row, column!("inbox_state"))?;
    let state = [InboxState::Open, InboxState::Hidden, InboxState::Acked];
    let state = state.into_iter().find(|state| number_of(*state) == number);
    state.ok_or_else(|| Error::Corrupt(format!("inbox_state {number}")))
}

/// A task's whole row, as the writer has it in memory.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// What is shown of it. Its parent and its retry stand in other rows, and are looked up when it is shown.
    pub(crate) row: TaskRow,
    /// The key of its network.
    pub(crate) network: i64,
    pub(crate) parent_task_id: Option<TaskId>,
    pub(crate) inbox: InboxState,
    pub(crate) inbox_place: i64,
    pub(crate) redelivered_at: Option<UnixMillis>,
    pub(crate) delivery_id: Option<String>,
    /// What there is of its lease beside what the rules see.
    pub(crate) lease: Option<LeaseTimes>,
    /// The newest row of its history.
    pub(crate) last_event: Option<i64>,
    /// How many rows its history has.
    pub(crate) events: i64,
    /// Whether no message or reply about it can be in an inbox, and it has no messages.
    pub(crate) is_untouched: bool,
}

/// How long a lease was given for, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeaseTimes {
    pub(crate) seconds: u32,
    pub(crate) expires_at: UnixMillis,
}

impl Task {
    /// Its edge: sender, recipient and the hour it was created in.
    pub(crate) fn edge(&self) -> Edge {
        let TaskSnapshot { from, to, .. } = &self.row.snapshot;
        Edge::new(self.row.created_at, from, to)
    }

    /// Its place among the tasks that its assignee can claim; none if it is not to be had. One that somebody reported
    /// working on may still lie open in the inbox.
    pub(crate) fn claim_place(&self) -> Option<(i64, i64)> {
        let is_to_be_had = self.inbox == InboxState::Open && self.row.snapshot.status == Status::Delivered;
        is_to_be_had.then(|| (order_of(self.row.priority), self.inbox_place))
    }

    pub(crate) const fn inbox_number(&self) -> i64 {
        number_of(self.inbox)
    }

    /// About how much memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.row.context, &self.row.meta, &self.row.result, &self.row.parts];
        let progress = self.row.progress.as_ref().map_or(0, ProgressRow::bytes);
        1_024
            + progress
            + self.row.content.len()
            + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }

    /// Reads it but for the length of its history.
    pub(crate) fn read(row: &Row<'_>) -> Result<Self, Error> {
        let seconds: Option<u32> = get(row, column!("lease_seconds"))?;
        let expires_at = optional_time(row, column!("lease_expires_at"))?;
        Ok(Self {
            row: task_row(row)?,
            network: get(row, column!("network"))?,
            parent_task_id: optional(row, column!("parent_task_id"), TaskId::parse)?,
            inbox: inbox_state(row)?,
            inbox_place: get(row, column!("inbox_place"))?,
            redelivered_at: optional_time(row, column!("redelivered_at"))?,
            delivery_id: get(row, column!("delivery_id"))?,
            lease: seconds.zip(expires_at).map(|(seconds, expires_at)| LeaseTimes { seconds, expires_at }),
            last_event: get(row, column!("last_event"))?,
            events: 0,
            is_untouched: false,
        })
    }
}

/// Columns and their values, as an UPDATE sets them.
pub(crate) struct Columns {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

impl Columns {
    fn set(&mut self, column: &str, value: impl Into<Value>) {
        self.values.push(value.into());
        let comma = if self.sql.is_empty() { "" } else { ", " };
        // A String takes whatever is written.
        let _ = write!(self.sql, "{comma}{column} = ?{}", self.values.len());
    }

    fn set_if<T: PartialEq, V: Into<Value>>(
        &mut self,
        column: &str,
        before: &T,
        now: &T,
        value: impl FnOnce(&T) -> V,
    ) {
        if before != now {
            self.set(column, value(now));
        }
    }

    /// What is other in a task than it was: of everything that changes in a task's life.
    pub(crate) fn that_differ(before: &Task, now: &Task) -> Self {
        let mut columns = Self { sql: String::with_capacity(512), values: Vec::with_capacity(20) };
        let (old, new) = (&before.row.snapshot, &now.row.snapshot);
        let millis = |at: &Option<UnixMillis>| at.map(UnixMillis::get);
        columns.set_if("status", &old.status, &new.status, |status| status.as_str().to_owned());
        columns.set_if("to_name", &old.to, &new.to, |to| to.as_str().to_owned());
        columns.set_if("attempt", &old.attempt, &new.attempt, |attempt| *attempt);
        columns.set_if("expires_at", &old.expires_at, &new.expires_at, |at| at.get());
        columns.set_if("delivered_at", &before.row.delivered_at, &now.row.delivered_at, |at| at.get());
        columns.set_if("started_at", &before.row.started_at, &now.row.started_at, millis);
        columns.set_if("completed_at", &before.row.completed_at, &now.row.completed_at, millis);
        columns.set_if("result", &before.row.result, &now.row.result, Clone::clone);
        columns.set_if("answered_bare", &before.row.answered_bare, &now.row.answered_bare, |bare| *bare);
        columns.set_if("rejected", &before.row.is_rejected, &now.row.is_rejected, |rejected| *rejected);
        columns.set_if("inbox_state", &before.inbox, &now.inbox, |state| number_of(*state));
        columns.set_if("inbox_place", &before.inbox_place, &now.inbox_place, |place| *place);
        columns.set_if("redelivered_at", &before.redelivered_at, &now.redelivered_at, millis);
        columns.set_if("delivery_id", &before.delivery_id, &now.delivery_id, Clone::clone);
        columns.set_if("artifacts", &before.row.artifacts, &now.row.artifacts, |count| *count);
        columns.set_if("last_event", &before.last_event, &now.last_event, |id| *id);
        columns.set_if("due_at", &old.due_at, &new.due_at, millis);
        columns.set_if_lease(before, now);
        columns.set_if_progress(&before.row.progress, &now.row.progress);
        columns
    }

    fn set_if_progress(&mut self, before: &Option<ProgressRow>, now: &Option<ProgressRow>) {
        if before == now {
            return;
        }
        let now = now.as_ref();
        self.set("progress_n", now.map(|progress| progress.n));
        self.set("progress_event", now.map(|progress| progress.event));
        self.set("progress_percent", now.and_then(|progress| progress.percent));
        self.set("progress_message", now.and_then(|progress| progress.message.clone()));
        self.set("progress_at", now.map(|progress| progress.at.get()));
    }

    fn set_if_lease(&mut self, before: &Task, now: &Task) {
        let parts = |task: &Task| task.row.snapshot.lease.clone();
        let (old, new) = (parts(before), parts(now));
        let id = |lease: &Option<Lease>| lease.as_ref().map(|lease| lease.id.as_str().to_owned());
        self.set_if("lease_id", &id(&old), &id(&new), Clone::clone);
        let deadline = |lease: &Option<Lease>| lease.as_ref().map(|lease| lease.deadline.get());
        self.set_if("lease_deadline", &deadline(&old), &deadline(&new), |deadline| *deadline);
        self.set_if("lease_seconds", &before.lease, &now.lease, |lease| lease.map(|lease| lease.seconds));
        let expires_at = |lease: &Option<LeaseTimes>| lease.map(|lease| lease.expires_at.get());
        self.set_if("lease_expires_at", &before.lease, &now.lease, expires_at);
    }
}

pub(crate) fn snapshot(row: &Row<'_>) -> Result<TaskSnapshot, Error> {
    let lease = match optional(row, column!("lease_id"), LeaseId::parse)? {
        Some(id) => Some(Lease { id, deadline: MonotonicMillis::new(get(row, column!("lease_deadline"))?) }),
        None => None,
    };
    let parent = match optional(row, column!("parent_network_id"), NetworkId::parse)? {
        Some(network_id) => Some(ParentTask {
            id: parsed(row, column!("parent_task_id"), TaskId::parse)?,
            network_id,
            from: principal(row, column!("parent_from_kind"), column!("parent_from_name"))?,
            to: parsed(row, column!("parent_to_name"), |text| Alias::parse(text).ok())?,
        }),
        None => None,
    };
    let ttl: i64 = get(row, column!("ttl_seconds"))?;
    Ok(TaskSnapshot {
        id: parsed(row, column!("task_id"), TaskId::parse)?,
        network_id: parsed(row, column!("network_id"), NetworkId::parse)?,
        from: principal(row, column!("from_kind"), column!("from_name"))?,
        to: parsed(row, column!("to_name"), |text| Alias::parse(text).ok())?,
        kind: kind_of(&get::<String>(row, column!("kind"))?)?,
        status: parsed(row, column!("status"), Status::parse)?,
        attempt: get(row, column!("attempt"))?,
        max_attempts: get(row, column!("max_attempts"))?,
        runs: run_terms(row)?,
        due_at: optional_time(row, column!("due_at"))?,
        lease,
        is_in_inbox: inbox_state(row)? == InboxState::Open,
        ttl: TtlSeconds::parse("ttl_seconds", ttl)
            .map_err(|_| Error::Corrupt(format!("ttl_seconds {ttl}")))?,
        expires_at: time(row, column!("expires_at"))?,
        parent,
        retried_to: optional(row, column!("retried_to"), TaskId::parse)?,
        context_id: optional(row, column!("context_id"), ContextId::parse)?,
    })
}

fn run_terms(row: &Row<'_>) -> Result<RunTerms, Error> {
    let corrupt = |refusal: baton_core::Refusal| Error::Corrupt(format!("terms of runs: {refusal}"));
    let backoff: i64 = get(row, column!("retry_backoff_seconds"))?;
    let timeout: Option<i64> = get(row, column!("run_timeout_seconds"))?;
    let timeout = timeout.map(|timeout| RunTimeoutSeconds::parse("run_timeout_seconds", timeout)).transpose();
    Ok(RunTerms {
        retry_backoff: RetryBackoffSeconds::parse("retry_backoff_seconds", backoff).map_err(corrupt)?,
        run_timeout: timeout.map_err(corrupt)?,
    })
}

/// What was reported, of its columns in this order.
fn progress(
    row: &Row<'_>,
    [n, event, percent, message, at]: [impl Column; 5],
) -> Result<Option<ProgressRow>, Error> {
    let at = optional_time(row, at)?;
    let Some((n, at)) = get::<Option<i64>>(row, n)?.zip(at) else { return Ok(None) };
    Ok(Some(ProgressRow {
        n,
        event: get(row, event)?,
        percent: get(row, percent)?,
        message: get(row, message)?,
        at,
    }))
}

pub(crate) fn task_row(row: &Row<'_>) -> Result<TaskRow, Error> {
    Ok(TaskRow {
        seq: get(row, column!("seq"))?,
        snapshot: snapshot(row)?,
        priority: priority(row, column!("priority"))?,
        content: get(row, column!("content"))?,
        context: get(row, column!("context"))?,
        meta: get(row, column!("meta"))?,
        result: get(row, column!("result"))?,
        retry_of: optional(row, column!("retry_of"), TaskId::parse)?,
        created_at: time(row, column!("created_at"))?,
        delivered_at: time(row, column!("delivered_at"))?,
        started_at: optional_time(row, column!("started_at"))?,
        completed_at: optional_time(row, column!("completed_at"))?,
        parts: get(row, column!("parts"))?,
        answered_bare: get(row, column!("answered_bare"))?,
        is_rejected: get(row, column!("rejected"))?,
        progress: progress(
            row,
            [
                column!("progress_n"),
                column!("progress_event"),
                column!("progress_percent"),
                column!("progress_message"),
                column!("progress_at"),
            ],
        )?,
        salt: get(row, column!("salt"))?,
        traceparent: optional(row, column!("traceparent"), TraceParent::parse)?,
        artifacts: get(row, column!("artifacts"))?,
    })
}
