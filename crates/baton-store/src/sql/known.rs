//! Rows that the writer has read or written and keeps from batch to batch, so that a use case need not look them up: it
//! alone writes, so they stay true. Open tasks with their texts, the heads of inboxes, counters, newest numbers, and
//! what is asked of accounts with every call. All of it can be looked up again: it is dropped when a batch is lost, and
//! when it has grown too large.

use baton_core::{
    Alias, Latencies, NetworkId, NetworkRole, PrincipalKind, Status, TaskId, TokenId, UserId, limits,
};
use foldhash::HashMap;
use rusqlite::{Connection, params};
use std::sync::Arc;

use super::counts::{Counts, RecipientChange};
use super::edges::Edge;
use super::inbox_line::Line;
use super::task_row::Task;
use super::write_set::{Entry, Head, WriteSet};
use crate::error::Error;
use crate::rows::{MinuteCounts, SessionSummaryRow, TokenRow};

/// A recipient's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recipient {
    /// Its open deliveries.
    pub(crate) open: i64,
    /// The leases it holds, as an agent.
    pub(crate) leases: i64,
    pub(crate) newest_frame: Option<i64>,
}

impl Recipient {
    pub(crate) fn changed(self, change: &RecipientChange) -> Self {
        Self {
            open: self.open + change.open,
            leases: self.leases + change.leases,
            newest_frame: change.newest_frame.or(self.newest_frame),
        }
    }
}

/// How many tasks a network has, by status.
pub(crate) type TaskCounts = [i64; Status::ALL.len()];

/// What is known of a network.
#[derive(Debug, Default)]
pub(crate) struct KnownNetwork {
    /// On PostgreSQL: the version of its head that all of this was learnt with.
    pub(crate) version: Option<i64>,
    pub(crate) key: Option<i64>,
    pub(crate) head: Head,
    pub(crate) task_counts: Option<TaskCounts>,
    pub(crate) recipients: HashMap<(PrincipalKind, String), Recipient>,
    pub(crate) lines: HashMap<Alias, Line>,
    pub(crate) accounts: KnownAccounts,
    /// On PostgreSQL: its counters that add up durations, as they were last written.
    pub(crate) tallies: KnownTallies,
}

/// Counters that are written whole, so that what they have so far has to be known: the newest minute, and edges.
#[derive(Debug, Default)]
pub(crate) struct KnownTallies {
    pub(crate) minute: Option<(i64, MinuteCounts)>,
    pub(crate) edges: HashMap<Edge, Latencies>,
}

/// What is asked of a network's accounts; statements change it.
#[derive(Debug, Default)]
pub(crate) struct KnownAccounts {
    pub(crate) roles: HashMap<UserId, Option<NetworkRole>>,
    pub(crate) aliases: HashMap<Alias, bool>,
    pub(crate) sessions: HashMap<Alias, Option<SessionSummaryRow>>,
    pub(crate) quotas: Option<SetTaskQuotas>,
}

/// What is asked of every new task, where it is set: how many open tasks its network, open deliveries its recipient and tasks
/// its chain of parents may have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SetTaskQuotas {
    pub(crate) open_tasks: Option<i64>,
    pub(crate) inbox: Option<i64>,
    pub(crate) delegation_depth: Option<i64>,
}

/// The numbers given out, and up to which the database says that they may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) place: i64,
    pub(crate) event: i64,
    place_reserved: i64,
    event_reserved: i64,
    is_written: bool,
}

impl Numbers {
    /// As the database has them: none up to these is given out again.
    pub(crate) const fn reserved(place: i64, event: i64) -> Self {
        Self { place, event, place_reserved: place, event_reserved: event, is_written: true }
    }

    pub(crate) const fn next_place(&mut self) -> i64 {
        self.place += 1;
        if self.place > self.place_reserved {
            self.place_reserved = self.place + limits::NUMBERS_RESERVED_COUNT;
            self.is_written = false;
        }
        self.place
    }

    pub(crate) const fn next_event(&mut self) -> i64 {
        self.event += 1;
        if self.event > self.event_reserved {
            self.event_reserved = self.event + limits::NUMBERS_RESERVED_COUNT;
            self.is_written = false;
        }
        self.event
    }
}

/// Everything that is known.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) tasks: HashMap<TaskId, Arc<Task>>,
    /// The bytes of their texts.
    task_bytes: usize,
    pub(crate) networks: HashMap<NetworkId, KnownNetwork>,
    pub(crate) tokens: HashMap<TokenId, Option<TokenRow>>,
    /// How many rows of networks and tokens were taken in since it was last emptied.
    rows: usize,
    pub(crate) numbers: Option<Numbers>,
    /// On PostgreSQL: the version of what stands in no network that all of this was learnt with.
    pub(crate) epoch: Option<i64>,
}

impl Known {
    pub(crate) fn network(&mut self, network: &NetworkId) -> &mut KnownNetwork {
        if !self.networks.contains_key(network) {
            self.note_rows(1);
            self.networks.insert(network.clone(), KnownNetwork::default());
        }
        self.networks.get_mut(network).expect("it was just put there")
    }

    /// Remembers a task as it stands in the database. One that has ended is seldom asked for again.
    pub(crate) fn put_task(&mut self, id: TaskId, task: Arc<Task>) {
        let more = if task.row.snapshot.status.is_terminal() { 0 } else { task.bytes() };
        let before = match more {
            0 => self.tasks.remove(&id),
            _ => self.tasks.insert(id, task),
        };
        self.task_bytes = (self.task_bytes + more).saturating_sub(before.map_or(0, |before| before.bytes()));
    }

    /// Takes in what a use case that stays has changed; what is not known stays so.
    pub(crate) fn take_in(&mut self, layer: &WriteSet) {
        for (network, head) in &layer.heads {
            self.network(network).head.take_in(*head);
        }
        for counts in [&layer.counted, &layer.counts] {
            self.count(counts);
        }
        for retried in layer.retries.keys() {
            if let Some(task) = self.tasks.remove(retried) {
                self.task_bytes = self.task_bytes.saturating_sub(task.bytes());
            }
        }
        for (id, entry) in &layer.tasks {
            self.move_in_line(id, entry);
        }
    }

    fn count(&mut self, counts: &Counts) {
        for ((network, status), change) in counts.tasks() {
            if let Some(known) =
                self.networks.get_mut(network).and_then(|network| network.task_counts.as_mut())
            {
                known[*status as usize] += change;
            }
        }
        for (network, recipients) in counts.recipients() {
            let Some(known) = self.networks.get_mut(network) else { continue };
            for (recipient, change) in recipients {
                if let Some(state) = known.recipients.get_mut(recipient) {
                    *state = state.changed(change);
                }
            }
        }
    }

    fn move_in_line(&mut self, id: &TaskId, entry: &Entry) {
        let Some(network) = self.networks.get_mut(&entry.now.row.snapshot.network_id) else { return };
        if let Some(before) = entry.before.as_deref()
            && let Some(place) = before.claim_place()
            && let Some(line) = network.lines.get_mut(&before.row.snapshot.to)
        {
            line.remove(place);
            if !line.is_known() {
                network.lines.remove(&before.row.snapshot.to);
            }
        }
        if let Some(place) = entry.now.claim_place()
            && let Some(line) = network.lines.get_mut(&entry.now.row.snapshot.to)
        {
            line.put(place, id.clone());
            self.rows += 1;
        }
    }

    /// Statements have changed accounts, tokens, members, sessions or quotas.
    pub(crate) fn forget_accounts(&mut self) {
        self.tokens.clear();
        for network in self.networks.values_mut() {
            network.accounts = KnownAccounts::default();
        }
    }

    /// Statements have changed tasks, or what is counted of them.
    pub(crate) fn forget_tasks(&mut self) {
        self.tasks.clear();
        self.task_bytes = 0;
        for network in self.networks.values_mut() {
            network.lines.clear();
            network.task_counts = None;
            network.recipients.clear();
            network.tallies = KnownTallies::default();
        }
    }

    pub(crate) fn forget_network(&mut self, network: &NetworkId) {
        self.networks.remove(network);
        self.forget_tasks();
    }

    /// What is known of a network no longer holds: somebody else has changed it.
    pub(crate) fn forget_rows_of(&mut self, network: &NetworkId) {
        self.networks.remove(network);
        let bytes = &mut self.task_bytes;
        self.tasks.retain(|_, task| {
            let stays = task.row.snapshot.network_id != *network;
            if !stays {
                *bytes = bytes.saturating_sub(task.bytes());
            }
            stays
        });
    }

    /// Nothing of this holds any more.
    pub(crate) fn forget_everything(&mut self) {
        *self = Self::default();
    }

    /// Keys and reserved numbers that were written and undone.
    pub(crate) fn forget_given(&mut self) {
        self.networks.values_mut().for_each(|network| network.key = None);
        if let Some(numbers) = &mut self.numbers {
            numbers.is_written = false;
        }
    }

    /// Notes rows that were looked up or came: more of them than there are, because those that go are not counted.
    pub(crate) const fn note_rows(&mut self, count: usize) {
        self.rows += count;
    }

    /// Holds what is known to its bounds, between batches.
    pub(crate) fn shed(&mut self) {
        if self.task_bytes > limits::WRITER_TASKS_KNOWN_MAX_BYTES {
            self.tasks.clear();
            self.task_bytes = 0;
        }
        if self.rows > limits::WRITER_ROWS_KNOWN_COUNT {
            self.networks.clear();
            self.tokens.clear();
            self.rows = 0;
        }
    }

    /// Writes up to where numbers may be given out, before any of them is in the database.
    pub(crate) fn write_numbers(&mut self, connection: &Connection) -> Result<(), Error> {
        let Some(numbers) = self.numbers.as_mut().filter(|numbers| !numbers.is_written) else {
            return Ok(());
        };
        let sql = "UPDATE numbers SET place = ?1, event = ?2 WHERE one = 1";
        let reserved = params![numbers.place_reserved, numbers.event_reserved];
        connection.prepare_cached(sql)?.execute(reserved)?;
        numbers.is_written = true;
        Ok(())
    }
}
