//! Users as answers show them: the list for system admins, and a caller's own profile with their networks. A node token
//! sees its own network only.

use baton_core::access::{self, HubAction};
use baton_core::{Alias, Caller, NetworkId, Refusal, SystemRole, UserId, Username, limits};
use baton_store::rows::{Page, PageBounds, UserRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hub::Hub;
use crate::service::accounts::networks::NetworkView;
use crate::service::page::{self, Cursors, PageArgs};
use crate::service::{Error, WireTime, audit, labels, permit};

/// A user, without what is nobody's business.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
pub struct UserView {
    user_id: UserId,
    username: Username,
    display_name: Option<String>,
    email: Option<String>,
    role: SystemRole,
    /// Shown only while it asks for something.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    must_change_password: bool,
}

impl UserView {
    /// Whether the password must be changed; from now on in a field of its own.
    pub fn take_notice(&mut self) -> bool {
        std::mem::take(&mut self.must_change_password)
    }
}

impl From<UserRow> for UserView {
    fn from(user: UserRow) -> Self {
        Self {
            user_id: user.user_id,
            username: user.username,
            display_name: user.display_name,
            email: user.email,
            role: user.role,
            must_change_password: user.must_change_password,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Users {
    ok: bool,
    users: Vec<UserListed>,
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct UserListed {
    #[serde(flatten)]
    user: UserView,
    created_at: WireTime,
}

/// All users of the hub, oldest first. For system admins.
pub async fn list(hub: &Hub, caller: &Caller, args: PageArgs) -> Result<Users, Error> {
    access::authorize_on_hub(caller, HubAction::ListUsers)?;
    let cursors = page::cursors(hub, caller, "users");
    let (bounds, after) = (args.bounds()?, args.place(&cursors)?);
    let store = hub.store_for(caller);
    let list = move |rows: &dyn Snapshot| {
        let page = rows.users(after, bounds)?;
        let page = page.map(|row| UserListed { created_at: row.created_at.into(), user: row.into() });
        Ok(Users { ok: true, users: page.rows, next_cursor: cursors.next(page.next) })
    };
    store.read(list).await
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Profile {
    ok: bool,
    user: UserView,
    networks: Vec<NetworkView>,
    /// There are more networks: the cursor of the rest, for `GET /api/networks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    current_network: Option<NetworkId>,
    /// Whom a node token speaks as.
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<Alias>,
}

fn profile_of(rows: &dyn Snapshot, caller: &Caller, cursors: &Cursors) -> Result<Profile, Error> {
    let user = rows.user(caller.user_id())?.ok_or(Refusal::Unauthorized)?;
    let (current_network, alias) = match caller {
        Caller::User(_) => (None, None),
        Caller::Node(node) => (Some(node.network_id.clone()), node.alias.clone()),
    };
    let page = match &current_network {
        Some(current) => {
            let network = NetworkView::of_member(rows, caller.user_id(), current)?;
            Page { rows: network.into_iter().collect(), next: None }
        }
        None => {
            let bounds = PageBounds::rows(limits::OTHER_PAGE_MAX);
            rows.memberships(caller.user_id(), None, bounds)?.map(NetworkView::from)
        }
    };
    let (networks, next_cursor) = (page.rows, cursors.next(page.next));
    Ok(Profile { ok: true, user: user.into(), networks, next_cursor, current_network, alias })
}

/// Who am I: the user behind a token, and their networks.
pub async fn profile(hub: &Hub, caller: Caller) -> Result<Profile, Error> {
    let cursors = page::cursors(hub, &caller, page::NETWORKS);
    hub.store_for(&caller).read(move |rows| profile_of(rows, &caller, &cursors)).await
}

#[derive(Deserialize, ToSchema)]
pub struct ProfileChange {
    display_name: Option<String>,
    email: Option<String>,
}

/// Changes how a user is shown. An absent field stays as it is.
pub async fn change_profile(hub: &Hub, caller: Caller, args: ProfileChange) -> Result<Profile, Error> {
    let user = permit::account(&caller)?.clone();
    let display_name = labels::label("display_name", args.display_name.as_deref())?;
    let email = labels::label("email", args.email.as_deref())?;
    let now = hub.clock.now();
    let cursors = page::cursors(hub, &caller, page::NETWORKS);
    let store = hub.store_for(&caller);
    let change = move |tx: &mut dyn Transaction| {
        if display_name.is_some() || email.is_some() {
            tx.change_profile(&user.user_id, display_name.as_deref(), email.as_deref())?;
            let (actor, subject) = (user.username.as_str(), user.user_id.as_str());
            tx.audit(now, actor, audit::USER_CHANGED, None, subject, "profile")?;
        }
        profile_of(tx.as_snapshot(), &caller, &cursors)
    };
    store.write(change).await
}
