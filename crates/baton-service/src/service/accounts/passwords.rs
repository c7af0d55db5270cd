//! A user's password: changed by the user, or reset by the operator on the hub's host. Either ends every user token of that
//! user, and what OAuth clients were allowed, and gives a new token. Node tokens continue.

use baton_core::{Caller, Refusal, UnixMillis, UserCaller, UserId, check_password};
use baton_store::{Snapshot, Store, Transaction};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

use crate::hub::login_guard::Attempt;
use crate::hub::password_hash::{HashRequester, hash_off_thread};
use crate::hub::{Clock, Hub};
use crate::service::accounts::registration::HUB;
use crate::service::secret::{self, Holder, Revealed};
use crate::service::{Error, audit, permit};

#[derive(Deserialize, Serialize, ToSchema)]
pub struct PasswordChange {
    pub old_password: String,
    pub new_password: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PasswordChanged {
    ok: bool,
    pub revoked: usize,
    pub token: Revealed,
}

/// Changing one's password: it ends every user token and every OAuth grant of that user and gives one new token. Node tokens
/// continue.
pub async fn change(
    hub: &Hub,
    caller: &Caller,
    address: IpAddr,
    holder: Holder,
    args: PasswordChange,
) -> Result<PasswordChanged, Error> {
    let user = permit::account(caller)?.clone();
    check_password(&args.new_password)?;
    // A stolen token must not guess the password faster than a login could, nor lock its owner's logins: the
    // space makes this a name that no login has.
    let attempt = Attempt::new(&format!("password of {}", user.user_id), address);
    hub.login_guard.check(&attempt, hub.clock.monotonic())?;
    let (user_id, asker) = (user.user_id.clone(), HashRequester::new(address, user.user_id.as_str()));
    let (keys, elapsed) = (hub.login_guard.keys(&attempt), hub.clock.now_without_jumps());
    let find = move |rows: &dyn Snapshot| -> Result<_, Error> {
        keys.check(rows, elapsed)?;
        Ok(rows.user(&user_id)?)
    };
    let row = hub.store_for(caller).read(find).await?;
    let old_hash = row.ok_or(Refusal::Unauthorized)?.password_hash;
    if !hub.passwords.verify(asker, args.old_password, Some(old_hash.clone())).await? {
        hub.login_guard.failed(hub, hub.store_for(caller), &attempt).await?;
        return Err(Refusal::WrongOldPassword.into());
    }
    hub.login_guard.succeeded(&attempt);
    let new_hash = hub.passwords.hash(asker, args.new_password).await?;
    let now = hub.clock.now();
    let change = move |tx: &mut dyn Transaction| {
        keys.succeeded(tx)?;
        replace(tx, &user, (&old_hash, &new_hash), holder, now)
    };
    hub.store_for(caller).write(change).await
}

fn replace(
    tx: &mut dyn Transaction,
    user: &UserCaller,
    (old_hash, new_hash): (&str, &str),
    holder: Holder,
    now: UnixMillis,
) -> Result<PasswordChanged, Error> {
    // Of two changes that race, the second no longer knows the old password.
    let row = tx.user(&user.user_id)?.ok_or(Refusal::Unauthorized)?;
    if row.password_hash != old_hash {
        return Err(Refusal::WrongOldPassword.into());
    }
    tx.change_password(&user.user_id, new_hash, false)?;
    let (revoked, detail) = end_access(tx, &user.user_id, now)?;
    let (token, token_row) = secret::user_token(&user.user_id, holder, now);
    tx.insert_token(&token_row)?;
    let actor = user.username.as_str();
    tx.audit(now, actor, audit::PASSWORD_CHANGED, None, user.user_id.as_str(), &detail)?;
    tx.audit(now, actor, audit::TOKEN_CREATED, None, token_row.token_id.as_str(), "password change")?;
    tx.touch_access();
    Ok(PasswordChanged { ok: true, revoked, token })
}

/// Ends what a stolen password may have given: user tokens and OAuth grants. Answers how many user tokens, and both in words.
fn end_access(tx: &mut dyn Transaction, user: &UserId, now: UnixMillis) -> Result<(usize, String), Error> {
    let (tokens, grants) = (tx.revoke_user_tokens(user, now)?, tx.revoke_oauth_grants(user, now)?);
    let mut detail = format!("{tokens} user tokens revoked");
    if grants > 0 {
        detail += &format!(", {grants} OAuth grants revoked");
    }
    Ok((tokens, detail))
}

/// What the operator is shown, once.
#[derive(Debug)]
pub struct ResetUser {
    pub new_password: Revealed,
    pub token: Revealed,
}

/// The operator's way back in: a new password and a new token for a user, on the hub's host.
pub async fn reset(store: &dyn Store, username: &str) -> Result<ResetUser, Error> {
    let new_password = secret::password();
    let hash = hash_off_thread(new_password.expose().to_owned()).await?;
    let (username, now) = (username.to_owned(), Clock::start().now());
    let token = store.write(move |tx| reset_in(tx, &username, &hash, now)).await?;
    Ok(ResetUser { new_password, token })
}

fn reset_in(
    tx: &mut dyn Transaction,
    username: &str,
    hash: &str,
    now: UnixMillis,
) -> Result<Revealed, Error> {
    let user = tx.user_named(username)?.ok_or(Refusal::UserNotFound)?;
    tx.change_password(&user.user_id, hash, true)?;
    let (_, detail) = end_access(tx, &user.user_id, now)?;
    let (token, row) = secret::user_token(&user.user_id, secret::Holder::Tool, now);
    tx.insert_token(&row)?;
    tx.audit(now, HUB, audit::PASSWORD_RESET, None, user.user_id.as_str(), &detail)?;
    tx.audit(now, HUB, audit::TOKEN_CREATED, None, row.token_id.as_str(), "password reset")?;
    tx.touch_access();
    Ok(token)
}
