//! Logging in: a password for a new token. An unknown user takes as long as a wrong password and reads alike.

use baton_core::{NetworkId, Refusal, UnixMillis};
use baton_store::rows::{PageBounds, UserRow};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

use super::secret::{self, Holder, Revealed};
use super::user_view::UserView;
use super::{Error, audit, quotas};
use crate::hub::Hub;
use crate::hub::login_guard::Attempt;
use crate::hub::password_hash::Asker;

#[derive(Deserialize, Serialize, ToSchema)]
#[schema(as = Login)]
pub(crate) struct Args {
    pub(crate) username: String,
    pub(crate) password: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LoggedIn)]
pub(crate) struct Answer {
    ok: bool,
    pub(crate) user: UserView,
    pub(crate) token: Revealed,
    pub(crate) network_id: Option<NetworkId>,
}

pub(crate) async fn run(hub: &Hub, address: IpAddr, holder: Holder, args: Args) -> Result<Answer, Error> {
    let Args { username, password } = args;
    let (attempt, asker) = (Attempt::new(&username, address), Asker::new(address, &username));
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
    let issue = move |tx: &mut dyn Transaction| {
        keys.check(tx.as_snapshot(), elapsed)?;
        keys.succeeded(tx)?;
        issue(tx, &user, holder, now)
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
) -> Result<Answer, Error> {
    let user = tx.user(&verified.user_id)?.ok_or(Refusal::WrongCredentials)?;
    // A password that was changed since it was checked opens nothing.
    if user.password_hash != verified.password_hash {
        return Err(Refusal::WrongCredentials.into());
    }
    let actor = user.username.as_str();
    quotas::make_room_for_login(tx, &user.user_id, actor, now)?;
    let (token, row) = secret::user_token(&user.user_id, holder, now);
    tx.insert_token(&row)?;
    tx.audit(now, actor, audit::TOKEN_CREATED, None, row.token_id.as_str(), "login")?;
    let first = tx.memberships(&user.user_id, None, PageBounds::rows(1))?.rows.pop();
    let network_id = first.map(|membership| membership.network.network_id);
    Ok(Answer { ok: true, user: user.into(), token, network_id })
}
