//! Rows that the writer has read or written and keeps from batch to batch, so that a use case need not look them up: it
//! alone writes, so they stay true. Open tasks with their texts, the heads of inboxes, counters, newest numbers, and
//! what is asked of accounts with every call. All of it can be looked up again: it is dropped when a batch is lost, and
//! when it has grown too large.

use baton_core::{Alias, NetworkId, NetworkRole, PrincipalKind, Status, TaskId, TokenId, UserId, limits};
use foldhash::HashMap;
use rusqlite::{Connection, params};
use std::sync::Arc;

use super::counts::{Counts, RecipientChange};
use super::inbox_line::Line;
use super::task_row::Task;
use super::write_set::{Entry, Head, WriteSet};
use crate::error::Error;
use crate::rows::{SessionGlance, TokenRow};

/// A recipient's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Recipient {
    /// Its open deliveries.
    pub(super) open: i64,
    /// The leases it holds, as an agent.
    pub(super) leases: i64,
    pub(super) newest_frame: Option<i64>,
}

impl Recipient {
    pub(super) fn changed(self, change: &RecipientChange) -> Self {
        Self {
            open: self.open + change.open,
            leases: self.leases + change.leases,
            newest_frame: change.newest_frame.or(self.newest_frame),
        }
    }
}

/// How many tasks a network has, by status.
pub(super) type TaskCounts = [i64; Status::ALL.len()];

/// What is known of a network.
#[derive(Debug, Default)]
pub(super) struct KnownNetwork {
    pub(super) key: Option<i64>,
    pub(super) head: Head,
    pub(super) task_counts: Option<TaskCounts>,
    pub(super) recipients: HashMap<(PrincipalKind, String), Recipient>,
    pub(super) lines: HashMap<Alias, Line>,
    pub(super) accounts: KnownAccounts,
}

/// What is asked of a network's accounts; statements change it.
#[derive(Debug, Default)]
pub(super) struct KnownAccounts {
    pub(super) roles: HashMap<UserId, Option<NetworkRole>>,
    pub(super) aliases: HashMap<Alias, bool>,
    pub(super) sessions: HashMap<Alias, Option<SessionGlance>>,
    /// The quotas of open tasks and of inboxes, where they are set.
    pub(super) quotas: Option<(Option<i64>, Option<i64>)>,
}

/// The numbers given out, and up to which the database says that they may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) place: i64,
    pub(super) event: i64,
    place_reserved: i64,
    event_reserved: i64,
    is_written: bool,
}

impl Numbers {
    /// As the database has them: none up to these is given out again.
    pub(super) const fn reserved(place: i64, event: i64) -> Self {
        Self { place, event, place_reserved: place, event_reserved: event, is_written: true }
    }

    pub(super) const fn next_place(&mut self) -> i64 {
        self.place += 1;
        if self.place > self.place_reserved {
            self.place_reserved = self.place + limits::NUMBERS_RESERVED_COUNT;
            self.is_written = false;
        }
        self.place
    }

    pub(super) const fn next_event(&mut self) -> i64 {
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
pub(super) struct Known {
    pub(super) tasks: HashMap<TaskId, Arc<Task>>,
    /// The bytes of their texts.
    task_bytes: usize,
    pub(super) networks: HashMap<NetworkId, KnownNetwork>,
    pub(super) tokens: HashMap<TokenId, Option<TokenRow>>,
    /// How many rows of networks and tokens were taken in since it was last emptied.
    rows: usize,
    pub(super) numbers: Option<Numbers>,
}

impl Known {
    pub(super) fn network(&mut self, network: &NetworkId) -> &mut KnownNetwork {
        if !self.networks.contains_key(network) {
            self.note_rows(1);
            self.networks.insert(network.clone(), KnownNetwork::default());
        }
        self.networks.get_mut(network).expect("it was just put there")
    }

    /// Remembers a task as it stands in the database. One that has ended is seldom asked for again.
    pub(super) fn put_task(&mut self, id: TaskId, task: Arc<Task>) {
        let more = if task.row.snapshot.status.is_terminal() { 0 } else { task.bytes() };
        let before = match more {
            0 => self.tasks.remove(&id),
            _ => self.tasks.insert(id, task),
        };
        self.task_bytes = (self.task_bytes + more).saturating_sub(before.map_or(0, |before| before.bytes()));
    }

    /// Takes in what a use case that stays has changed; what is not known stays so.
    pub(super) fn take_in(&mut self, layer: &WriteSet) {
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
    pub(super) fn forget_accounts(&mut self) {
        self.tokens.clear();
        for network in self.networks.values_mut() {
            network.accounts = KnownAccounts::default();
        }
    }

    /// Statements have changed tasks, or what is counted of them.
    pub(super) fn forget_tasks(&mut self) {
        self.tasks.clear();
        self.task_bytes = 0;
        for network in self.networks.values_mut() {
            network.lines.clear();
            network.task_counts = None;
            network.recipients.clear();
        }
    }

    pub(super) fn forget_network(&mut self, network: &NetworkId) {
        self.networks.remove(network);
        self.forget_tasks();
    }

    /// Keys and reserved numbers that were written and undone.
    pub(super) fn forget_given(&mut self) {
        self.networks.values_mut().for_each(|network| network.key = None);
        if let Some(numbers) = &mut self.numbers {
            numbers.is_written = false;
        }
    }

    /// Notes rows that were looked up or came: more of them than there are, because those that go are not counted.
    pub(super) const fn note_rows(&mut self, count: usize) {
        self.rows += count;
    }

    /// Holds what is known to its bounds, between batches.
    pub(super) fn shed(&mut self) {
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

    /// Writes down up to where numbers may be given out, before any of them is in the database.
    pub(super) fn write_numbers(&mut self, connection: &Connection) -> Result<(), Error> {
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
