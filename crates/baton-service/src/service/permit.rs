//! May this caller? The questions of `baton_core::access`, asked inside the transaction that acts on the answer.

use baton_core::access::{self, HubAction, TaskReach};
use baton_core::{Action, Caller, NetworkId, NetworkRole, Refusal, TaskAction, TaskId, UserCaller};
use baton_store::Snapshot;

use super::Error;
use super::network_ref::{self, NetworkAccess};

/// A caller who may do in a network what it asked for. Only a yes of `baton_core::access` makes one, so whatever takes one
/// need not ask again.
#[derive(Debug, Clone)]
pub(crate) struct Permitted<'a> {
    caller: &'a Caller,
    access: NetworkAccess,
}

impl<'a> Permitted<'a> {
    /// Asks.
    pub(crate) fn ask(
        caller: &'a Caller,
        access: NetworkAccess,
        action: Action<'_>,
    ) -> Result<Self, Refusal> {
        access::authorize(caller, &access.network, access.role, action)?;
        Ok(Self { caller, access })
    }

    pub(crate) fn caller(&self) -> &'a Caller {
        self.caller
    }

    pub(crate) fn network(&self) -> &NetworkId {
        &self.access.network
    }

    pub(crate) fn into_network(self) -> NetworkId {
        self.access.network
    }

    /// Which tasks and artifacts of the network the caller sees.
    pub(crate) fn reach(&self) -> Result<TaskReach, Refusal> {
        access::reach_of(self.caller)
    }

    /// Whether a system admin looks into a network of others, which is to be recorded.
    pub(crate) fn is_audited(&self) -> bool {
        access::is_audited(self.caller, self.access.role)
    }
}

/// Whether the token of a caller that has waited still opens what it opened, under the same alias.
pub(super) fn token_stands(rows: &dyn Snapshot, caller: &Caller) -> Result<(), Error> {
    // Without one the hub asks on the user's behalf.
    let Some(id) = caller.token_id() else { return Ok(()) };
    let token = rows.token(id)?.ok_or(Refusal::Unauthorized)?;
    match caller {
        Caller::Node(node) if token.alias != node.alias => Err(Refusal::Unauthorized.into()),
        Caller::Node(_) | Caller::User(_) => Ok(()),
    }
}

/// The person who calls about their own account; node tokens are turned away.
pub(super) fn account(caller: &Caller) -> Result<&UserCaller, Refusal> {
    access::authorize_on_hub(caller, HubAction::ManageOwnAccount)?;
    match caller {
        Caller::User(user) => Ok(user),
        Caller::Node(_) => Err(Refusal::UserTokenRequired),
    }
}

/// Whether the caller may do this to a task. One out of sight does not exist.
pub(super) fn on_task<'a>(
    rows: &dyn Snapshot,
    caller: &'a Caller,
    task: &TaskId,
    action: TaskAction,
) -> Result<Permitted<'a>, Error> {
    let access = network_ref::of_task(rows, caller, task)?;
    let task = rows.task_snapshot(task)?.ok_or(Refusal::TaskNotFound)?;
    let action = Action::Task { action, parties: Some(task.parties()) };
    Ok(Permitted::ask(caller, access, action)?)
}

/// A network by the id in a path. A malformed id names nothing.
pub(super) fn network_id(text: &str) -> Result<NetworkId, Refusal> {
    NetworkId::parse(text).ok_or(Refusal::NetworkNotFound)
}

/// Allows or refuses an action in a network, and answers the caller's membership there.
pub(super) fn network(
    rows: &dyn Snapshot,
    caller: &Caller,
    network: &NetworkId,
    action: Action<'_>,
) -> Result<Option<NetworkRole>, Error> {
    let role = rows.member_role(network, caller.user_id())?;
    access::authorize(caller, network, role, action)?;
    check_exists(rows, network, role)
}

/// The same for a caller that `account` found to be a user.
pub(super) fn user_in(
    rows: &dyn Snapshot,
    user: &UserCaller,
    network: &NetworkId,
    action: Action<'_>,
) -> Result<Option<NetworkRole>, Error> {
    let role = rows.member_role(network, &user.user_id)?;
    access::authorize_user(user, role, action)?;
    check_exists(rows, network, role)
}

fn check_exists(
    rows: &dyn Snapshot,
    network: &NetworkId,
    role: Option<NetworkRole>,
) -> Result<Option<NetworkRole>, Error> {
    // A system admin may act in a network of others, but not in one that does not exist or was deleted.
    if role.is_none() && rows.network(network)?.is_none() {
        return Err(Refusal::NetworkNotFound.into());
    }
    Ok(role)
}
