//! How much an account or a network has, and how much it may have where that is not the default.

use baton_core::{NetworkId, Principal, Quota, UserId};

use crate::error::Error;

/// Whose quota it is.
#[derive(Clone, Copy, Debug)]
pub enum QuotaSubject<'a> {
    /// An account.
    User(&'a UserId),
    /// A network.
    Network(&'a NetworkId),
}

impl QuotaSubject<'_> {
    /// The id; those of users and networks are never alike.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::User(user) => user.as_str(),
            Self::Network(network) => network.as_str(),
        }
    }
}

/// A quota as it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaRow {
    /// How many there are, if that is counted in the database.
    pub used: i64,
    /// How many there may be; none for the default.
    pub max: Option<i64>,
}

/// What one more task counts towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskQuotas {
    /// Open tasks of the network.
    pub open_tasks: QuotaRow,
    /// Open deliveries of the recipient.
    pub inbox: QuotaRow,
}

/// Reads of quotas.
pub trait QuotaReads {
    /// How much of a quota is used. Inboxes have one each, which is read with `inbox_count`.
    fn quota(&self, subject: QuotaSubject<'_>, quota: Quota) -> Result<QuotaRow, Error>;
    /// The use of the quotas that one more task for a recipient counts towards: open tasks, and the recipient's inbox.
    fn task_quotas(&self, network: &NetworkId, to: &Principal) -> Result<TaskQuotas, Error>;
    /// How many tasks a chain of parents may have in a network, where it is set.
    fn delegation_depth(&self, network: &NetworkId) -> Result<Option<i64>, Error>;
    /// The networks for which a quota is not the default.
    fn set_quotas(&self, quota: Quota) -> Result<Vec<(NetworkId, i64)>, Error>;
}

/// Writes of quotas.
pub trait QuotaWrites {
    /// Sets how many there may be; none for the default.
    fn set_quota(&mut self, subject: QuotaSubject<'_>, quota: Quota, max: Option<i64>) -> Result<(), Error>;
}
