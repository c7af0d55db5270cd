//! Counters of tasks by status and of open deliveries by inbox. Changes are added up for the whole batch and
//! written once before its commit; a reader inside the batch adds what is not written yet. Beside them, the newest
//! numbers of frames and events and the log of each network the batch has written to, so that they are looked up once.

use baton_core::{NetworkId, Principal, PrincipalKind, Status, UnixMillis};
use rusqlite::{Connection, params};
use std::collections::HashMap;

use super::edges::EdgeChanges;
use super::evidence::LogHead;
use super::figures;
use super::keys::Numbers;
use crate::error::Error;
use crate::meter::Tally;
use crate::rows::{MinuteCounts, minute_of};
use crate::store::GrownLog;

/// Changes not yet written.
#[derive(Debug, Default)]
pub(super) struct Counts {
    tasks: HashMap<(NetworkId, Status), i64>,
    inboxes: HashMap<(NetworkId, PrincipalKind, String), i64>,
    newest_frames: HashMap<NetworkId, i64>,
    newest_event_numbers: HashMap<NetworkId, i64>,
    log_heads: HashMap<NetworkId, LogHead>,
    numbers: Option<Numbers>,
    minutes: HashMap<(NetworkId, i64), MinuteCounts>,
    pub(super) edges: EdgeChanges,
}

impl Counts {
    pub(super) fn add_task(&mut self, network: &NetworkId, status: Status, change: i64) {
        *self.tasks.entry((network.clone(), status)).or_default() += change;
    }

    pub(super) fn add_delivery(&mut self, network: &NetworkId, kind: PrincipalKind, name: &str, change: i64) {
        *self.inboxes.entry((network.clone(), kind, name.to_owned())).or_default() += change;
    }

    pub(super) fn task(&self, network: &NetworkId, status: Status) -> i64 {
        self.tasks.get(&(network.clone(), status)).copied().unwrap_or(0)
    }

    pub(super) fn inbox(&self, network: &NetworkId, to: &Principal) -> i64 {
        self.inboxes.get(&(network.clone(), to.kind(), to.name().to_owned())).copied().unwrap_or(0)
    }

    pub(super) fn newest_frame(&self, network: &NetworkId) -> Option<i64> {
        self.newest_frames.get(network).copied()
    }

    pub(super) fn set_newest_frame(&mut self, network: &NetworkId, n: i64) {
        self.newest_frames.insert(network.clone(), n);
    }

    pub(super) fn newest_event_number(&self, network: &NetworkId) -> Option<i64> {
        self.newest_event_numbers.get(network).copied()
    }

    pub(super) fn set_newest_event_number(&mut self, network: &NetworkId, number: i64) {
        self.newest_event_numbers.insert(network.clone(), number);
    }

    /// The newest numbers given out, if any were.
    pub(super) fn numbers(&self) -> Option<Numbers> {
        self.numbers
    }

    pub(super) fn set_numbers(&mut self, numbers: Numbers) {
        self.numbers = Some(numbers);
    }

    pub(super) fn log_head(&self, network: &NetworkId) -> Option<LogHead> {
        self.log_heads.get(network).copied()
    }

    pub(super) fn set_log_head(&mut self, network: &NetworkId, head: LogHead) {
        self.log_heads.insert(network.clone(), head);
    }

    /// The counts of the minute of a time.
    pub(super) fn minute(&mut self, network: &NetworkId, at: UnixMillis) -> &mut MinuteCounts {
        self.minutes.entry((network.clone(), minute_of(at))).or_default()
    }

    /// The logs that grew.
    pub(super) fn grown_logs(&self) -> Vec<GrownLog> {
        let grown = self.log_heads.iter();
        grown
            .map(|(network, head)| GrownLog {
                network_id: network.clone(),
                size: head.size,
                gained: head.size - head.size_before,
            })
            .collect()
    }

    /// Adds up how many tasks of each status there are more, or fewer.
    pub(super) fn tally(&self, tally: &mut Tally) {
        self.tasks.iter().for_each(|((_, status), change)| tally.add_tasks(*status, *change));
    }

    /// Takes in what a savepoint that stays has counted.
    pub(super) fn merge(&mut self, other: Self) {
        for (key, change) in other.tasks {
            *self.tasks.entry(key).or_default() += change;
        }
        for (key, change) in other.inboxes {
            *self.inboxes.entry(key).or_default() += change;
        }
        for (key, counts) in other.minutes {
            self.minutes.entry(key).or_default().add(&counts);
        }
        self.numbers = other.numbers.or(self.numbers);
        self.edges.merge(other.edges);
        self.newest_frames.extend(other.newest_frames);
        self.newest_event_numbers.extend(other.newest_event_numbers);
        self.log_heads.extend(other.log_heads);
    }

    /// Forgets a network that is gone.
    pub(super) fn forget(&mut self, network: &NetworkId) {
        self.newest_frames.remove(network);
        self.newest_event_numbers.remove(network);
        self.log_heads.remove(network);
        self.minutes.retain(|(counted, _), _| counted != network);
        self.edges.forget(network);
        self.tasks.retain(|(counted, _), _| counted != network);
        self.inboxes.retain(|(counted, _, _), _| counted != network);
    }

    /// Writes everything, inside the transaction that is about to be committed.
    pub(super) fn write(self, connection: &Connection) -> Result<(), Error> {
        if let Some(numbers) = self.numbers {
            numbers.write(connection)?;
        }
        let mut task = connection.prepare_cached(
            "INSERT INTO task_counts (network_id, status, count) VALUES (?1, ?2, ?3)
             ON CONFLICT (network_id, status) DO UPDATE SET count = count + excluded.count",
        )?;
        for ((network, status), change) in self.tasks.into_iter().filter(|(_, change)| *change != 0) {
            task.execute(params![network.as_str(), status.as_str(), change])?;
        }
        let mut inbox = connection.prepare_cached(
            "INSERT INTO inbox_counts (network_id, to_kind, to_name, count) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (network_id, to_kind, to_name) DO UPDATE SET count = count + excluded.count",
        )?;
        for ((network, kind, name), change) in self.inboxes.into_iter().filter(|(_, change)| *change != 0) {
            inbox.execute(params![network.as_str(), kind.as_str(), name, change])?;
        }
        self.minutes.iter().try_for_each(|((network, minute), counts)| {
            figures::write_minute(connection, network, *minute, counts)
        })?;
        self.edges.write(connection)
    }
}

/// How many tasks and leases there are; looked up once, when the store is opened.
pub(super) fn there_is(connection: &Connection) -> Result<Tally, Error> {
    let mut tally = Tally::default();
    let mut counted = connection.prepare("SELECT status, SUM(count) FROM task_counts GROUP BY status")?;
    let mut rows = counted.query([])?;
    while let Some(row) = rows.next()? {
        let (status, count): (String, i64) = (row.get(0)?, row.get(1)?);
        let known = Status::parse(&status).ok_or_else(|| Error::Corrupt(format!("status {status:?}")))?;
        tally.add_tasks(known, count);
    }
    tally.leases = connection.query_row(
        "SELECT COUNT(*) FROM tasks WHERE lease_id IS NOT NULL
            AND network NOT IN (SELECT network FROM removals WHERE network IS NOT NULL)",
        [],
        |row| row.get(0),
    )?;
    Ok(tally)
}
