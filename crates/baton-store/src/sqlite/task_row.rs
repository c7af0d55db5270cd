//! A task's columns, and the types they are read into.

use baton_core::{
    Alias, ContextId, Lease, LeaseId, MonotonicMillis, NetworkId, ParentTask, Principal, Status, TaskId,
    TaskSnapshot, TraceParent, TtlSeconds, UnixMillis, limits,
};
use rusqlite::Row;
use std::sync::LazyLock;

use super::columns::{Place, get, optional, optional_time, parsed, principal, priority, time};
use super::edges::Edge;
use crate::error::Error;
use crate::rows::{InboxState, TaskRow, TaskTexts, kind_of};

/// A task's own columns, in the order they are asked for.
const OWN: [&str; 34] = [
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
    "salt",
    "context_id",
    "content",
    "context",
    "meta",
    "result",
    "parts",
    "answered_bare",
    "traceparent",
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
const fn place(name: &'static str) -> Place {
    let mut at = 0;
    while at < OWN.len() + BESIDE.len() {
        let here = if at < OWN.len() { OWN[at] } else { BESIDE[at - OWN.len()] };
        if is_same(here.as_bytes(), name.as_bytes()) {
            return Place { at, name };
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
pub(super) fn tasks(texts: TaskTexts) -> &'static str {
    static WHOLE: LazyLock<String> = LazyLock::new(|| select(|name| format!("t.{name}")));
    // Parts, and what stands behind them, are the longest way to go: texts that are not shown are not read.
    static BEGINNING: LazyLock<String> = LazyLock::new(|| {
        select(|name| match name {
            "content" => format!("substr(t.content, 1, {})", limits::ROW_CONTENT_MAX_CHARS),
            "context" | "meta" | "result" | "parts" | "traceparent" => "NULL".into(),
            "answered_bare" => "0".into(),
            _ => format!("t.{name}"),
        })
    });
    match texts {
        TaskTexts::Whole => &WHOLE,
        TaskTexts::Beginning => &BEGINNING,
    }
}

fn select(column: impl Fn(&str) -> String) -> String {
    format!("SELECT {}, {BESIDE_SQL}", OWN.map(column).join(", "))
}

/// One task; those of a deleted network are gone, though their rows may not be removed yet.
pub(super) fn task_by_id() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let tasks = tasks(TaskTexts::Whole);
        format!(
            "{tasks} WHERE t.task_id = ?1
             AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)"
        )
    });
    &SQL
}

/// The number a delivery's state is stored as.
pub(super) const fn number_of(state: InboxState) -> i64 {
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

/// What a change of a task asks of its row beside what the rules see.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) seq: i64,
    pub(super) key: i64,
    pub(super) from: Principal,
    pub(super) to: Alias,
    pub(super) created_at: UnixMillis,
    pub(super) inbox: InboxState,
    pub(super) inbox_place: i64,
    pub(super) redelivered_at: Option<UnixMillis>,
    pub(super) delivery_id: Option<String>,
    pub(super) has_lease: bool,
}

impl Known {
    /// Who sent it to whom, in the hour it was made.
    pub(super) fn edge(&self) -> Edge {
        Edge::new(self.created_at, &self.from, &self.to)
    }

    pub(super) fn read(row: &Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            seq: get(row, column!("seq"))?,
            key: get(row, column!("network"))?,
            from: principal(row, column!("from_kind"), column!("from_name"))?,
            to: parsed(row, column!("to_name"), |text| Alias::parse(text).ok())?,
            created_at: time(row, column!("created_at"))?,
            inbox: inbox_state(row)?,
            inbox_place: get(row, column!("inbox_place"))?,
            redelivered_at: optional_time(row, column!("redelivered_at"))?,
            delivery_id: get(row, column!("delivery_id"))?,
            has_lease: get::<Option<String>>(row, column!("lease_id"))?.is_some(),
        })
    }
}

pub(super) fn snapshot(row: &Row<'_>) -> Result<TaskSnapshot, Error> {
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

pub(super) fn task_row(row: &Row<'_>) -> Result<TaskRow, Error> {
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
        salt: get(row, column!("salt"))?,
        traceparent: optional(row, column!("traceparent"), TraceParent::parse)?,
    })
}
