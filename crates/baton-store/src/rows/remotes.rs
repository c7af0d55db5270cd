//! Remote agents that tasks are handed to over A2A, and the tasks that are out.

use baton_core::{Alias, LeaseId, MessageId, NetworkId, TaskId, TokenId, UnixMillis};
use std::fmt;

use crate::error::Error;
use crate::rows::page::{Page, PageBounds, ROW_BYTES, Weight, text_bytes};

/// A bearer token the hub shows a remote agent; prints redacted.
#[derive(Clone, PartialEq, Eq)]
pub struct RemoteCredential(pub String);

impl fmt::Debug for RemoteCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// A remote agent under an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRow {
    /// In this network.
    pub network_id: NetworkId,
    /// Under this alias.
    pub alias: Alias,
    /// Where its card is.
    pub card_url: String,
    /// What it is shown.
    pub credential: Option<RemoteCredential>,
    /// The token that the hub uses for the alias.
    pub token_id: TokenId,
    /// Who registered it.
    pub created_by: String,
    /// When.
    pub created_at: UnixMillis,
    /// The thumbprint of the key that has to have signed its card; none if the card is not signed.
    pub pinned_key: Option<String>,
    /// The code of the error that its card was refused with when it was last read, if it was.
    pub card_error: Option<String>,
}

impl Weight for RemoteRow {
    fn weight(&self) -> usize {
        let names = text_bytes(self.alias.as_str()) + text_bytes(&self.created_by);
        let card = [&self.pinned_key, &self.card_error].into_iter().flatten();
        ROW_BYTES + names + text_bytes(&self.card_url) + card.map(|text| text_bytes(text)).sum::<usize>()
    }
}

/// A task that is out: one remote task. A task that was given to somebody else, or given back, has several for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTaskRow {
    /// The remote task; also what its first message is called there.
    pub errand_id: MessageId,
    /// The task.
    pub task_id: TaskId,
    /// Its network.
    pub network_id: NetworkId,
    /// The alias it was given to.
    pub alias: Alias,
    /// The lease the hub works on it under.
    pub lease_id: Option<LeaseId>,
    /// What it is called there; none as long as it is not known to have arrived.
    pub remote_task_id: Option<String>,
    /// The conversation it belongs to there.
    pub remote_context_id: Option<String>,
    /// Its last question that was passed back to the sender.
    pub asked: Option<String>,
    /// The number of the last message on it that was passed on.
    pub passed_on: i64,
    /// The message that is all it was answered; only its end is still to be written.
    pub answer: Option<String>,
    /// How often its text was sent, may have arrived, and was not answered.
    pub unanswered: u32,
    /// When it went out.
    pub began_at: UnixMillis,
    /// Nobody works on it again; it is only to be cancelled there.
    pub is_called_off: bool,
}

/// Reads of remote agents.
pub trait RemoteReads {
    /// One of them.
    fn remote(&self, network: &NetworkId, alias: &Alias) -> Result<Option<RemoteRow>, Error>;
    /// A page of those of a network, by alias, after one.
    fn remotes(
        &self,
        network: &NetworkId,
        after: Option<&Alias>,
        bounds: PageBounds,
    ) -> Result<Page<RemoteRow, Alias>, Error>;
    /// All of them.
    fn all_remotes(&self) -> Result<Vec<RemoteRow>, Error>;
    /// A remote task.
    fn remote_task(&self, errand: &MessageId) -> Result<Option<RemoteTaskRow>, Error>;
    /// The remote task a task is out on at one of them, if it was not cancelled.
    fn remote_task_at(&self, task: &TaskId, alias: &Alias) -> Result<Option<RemoteTaskRow>, Error>;
    /// The remote tasks that are out at one, also those cancelled.
    fn remote_tasks(&self, network: &NetworkId, alias: &Alias) -> Result<Vec<RemoteTaskRow>, Error>;
}

/// Writes of remote agents.
pub trait RemoteWrites {
    /// Registers one.
    fn insert_remote(&mut self, remote: &RemoteRow) -> Result<(), Error>;
    /// Notes the key that has to sign the card of one from now on, and why the card was refused when it was last read;
    /// false if there is no such agent.
    fn note_remote_card(
        &mut self,
        network: &NetworkId,
        alias: &Alias,
        pinned_key: Option<&str>,
        card_error: Option<&str>,
    ) -> Result<bool, Error>;
    /// Removes one, and what it had out; false if there was none.
    fn delete_remote(&mut self, network: &NetworkId, alias: &Alias) -> Result<bool, Error>;
    /// A task goes out.
    fn insert_remote_task(&mut self, task: &RemoteTaskRow) -> Result<(), Error>;
    /// Says under which lease a remote task is worked on, if any; false if it is gone.
    fn lease_remote_task(&mut self, errand: &MessageId, lease: Option<&LeaseId>) -> Result<bool, Error>;
    /// Notes where a remote task stands there: what it is called, what was asked, answered and passed on, and
    /// what was not answered. Its lease and whether it was cancelled stay; false if it is gone.
    fn note_remote_task(&mut self, task: &RemoteTaskRow) -> Result<bool, Error>;
    /// Calls a remote task off: from now on it is only to be cancelled there.
    fn call_off_remote_task(&mut self, errand: &MessageId) -> Result<(), Error>;
    /// A remote task is over.
    fn delete_remote_task(&mut self, errand: &MessageId) -> Result<(), Error>;
}
