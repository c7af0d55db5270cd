//! Networks: one's own list, and each by its id. One that does not exist and one of others answer alike. The rows of a
//! deleted one are removed by `removal.rs`.

use baton_core::{
    Action, Caller, NetworkId, NetworkRole, Quota, Refusal, Status, UnixMillis, UserCaller, UserId,
};
use baton_store::rows::{MembershipRow, NetworkRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::random;
use crate::service::accounts::quotas;
use crate::service::page::{self, PageArgs};
use crate::service::{Done, Error, WireTime, audit, labels, permit};

/// A network, and what the caller is in it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Network)]
pub struct NetworkView {
    network_id: NetworkId,
    network_name: String,
    owner_id: UserId,
    description: Option<String>,
    created_at: WireTime,
    updated_at: WireTime,
    /// Whether its agents' A2A cards are for everybody.
    public_cards: bool,
    member_role: Option<NetworkRole>,
}

impl NetworkView {
    /// A network to somebody of this role, or to a system admin of none.
    pub(in crate::service) fn new(network: NetworkRow, member_role: Option<NetworkRole>) -> Self {
        Self {
            network_id: network.network_id,
            network_name: network.name,
            owner_id: network.owner_id,
            description: network.description,
            created_at: network.created_at.into(),
            updated_at: network.updated_at.into(),
            public_cards: network.public_cards,
            member_role,
        }
    }

    /// A network to one of its members; none if they are not.
    pub(in crate::service) fn of_member(
        rows: &dyn Snapshot,
        user: &UserId,
        network: &NetworkId,
    ) -> Result<Option<Self>, Error> {
        let Some(role) = rows.member_role(network, user)? else { return Ok(None) };
        Ok(rows.network(network)?.map(|network| Self::new(network, Some(role))))
    }
}

impl From<MembershipRow> for NetworkView {
    fn from(membership: MembershipRow) -> Self {
        Self::new(membership.network, Some(membership.role))
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Networks {
    ok: bool,
    networks: Vec<NetworkView>,
    next_cursor: Option<String>,
}

/// Lists the networks the caller is a member of; a node token's own.
pub async fn list(hub: &Hub, caller: Caller, args: PageArgs) -> Result<Networks, Error> {
    let cursors = page::cursors(hub, &caller, page::NETWORKS);
    let (bounds, after) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(&caller);
    let list = move |rows: &dyn Snapshot| {
        if let Caller::Node(node) = &caller {
            let network = NetworkView::of_member(rows, caller.user_id(), &node.network_id)?;
            return Ok(Networks { ok: true, networks: network.into_iter().collect(), next_cursor: None });
        }
        let page = rows.memberships(caller.user_id(), after, bounds)?.map(NetworkView::from);
        Ok(Networks { ok: true, networks: page.rows, next_cursor: cursors.next(page.next) })
    };
    store.read(list).await
}

#[derive(Deserialize, Serialize, ToSchema)]
pub struct NewNetwork {
    pub name: String,
    pub description: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct NetworkCreated {
    ok: bool,
    network_id: NetworkId,
    network_name: String,
}

/// Creates a network; its creator owns it.
pub async fn create(hub: &Hub, caller: &Caller, args: NewNetwork) -> Result<NetworkCreated, Error> {
    let user = permit::account(caller)?.clone();
    let network_name = labels::network_name(&args.name)?;
    let description = labels::label("description", args.description.as_deref())?;
    let now = hub.clock.now();
    let store = hub.store_for(caller);
    let create = move |tx: &mut dyn Transaction| {
        if tx.network_named(&user.user_id, &network_name)?.is_some() {
            return Err(Refusal::NetworkNameTaken.into());
        }
        quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Networks)?;
        quotas::admit_to_user(tx.as_snapshot(), &user.user_id, Quota::Memberships)?;
        let actor = user.username.as_str();
        let network_id = insert(tx, &user.user_id, &network_name, description.clone(), actor, now)?;
        Ok(NetworkCreated { ok: true, network_id, network_name: network_name.clone() })
    };
    store.write(create).await
}

#[derive(Debug, Serialize, ToSchema)]
pub struct NetworkShown {
    ok: bool,
    network: NetworkView,
    stats: Stats,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NetworkStats)]
struct Stats {
    nodes: i64,
    sessions: i64,
    tasks: Vec<StatusCount>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NetworkStatusCount)]
struct StatusCount {
    status: Status,
    count: i64,
}

/// Shows a network and what is in it, in numbers.
pub async fn show(hub: &Hub, caller: Caller, network_id: &str) -> Result<NetworkShown, Error> {
    let id = permit::network_id(network_id)?;
    let (reader, shown) = (caller.clone(), id.clone());
    let store = hub.store_for(&caller);
    let show = move |rows: &dyn Snapshot| {
        let role = permit::network(rows, &reader, &shown, Action::ReadNetwork)?;
        let network = rows.network(&shown)?.ok_or(Refusal::NetworkNotFound)?;
        let tasks = rows.task_counts(&shown)?.into_iter();
        let stats = Stats {
            nodes: rows.alias_count(&shown)?,
            sessions: rows.session_count(&shown)?,
            tasks: tasks.map(|(status, count)| StatusCount { status, count }).collect(),
        };
        Ok::<_, Error>((role, NetworkShown { ok: true, network: NetworkView::new(network, role), stats }))
    };
    let (role, answer) = store.read(show).await?;
    audit::foreign_read(hub, &caller, role, &id, "network").await?;
    Ok(answer)
}

#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = NetworkChange)]
pub struct Change {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the A2A cards of its agents are for everybody; else they need a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_cards: Option<bool>,
}

/// Gives a network another name, or says who may see its agents' cards.
pub async fn change(hub: &Hub, caller: Caller, network_id: &str, args: Change) -> Result<Done, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    if args.name.is_none() && args.public_cards.is_none() {
        return Err(Error::argument("name", "is required"));
    }
    let name = args.name.as_deref().map(labels::network_name).transpose()?;
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let change = move |tx: &mut dyn Transaction| {
        permit::user_in(tx.as_snapshot(), &user, &id, Action::RenameNetwork)?;
        if let Some(name) = &name {
            rename(tx, &user, &id, name, now)?;
        }
        if let Some(is_public) = args.public_cards {
            tx.publish_cards(&id, is_public, now)?;
            let detail = if is_public { "public" } else { "members only" };
            tx.audit(now, user.username.as_str(), audit::NETWORK_CARDS, Some(&id), id.as_str(), detail)?;
        }
        Ok(Done::OK)
    };
    store.write(change).await
}

fn rename(
    tx: &mut dyn Transaction,
    user: &UserCaller,
    id: &NetworkId,
    name: &str,
    now: UnixMillis,
) -> Result<(), Error> {
    if tx.network_named(&user.user_id, name)?.is_some_and(|named| named != *id) {
        return Err(Refusal::NetworkNameTaken.into());
    }
    tx.rename_network(id, name, now)?;
    tx.audit(now, user.username.as_str(), audit::NETWORK_RENAMED, Some(id), id.as_str(), name)?;
    Ok(())
}

/// Ends a network, and everything in it: members, tokens, tasks and their history.
pub async fn delete(hub: &Hub, caller: Caller, network_id: &str) -> Result<Done, Error> {
    let user = permit::account(&caller)?.clone();
    let id = permit::network_id(network_id)?;
    let now = hub.clock.now();
    let store = hub.store_for(&caller);
    let delete = move |tx: &mut dyn Transaction| {
        permit::user_in(tx.as_snapshot(), &user, &id, Action::DeleteNetwork)?;
        let name = tx.network(&id)?.ok_or(Refusal::NetworkNotFound)?.name;
        tx.delete_network(&id)?;
        tx.audit(now, user.username.as_str(), audit::NETWORK_DELETED, Some(&id), id.as_str(), &name)?;
        tx.touch_access();
        Ok(Done::OK)
    };
    store.write(delete).await
}

/// Inserts a network and makes its owner a member.
pub(super) fn insert(
    tx: &mut dyn Transaction,
    owner: &UserId,
    name: &str,
    description: Option<String>,
    actor: &str,
    now: UnixMillis,
) -> Result<NetworkId, Error> {
    let network = NetworkRow {
        network_id: NetworkId::from_random(random::bytes()),
        name: name.to_owned(),
        owner_id: owner.clone(),
        description,
        created_at: now,
        updated_at: now,
        public_cards: false,
    };
    let id = &network.network_id;
    tx.insert_network(&network)?;
    tx.put_member(id, owner, NetworkRole::Owner, None, now)?;
    tx.audit(now, actor, audit::NETWORK_CREATED, Some(id), id.as_str(), name)?;
    Ok(network.network_id)
}
