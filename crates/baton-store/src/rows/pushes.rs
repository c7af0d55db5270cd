//! Push receivers of a task's events: their addresses and credentials, and how far each has been notified.

use baton_core::{NetworkId, Principal, TaskId, TokenId, UnixMillis, UserId};
use std::fmt;

use super::EventRow;
use crate::error::Error;

/// What a receiver is shown; prints redacted.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PushSecrets {
    /// The token by which it knows the sender.
    pub token: Option<String>,
    /// The scheme of its `Authorization`.
    pub scheme: Option<String>,
    /// The credentials of its `Authorization`.
    pub credentials: Option<String>,
}

impl fmt::Debug for PushSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// A receiver of one task's events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConfigRow {
    /// The task.
    pub task_id: TaskId,
    /// Its name within the task.
    pub config_id: String,
    /// The task's network.
    pub network_id: NetworkId,
    /// Who made it.
    pub owner: Principal,
    /// On whose membership it stands.
    pub user_id: UserId,
    /// The node token it was made with.
    pub token_id: Option<TokenId>,
    /// Where to.
    pub url: String,
    /// What it is shown.
    pub secrets: PushSecrets,
    /// When it was made.
    pub created_at: UnixMillis,
    /// The number of the last event it was notified of.
    pub delivered: i64,
    /// How it went recently.
    pub trouble: PushFailures,
    /// Whether it receives more events.
    pub is_open: bool,
}

/// How often and since when a receiver has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushFailures {
    /// Failures since the last success.
    pub failures: u32,
    /// When the first of them was.
    pub failing_since: Option<UnixMillis>,
    /// When it is tried again.
    pub next_at: Option<UnixMillis>,
}

/// Reads of receivers.
pub trait PushReads {
    /// One receiver of a task.
    fn push_config(&self, task: &TaskId, config_id: &str) -> Result<Option<PushConfigRow>, Error>;
    /// All receivers of a task, by name.
    fn push_configs(&self, task: &TaskId) -> Result<Vec<PushConfigRow>, Error>;
    /// Tasks with receivers that still receive events, in the order of their ids after this one; at most this many.
    fn tasks_with_open_pushes(&self, after: &str, limit: usize) -> Result<Vec<TaskId>, Error>;
    /// The first network after this one, in the order of their ids, with receivers that failed and are to be tried
    /// again.
    fn network_with_failing_pushes(&self, after: &str) -> Result<Option<NetworkId>, Error>;
    /// Receivers of a network whose next try is due, oldest first, after this one in that order.
    fn due_pushes(
        &self,
        network: &NetworkId,
        now: UnixMillis,
        after: Option<&PushConfigRow>,
        limit: usize,
    ) -> Result<Vec<PushConfigRow>, Error>;
    /// The event of a task that follows this number.
    fn event_after(&self, task: &TaskId, n: i64) -> Result<Option<EventRow>, Error>;
}

/// Writes of receivers.
pub trait PushWrites {
    /// Puts a receiver in the place of one of the same name, if there is one.
    fn put_push_config(&mut self, config: &PushConfigRow) -> Result<(), Error>;
    /// Removes a receiver; false if there was none.
    fn delete_push_config(&mut self, task: &TaskId, config_id: &str) -> Result<bool, Error>;
    /// Records how far a receiver has been notified, how it went, and whether there is more to come; with nothing to
    /// come its token and credentials are forgotten. A receiver that was removed, or recreated since `created_at`,
    /// is left alone.
    fn note_push(
        &mut self,
        config: &PushConfigRow,
        delivered: i64,
        trouble: PushFailures,
        is_open: bool,
    ) -> Result<(), Error>;
}
