//! The bell: what a commit leaves for those who wait. It says that a network's rows have moved on; whoever listens reads
//! the rows after the last it has. It carries no data, may ring more often than needed, and works across hubs.

use baton_core::{NetworkId, Principal, Status, TaskId};
use std::sync::Arc;

/// Why listeners should look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// These networks have moved on.
    Moved(Vec<Moved>),
    /// Another hub has a frame for everybody who listens to a network; it is not stored.
    Transient {
        /// The network.
        network_id: NetworkId,
        /// The frame.
        body: String,
    },
    /// Anything may have changed: what other hubs announced was not received for a while.
    Anything,
}

/// A network that a commit changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The network.
    pub network_id: NetworkId,
    /// Which hub committed it.
    pub by: CommittedBy,
    /// What changed, so that only those concerned look; none if it is not known.
    pub changes: Option<Changes>,
}

/// Which hub committed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommittedBy {
    /// This one.
    ThisHub,
    /// Another one on the same database.
    AnotherHub,
}

/// What a commit changed in one network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Recipients that have something new to read.
    pub recipients: Vec<Principal>,
    /// Tasks whose history or conversation went on.
    pub tasks: Vec<ChangedTask>,
    /// How its log has grown.
    pub log: Option<GrownLog>,
}

/// A task whose history or conversation went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedTask {
    /// The task.
    pub task_id: TaskId,
    /// The status it had before; none when it is new.
    pub from: Option<Status>,
    /// The status it has from now on; none when something was only said on it.
    pub status: Option<Status>,
}

/// How a log has grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrownLog {
    /// How many events it has now.
    pub size: u64,
    /// How many of them are new.
    pub gained: u64,
}

/// A recipient who has something new to read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ring {
    /// In this network.
    pub network_id: NetworkId,
    /// The recipient.
    pub to: Principal,
}

/// What is done with hints.
pub type Bell = Arc<dyn Fn(Hint) + Send + Sync>;

impl Changes {
    /// Whether nobody is concerned.
    pub fn is_empty(&self) -> bool {
        self.recipients.is_empty() && self.tasks.is_empty() && self.log.is_none()
    }

    /// Adds what another use case of the same commit changed.
    pub(crate) fn add(&mut self, other: Self) {
        for recipient in other.recipients {
            self.add_recipient(recipient);
        }
        self.tasks.extend(other.tasks);
        if let Some(log) = other.log {
            self.add_growth(log);
        }
    }

    pub(crate) fn add_recipient(&mut self, recipient: Principal) {
        if !self.recipients.contains(&recipient) {
            self.recipients.push(recipient);
        }
    }

    pub(crate) fn add_growth(&mut self, newer: GrownLog) {
        let gained = self.log.map_or(0, |log| log.gained);
        self.log = Some(GrownLog { size: newer.size, gained: gained + newer.gained });
    }
}

/// What a batch has changed so far, by network.
#[derive(Debug, Default)]
pub(crate) struct ChangesByNetwork(Vec<(NetworkId, Changes)>);

impl ChangesByNetwork {
    /// Those of one network.
    pub(crate) fn of(&mut self, network: &NetworkId) -> &mut Changes {
        let found = self.0.iter().rposition(|(known, _)| known == network);
        let at = found.unwrap_or_else(|| {
            self.0.push((network.clone(), Changes::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (network, changes) in other.0 {
            self.of(&network).add(changes);
        }
    }

    /// Forgets how a log has grown that is gone.
    pub(crate) fn forget_log(&mut self, network: &NetworkId) {
        if let Some((_, changes)) = self.0.iter_mut().find(|(known, _)| known == network) {
            changes.log = None;
        }
    }

    /// Whether nobody is concerned.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, changes)| changes.is_empty())
    }

    /// Every task that changed.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &ChangedTask> {
        self.0.iter().flat_map(|(_, changes)| &changes.tasks)
    }

    /// The hint of a commit of this hub.
    pub(crate) fn into_moved(self) -> Vec<Moved> {
        let moved = |(network_id, changes): (_, Changes)| Moved {
            network_id,
            by: CommittedBy::ThisHub,
            changes: Some(changes),
        };
        self.0.into_iter().map(moved).collect()
    }
}
