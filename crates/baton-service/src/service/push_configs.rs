//! Receivers of a task's events, which A2A calls push notification configs: who may have one, and what is shown of
//! it. Its credentials are for the hub's use and are never shown again. Telling them is the worker's (`worker/push`).

pub mod create;
pub mod delete;
pub mod get;
pub mod list;

use baton_core::{Action, Caller, NodeCaller, Refusal, TaskAction, TaskId, TaskSnapshot, UserCaller, access};
use baton_store::Snapshot;
use baton_store::rows::{PushConfigRow, TokenRow};

use super::Error;
use super::place::{self, Stand};
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

/// The task, if the caller may do all of this to it.
fn task(
    rows: &dyn Snapshot,
    caller: &Caller,
    task: &TaskId,
    actions: &[TaskAction],
) -> Result<TaskSnapshot, Error> {
    let Stand { network, role } = place::of_task(rows, caller, task)?;
    let task = rows.task_snapshot(task)?.ok_or(Refusal::TaskNotFound)?;
    for action in actions {
        let action = Action::Task { action: *action, parties: Some(task.parties()) };
        access::authorize(caller, &network, role, action)?;
    }
    Ok(task)
}

/// Whether the caller may do all of this to a task, asked before anything is looked up outside for it.
pub async fn check_may(
    hub: &Hub,
    caller: &Caller,
    id: &TaskId,
    actions: &'static [TaskAction],
) -> Result<(), Error> {
    let (asker, id) = (caller.clone(), id.clone());
    hub.store_for(caller).read(move |rows| task(rows, &asker, &id, actions).map(drop)).await
}

/// A receiver of the caller's own. Others' are not told apart from none.
fn own(
    rows: &dyn Snapshot,
    caller: &Caller,
    task: &TaskId,
    config_id: &str,
) -> Result<Option<PushConfigRow>, Error> {
    let owner = caller.principal()?;
    Ok(rows.push_config(task, config_id)?.filter(|config| config.owner == owner))
}

/// Whether whoever made a receiver might make it today: a member who left, or only reads now, is told nothing more.
pub fn may_still_be_told(rows: &dyn Snapshot, config: &PushConfigRow) -> Result<bool, Error> {
    let Some(caller) = maker(rows, config)? else { return Ok(false) };
    match task(rows, &caller, &config.task_id, &[TaskAction::Notify]) {
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
