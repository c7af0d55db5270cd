//! Counters of tasks by status, by minute and by edge, and of recipients: open deliveries, leases, newest frame. Changes
//! are added up and written once; what they come to is in `known.rs`.

use baton_core::{NetworkId, PrincipalKind, Status, UnixMillis};
use foldhash::HashMap;
use rusqlite::{Connection, params};

use super::edges::EdgeChanges;
use super::figures;
use crate::error::Error;
use crate::meter::Tally;
use crate::rows::{MinuteCounts, minute_of};

/// What changes in a recipient's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecipientChange {
    /// Open deliveries.
    pub(crate) open: i64,
    pub(crate) leases: i64,
    pub(crate) newest_frame: Option<i64>,
}

type Recipients = HashMap<(PrincipalKind, String), RecipientChange>;

/// Changes not yet written.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    tasks: HashMap<(NetworkId, Status), i64>,
    recipients: HashMap<NetworkId, Recipients>,
    pub(crate) minutes: HashMap<(NetworkId, i64), MinuteCounts>,
    pub(crate) edges: EdgeChanges,
}

impl Counts {
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
            && self.recipients.is_empty()
            && self.minutes.is_empty()
            && self.edges.is_empty()
    }

    pub(crate) fn add_task(&mut self, network: &NetworkId, status: Status, change: i64) {
        *self.tasks.entry((network.clone(), status)).or_default() += change;
    }

    pub(crate) fn tasks(&self) -> &HashMap<(NetworkId, Status), i64> {
        &self.tasks
    }

    pub(crate) fn task(&self, network: &NetworkId, status: Status) -> i64 {
        self.tasks.get(&(network.clone(), status)).copied().unwrap_or(0)
    }

    pub(crate) fn recipients(&self) -> &HashMap<NetworkId, Recipients> {
        &self.recipients
    }

    /// What changes in a recipient's row.
    pub(crate) fn recipient(
        &mut self,
        network: &NetworkId,
        kind: PrincipalKind,
        name: &str,
    ) -> &mut RecipientChange {
        let recipients = match self.recipients.contains_key(network) {
            true => self.recipients.get_mut(network).expect("it is there"),
            false => self.recipients.entry(network.clone()).or_default(),
        };
        recipients.entry((kind, name.to_owned())).or_default()
    }

    pub(crate) fn change_of(
        &self,
        network: &NetworkId,
        recipient: &(PrincipalKind, String),
    ) -> RecipientChange {
        self.recipients.get(network).and_then(|known| known.get(recipient)).copied().unwrap_or_default()
    }

    /// The counts of the minute of a time.
    pub(crate) fn minute(&mut self, network: &NetworkId, at: UnixMillis) -> &mut MinuteCounts {
        self.minutes.entry((network.clone(), minute_of(at))).or_default()
    }

    /// Adds up how many tasks of each status and leases there are more, or fewer.
    pub(crate) fn tally(&self, tally: &mut Tally) {
        self.tasks.iter().for_each(|((_, status), change)| tally.add_tasks(*status, *change));
        let recipients = self.recipients.values().flat_map(HashMap::values);
        tally.leases += recipients.map(|change| change.leases).sum::<i64>();
    }

    /// Adds what was counted elsewhere, later.
    pub(crate) fn take_in(&mut self, later: Self) {
        for (key, change) in later.tasks {
            *self.tasks.entry(key).or_default() += change;
        }
        for (network, recipients) in later.recipients {
            let known = self.recipients.entry(network).or_default();
            for (recipient, change) in recipients {
                let all = known.entry(recipient).or_default();
                all.open += change.open;
                all.leases += change.leases;
                all.newest_frame = change.newest_frame.or(all.newest_frame);
            }
        }
        for (key, counts) in later.minutes {
            self.minutes.entry(key).or_default().add(&counts);
        }
        self.edges.take_in(later.edges);
    }

    /// Forgets a network that is gone.
    pub(crate) fn forget(&mut self, network: &NetworkId) {
        self.minutes.retain(|(counted, _), _| counted != network);
        self.edges.forget(network);
        self.tasks.retain(|(counted, _), _| counted != network);
        self.recipients.remove(network);
    }

    /// Writes everything.
    pub(crate) fn write(&self, connection: &Connection) -> Result<(), Error> {
        let mut task = connection.prepare_cached(
            "INSERT INTO task_counts (network_id, status, count) VALUES (?1, ?2, ?3)
             ON CONFLICT (network_id, status) DO UPDATE SET count = count + excluded.count",
        )?;
        for ((network, status), change) in self.tasks.iter().filter(|(_, change)| **change != 0) {
            task.execute(params![network.as_str(), status.as_str(), change])?;
        }
        let mut recipient = connection.prepare_cached(
            "INSERT INTO inbox_counts (network_id, to_kind, to_name, count, leases, newest_frame)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (network_id, to_kind, to_name) DO UPDATE SET count = count + excluded.count,
                leases = leases + excluded.leases, newest_frame = COALESCE(excluded.newest_frame, newest_frame)",
        )?;
        for (network, recipients) in &self.recipients {
            let changed = recipients.iter().filter(|(_, change)| **change != RecipientChange::default());
            for ((kind, name), change) in changed {
                let RecipientChange { open, leases, newest_frame } = change;
                let row = params![network.as_str(), kind.as_str(), name, open, leases, newest_frame];
                recipient.execute(row)?;
            }
        }
        self.minutes.iter().try_for_each(|((network, minute), counts)| {
            figures::write_minute(connection, network, *minute, counts)
        })?;
        self.edges.write(connection)
    }
}

/// How many tasks and leases there are; looked up once, when the store is opened.
pub(crate) fn there_is(connection: &Connection) -> Result<Tally, Error> {
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
