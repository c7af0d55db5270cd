//! Tasks, events, leases and idempotency keys in SQL.

use baton_core::access::TaskReach;
use baton_core::{
    ActorToken, Alias, ContextId, Lease, LeaseId, MessageId, MonotonicMillis, NetworkId, ParentTask,
    Principal, Priority, Status, TaskId, TaskSnapshot, TraceParent, TtlSeconds, UnixMillis, limits,
};
use rusqlite::{Row, params};
use std::sync::LazyLock;

use super::columns::{Place, get, optional, optional_time, parsed, principal, time};
use super::edges::Edge;
use super::merge::{Fetch, Merge};
use super::rows::Rows;
use super::{changed, plans, search};
use crate::error::Error;
use crate::rows::{
    ChangedFilter, ChangedPage, DueLease, EventFilter, EventRow, IdempotentSend, LeaseRow, NewEvent,
    NewTaskMessage, NewTaskRow, Page, PageBounds, PageInProgress, TaskChange, TaskFilter, TaskMessageRow,
    TaskReads, TaskRow, TaskSearch, TaskTexts, TaskWrites, Weight, kind_of,
};
use crate::store::ChangedTask;

/// A task's own columns, in the order they are asked for.
const OWN: [&str; 28] = [
    "seq",
    "task_id",
    "network_id",
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

/// What stands beside a task's own columns, in the order of [`BESIDE_SQL`]: its lease, its parent, its delivery.
const BESIDE: [&str; 8] = [
    "lease_id",
    "deadline",
    "parent_network_id",
    "parent_from_kind",
    "parent_from_name",
    "parent_to_name",
    "is_in_inbox",
    "retried_to",
];
const BESIDE_SQL: &str = "
           l.lease_id, l.deadline, p.network_id, p.from_kind, p.from_name, p.to_name,
           EXISTS (SELECT 1 FROM deliveries d WHERE d.task_id = t.task_id AND d.type = 'task' AND d.state < 2 AND d.state = 0),
           (SELECT r.task_id FROM tasks r WHERE r.retry_of = t.task_id)
    FROM tasks t
    LEFT JOIN leases l ON l.task_id = t.task_id
    LEFT JOIN tasks p ON p.task_id = t.parent_task_id";

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
fn tasks(texts: TaskTexts) -> &'static str {
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
fn task_by_id() -> &'static str {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let tasks = tasks(TaskTexts::Whole);
        format!(
            "{tasks} WHERE t.task_id = ?1
             AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)"
        )
    });
    &SQL
}

fn snapshot(row: &Row<'_>) -> Result<TaskSnapshot, Error> {
    let lease = match optional(row, column!("lease_id"), LeaseId::parse)? {
        Some(id) => Some(Lease { id, deadline: MonotonicMillis::new(get(row, column!("deadline"))?) }),
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
        is_in_inbox: get(row, column!("is_in_inbox"))?,
        ttl: TtlSeconds::parse("ttl_seconds", ttl)
            .map_err(|_| Error::Corrupt(format!("ttl_seconds {ttl}")))?,
        expires_at: time(row, column!("expires_at"))?,
        parent,
        retried_to: optional(row, column!("retried_to"), TaskId::parse)?,
        context_id: optional(row, column!("context_id"), ContextId::parse)?,
    })
}

fn task_row(row: &Row<'_>) -> Result<TaskRow, Error> {
    Ok(TaskRow {
        seq: get(row, column!("seq"))?,
        snapshot: snapshot(row)?,
        priority: parsed(row, column!("priority"), Priority::parse)?,
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

pub(super) fn event_row(row: &Row<'_>) -> Result<EventRow, Error> {
    let log_index = get::<Option<i64>>(row, "log_index")?;
    let number = get::<Option<i64>>(row, "number")?.or(log_index.map(|index| index + 1));
    Ok(EventRow {
        id: get(row, "id")?,
        number: number.ok_or_else(|| Error::Corrupt("an event without a number".into()))?,
        n: get(row, "n")?,
        task_id: parsed(row, "task_id", TaskId::parse)?,
        network_id: parsed(row, "network_id", NetworkId::parse)?,
        from_status: optional(row, "from_status", Status::parse)?,
        to_status: parsed(row, "to_status", Status::parse)?,
        actor: principal(row, "actor_kind", "actor")?,
        actor_token: optional(row, "actor_token", ActorToken::parse)?,
        detail: get(row, "detail")?,
        created_at: time(row, "created_at")?,
        log_index: log_index.map(i64::unsigned_abs),
    })
}

impl Rows<'_> {
    /// The number of a network's newest event; 0 before the first.
    fn newest_event_number(&self, network: &NetworkId) -> Result<i64, Error> {
        let known =
            self.staged.counts.newest_event_number(network).or(self.counted.newest_event_number(network));
        if let Some(newest) = known {
            return Ok(newest);
        }
        let sql = "SELECT COALESCE(number, log_index + 1, 0) AS number FROM task_events WHERE network_id = ?1
                   ORDER BY id DESC LIMIT 1";
        Ok(self.one(sql, [network.as_str()], |row| get::<i64>(row, "number"))?.unwrap_or(0))
    }

    /// One row of a query, read by `read`.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement.query(parameters)?.next()?.map(read).transpose();
        plans::check_kept(&statement);
        row
    }

    /// All rows of a query, read by `read`.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        drop(rows);
        plans::check_kept(&statement);
        Ok(all)
    }

    /// A page of a query's rows, read by `read` until the page is full; the next one begins after `place` of its last.
    /// The query is to give `PageBounds::looked_at` rows.
    pub(super) fn page<T: Weight, K>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        bounds: PageBounds,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
        place: impl Fn(&T) -> K,
    ) -> Result<Page<T, K>, Error> {
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut page = PageInProgress::new(bounds);
        let mut has_more = false;
        while let Some(row) = rows.next()? {
            if page.has_all_rows() || !page.add(read(row)?) {
                has_more = true;
                break;
            }
        }
        drop(rows);
        plans::check_kept(&statement);
        let next = page.rows.last().filter(|_| has_more).map(place);
        Ok(Page { rows: page.rows, next })
    }

    /// A page of what a walk finds, each row read by its place until the page is full.
    pub(super) fn page_of<T: Weight, K: Ord + Copy>(
        &self,
        merge: &mut Merge<'_, K>,
        bounds: PageBounds,
        read: impl Fn(K) -> Result<Option<T>, Error>,
    ) -> Result<Page<T, K>, Error> {
        let (mut page, mut last) = (PageInProgress::new(bounds), None);
        while let Some(place) = merge.next()? {
            let Some(row) = read(place)? else { continue };
            if !page.add(row) {
                return Ok(Page { rows: page.rows, next: last });
            }
            last = Some(place);
        }
        Ok(Page { rows: page.rows, next: merge.stopped_at() })
    }

    pub(super) fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<usize, Error> {
        plans::check(self.connection, sql);
        let mut statement = self.connection.prepare_cached(sql)?;
        let changed = statement.execute(parameters)?;
        plans::check_kept(&statement);
        Ok(changed)
    }
}

impl Rows<'_> {
    /// The history of a network, newest first, as far as the caller reaches.
    fn events_of<'a>(&'a self, network: &'a NetworkId, reach: &'a TaskReach) -> Fetch<'a, i64> {
        Box::new(move |before, most| match reach {
            TaskReach::Network => {
                let sql =
                    "SELECT id FROM task_events WHERE network_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
                let parameters = params![network.as_str(), before, most as i64];
                self.all(sql, parameters, |row| Ok((get(row, "id")?, true)))
            }
            TaskReach::Own(alias) => {
                let sql =
                    "SELECT e.id, t.to_name = ?4 OR (t.from_name = ?4 AND t.from_kind = 'node') AS is_own
                           FROM task_events e JOIN tasks t ON t.task_id = e.task_id
                           WHERE e.network_id = ?1 AND e.id < ?2 ORDER BY e.id DESC LIMIT ?3";
                let parameters = params![network.as_str(), before, most as i64, alias.as_str()];
                self.all(sql, parameters, |row| Ok((get(row, "id")?, get(row, "is_own")?)))
            }
        })
    }

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
        self.one(task_by_id(), [id.as_str()], task_row)
    }

    fn task_snapshot(&self, id: &TaskId) -> Result<Option<TaskSnapshot>, Error> {
        self.one(task_by_id(), [id.as_str()], snapshot)
    }

    fn task_network(&self, id: &TaskId) -> Result<Option<NetworkId>, Error> {
        let sql = "SELECT network_id FROM tasks t WHERE task_id = ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)";
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
                   (SELECT seq, task_id, status, content FROM tasks WHERE network_id = ?1 AND to_name = ?2
                    ORDER BY seq DESC LIMIT 1000)
                   WHERE content = ?3 AND status IN ('delivered', 'acked', 'running') ORDER BY seq DESC LIMIT 2";
        self.all(sql, params![network.as_str(), to.as_str(), content], |row| {
            parsed(row, "task_id", TaskId::parse)
        })
    }

    fn next_task(&self, network: &NetworkId, to: &Alias) -> Result<Option<TaskId>, Error> {
        // A task somebody reported working on may still lie open in the inbox; it is not to be had.
        let sql = "SELECT d.task_id FROM deliveries d JOIN tasks t ON t.task_id = d.task_id
                   WHERE d.network_id = ?1 AND d.to_name = ?2 AND d.to_kind = 'node' AND d.state = 0
                     AND d.type = 'task' AND t.status = 'delivered'
                   ORDER BY d.priority, d.seq LIMIT 1";
        self.one(sql, params![network.as_str(), to.as_str()], |row| parsed(row, "task_id", TaskId::parse))
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
        self.all("SELECT * FROM task_events WHERE task_id = ?1 ORDER BY n", [id.as_str()], event_row)
    }

    fn last_event(&self, id: &TaskId) -> Result<Option<EventRow>, Error> {
        let sql = "SELECT * FROM task_events WHERE task_id = ?1 ORDER BY n DESC LIMIT 1";
        self.one(sql, [id.as_str()], event_row)
    }

    fn events(&self, filter: &EventFilter) -> Result<Page<EventRow>, Error> {
        let before = filter.before.unwrap_or(i64::MAX);
        if let Some(task) = &filter.task {
            let sql = "SELECT * FROM task_events WHERE task_id = ?1 AND id < ?2 ORDER BY n DESC LIMIT ?3";
            let parameters = params![task.as_str(), before, filter.page.looked_at()];
            return self.page(sql, parameters, filter.page, event_row, |row| row.id);
        }
        let lists = filter.networks.iter().map(|(network, reach)| self.events_of(network, reach)).collect();
        let mut merge = Merge::new(lists, before, filter.page.rows, limits::LIST_EXAMINED_COUNT)?;
        let sql = "SELECT * FROM task_events WHERE id = ?1";
        self.page_of(&mut merge, filter.page, |id| self.one(sql, [id], event_row))
    }

    fn lease(&self, id: &LeaseId) -> Result<Option<LeaseRow>, Error> {
        self.one("SELECT * FROM leases WHERE lease_id = ?1", [id.as_str()], |row| {
            Ok(LeaseRow {
                lease_id: parsed(row, "lease_id", LeaseId::parse)?,
                task_id: parsed(row, "task_id", TaskId::parse)?,
                network_id: parsed(row, "network_id", NetworkId::parse)?,
                alias: parsed(row, "alias", |text| Alias::parse(text).ok())?,
                lease_seconds: get(row, "lease_seconds")?,
                deadline: MonotonicMillis::new(get(row, "deadline")?),
                expires_at: time(row, "expires_at")?,
            })
        })
    }

    fn holds_lease(&self, network: &NetworkId, alias: &Alias) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM leases WHERE network_id = ?1 AND alias = ?2 LIMIT 1";
        Ok(self.one(sql, params![network.as_str(), alias.as_str()], |_| Ok(()))?.is_some())
    }

    fn due_leases(&self, now: MonotonicMillis, limit: usize) -> Result<Vec<DueLease>, Error> {
        let sql = "SELECT lease_id, task_id FROM leases l WHERE deadline <= ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = l.network_id)
                   ORDER BY deadline LIMIT ?2";
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
                   WHERE status IN ('delivered', 'acked', 'running', 'waiting_input')
                     AND expires_at <= ?1 AND (expires_at, seq) > (?2, ?3)
                     AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network_id = t.network_id)
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
    fn note_changed(
        &mut self,
        network: &NetworkId,
        task: &TaskId,
        from: Option<Status>,
        status: Option<Status>,
    ) {
        let (network_id, task_id) = (network.clone(), task.clone());
        self.staged.changed_tasks.push(ChangedTask { network_id, task_id, from, status });
    }
}

impl TaskWrites for Rows<'_> {
    fn insert_task(&mut self, row: NewTaskRow<'_>) -> Result<(), Error> {
        let task = row.task;
        self.execute(
            "INSERT INTO tasks (task_id, network_id, from_kind, from_name, to_name, kind, priority, status, content,
                context, meta, parent_task_id, retry_of, attempt, max_attempts, ttl_seconds, created_at,
                delivered_at, expires_at, salt, context_id, parts, traceparent)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, ?18, ?19, ?20, ?21, ?22)",
            params![
                task.id.as_str(),
                task.network_id.as_str(),
                task.from.kind().as_str(),
                task.from.name(),
                task.to.as_str(),
                task.kind.as_str(),
                row.priority.as_str(),
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
            ],
        )?;
        self.staged.counts.add_task(&task.network_id, row.status, 1);
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
        let left = self.edge_left(id, to, change)?;
        let (delivered_at, expires_at) = change.delivered.unzip();
        // No RETURNING: SQLite builds a table for what it returns.
        let changed = self.execute(
            "UPDATE tasks SET status = ?3, to_name = COALESCE(?4, to_name), attempt = COALESCE(?5, attempt),
                delivered_at = COALESCE(?6, delivered_at), expires_at = COALESCE(?7, expires_at),
                started_at = COALESCE(?8, started_at), result = COALESCE(?9, result),
                completed_at = COALESCE(?10, completed_at), answered_bare = MAX(answered_bare, ?11)
             WHERE task_id = ?1 AND status = ?2",
            params![
                id.as_str(),
                from.as_str(),
                to.as_str(),
                change.to.as_ref().map(Alias::as_str),
                change.attempt,
                delivered_at.map(UnixMillis::get),
                expires_at.map(UnixMillis::get),
                change.started_at.map(UnixMillis::get),
                change.result,
                change.completed_at.map(UnixMillis::get),
                change.answered_bare,
            ],
        )?;
        if changed != 1 {
            return Err(Error::Corrupt(format!("task {id} is not {from}")));
        }
        if let Some(left) = left {
            self.count_change(network, left, from, to, change);
        }
        if from != to {
            self.staged.counts.add_task(network, from, -1);
            self.staged.counts.add_task(network, to, 1);
        }
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
        // The number within the task comes from the history itself: no gap and no second counter. A new task has none.
        // Asked for before, not within the INSERT: SQLite would build a table for it.
        let last = match event.from {
            None => 0,
            Some(_) => {
                let sql = "SELECT n FROM task_events WHERE task_id = ?1 ORDER BY n DESC LIMIT 1";
                let last = self.one(sql, [event.task_id.as_str()], |row| get::<i64>(row, "n"))?;
                last.ok_or_else(|| Error::Corrupt("a task without a history".into()))?
            }
        };
        let log_index = event.log_index.map(|index| index as i64);
        // A log keeps its events, so numbers that follow it are not used again when rows of history leave.
        let number = self.newest_event_number(event.network_id)?.max(log_index.unwrap_or(0)) + 1;
        self.execute(
            "INSERT INTO task_events (network_id, task_id, n, from_status, to_status, actor_kind, actor, detail,
                created_at, log_index, number, actor_token) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                event.network_id.as_str(),
                event.task_id.as_str(),
                last + 1,
                event.from.map(Status::as_str),
                event.to.as_str(),
                event.actor.kind().as_str(),
                event.actor.name(),
                event.detail,
                event.at.get(),
                log_index,
                number,
                event.actor_token.map(ActorToken::as_str),
            ],
        )?;
        self.staged.counts.set_newest_event_number(event.network_id, number);
        self.note_changed(event.network_id, event.task_id, event.from, Some(event.to));
        Ok((last + 1).unsigned_abs())
    }

    fn insert_lease(&mut self, lease: &LeaseRow) -> Result<(), Error> {
        self.execute(
            "INSERT INTO leases (lease_id, task_id, network_id, alias, lease_seconds, deadline, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                lease.lease_id.as_str(),
                lease.task_id.as_str(),
                lease.network_id.as_str(),
                lease.alias.as_str(),
                lease.lease_seconds,
                lease.deadline.get(),
                lease.expires_at.get(),
            ],
        )?;
        self.staged.tally.leases += 1;
        Ok(())
    }

    fn move_lease(
        &mut self,
        id: &LeaseId,
        deadline: MonotonicMillis,
        expires_at: UnixMillis,
    ) -> Result<(), Error> {
        let sql = "UPDATE leases SET deadline = ?2, expires_at = ?3 WHERE lease_id = ?1";
        self.execute(sql, params![id.as_str(), deadline.get(), expires_at.get()])?;
        Ok(())
    }

    fn delete_lease(&mut self, id: &LeaseId) -> Result<(), Error> {
        let deleted = self.execute("DELETE FROM leases WHERE lease_id = ?1", [id.as_str()])?;
        self.staged.tally.leases -= deleted as i64;
        Ok(())
    }

    fn rearm_leases(&mut self, monotonic: MonotonicMillis, now: UnixMillis) -> Result<(), Error> {
        let sql = "/* scans */ UPDATE leases SET deadline = ?1 + lease_seconds * 1000, expires_at = ?2 + lease_seconds * 1000";
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
