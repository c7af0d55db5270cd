//! A receiver as a caller gives it: checked, then written in the transaction of what it came with. The same id again, by
//! whoever made it, puts the new one in its place, which continues where the other was.

use baton_core::{Caller, NetworkId, Quota, TaskId, limits};
use baton_store::Share;
use baton_store::Transaction;
use baton_store::rows::{PushConfigRow, PushFailures, PushSecrets};
use std::fmt;

use super::MayNotify;
use crate::hub::Hub;
use crate::service::Error;
use crate::service::accounts::quotas;
use crate::service::stamp::Stamp;

/// A receiver as a caller gives it.
#[derive(Clone, Default)]
pub struct NewPush {
    pub config_id: Option<String>,
    pub url: String,
    pub token: Option<String>,
    pub scheme: Option<String>,
    pub credentials: Option<String>,
}

/// Which events it is notified of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Those to come.
    Now,
    /// All of the task: it came with the message that made it.
    TheBeginning,
}

/// A receiver that was looked at and may be called.
#[derive(Clone)]
pub struct CheckedPush(NewPush);

/// It holds what only the receiver is shown.
impl fmt::Debug for CheckedPush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CheckedPush(…)")
    }
}

impl NewPush {
    /// Checks a receiver before anything is done: a send that brings one that cannot be called sends nothing. This
    /// looks names up, so the caller must be known to be allowed to.
    pub async fn check(self, hub: &Hub, network: &NetworkId) -> Result<CheckedPush, Error> {
        for (field, text) in [
            ("id", &self.config_id),
            ("token", &self.token),
            ("authentication.scheme", &self.scheme),
            ("authentication.credentials", &self.credentials),
        ] {
            check_field(field, text.as_deref())?;
        }
        let refused = |error: crate::outbound::Error| Error::argument("url", error.to_string());
        let target = hub.outbound.target(&self.url).map_err(refused)?;
        hub.outbound.for_network(network).look_up(&target).await.map_err(refused)?;
        Ok(CheckedPush(self))
    }
}

/// These become headers: printable, and no longer than a header may be.
fn check_field(field: &str, text: Option<&str>) -> Result<(), Error> {
    let Some(text) = text else { return Ok(()) };
    if text.chars().count() > limits::PUSH_FIELD_MAX_CHARS {
        return Err(Error::argument(field, format!("takes {} characters", limits::PUSH_FIELD_MAX_CHARS)));
    }
    if text.is_empty() || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(Error::argument(field, "must be of printable ASCII characters"));
    }
    Ok(())
}

/// Creates a receiver, in the transaction of the send or message that brought it.
pub(in crate::service) fn attach(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    by: MayNotify<'_>,
    push: &CheckedPush,
    since: Since,
) -> Result<PushConfigRow, Error> {
    let MayNotify { caller, network_id, task_id } = by;
    let told = match since {
        Since::Now => tx.last_event(&task_id)?.map_or(0, |event| event.n),
        Since::TheBeginning => 0,
    };
    let CheckedPush(push) = push.clone();
    let config_id = push.config_id.unwrap_or_else(|| stamp.new_push_id.as_str().to_owned());
    // Clients bring the same one with every message: it still receives what it has not received yet.
    let same = super::own(tx.as_snapshot(), caller, &task_id, &config_id)?;
    let told = same.filter(|same| same.is_open).map_or(told, |same| same.delivered);
    let row = PushConfigRow {
        task_id,
        config_id,
        network_id,
        owner: caller.principal()?,
        user_id: caller.user_id().clone(),
        token_id: match caller {
            Caller::Node(node) => Some(node.token_id.clone()),
            Caller::User(_) => None,
        },
        url: push.url,
        secrets: PushSecrets { token: push.token, scheme: push.scheme, credentials: push.credentials },
        created_at: tx.time().now,
        delivered: told,
        trouble: PushFailures::default(),
        is_open: true,
    };
    put(tx, &row)?;
    Ok(row)
}

/// Writes what may give a task a receiver, and has the worker look at that task; also when the caller hangs up
/// meanwhile, because what is committed must be sent.
pub(in crate::service) async fn write<T: Send + 'static>(
    hub: &Hub,
    caller: &Caller,
    task: TaskId,
    closure: impl Fn(&mut dyn Transaction) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (store, share, bells) = (hub.store.clone(), Share::of(caller), hub.bells.clone());
    let writing = tokio::spawn(async move {
        let written = store.of(share).write(closure).await;
        bells.pushes.watch(&task);
        written
    });
    writing.await.unwrap_or_else(|error| match error.is_cancelled() {
        true => Err(baton_store::Error::Unknown("the hub is stopping".into()).into()),
        false => Err(baton_store::Error::Panicked(error.to_string()).into()),
    })
}

fn put(tx: &mut dyn Transaction, row: &PushConfigRow) -> Result<(), Error> {
    let others = tx.push_configs(&row.task_id)?;
    let same = others.iter().find(|other| other.config_id == row.config_id);
    match same {
        Some(same) if same.owner != row.owner => return Err(Error::argument("id", "is taken")),
        None if others.len() >= limits::PUSH_CONFIGS_PER_TASK_MAX_COUNT => {
            let rule = format!("has its {} receivers already", limits::PUSH_CONFIGS_PER_TASK_MAX_COUNT);
            return Err(Error::argument("task", rule));
        }
        Some(same) if same.is_open => {}
        _ => quotas::admit_to_network(tx.as_snapshot(), &row.network_id, Quota::PushConfigs)?,
    }
    Ok(tx.put_push_config(row)?)
}
