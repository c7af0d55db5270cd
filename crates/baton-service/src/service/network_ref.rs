//! Which network a call is about, and as what the caller stands there.

use baton_core::access::{self, TaskReach};
use baton_core::{
    Action, Alias, Caller, DefaultNetwork, NetworkChoice, NetworkId, NetworkRole, Refusal, TaskId, TokenId,
    choose_network,
};
use baton_store::Snapshot;
use baton_store::rows::TokenRow;

use super::permit::Permitted;
use super::{Error, audit};
use crate::hub::Hub;

/// How a call says which network it means.
#[derive(Debug, Clone)]
pub enum NetworkRef {
    /// By `network_id`, or without one as the call's kind allows.
    Named(Option<NetworkId>, DefaultNetwork),
    /// By the task in its path.
    TheTasks,
}

impl NetworkRef {
    /// A call that acts on a task and must name its network, unless the token does.
    pub fn of_task_call(network_id: Option<&str>) -> Self {
        Self::Named(parse_network(network_id), DefaultNetwork::IsDenied)
    }

    /// A write that may leave out the network when there is only one.
    pub fn of_write(network_id: Option<&str>) -> Self {
        Self::Named(parse_network(network_id), DefaultNetwork::MeansTheOnlyOne)
    }

    /// The network, and what the caller is there, found before anything of it is read; `task` is the one in the path,
    /// if there is one.
    pub fn resolve(
        &self,
        rows: &dyn Snapshot,
        caller: &Caller,
        task: Option<&TaskId>,
    ) -> Result<NetworkAccess, Error> {
        match self {
            Self::TheTasks => of_task(rows, caller, task.ok_or(Refusal::TaskNotFound)?),
            Self::Named(named, unnamed) => {
                let network = only_network(rows, caller, named.as_ref(), *unnamed)?;
                let role = role_in(rows, caller, &network)?;
                Ok(NetworkAccess { network, role })
            }
        }
    }

    /// The network, if the caller may do this there: asked before anything of it is read.
    pub(super) fn permit<'a>(
        &self,
        rows: &dyn Snapshot,
        caller: &'a Caller,
        action: Action<'_>,
    ) -> Result<Permitted<'a>, Error> {
        Ok(Permitted::ask(caller, self.resolve(rows, caller, None)?, action)?)
    }

    /// The same for a read, of a network that is there.
    pub(super) fn permit_read<'a>(
        &self,
        rows: &dyn Snapshot,
        caller: &'a Caller,
        action: Action<'_>,
    ) -> Result<Permitted<'a>, Error> {
        Ok(Permitted::ask(caller, self.known(rows, caller)?, action)?)
    }

    /// The network, if it is there, and what the caller is in it.
    pub(super) fn known(&self, rows: &dyn Snapshot, caller: &Caller) -> Result<NetworkAccess, Error> {
        let network = self.network(rows, caller, None)?;
        let role = known_role(rows, caller, &network)?;
        Ok(NetworkAccess { network, role })
    }

    /// The network alone.
    pub fn network(
        &self,
        rows: &dyn Snapshot,
        caller: &Caller,
        task: Option<&TaskId>,
    ) -> Result<NetworkId, Error> {
        match self {
            Self::TheTasks => Ok(self.resolve(rows, caller, task)?.network),
            Self::Named(named, unnamed) => only_network(rows, caller, named.as_ref(), *unnamed),
        }
    }
}

/// A network, and what the caller is there.
#[derive(Debug, Clone)]
pub struct NetworkAccess {
    pub network: NetworkId,
    pub role: Option<NetworkRole>,
}

/// The network of a task, for a caller who may look into it. A task of another network is treated like one that does
/// not exist, in the response and in what is read for it: the response time must not distinguish the two.
pub fn of_task(rows: &dyn Snapshot, caller: &Caller, task: &TaskId) -> Result<NetworkAccess, Error> {
    let own = match caller {
        Caller::Node(node) => Some(&node.network_id),
        Caller::User(_) => None,
    };
    let found = rows.task_network(task, own)?;
    let network = found.clone().unwrap_or_else(nowhere);
    if matches!(caller, Caller::Node(node) if node.network_id != network) {
        return Err(Refusal::TaskNotFound.into());
    }
    let role = role_in(rows, caller, &network)?;
    let is_seen = role.is_some() || access::is_audited(caller, role);
    if found.is_none() || !is_seen && matches!(caller, Caller::User(_)) {
        return Err(Refusal::TaskNotFound.into());
    }
    Ok(NetworkAccess { network, role })
}

/// The id of a network that does not exist.
fn nowhere() -> NetworkId {
    NetworkId::from_random([0; 6])
}

/// A `network_id` of another form names no network: it is taken for one that does not exist, and answered so.
fn parse_network(network_id: Option<&str>) -> Option<NetworkId> {
    let text = network_id.filter(|text| !text.is_empty())?;
    Some(NetworkId::parse(text).unwrap_or_else(nowhere))
}

fn only_network(
    rows: &dyn Snapshot,
    caller: &Caller,
    named: Option<&NetworkId>,
    unnamed: DefaultNetwork,
) -> Result<NetworkId, Error> {
    // Memberships are only read when they decide.
    let memberships = match (caller, named, unnamed) {
        (Caller::User(user), None, DefaultNetwork::MeansTheOnlyOne) => {
            rows.some_memberships(&user.user_id, 2)?
        }
        _ => Vec::new(),
    };
    match choose_network(caller, named, &memberships, unnamed)? {
        NetworkChoice::One(network) => Ok(network),
        NetworkChoice::AllMemberships => Err(Refusal::NetworkIdRequired.into()),
    }
}

/// What the caller, or the owner of its token, is in a network. The hub works for a remote agent under a token
/// of its own: the user who registered the agent may leave, and it continues as a member's would.
pub fn role_in(
    rows: &dyn Snapshot,
    caller: &Caller,
    network: &NetworkId,
) -> Result<Option<NetworkRole>, Error> {
    let role = rows.member_role(network, caller.user_id())?;
    match caller {
        Caller::Node(node)
            if role < Some(NetworkRole::Member)
                && works_for_remote(rows, network, node.alias.as_ref(), &node.token_id)? =>
        {
            Ok(Some(NetworkRole::Member))
        }
        _ => Ok(role),
    }
}

/// Whether the hub keeps this token to work for a remote agent.
pub fn is_hubs_own(rows: &dyn Snapshot, token: &TokenRow) -> Result<bool, Error> {
    let Some(network) = &token.network_id else { return Ok(false) };
    works_for_remote(rows, network, token.alias.as_ref(), &token.token_id)
}

fn works_for_remote(
    rows: &dyn Snapshot,
    network: &NetworkId,
    alias: Option<&Alias>,
    token: &TokenId,
) -> Result<bool, Error> {
    let remote = alias.map(|alias| rows.remote(network, alias)).transpose()?.flatten();
    Ok(remote.is_some_and(|remote| remote.token_id == *token))
}

/// The same for a read: a system admin may look into any network, but not into one that is not there.
pub fn known_role(
    rows: &dyn Snapshot,
    caller: &Caller,
    network: &NetworkId,
) -> Result<Option<NetworkRole>, Error> {
    let role = role_in(rows, caller, network)?;
    if role.is_none() && rows.network(network)?.is_none() {
        // A node token of another network receives what it is notified of every other network.
        let refusal = match caller {
            Caller::User(_) => Refusal::NetworkNotFound,
            Caller::Node(_) => Refusal::PermissionDenied,
        };
        return Err(refusal.into());
    }
    Ok(role)
}

/// A network that a user looks at as a whole, and whether that is to be recorded.
pub fn watched(
    rows: &dyn Snapshot,
    caller: &Caller,
    network_id: Option<&str>,
) -> Result<(NetworkId, bool), Error> {
    let network = NetworkRef::of_write(network_id).network(rows, caller, None)?;
    let role = role_in(rows, caller, &network)?;
    access::authorize(caller, &network, role, Action::WatchNetwork)?;
    // An admin may look anywhere, but not where nothing is.
    if role.is_none() && rows.network(&network)?.is_none() {
        return Err(Refusal::NetworkNotFound.into());
    }
    Ok((network, access::is_audited(caller, role)))
}

/// The networks a read covers, each as far as the caller sees into it.
#[derive(Debug, Clone)]
pub struct VisibleNetworks {
    pub networks: Vec<(NetworkId, TaskReach)>,
    /// A system admin looks into a network of others: this is to be recorded.
    audited: Option<NetworkId>,
}

impl VisibleNetworks {
    /// Of the named network, or of all the caller is a member of.
    pub fn of(rows: &dyn Snapshot, caller: &Caller, network_id: Option<&str>) -> Result<Self, Error> {
        Self::by(rows, caller, network_id, access::task_reach)
    }

    /// The same for what is no task's: a token that is nobody yet may look at who is there.
    pub fn of_status(rows: &dyn Snapshot, caller: &Caller, network_id: Option<&str>) -> Result<Self, Error> {
        Self::by(rows, caller, network_id, |caller, network, role| {
            access::authorize(caller, network, role, Action::ReadNetwork)?;
            Ok(TaskReach::Network)
        })
    }

    fn by(
        rows: &dyn Snapshot,
        caller: &Caller,
        network_id: Option<&str>,
        reach: impl Fn(&Caller, &NetworkId, Option<NetworkRole>) -> Result<TaskReach, Refusal>,
    ) -> Result<Self, Error> {
        let named = parse_network(network_id);
        match choose_network(caller, named.as_ref(), &[], DefaultNetwork::MeansAll)? {
            NetworkChoice::One(network) => {
                let role = known_role(rows, caller, &network)?;
                let seen = reach(caller, &network, role)?;
                let audited = access::is_audited(caller, role).then(|| network.clone());
                Ok(Self { networks: vec![(network, seen)], audited })
            }
            NetworkChoice::AllMemberships => {
                let memberships = rows.membership_roles(caller.user_id())?.into_iter();
                let networks = memberships.map(|(network, role)| {
                    let seen = reach(caller, &network, Some(role))?;
                    Ok((network, seen))
                });
                Ok(Self { networks: networks.collect::<Result<_, Refusal>>()?, audited: None })
            }
        }
    }

    /// Records that a system admin read a network they do not belong to, before the response is sent.
    pub async fn write_down(&self, hub: &Hub, caller: &Caller, what: &'static str) -> Result<(), Error> {
        audit::network_read(hub, caller, self.audited.clone(), what).await
    }
}
