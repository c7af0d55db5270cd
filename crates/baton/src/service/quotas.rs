//! How much an account or a network may have. Every use case that adds something capped asks here, in its transaction;
//! system admins read and change the limits, and an admin of a network how deep its tasks may be handed on.

pub(crate) mod set;
pub(crate) mod show;

use baton_core::access::{self, HubAction};
use baton_core::{Action, Caller, NetworkId, Principal, Quota, Refusal, UnixMillis, UserId};
use baton_store::rows::QuotaSubject;
use baton_store::{Snapshot, Transaction};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Error, audit, permit};
use crate::hub::Hub;

/// Whose quotas a call is about.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    User(UserId),
    Network(NetworkId),
}

/// The quotas of an account or a network.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Quotas)]
pub(crate) struct Answer {
    ok: bool,
    quotas: Vec<QuotaView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Quota)]
struct QuotaView {
    quota: &'static str,
    /// How many there are; null for `inbox`, which each recipient has its own of, and for `delegation_depth`.
    used: Option<i64>,
    limit: i64,
    default_limit: i64,
}

impl Subject {
    /// The account in a path.
    pub(crate) fn user(id: &str) -> Result<Self, Error> {
        Ok(Self::User(UserId::parse(id).ok_or(Refusal::UserNotFound)?))
    }

    /// The network in a path.
    pub(crate) fn network(id: &str) -> Result<Self, Error> {
        Ok(Self::Network(permit::network_id(id)?))
    }

    fn row(&self) -> QuotaSubject<'_> {
        match self {
            Self::User(user) => QuotaSubject::User(user),
            Self::Network(network) => QuotaSubject::Network(network),
        }
    }

    fn quotas(&self) -> &'static [Quota] {
        match self {
            Self::User(_) => &Quota::OF_USER,
            Self::Network(_) => &Quota::OF_NETWORK,
        }
    }

    /// The quotas that a caller may see and set: a system admin all, an admin of a network how deep its tasks may be handed on.
    fn open_to(&self, rows: &dyn Snapshot, caller: &Caller) -> Result<&'static [Quota], Error> {
        match (access::authorize_on_hub(caller, HubAction::ManageQuotas), self) {
            (Ok(()), _) => {
                self.check(rows)?;
                Ok(self.quotas())
            }
            (Err(refusal), Self::User(_)) => Err(refusal.into()),
            (Err(_), Self::Network(network)) => {
                permit::network(rows, caller, network, Action::ManageDelegation)?;
                Ok(&[Quota::DelegationDepth])
            }
        }
    }

    /// Whether there is such an account or network.
    fn check(&self, rows: &dyn Snapshot) -> Result<(), Error> {
        match self {
            Self::User(user) => rows.user(user)?.map(drop).ok_or(Refusal::UserNotFound.into()),
            Self::Network(network) => rows.network(network)?.map(drop).ok_or(Refusal::NetworkNotFound.into()),
        }
    }

    fn view(
        &self,
        rows: &dyn Snapshot,
        quotas: &[Quota],
        artifact_bytes: i64,
    ) -> Result<Vec<QuotaView>, Error> {
        let view = |quota: &Quota| {
            let row = rows.quota(self.row(), *quota)?;
            let default_limit = match quota {
                Quota::ArtifactBytes => artifact_bytes,
                quota => quota.default_max(),
            };
            Ok(QuotaView {
                quota: quota.as_str(),
                used: quota.is_counted().then_some(row.used),
                limit: row.max.unwrap_or(default_limit),
                default_limit,
            })
        };
        quotas.iter().map(view).collect()
    }
}

impl Answer {
    /// With what is counted in memory filled in.
    fn new(hub: &Hub, subject: &Subject, mut quotas: Vec<QuotaView>) -> Self {
        if let Subject::Network(network) = subject {
            for view in &mut quotas {
                let quota = Quota::parse(view.quota);
                view.used = quota.and_then(|quota| hub.occupancy.count(quota, network)).or(view.used);
            }
        }
        Self { ok: true, quotas }
    }
}

/// Refuses one more of something if the account has reached its quota.
pub(super) fn admit_to_user(rows: &dyn Snapshot, user: &UserId, quota: Quota) -> Result<(), Error> {
    let row = rows.quota(QuotaSubject::User(user), quota)?;
    Ok(quota.admit(row.used, row.max)?)
}

/// Refuses one more of something if the network has reached its quota.
pub(super) fn admit_to_network(rows: &dyn Snapshot, network: &NetworkId, quota: Quota) -> Result<(), Error> {
    let row = rows.quota(QuotaSubject::Network(network), quota)?;
    Ok(quota.admit(row.used, row.max)?)
}

/// Refuses one more task if the network has too many open ones, or the recipient's inbox is full.
pub(super) fn admit_task(rows: &dyn Snapshot, network: &NetworkId, to: &Principal) -> Result<(), Error> {
    let quotas = rows.task_quotas(network, to)?;
    Quota::OpenTasks.admit(quotas.open_tasks.used, quotas.open_tasks.max)?;
    Ok(Quota::Inbox.admit(quotas.inbox.used, quotas.inbox.max)?)
}

/// Refuses one more delivery if the recipient's inbox is full.
pub(super) fn admit_to_inbox(rows: &dyn Snapshot, network: &NetworkId, to: &Principal) -> Result<(), Error> {
    let inbox = rows.task_quotas(network, to)?.inbox;
    Ok(Quota::Inbox.admit(inbox.used, inbox.max)?)
}

/// Makes room for one more login: old logins must not keep users out of their own account, so the least recently used
/// one is revoked.
pub(super) fn make_room_for_login(
    tx: &mut dyn Transaction,
    user: &UserId,
    actor: &str,
    now: UnixMillis,
) -> Result<(), Error> {
    let row = tx.quota(QuotaSubject::User(user), Quota::Tokens)?;
    if Quota::Tokens.admit(row.used, row.max).is_ok() {
        return Ok(());
    }
    if let Some(oldest) = tx.oldest_login(user)? {
        tx.delete_user_token(&oldest.token_id)?;
        let id = oldest.token_id.as_str();
        tx.audit(now, actor, audit::TOKEN_EXPIRED, None, id, "a newer login took its place")?;
        tx.touch_access();
    }
    Ok(())
}
