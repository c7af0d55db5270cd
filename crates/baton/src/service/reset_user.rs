//! The operator's way back in: a new password and a new token for a user, on the hub's host. Every user token of
//! that user ends, no node token does.

use baton_core::{Refusal, UnixMillis};
use baton_store::{Store, Transaction};

use super::first_admin::HUB;
use super::secret::{self, Revealed};
use super::{Error, audit};
use crate::hub::Clock;
use crate::hub::password_hash::hash_off_thread;

/// What the operator is shown, once.
#[derive(Debug)]
pub(crate) struct ResetUser {
    pub(crate) new_password: Revealed,
    pub(crate) token: Revealed,
}

pub(crate) async fn run(store: &dyn Store, username: &str) -> Result<ResetUser, Error> {
    let new_password = secret::password();
    let hash = hash_off_thread(new_password.expose().to_owned()).await?;
    let (username, now) = (username.to_owned(), Clock::start().now());
    let token = store.write(move |tx| reset(tx, &username, &hash, now)).await?;
    Ok(ResetUser { new_password, token })
}

fn reset(tx: &mut dyn Transaction, username: &str, hash: &str, now: UnixMillis) -> Result<Revealed, Error> {
    let user = tx.user_named(username)?.ok_or(Refusal::UserNotFound)?;
    tx.change_password(&user.user_id, hash, true)?;
    let revoked = tx.revoke_user_tokens(&user.user_id, now)?;
    let (token, row) = secret::user_token(&user.user_id, secret::Holder::Tool, now);
    tx.insert_token(&row)?;
    let detail = format!("{revoked} user tokens revoked");
    tx.audit(now, HUB, audit::PASSWORD_RESET, None, user.user_id.as_str(), &detail)?;
    tx.audit(now, HUB, audit::TOKEN_CREATED, None, row.token_id.as_str(), "password reset")?;
    tx.touch_access();
    Ok(token)
}
