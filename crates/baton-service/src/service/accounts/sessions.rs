//! User tokens by password: logging in, what a browser's session shows first, and logging out.

use baton_core::{Caller, NetworkId, Refusal, UnixMillis, limits};
use baton_store::rows::{PageBounds, UserRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

use crate::hub::login_guard::Attempt;
use crate::hub::password_hash::HashRequester;
use crate::hub::{Hub, Identity};
use crate::service::accounts::networks::NetworkView;
use crate::service::accounts::users::UserView;
use crate::service::accounts::{quotas, tokens};
use crate::service::secret::{self, Holder, Revealed};
use crate::service::{Done, Error, WireTime, audit, page, permit};

#[derive(Deserialize, Serialize, ToSchema)]
pub struct Login {
    pub username: String,
    pub password: String,
    /// When the token ends by itself, from now. A tool's lasts until it is revoked if this is absent; a browser's ends when it
    /// is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in_seconds: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct LoggedIn {
    ok: bool,
    pub user: UserView,
    pub token: Revealed,
    pub network_id: Option<NetworkId>,
    /// When the token ends by itself; absent if it lasts until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<WireTime>,
}

/// Logging in: a password for a new token. An unknown user takes as long as a wrong password and reads alike.
pub async fn login(hub: &Hub, address: IpAddr, holder: Holder, args: Login) -> Result<LoggedIn, Error> {
    let Login { username, password, expires_in_seconds } = args;
    tokens::expires_at(expires_in_seconds, hub.clock.now())?;
    let (attempt, asker) = (Attempt::new(&username, address), HashRequester::new(address, &username));
    hub.login_guard.check(&attempt, hub.clock.monotonic())?;
    let (keys, elapsed) = (hub.login_guard.keys(&attempt), hub.clock.now_without_jumps());
    let find = move |rows: &dyn Snapshot| -> Result<_, Error> {
        keys.check(rows, elapsed)?;
        Ok(rows.user_named(&username)?)
    };
    let user = hub.store_for_anybody().read(find).await?;
    let hash = user.as_ref().map(|user| user.password_hash.clone());
    let is_right = hub.passwords.verify(asker, password, hash).await?;
    // Others may have failed while this one waited its turn: a lock that came meanwhile holds for this one too.
    hub.login_guard.check(&attempt, hub.clock.monotonic())?;
    let Some(user) = user.filter(|_| is_right) else {
        hub.login_guard.failed(hub, hub.store_for_anybody(), &attempt).await?;
        return Err(Refusal::WrongCredentials.into());
    };
    let (now, elapsed) = (hub.clock.now(), hub.clock.now_without_jumps());
    let expires_at = tokens::expires_at(expires_in_seconds, now)?;
    let issue = move |tx: &mut dyn Transaction| {
        keys.check(tx.as_snapshot(), elapsed)?;
        keys.succeeded(tx)?;
        issue(tx, &user, holder, now, expires_at)
    };
    let answer = hub.store_for_anybody().write(issue).await?;
    hub.login_guard.succeeded(&attempt);
    Ok(answer)
}

fn issue(
    tx: &mut dyn Transaction,
    verified: &UserRow,
    holder: Holder,
    now: UnixMillis,
    expires_at: Option<UnixMillis>,
) -> Result<LoggedIn, Error> {
    let user = tx.user(&verified.user_id)?.ok_or(Refusal::WrongCredentials)?;
    // A password that was changed since it was checked opens nothing.
    if user.password_hash != verified.password_hash {
        return Err(Refusal::WrongCredentials.into());
    }
    let actor = user.username.as_str();
    quotas::make_room_for_login(tx, &user.user_id, actor, now)?;
    let (token, mut row) = secret::user_token(&user.user_id, holder, now);
    row.expires_at = expires_at;
    tx.insert_token(&row)?;
    tx.audit(now, actor, audit::TOKEN_CREATED, None, row.token_id.as_str(), "login")?;
    let first = tx.memberships(&user.user_id, None, PageBounds::rows(1))?.rows.pop();
    let network_id = first.map(|membership| membership.network.network_id);
    Ok(LoggedIn { ok: true, user: user.into(), token, network_id, expires_at: expires_at.map(WireTime) })
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BrowserSession)]
pub struct Session {
    ok: bool,
    user: UserView,
    must_change_password: bool,
    networks: Vec<NetworkView>,
    /// There are more networks: the cursor of the rest, for `GET /api/networks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    version: &'static str,
}

/// What a page asks first: who is signed in, and where they may go.
pub async fn show(hub: &Hub, caller: &Caller) -> Result<Session, Error> {
    let user_id = permit::account(caller)?.user_id.clone();
    let cursors = page::cursors(hub, caller, page::NETWORKS);
    let store = hub.store_for(caller);
    let show = move |rows: &dyn baton_store::Snapshot| {
        let mut user = UserView::from(rows.user(&user_id)?.ok_or(Refusal::Unauthorized)?);
        let bounds = PageBounds::rows(limits::OTHER_PAGE_MAX);
        let page = rows.memberships(&user_id, None, bounds)?.map(NetworkView::from);
        let must_change_password = user.take_notice();
        Ok(Session {
            ok: true,
            user,
            must_change_password,
            networks: page.rows,
            next_cursor: cursors.next(page.next),
            version: env!("CARGO_PKG_VERSION"),
        })
    };
    store.read(show).await
}

/// Logging out: the user token that calls is revoked.
pub async fn logout(hub: &Hub, identity: Identity) -> Result<Done, Error> {
    let actor = permit::account(&identity.caller)?.username.clone();
    let now = hub.clock.now();
    let store = hub.store_for(&identity.caller);
    let revoke = move |tx: &mut dyn baton_store::Transaction| {
        if tx.revoke_token(&identity.token_id, now)? {
            let token = identity.token_id.as_str();
            tx.audit(now, actor.as_str(), audit::TOKEN_REVOKED, None, token, "logout")?;
            tx.touch_access();
        }
        Ok(Done::OK)
    };
    store.write(revoke).await
}
