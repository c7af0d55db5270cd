//! Tasks, the leases on them and idempotency keys in SQL. Their history is in `history.rs`.

use baton_core::access::TaskReach;
use baton_core::{
    Alias, DueChange, Lease, LeaseId, MessageId, MessageKind, MonotonicMillis, NetworkId, Principal,
    PrincipalKind, Status, TaskId, TaskSnapshot, UnixMillis, limits,
};
use rusqlite::params;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use super::columns::{Row, get, order_of, parsed, principal, time};
use super::known::TaskCounts;
use super::rows::Rows;
use super::task_row::{
    COURSE_BY_ID, LeaseTimes, Task, course_row, number_of, snapshot, task_by_id, task_row, tasks,
};
use super::work::Work;
use super::write_set::{NewDeliveryRow, SendKey, WriteSet};
use super::{changed, history, search};
use crate::error::Error;
use crate::hint::ChangedTask;
use crate::parked::Inbox;
use crate::rows::{
    ChangedFilter, ChangedPage, CourseRow, DeliveryKind, DueLease, EventFilter, EventRow, IdempotentSend,
    InboxState, LeaseChange, LeaseRow, NewEvent, NewTaskMessage, NewTaskRow, OutputRow, Page, PageBounds,
    ProgressChange, ProgressRow, TaskChange, TaskFilter, TaskMessageRow, TaskReads, TaskRow, TaskSearch,
    TaskTexts, TaskWrites,
};

fn message_row(row: &Row<'_>) -> Result<TaskMessageRow, Error> {
    Ok(TaskMessageRow {
        n: get(row, "n")?,
        message_id: parsed(row, "message_id", MessageId::parse)?,
        author: principal(row, "author_kind", "author")?,
        kind: parsed(row, "kind", MessageKind::parse)?,
        content: get(row, "content")?,
        options: get(row, "options")?,
        input_ttl_seconds: get(row, "input_ttl_seconds")?,
        auth_required: get(row, "auth_required")?,
        parts: get(row, "parts")?,
        meta: get(row, "meta")?,
        created_at: time(row, "created_at")?,
    })
}

impl Rows<'_> {
    /// A network's counts of tasks as the database has them.
    pub(crate) fn task_counts_written(&self, network: &NetworkId) -> Result<TaskCounts, Error> {
        let sql = "SELECT status, count FROM task_counts WHERE network_id = ?1";
        let mut counts = TaskCounts::default();
        self.each_row(sql, [network.as_str()], |row| {
            counts[parsed(row, "status", Status::parse)? as usize] += get::<i64>(row, "count")?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(counts)
    }

    /// What the command of the task in this place printed, if it is more than so many bytes.
    fn output_at(&self, seq: i64, after: i64) -> Result<Option<OutputRow>, Error> {
        let sql = "SELECT written, tail FROM task_outputs WHERE task = ?1 AND written > ?2";
        self.one(sql, [seq, after], |row| {
            Ok(OutputRow { written: get(row, "written")?, tail: get(row, "tail")? })
        })
    }

    /// The task in this place in the order.
    pub(crate) fn task_at(&self, seq: i64, texts: TaskTexts) -> Result<Option<TaskRow>, Error> {
        self.one(&format!("{} WHERE t.seq = ?1", tasks(texts)), [seq], task_row)
    }

    /// The place of the task that began the conversation asked for, if the filter lets it through: its row names no
    /// context.
    pub(crate) fn beginning(
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
        match self.work() {
            None => self.one(task_by_id(), [id.as_str()], task_row),
            Some(_) => self.find_task(id)?.map(|task| self.shown(&task)).transpose(),
        }
    }

    fn task_course(&self, id: &TaskId) -> Result<Option<CourseRow>, Error> {
        match self.work() {
            None => self.one(COURSE_BY_ID, [id.as_str()], course_row),
            Some(_) => Ok(self.find_task(id)?.map(|task| CourseRow {
                status: task.row.snapshot.status,
                progress: task.row.progress.clone(),
            })),
        }
    }

    fn task_snapshot(&self, id: &TaskId) -> Result<Option<TaskSnapshot>, Error> {
        match self.work() {
            None => self.one(task_by_id(), [id.as_str()], snapshot),
            Some(_) => self.find_task(id)?.map(|task| self.shown_snapshot(&task)).transpose(),
        }
    }

    fn task_snapshot_in(&self, network: &NetworkId, id: &TaskId) -> Result<Option<TaskSnapshot>, Error> {
        static SQL: LazyLock<String> = LazyLock::new(|| format!("{} AND t.network = ?2", task_by_id()));
        let known = self.work().and_then(|work| work.borrow().task(id));
        if let Some(own) = known.filter(|task| task.row.snapshot.network_id == *network) {
            return self.shown_snapshot(&own).map(Some);
        }
        let found = self.look_up(&SQL, params![id.as_str(), self.key(network)?], snapshot)?;
        match self.work() {
            // From memory from now on, with what the batch has changed around it.
            Some(_) if found.is_some() => self.task_snapshot(id),
            _ => Ok(found),
        }
    }

    fn task_network(&self, id: &TaskId, own: Option<&NetworkId>) -> Result<Option<NetworkId>, Error> {
        let known = self.work().and_then(|work| work.borrow().task(id));
        if known.is_some_and(|task| Some(&task.row.snapshot.network_id) == own) {
            return Ok(own.cloned());
        }
        // A user's own task may be one that waits to be written.
        self.settle()?;
        let sql =
            "SELECT k.network_id FROM tasks t JOIN network_keys k ON k.key = t.network WHERE t.task_id = ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)";
        self.look_up(sql, [id.as_str()], |row| parsed(row, "network_id", NetworkId::parse))
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
        let counts = self.tasks_by_status(network)?;
        let counts = Status::ALL.iter().map(|status| (*status, counts[*status as usize]));
        Ok(counts.filter(|(_, count)| *count != 0).collect())
    }

    fn open_tasks_with_content(
        &self,
        network: &NetworkId,
        to: &Alias,
        content: &str,
    ) -> Result<Vec<TaskId>, Error> {
        // Searched among the alias's latest tasks: callers that mean an older one have its id.
        let sql = "SELECT task_id FROM
                   (SELECT seq, task_id, status, content FROM tasks WHERE network = ?1 AND to_name = ?2
                    ORDER BY seq DESC LIMIT 1000) latest_subquery
                   WHERE content = ?3 AND status IN ('delivered', 'acked', 'running') ORDER BY seq DESC LIMIT 2";
        self.all(sql, params![self.key(network)?, to.as_str(), content], |row| {
            parsed(row, "task_id", TaskId::parse)
        })
    }

    fn next_task(&self, network: &NetworkId, to: &Alias) -> Result<Option<TaskId>, Error> {
        match self.first_in_line(network, to)? {
            Some(known) => Ok(known),
            None => Ok(self.line(network, to, 1)?.pop().map(|(_, task)| task)),
        }
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
        if self.work().is_some() && self.find_task(id)?.is_some_and(|task| task.is_untouched) {
            return Ok(Vec::new());
        }
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
        until: Option<UnixMillis>,
    ) -> Result<Option<TaskMessageRow>, Error> {
        let sql = "SELECT * FROM task_messages WHERE network_id = ?1 AND task_id = ?2
                     AND kind = 'question' AND created_at <= ?3
                   ORDER BY n DESC LIMIT 1";
        let until = until.map_or(i64::MAX, UnixMillis::get);
        self.one(sql, params![network.as_str(), id.as_str(), until], message_row)
    }

    fn task_output(&self, id: &TaskId) -> Result<Option<OutputRow>, Error> {
        self.task_output_after(id, i64::MIN)
    }

    fn task_output_after(&self, id: &TaskId, written: i64) -> Result<Option<OutputRow>, Error> {
        match self
            .one("SELECT seq FROM tasks WHERE task_id = ?1", [id.as_str()], |row| get::<i64>(row, "seq"))?
        {
            Some(seq) => self.output_at(seq, written),
            None => Ok(None),
        }
    }

    fn task_messages_bytes(&self, network: &NetworkId, id: &TaskId) -> Result<usize, Error> {
        // A length in bytes stands in a row's head: the texts themselves are not read.
        let sql = "SELECT COALESCE(SUM(octet_length(content) + COALESCE(octet_length(options), 0)
                       + COALESCE(octet_length(parts), 0) + COALESCE(octet_length(meta), 0)), 0) AS bytes
                   FROM task_messages WHERE network_id = ?1 AND task_id = ?2";
        let bytes = self.one(sql, params![network.as_str(), id.as_str()], |row| get::<i64>(row, "bytes"))?;
        Ok(bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default())
    }

    fn task_history(&self, id: &TaskId) -> Result<Vec<EventRow>, Error> {
        history::of_task(self, id)
    }

    fn task_history_after(&self, id: &TaskId, n: i64) -> Result<Vec<EventRow>, Error> {
        history::of_task_after(self, id, n)
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
        Ok(self.recipient(network, PrincipalKind::Node, alias.as_str())?.leases > 0)
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

    fn due_tasks(
        &self,
        now: UnixMillis,
        after: (i64, i64),
        limit: usize,
    ) -> Result<Vec<(i64, i64, TaskId)>, Error> {
        let sql = "SELECT due_at, seq, task_id FROM tasks t
                   WHERE due_at IS NOT NULL AND due_at <= ?1 AND (due_at, seq) > (?2, ?3)
                     AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)
                   ORDER BY due_at, seq LIMIT ?4";
        self.all(sql, params![now.get(), after.0, after.1, limit as i64], |row| {
            Ok((get(row, "due_at")?, get(row, "seq")?, parsed(row, "task_id", TaskId::parse)?))
        })
    }

    fn idempotent_send(
        &self,
        network: &NetworkId,
        sender: &Principal,
        key: &str,
    ) -> Result<Option<IdempotentSend>, Error> {
        let asked = SendKey { network: network.clone(), sender: sender.clone(), key: key.to_owned() };
        if let Some(work) = self.work() {
            let work = work.borrow();
            let waiting = work.layer.sends.get(&asked).or_else(|| work.batch.sends.get(&asked));
            if waiting.is_some() {
                return Ok(waiting.cloned());
            }
        }
        let sql = "SELECT * FROM idempotency_keys
                   WHERE network_id = ?1 AND sender_kind = ?2 AND sender = ?3 AND key = ?4";
        self.look_up(sql, params![network.as_str(), sender.kind().as_str(), sender.name(), key], |row| {
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
    pub(crate) fn note_changed(
        &mut self,
        network: &NetworkId,
        task: &TaskId,
        from: Option<Status>,
        status: Option<Status>,
    ) {
        let changed = ChangedTask { task_id: task.clone(), from, status };
        self.change(|work| work.layer.hints.changes.of(network).tasks.push(changed));
    }

    /// Changes the layer of the use case that runs.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Work)) {
        if let Some(work) = self.work() {
            change(&mut work.borrow_mut());
        }
    }

    /// How many tasks of each status a network has.
    pub(crate) fn tasks_by_status(&self, network: &NetworkId) -> Result<TaskCounts, Error> {
        self.reach(network)?;
        let Some(work) = self.knows() else {
            self.settle()?;
            return self.task_counts_written(network);
        };
        let known = work.borrow().known.networks.get(network).and_then(|network| network.task_counts);
        let mut counts = match known {
            Some(counts) => counts,
            None => {
                let mut counts = self.task_counts_written(network)?;
                let mut work = work.borrow_mut();
                for status in Status::ALL.iter().copied() {
                    counts[status as usize] += work.batch.counts.task(network, status);
                }
                work.known.network(network).task_counts = Some(counts);
                counts
            }
        };
        let work = work.borrow();
        for status in Status::ALL.iter().copied() {
            counts[status as usize] += work.layer.counts.task(network, status);
        }
        Ok(counts)
    }

    /// Counts what leaves an inbox and what comes into one, and notifies claims that wait there.
    fn count_inbox(&mut self, before: &Task, after: &Task) {
        let network = &after.row.snapshot.network_id;
        self.change(|work| {
            let mut count = |task: &Task, change: i64| {
                let to = task.row.snapshot.to.as_str();
                if task.inbox == InboxState::Open {
                    work.layer.counts.recipient(network, PrincipalKind::Node, to).open += change;
                }
                if task.lease.is_some() {
                    work.layer.counts.recipient(network, PrincipalKind::Node, to).leases += change;
                }
            };
            count(before, -1);
            count(after, 1);
            let is_new = before.inbox != InboxState::Open || before.inbox_place != after.inbox_place;
            if after.inbox == InboxState::Open && is_new {
                let inbox = Inbox { network_id: network.clone(), alias: after.row.snapshot.to.clone() };
                work.layer.hints.opened.push_back(inbox);
            }
        });
    }
}

/// A former delivery of a task, which is acked: the task's row has room for its newest.
fn former_delivery(task: &Task) -> NewDeliveryRow {
    let snapshot = &task.row.snapshot;
    NewDeliveryRow {
        seq: task.inbox_place,
        message_id: task.delivery_id.clone().unwrap_or_else(|| snapshot.id.as_str().to_owned()),
        network: task.network,
        to: Principal::Node(snapshot.to.clone()),
        from: snapshot.from.clone(),
        kind: DeliveryKind::Task.as_str(),
        priority: order_of(task.row.priority),
        task: Some(task.row.seq),
        content: None,
        at: task.redelivered_at.unwrap_or(task.row.created_at),
        state: number_of(InboxState::Acked),
    }
}

/// A task with a change made to it.
fn changed_task(before: &Task, to: Status, change: &TaskChange) -> Result<Task, Error> {
    let mut after = before.clone();
    let (row, id) = (&mut after.row, &before.row.snapshot.id);
    row.snapshot.status = to;
    if let Some(alias) = &change.to {
        row.snapshot.to = alias.clone();
    }
    row.snapshot.attempt = change.attempt.unwrap_or(row.snapshot.attempt);
    if let Some((delivered_at, expires_at)) = change.delivered {
        (row.delivered_at, row.snapshot.expires_at) = (delivered_at, expires_at);
    }
    row.snapshot.expires_at = change.expires_at.unwrap_or(row.snapshot.expires_at);
    row.started_at = change.started_at.or(row.started_at);
    row.completed_at = change.completed_at.or(row.completed_at);
    if let Some(result) = &change.result {
        row.result = Some(result.clone());
    }
    row.answered_bare |= change.answered_bare;
    row.is_rejected |= change.is_rejected;
    match change.due {
        Some(DueChange::At(at)) => row.snapshot.due_at = Some(at),
        Some(DueChange::Never) => row.snapshot.due_at = None,
        None => {}
    }
    match &change.progress {
        Some(ProgressChange::Report { percent, message, at }) => {
            let last = row.progress.take();
            row.progress = Some(ProgressRow {
                n: last.as_ref().map_or(0, |last| last.n) + 1,
                event: before.events,
                percent: percent.or(last.as_ref().and_then(|last| last.percent)),
                message: message.clone().or(last.and_then(|last| last.message)),
                at: *at,
            });
        }
        Some(ProgressChange::Clear) => row.progress = None,
        None => {}
    }
    match (&change.lease, before.lease) {
        (Some(LeaseChange::Grant { .. }), Some(_)) => {
            return Err(Error::Corrupt(format!("task {id} has a lease")));
        }
        (Some(LeaseChange::Grant { lease_id, lease_seconds, deadline, expires_at }), None) => {
            row.snapshot.lease = Some(Lease { id: lease_id.clone(), deadline: *deadline });
            after.lease = Some(LeaseTimes { seconds: *lease_seconds, expires_at: *expires_at });
        }
        (Some(LeaseChange::Extend { deadline, expires_at }), Some(times)) => {
            if let Some(lease) = &mut row.snapshot.lease {
                lease.deadline = *deadline;
            }
            after.lease = Some(LeaseTimes { expires_at: *expires_at, ..times });
        }
        (Some(LeaseChange::End), _) => (row.snapshot.lease, after.lease) = (None, None),
        (Some(LeaseChange::Extend { .. }), None) | (None, _) => {}
    }
    after.inbox = change.inbox.unwrap_or(after.inbox);
    if let Some(redelivery) = &change.redelivery {
        after.inbox = InboxState::Open;
        after.redelivered_at = Some(redelivery.at);
        after.delivery_id = Some(redelivery.message_id.to_string());
    }
    after.row.snapshot.is_in_inbox = after.inbox == InboxState::Open;
    Ok(after)
}

impl TaskWrites for Rows<'_> {
    fn insert_task(&mut self, row: NewTaskRow<'_>) -> Result<(), Error> {
        let new = row.task;
        self.begin_change(&new.network_id)?;
        if self.has_task(&new.id)? {
            return Err(Error::Corrupt(format!("there is a task {} already", new.id)));
        }
        let (network, seq) = (self.key_to_write(&new.network_id)?, self.next_place()?);
        let task = new_task(row, network, seq);
        let edge = task.edge();
        self.change(|work| {
            let WriteSet { counts, hints, retries, .. } = &mut work.layer;
            counts.add_task(&new.network_id, row.status, 1);
            counts.recipient(&new.network_id, PrincipalKind::Node, new.to.as_str()).open += 1;
            counts.minute(&new.network_id, new.delivered_at).sent += 1;
            counts.edges.add(&new.network_id, edge, row.status, 1);
            let inbox = Inbox { network_id: new.network_id.clone(), alias: new.to.clone() };
            hints.opened.push_back(inbox);
            if let Some(retried) = &new.retry_of {
                retries.insert(retried.clone(), new.id.clone());
            }
            work.put_task(None, task);
        });
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
        self.begin_change(network)?;
        let before = self.known_task(id)?;
        if before.row.snapshot.status != from {
            return Err(Error::Corrupt(format!("task {id} is not {from}")));
        }
        if from.is_terminal() {
            return Err(Error::Corrupt("a terminal task never changes".into()));
        }
        let mut after = changed_task(&before, to, change)?;
        if change.redelivery.is_some() {
            after.inbox_place = self.next_place()?;
            let former = former_delivery(&before);
            self.change(|work| work.layer.deliveries.push(former));
        }
        self.count_inbox(&before, &after);
        self.count(|counts| {
            if let Some(ended_at) = change.completed_at {
                counts.minute(network, ended_at).note_end(to, before.row.created_at, ended_at);
                let millis = ended_at.get() - before.row.created_at.get();
                counts.edges.note_end(network, after.edge(), to, millis);
            }
            if from.is_terminal() != to.is_terminal() || before.row.snapshot.to != after.row.snapshot.to {
                counts.edges.add(network, before.edge(), from, -1);
                counts.edges.add(network, after.edge(), to, 1);
            }
            if from != to {
                counts.add_task(network, from, -1);
                counts.add_task(network, to, 1);
            }
        });
        self.change(|work| work.put_task(Some(before), after));
        if matches!(change.progress, Some(ProgressChange::Report { .. })) {
            self.note_changed(network, id, None, None);
        }
        Ok(())
    }

    fn append_output(
        &mut self,
        network: &NetworkId,
        id: &TaskId,
        text: &str,
        kept_bytes: usize,
    ) -> Result<(), Error> {
        let task = self.known_task(id)?;
        let (seq, key) = (task.row.seq, task.network);
        let OutputRow { written, mut tail } =
            self.output_at(seq, i64::MIN)?.unwrap_or(OutputRow { written: 0, tail: String::new() });
        tail.push_str(text);
        let excess = tail.len().saturating_sub(kept_bytes);
        tail.drain(..tail.ceil_char_boundary(excess));
        self.execute_in(
            network,
            "INSERT INTO task_outputs (task, network, written, tail) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (task) DO UPDATE SET written = excluded.written, tail = excluded.tail",
            params![seq, key, written + text.len() as i64, tail],
        )?;
        self.note_changed(network, id, None, None);
        Ok(())
    }

    fn append_task_message(&mut self, message: NewTaskMessage<'_>) -> Result<i64, Error> {
        let n = self.execute_returning_in(
            message.network_id,
            "INSERT INTO task_messages (network_id, task_id, n, message_id, author_kind, author, kind, content, options,
                 input_ttl_seconds, parts, meta, created_at, auth_required)
             SELECT ?1, ?2, COALESCE(MAX(n), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13
             FROM task_messages WHERE network_id = ?1 AND task_id = ?2 RETURNING n",
            params![
                message.network_id.as_str(),
                message.task_id.as_str(),
                message.message_id.as_str(),
                message.author.kind().as_str(),
                message.author.name(),
                message.kind.as_str(),
                message.content,
                message.options,
                message.input_ttl_seconds,
                message.parts,
                message.meta,
                message.at.get(),
                message.auth_required,
            ],
            |row| get::<i64>(row, "n"),
        )?;
        self.note_changed(message.network_id, message.task_id, None, None);
        self.touch_task(message.task_id)?;
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
        self.forget_tasks();
        Ok(())
    }

    fn remember_send(
        &mut self,
        network: &NetworkId,
        sender: &Principal,
        key: &str,
        send: &IdempotentSend,
    ) -> Result<(), Error> {
        self.begin_change(network)?;
        let key = SendKey { network: network.clone(), sender: sender.clone(), key: key.to_owned() };
        self.change(|work| drop(work.layer.sends.insert(key, send.clone())));
        Ok(())
    }

    fn forget_sends(&mut self, before: UnixMillis, limit: usize) -> Result<usize, Error> {
        let sql = "DELETE FROM idempotency_keys WHERE (network_id, sender_kind, sender, key) IN
                   (SELECT network_id, sender_kind, sender, key FROM idempotency_keys WHERE created_at < ?1 LIMIT ?2)";
        self.execute(sql, params![before.get(), limit as i64])
    }
}

fn new_task(row: NewTaskRow<'_>, network: i64, seq: i64) -> Task {
    let new = row.task;
    let snapshot = TaskSnapshot {
        id: new.id.clone(),
        network_id: new.network_id.clone(),
        from: new.from.clone(),
        to: new.to.clone(),
        kind: new.kind.clone(),
        status: row.status,
        attempt: new.attempt,
        max_attempts: new.max_attempts,
        runs: new.runs,
        due_at: None,
        lease: None,
        is_in_inbox: true,
        ttl: new.ttl,
        expires_at: new.expires_at,
        parent: None,
        retried_to: None,
        context_id: new.context_id.clone(),
    };
    let row = TaskRow {
        seq,
        snapshot,
        priority: row.priority,
        content: row.content.to_owned(),
        context: row.context.map(str::to_owned),
        meta: row.meta.map(str::to_owned),
        result: None,
        retry_of: new.retry_of.clone(),
        created_at: new.delivered_at,
        delivered_at: new.delivered_at,
        started_at: None,
        completed_at: None,
        parts: row.parts.map(str::to_owned),
        answered_bare: false,
        is_rejected: false,
        progress: None,
        salt: row.salt.to_vec(),
        traceparent: row.traceparent,
        artifacts: 0,
    };
    Task {
        row,
        network,
        parent_task_id: new.parent_task_id.clone(),
        inbox: InboxState::Open,
        inbox_place: seq,
        redelivered_at: None,
        delivery_id: None,
        lease: None,
        last_event: None,
        events: 0,
        is_untouched: true,
    }
}
