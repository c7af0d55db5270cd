//! Retention in SQL. What is a task's own is found by its id or place, and a completion by the time it ended its task;
//! the task itself goes last, and only once it is recorded that it has left: a trigger sees to that.

use baton_core::{NetworkId, Status, TaskId, UnixMillis};
use rusqlite::params;

use super::columns::{Row, get, parsed, time};
use super::history::Chain;
use super::keys::numbered;
use super::rows::Rows;
use crate::error::Error;
use crate::rows::{DeliveryReads, RetentionReads, RetentionRow, RetentionWrites};

/// A task that is about to leave.
struct ExpiredTask<'a> {
    id: &'a TaskId,
    seq: i64,
    key: i64,
    last_event: Option<i64>,
    network: NetworkId,
    status: Status,
    completed_at: UnixMillis,
}

/// A task's history, as far as it matters here.
struct TaskHistory {
    /// When something last happened to it.
    last: i64,
    /// How many of its events have evidence.
    recorded: i64,
    /// The ids of its events.
    events: Vec<i64>,
}

impl RetentionReads for Rows<'_> {
    fn tasks_ended_before(&self, before: UnixMillis, limit: usize) -> Result<Vec<TaskId>, Error> {
        let sql = "SELECT task_id FROM tasks t WHERE completed_at IS NOT NULL AND completed_at < ?1
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)
                   ORDER BY completed_at LIMIT ?2";
        self.all(sql, params![before.get(), limit as i64], |row| parsed(row, "task_id", TaskId::parse))
    }

    fn feeds_due(&self, since: UnixMillis, before: UnixMillis) -> Result<Vec<NetworkId>, Error> {
        let sql = "/* scans */ SELECT network_id FROM networks";
        let mut due = Vec::new();
        for network in self.all(sql, params![], |row| parsed(row, "network_id", NetworkId::parse))? {
            if self.mark_before(&network, before)?.is_some() || self.unmarked(&network, since)?.is_some() {
                due.push(network);
            }
        }
        Ok(due)
    }

    fn retention(&self, network: &NetworkId) -> Result<Option<RetentionRow>, Error> {
        let sql = "SELECT through, tasks, events FROM retention WHERE network_id = ?1";
        self.one(sql, [network.as_str()], |row| {
            Ok(RetentionRow {
                through: time(row, "through")?,
                tasks: get::<i64>(row, "tasks")?.unsigned_abs(),
                events: get::<i64>(row, "events")?.unsigned_abs(),
            })
        })
    }
}

impl RetentionWrites for Rows<'_> {
    fn remove_task(&mut self, id: &TaskId, before: UnixMillis) -> Result<bool, Error> {
        let sql = "SELECT t.seq, t.network, t.last_event, k.network_id, t.status, t.completed_at
                   FROM tasks t JOIN network_keys k ON k.key = t.network
                   WHERE t.task_id = ?1 AND t.completed_at IS NOT NULL AND t.completed_at < ?2
                   AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.network = t.network)";
        let leaver = self.one(sql, params![id.as_str(), before.get()], |row| {
            Ok(ExpiredTask {
                id,
                seq: get(row, "seq")?,
                key: get(row, "network")?,
                last_event: get(row, "last_event")?,
                network: parsed(row, "network_id", NetworkId::parse)?,
                status: parsed(row, "status", Status::parse)?,
                completed_at: time(row, "completed_at")?,
            })
        })?;
        let Some(leaver) = leaver else { return Ok(false) };
        let past = self.past(&leaver)?;
        self.write_down(&leaver, &past)?;
        self.remove_deliveries_of(&leaver)?;
        self.count_off_its_edge(&leaver.network, id, leaver.status)?;
        self.remove_own_rows(&leaver, &past)?;
        self.count(|counts| counts.add_task(&leaver.network, leaver.status, -1));
        Ok(true)
    }

    fn mark_feed(&mut self, network: &NetworkId, now: UnixMillis, since: UnixMillis) -> Result<(), Error> {
        if let Some(newest) = self.unmarked(network, since)? {
            let sql = "INSERT INTO feed_marks (network_id, at, n) VALUES (?1, ?2, ?3)
                       ON CONFLICT (network_id, at) DO UPDATE SET n = excluded.n";
            self.execute_in(network, sql, params![network.as_str(), now.get(), newest])?;
        }
        Ok(())
    }

    fn forget_frames(
        &mut self,
        network: &NetworkId,
        before: UnixMillis,
        limit: usize,
    ) -> Result<usize, Error> {
        let Some((at, told)) = self.mark_before(network, before)? else { return Ok(0) };
        // The newest frame gives the next one its number.
        let last = told.min(self.feed_range(network)?.1 - 1);
        let removed = self.forget_frames_to(network, last, limit)?;
        if removed < limit {
            let sql = "DELETE FROM feed_marks WHERE network_id = ?1 AND at <= ?2";
            self.execute_in(network, sql, params![network.as_str(), at])?;
        }
        Ok(removed)
    }
}

impl Rows<'_> {
    /// The newest frame of a feed, if it is time to note it.
    fn unmarked(&self, network: &NetworkId, since: UnixMillis) -> Result<Option<i64>, Error> {
        let last = self.mark_before(network, UnixMillis::new(i64::MAX))?;
        let newest = self.feed_range(network)?.1;
        let is_due = newest > 0 && last.is_none_or(|(at, n)| at < since.get() && n < newest);
        Ok(is_due.then_some(newest))
    }

    /// The last note that is older than this: when, and how far the feed had come.
    fn mark_before(&self, network: &NetworkId, before: UnixMillis) -> Result<Option<(i64, i64)>, Error> {
        let sql = "SELECT at, n FROM feed_marks WHERE network_id = ?1 AND at < ?2 ORDER BY at DESC LIMIT 1";
        let parameters = params![network.as_str(), before.get()];
        self.one(sql, parameters, |row| Ok((get(row, "at")?, get(row, "n")?)))
    }

    fn past(&self, leaver: &ExpiredTask<'_>) -> Result<TaskHistory, Error> {
        let sql = "SELECT id, previous, created_at, log_index FROM task_events WHERE place = ?1";
        let mut past = TaskHistory { last: leaver.completed_at.get(), recorded: 0, events: Vec::new() };
        let mut chain = Chain::from(leaver.key, leaver.last_event);
        let read = |row: &Row<'_>| {
            Ok((get(row, "id")?, get::<i64>(row, "created_at")?, get::<Option<i64>>(row, "log_index")?))
        };
        loop {
            let (id, at, log_index) = match chain.next(self, sql, read) {
                Ok(Some(event)) => event,
                // A history that was damaged keeps neither its task nor those behind it.
                Ok(None) | Err(Error::Corrupt(_)) => break,
                Err(error) => return Err(error),
            };
            past.events.push(id);
            past.last = past.last.max(at);
            past.recorded += i64::from(log_index.is_some());
        }
        let sql = "SELECT created_at FROM task_messages WHERE network_id = ?1 AND task_id = ?2";
        let said = self.all(sql, params![leaver.network.as_str(), leaver.id.as_str()], |row| {
            get::<i64>(row, "created_at")
        })?;
        past.last = said.into_iter().fold(past.last, i64::max);
        Ok(past)
    }

    fn write_down(&self, leaver: &ExpiredTask<'_>, past: &TaskHistory) -> Result<(), Error> {
        self.execute_in(
            &leaver.network,
            "INSERT INTO retention (network_id, through, tasks, events) VALUES (?1, ?2, 1, ?3)
             ON CONFLICT (network_id) DO UPDATE SET through = MAX(retention.through, excluded.through),
                tasks = retention.tasks + 1, events = retention.events + excluded.events",
            params![leaver.network.as_str(), past.last, past.recorded],
        )?;
        Ok(())
    }

    fn remove_deliveries_of(&mut self, leaver: &ExpiredTask<'_>) -> Result<(), Error> {
        let sql = "SELECT seq FROM deliveries WHERE task = ?1";
        let about = self.all(sql, [leaver.seq], |row| get::<i64>(row, "seq"))?;
        for seq in about {
            self.count_off(seq)?;
            self.execute_in(&leaver.network, "DELETE FROM deliveries WHERE seq = ?1", [seq])?;
        }
        Ok(())
    }

    fn remove_own_rows(&self, leaver: &ExpiredTask<'_>, past: &TaskHistory) -> Result<(), Error> {
        let (network, id) = (leaver.network.as_str(), leaver.id.as_str());
        let sql = "DELETE FROM completions WHERE network_id = ?1 AND completed_at = ?2 AND task_id = ?3";
        self.execute_in(&leaver.network, sql, params![network, leaver.completed_at.get(), id])?;
        let sql = "DELETE FROM task_messages WHERE network_id = ?1 AND task_id = ?2";
        self.execute_in(&leaver.network, sql, params![network, id])?;
        self.execute_in(&leaver.network, "DELETE FROM task_outputs WHERE task = ?1", [leaver.seq])?;
        // What is out at a remote agent stays: its cancel may not have arrived yet, and its worker removes it.
        self.execute_in(&leaver.network, "DELETE FROM push_configs WHERE task_id = ?1", [id])?;
        for event in &past.events {
            self.execute_in(
                &leaver.network,
                "DELETE FROM task_events WHERE place = ?1",
                [numbered(leaver.key, *event)],
            )?;
        }
        self.execute_in(&leaver.network, "DELETE FROM artifact_refs WHERE task = ?1", [leaver.seq])?;
        self.execute_in(&leaver.network, "DELETE FROM tasks WHERE seq = ?1", [leaver.seq])?;
        Ok(())
    }
}
