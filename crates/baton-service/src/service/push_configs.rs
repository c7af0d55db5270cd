//! Receivers of a task's events, which A2A calls push notification configs: who may have one, and what is shown of
//! it. Its credentials are for the hub's use and are never shown again. Telling them is the worker's (`worker/push`).

pub mod receiver;

use baton_core::{Caller, NetworkId, NodeCaller, Refusal, TaskAction, TaskId, UserCaller};
use baton_store::Snapshot;
use baton_store::rows::{PushConfigRow, TokenRow};

use self::receiver::{NewPush, Since};
use super::Error;
use super::permit::{self, Permitted};
use super::stamp::Stamp;
use crate::hub::Hub;

/// A receiver as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushView {
    pub task_id: TaskId,
    pub config_id: String,
    pub url: String,
    /// How it is shown who calls, without what it is shown.
    pub scheme: Option<String>,
}

impl From<PushConfigRow> for PushView {
    fn from(row: PushConfigRow) -> Self {
        let PushConfigRow { task_id, config_id, url, secrets, .. } = row;
        Self { task_id, config_id, url, scheme: secrets.scheme }
    }
}

/// A caller that may register push receivers for a task: only a permission for that, or for more, makes one.
#[derive(Debug)]
pub struct MayNotify<'a> {
    caller: &'a Caller,
    network_id: NetworkId,
    task_id: TaskId,
}

impl<'a> MayNotify<'a> {
    /// A caller that may send a task, or answer its agent, may receive its events (core:
    /// `whoever_may_send_a_task_or_answer_its_agent_may_be_told_of_it`).
    pub(super) fn as_sender(permitted: &Permitted<'a>, task: &TaskId) -> Self {
        let (caller, network_id) = (permitted.caller(), permitted.network().clone());
        Self { caller, network_id, task_id: task.clone() }
    }

    fn ask(rows: &dyn Snapshot, caller: &'a Caller, task: &TaskId) -> Result<Self, Error> {
        let permitted = permit::on_task(rows, caller, task, TaskAction::Notify)?;
        Ok(Self { caller, network_id: permitted.into_network(), task_id: task.clone() })
    }
}

/// Makes a receiver of the events to come.
pub async fn create(hub: &Hub, caller: &Caller, task: &str, push: NewPush) -> Result<PushView, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let (asker, about) = (caller.clone(), task.clone());
    // Who may not gets that error before any name is looked up.
    let look = move |rows: &dyn Snapshot| Ok::<_, Error>(MayNotify::ask(rows, &asker, &about)?.network_id);
    let network = hub.store_for(caller).read(look).await?;
    let push = push.check(hub, &network).await?;
    let (stamp, asker, about) = (Stamp::new(hub), caller.clone(), task.clone());
    let made = receiver::write(hub, caller, task, move |tx| {
        let may_notify = MayNotify::ask(tx.as_snapshot(), &asker, &about)?;
        receiver::attach(tx, &stamp, may_notify, &push, Since::Now)
    });
    Ok(made.await?.into())
}

/// Shows one receiver of the caller's own.
pub async fn get(hub: &Hub, caller: &Caller, task: &str, config_id: &str) -> Result<PushView, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let (caller, config_id) = (caller.clone(), config_id.to_owned());
    let found = hub.store_for(&caller).read(move |rows| -> Result<_, Error> {
        permit::on_task(rows, &caller, &task, TaskAction::Read)?;
        own(rows, &caller, &task, &config_id)
    });
    Ok(found.await?.ok_or(Refusal::TaskNotFound)?.into())
}

/// Lists the caller's own receivers of a task; a task has few.
pub async fn list(hub: &Hub, caller: &Caller, task: &str) -> Result<Vec<PushView>, Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let caller = caller.clone();
    let found = hub.store_for(&caller).read(move |rows| -> Result<_, Error> {
        permit::on_task(rows, &caller, &task, TaskAction::Read)?;
        let owner = caller.principal()?;
        let mut configs = rows.push_configs(&task)?;
        configs.retain(|config| config.owner == owner);
        Ok(configs)
    });
    Ok(found.await?.into_iter().map(PushView::from).collect())
}

/// Removes a receiver of the caller's own. One that is not there, or not the caller's, is gone already.
pub async fn delete(hub: &Hub, caller: &Caller, task: &str, config_id: &str) -> Result<(), Error> {
    let task = TaskId::parse(task).ok_or(Refusal::TaskNotFound)?;
    let (caller, config_id) = (caller.clone(), config_id.to_owned());
    hub.store_for(&caller)
        .write(move |tx| -> Result<_, Error> {
            permit::on_task(tx.as_snapshot(), &caller, &task, TaskAction::Notify)?;
            if own(tx.as_snapshot(), &caller, &task, &config_id)?.is_some() {
                tx.delete_push_config(&task, &config_id)?;
            }
            Ok(())
        })
        .await
}

/// A receiver of the caller's own. Those of others look the same as none.
fn own(
    rows: &dyn Snapshot,
    caller: &Caller,
    task: &TaskId,
    config_id: &str,
) -> Result<Option<PushConfigRow>, Error> {
    let owner = caller.principal()?;
    Ok(rows.push_config(task, config_id)?.filter(|config| config.owner == owner))
}

/// Whether the creator of a receiver could create it today: a member who left, or only reads now, receives nothing more.
pub fn may_still_be_told(rows: &dyn Snapshot, config: &PushConfigRow) -> Result<bool, Error> {
    let Some(caller) = maker(rows, config)? else { return Ok(false) };
    match permit::on_task(rows, &caller, &config.task_id, TaskAction::Notify) {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

fn maker(rows: &dyn Snapshot, config: &PushConfigRow) -> Result<Option<Caller>, Error> {
    let Some(token_id) = &config.token_id else {
        let user = rows.user(&config.user_id)?;
        return Ok(user.map(|user| {
            Caller::User(UserCaller {
                user_id: user.user_id,
                username: user.username,
                system_role: user.role,
                token_id: None,
            })
        }));
    };
    Ok(rows.token(token_id)?.and_then(node_caller))
}

/// A node token's caller.
pub fn node_caller(token: TokenRow) -> Option<Caller> {
    let TokenRow { token_id, user_id, network_id, alias, scope, .. } = token;
    Some(Caller::Node(NodeCaller { token_id, user_id, network_id: network_id?, alias, scope }))
}
