//! Who may do what, decided in one place and before a task's state is looked at.
//! The table itself is in `action.rs`; which network a call means is in `network_choice.rs`.

use crate::action::{Action, Agents, TaskAction};
use crate::alias::Alias;
use crate::caller::{Caller, NodeCaller, UserCaller};
use crate::ids::NetworkId;
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::role::{NetworkRole, SystemRole, TokenScope};
use crate::task::Parties;

/// Allows or refuses an action in a network.
///
/// `role` is the membership there of the caller, or of the owner of the caller's node token. A network that
/// does not exist has no members, so it and one of others are refused alike.
pub fn authorize(
    caller: &Caller,
    network: &NetworkId,
    role: Option<NetworkRole>,
    action: Action<'_>,
) -> Result<(), Refusal> {
    match caller {
        Caller::User(user) => authorize_user(user, role, action),
        Caller::Node(node) => authorize_node(node, network, role, action),
    }
}

/// The same for a caller who is known to be a user.
pub fn authorize_user(
    user: &UserCaller,
    role: Option<NetworkRole>,
    action: Action<'_>,
) -> Result<(), Refusal> {
    if action.is_for_nodes() {
        return Err(Refusal::NetworkTokenRequired);
    }
    // In a network of others a system admin reads like a viewer and walks the admin path, no more.
    let is_admin = user.system_role == SystemRole::Admin;
    let role = role.or(is_admin.then_some(NetworkRole::Viewer)).ok_or(action.unseen())?;
    if role < action.least_role() && !(is_admin && action.is_on_admin_path()) {
        return Err(action.denied(role));
    }
    match action {
        Action::Listen(Principal::Node(_)) => Err(Refusal::NetworkTokenRequired),
        Action::Listen(inbox) => allow(is_user(inbox, user)),
        Action::Task { action: TaskAction::Answer, parties: Some(task) } => allow(is_user(task.from, user)),
        Action::AddMember { role: granted }
        | Action::Invite { role: granted }
        | Action::RemoveMember { role: granted } => allow_grant(role, granted),
        Action::Leave if role == NetworkRole::Owner => Err(Refusal::OwnerCannotLeave),
        Action::ChangeRole { from, to } => allow_grant(role, from).and_then(|()| allow_grant(role, to)),
        _ => Ok(()),
    }
}

fn authorize_node(
    node: &NodeCaller,
    network: &NetworkId,
    owner_role: Option<NetworkRole>,
    action: Action<'_>,
) -> Result<(), Refusal> {
    if action.is_for_users() {
        return Err(Refusal::UserTokenRequired);
    }
    // A token's power ends with its owner's: without membership nothing, as a viewer only reading.
    allow(*network == node.network_id && owner_role >= Some(action.least_role()))?;
    if matches!(action, Action::ReadNetwork | Action::ReportStatus) {
        return Ok(());
    }
    let alias = node.alias.as_ref().ok_or(Refusal::TokenHasNoAlias)?;
    match action {
        Action::ReadInbox(name) | Action::AckInbox(name) => allow(name == alias.as_str()),
        Action::Listen(inbox) => allow(matches!(inbox, Principal::Node(name) if name == alias)),
        Action::Task { action, parties: Some(task) } => allow(node_may(action, node.scope, alias, task)),
        _ => Ok(()),
    }
}

/// What an agent may do to a task, by what the task is to it.
fn node_may(action: TaskAction, scope: TokenScope, alias: &Alias, task: Parties<'_>) -> bool {
    match action.rule().agents {
        Agents::Party => scope == TokenScope::Coordinator || task.sent_by(alias) || task.given_to(alias),
        Agents::Sender => task.sent_by(alias),
        Agents::Assignee => task.given_to(alias),
    }
}

/// Whether this read or write of a network of others goes into the audit log.
pub fn is_audited(caller: &Caller, role: Option<NetworkRole>) -> bool {
    role.is_none() && matches!(caller, Caller::User(user) if user.system_role == SystemRole::Admin)
}

/// Which tasks of a network a caller's lists show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskReach {
    /// All of them.
    Network,
    /// Those this agent sent or was given.
    Own(Alias),
}

impl TaskReach {
    /// Whether a task of the network is among them.
    pub fn shows(&self, task: Parties<'_>) -> bool {
        match self {
            Self::Network => true,
            Self::Own(alias) => task.sent_by(alias) || task.given_to(alias),
        }
    }
}

/// Which tasks of a network a caller may see, for lists of tasks, messages, events and evidence.
pub fn task_reach(
    caller: &Caller,
    network: &NetworkId,
    role: Option<NetworkRole>,
) -> Result<TaskReach, Refusal> {
    authorize(caller, network, role, Action::ReadNetwork)?;
    reach_of(caller)
}

/// The same for a caller who is known to be allowed something in the network: whatever it is, reading is allowed too.
pub fn reach_of(caller: &Caller) -> Result<TaskReach, Refusal> {
    match (caller, caller.principal()?) {
        (Caller::Node(node), Principal::Node(alias)) if node.scope == TokenScope::Node => {
            Ok(TaskReach::Own(alias))
        }
        _ => Ok(TaskReach::Network),
    }
}

/// Something a caller wants outside every network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HubAction {
    /// Look after one's own password, profile, tokens, networks and joins.
    ManageOwnAccount,
    /// See every user.
    ListUsers,
    /// See who changed what.
    ReadAuditLog,
    /// See and set how much accounts and networks may have.
    ManageQuotas,
}

/// Allows or refuses an action on the hub itself.
pub fn authorize_on_hub(caller: &Caller, action: HubAction) -> Result<(), Refusal> {
    let Caller::User(user) = caller else { return Err(Refusal::UserTokenRequired) };
    match action {
        HubAction::ManageOwnAccount => Ok(()),
        HubAction::ListUsers | HubAction::ReadAuditLog | HubAction::ManageQuotas => {
            allow(user.system_role == SystemRole::Admin)
        }
    }
}

fn allow(is_allowed: bool) -> Result<(), Refusal> {
    if is_allowed { Ok(()) } else { Err(Refusal::PermissionDenied) }
}

fn allow_grant(granter: NetworkRole, role: NetworkRole) -> Result<(), Refusal> {
    if granter.may_grant(role) { Ok(()) } else { Err(Refusal::RoleNotBelowYours) }
}

fn is_user(principal: &Principal, user: &UserCaller) -> bool {
    matches!(principal, Principal::User(name) if *name == user.username)
}
