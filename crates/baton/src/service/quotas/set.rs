//! Sets how much an account or a network may have, as far as the caller may. What exists already stays, even if it is more.

use baton_core::{Caller, Quota, Refusal};
use baton_store::Transaction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

use super::{Answer, Subject};
use crate::hub::Hub;
use crate::service::{Error, audit, permit};

/// The new limit of each quota that is named; null for the default.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(as = QuotaChange, example = json!({"networks": 100, "tokens": null}))]
pub(crate) struct Args(pub(crate) BTreeMap<String, Option<i64>>);

/// The quotas that change, each with its new limit.
type Changes = Vec<(Quota, Option<i64>)>;

pub(crate) async fn run(hub: &Hub, caller: &Caller, subject: Subject, args: Args) -> Result<Answer, Error> {
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
    Ok(Answer::new(hub, &subject, quotas))
}

/// The changes, if every name is a quota's that is open to the caller and every number is in range.
fn changes(subject: &Subject, open: &[Quota], args: &Args) -> Result<Changes, Error> {
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
