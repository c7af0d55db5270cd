//! How much an account or a network may have. Every use case that adds something capped asks here, in its transaction;
//! system admins read and change the limits, and an admin of a network how deep its tasks may be handed on.

use baton_core::access::{self, HubAction};
use baton_core::{Action, Caller, NetworkId, Principal, Quota, Refusal, UnixMillis, UserId};
use baton_store::rows::QuotaSubject;
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::{Error, audit, permit};

/// Whose quotas a call is about.
#[derive(Debug, Clone)]
pub enum Subject {
    User(UserId),
    Network(NetworkId),
}

/// The quotas of an account or a network.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quotas {
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
    pub fn user(id: &str) -> Result<Self, Error> {
        Ok(Self::User(UserId::parse(id).ok_or(Refusal::UserNotFound)?))
    }

    /// The network in a path.
    pub fn network(id: &str) -> Result<Self, Error> {
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

impl Quotas {
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
pub(in crate::service) fn admit_to_user(
    rows: &dyn Snapshot,
    user: &UserId,
    quota: Quota,
) -> Result<(), Error> {
    let row = rows.quota(QuotaSubject::User(user), quota)?;
    Ok(quota.admit(row.used, row.max)?)
}

/// Refuses one more of something if the network has reached its quota.
pub(in crate::service) fn admit_to_network(
    rows: &dyn Snapshot,
    network: &NetworkId,
    quota: Quota,
) -> Result<(), Error> {
    let row = rows.quota(QuotaSubject::Network(network), quota)?;
    Ok(quota.admit(row.used, row.max)?)
}

/// Refuses one more task if the network has too many open ones, or the recipient's inbox is full.
pub(in crate::service) fn admit_task(
    rows: &dyn Snapshot,
    network: &NetworkId,
    to: &Principal,
) -> Result<(), Error> {
    let quotas = rows.task_quotas(network, to)?;
    Quota::OpenTasks.admit(quotas.open_tasks.used, quotas.open_tasks.max)?;
    Ok(Quota::Inbox.admit(quotas.inbox.used, quotas.inbox.max)?)
}

/// Refuses one more delivery if the recipient's inbox is full.
pub(in crate::service) fn admit_to_inbox(
    rows: &dyn Snapshot,
    network: &NetworkId,
    to: &Principal,
) -> Result<(), Error> {
    let inbox = rows.task_quotas(network, to)?.inbox;
    Ok(Quota::Inbox.admit(inbox.used, inbox.max)?)
}

/// Makes room for one more login: old logins must not keep users out of their own account, so the least recently used
/// one is revoked.
pub(in crate::service) fn make_room_for_login(
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

/// Shows the quotas of an account or a network, as far as the caller may set them.
pub async fn show(hub: &Hub, caller: &Caller, subject: Subject) -> Result<Quotas, Error> {
    let (shown, asker) = (subject.clone(), caller.clone());
    let (store, artifact_bytes) = (hub.store_for(caller), hub.settings.artifact_quota);
    let show = move |rows: &dyn Snapshot| shown.view(rows, shown.open_to(rows, &asker)?, artifact_bytes);
    Ok(Quotas::new(hub, &subject, store.read(show).await?))
}

/// The new limit of each quota that is named; null for the default.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(as = QuotaChange, example = json!({"networks": 100, "tokens": null}))]
pub struct QuotaChange(pub BTreeMap<String, Option<i64>>);

/// The quotas that change, each with its new limit.
type Changes = Vec<(Quota, Option<i64>)>;

/// Sets how much an account or a network may have, as far as the caller may. What exists already stays, even if it is
/// more.
pub async fn set(hub: &Hub, caller: &Caller, subject: Subject, args: QuotaChange) -> Result<Quotas, Error> {
    let (actor, now) = (permit::account(caller)?.username.clone(), hub.clock.now());
    let (changed, asker) = (subject.clone(), caller.clone());
    let (store, artifact_bytes) = (hub.store_for(caller), hub.settings.artifact_quota);
    let change = move |tx: &mut dyn Transaction| -> Result<_, Error> {
        let open = changed.open_to(tx.as_snapshot(), &asker)?;
        let changes = changes(&changed, open, &args)?;
        let network = match &changed {
            Subject::User(_) => None,
            Subject::Network(network) => Some(network),
        };
        for (quota, max) in &changes {
            tx.set_quota(changed.row(), *quota, *max)?;
            let detail = match max {
                Some(max) => format!("{} at most {max}", quota.as_str()),
                None => format!("{} reset to default", quota.as_str()),
            };
            tx.audit(now, actor.as_str(), audit::QUOTA_SET, network, changed.row().id(), &detail)?;
        }
        Ok((changed.view(tx.as_snapshot(), open, artifact_bytes)?, changes))
    };
    hub.maxima().await?;
    let (quotas, changes) = store.write(change).await?;
    if let Subject::Network(network) = &subject {
        changes.iter().for_each(|(quota, max)| hub.occupancy.set_max(*quota, network, *max));
    }
    Ok(Quotas::new(hub, &subject, quotas))
}

/// The changes, if every name is a quota's that is open to the caller and every number is in range.
fn changes(subject: &Subject, open: &[Quota], args: &QuotaChange) -> Result<Changes, Error> {
    let names = || open.iter().map(|quota| quota.as_str()).collect::<Vec<_>>().join(", ");
    if args.0.is_empty() {
        return Err(Error::argument("quota", format!("must be at least one of {}", names())));
    }
    let mut changes = Vec::new();
    for (name, max) in &args.0 {
        let quota = Quota::parse(name).filter(|quota| subject.quotas().contains(quota));
        let quota = quota.ok_or_else(|| Error::argument(name, format!("must be one of {}", names())))?;
        if !open.contains(&quota) {
            return Err(Refusal::PermissionDenied.into());
        }
        let highest = quota.highest_max();
        if max.is_some_and(|max| !(0..=highest).contains(&max)) {
            return Err(Error::argument(name, format!("must be 0 to {highest}, or null")));
        }
        changes.push((quota, *max));
    }
    Ok(changes)
}
