//! Registering: a user, a network of their own, a token for each. The rules are checked in the contract's order.

use baton_core::{Looks, NetworkId, Refusal, SystemRole, TokenScope, UnixMillis, Username, check_password};
use baton_store::{Snapshot, Transaction};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

use super::new_user::{self, NewUser};
use super::secret::{self, Revealed};
use super::user_view::UserView;
use super::{Error, audit, labels};
use crate::hub::Hub;
use crate::hub::password_hash::Asker;

#[derive(Deserialize, ToSchema)]
#[schema(as = Registration)]
pub(crate) struct Args {
    username: String,
    password: String,
    email: Option<String>,
    display_name: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Registered)]
pub(crate) struct Answer {
    ok: bool,
    user: UserView,
    token: Revealed,
    network_token: Revealed,
    network_id: NetworkId,
}

pub(crate) async fn run(hub: &Hub, address: IpAddr, args: Args) -> Result<Answer, Error> {
    if !hub.settings.open_registration {
        return Err(Refusal::RegistrationClosed.into());
    }
    let username = Username::parse_new(&args.username)?;
    let (wanted, asker) = (username.clone(), Asker::new(address, username.as_str()));
    hub.store_for_anybody().read(move |rows| refuse_taken(rows, &wanted)).await?;
    check_password(&args.password)?;
    let display_name = labels::label("display_name", args.display_name.as_deref())?;
    let email = labels::label("email", args.email.as_deref())?;
    let password_hash = hub.passwords.hash(asker, args.password).await?;
    let role = SystemRole::User;
    let new = NewUser { username, display_name, email, role, password_hash, must_change_password: false };
    let now = hub.clock.now();
    hub.store_for_anybody().write(move |tx| insert(tx, &new, now)).await
}

fn insert(tx: &mut dyn Transaction, new: &NewUser, now: UnixMillis) -> Result<Answer, Error> {
    // Somebody else may have taken the name while the password was hashed.
    refuse_taken(tx.as_snapshot(), &new.username)?;
    let actor = &new.username;
    let (user, network_id) = new_user::insert(tx, new, actor.as_str(), now)?;
    let (token, token_row) = secret::user_token(&user.user_id, secret::Holder::Tool, now);
    let (network_token, network_token_row) =
        secret::node_token(&user.user_id, &network_id, None, TokenScope::Node, now);
    for row in [token_row, network_token_row] {
        tx.insert_token(&row)?;
        let (network, id) = (row.network_id.as_ref(), row.token_id.as_str());
        tx.audit(now, actor.as_str(), audit::TOKEN_CREATED, network, id, "registration")?;
    }
    Ok(Answer { ok: true, user: user.into(), token, network_token, network_id })
}

/// A username is taken if another equals it, ignoring case, or looks like it.
fn refuse_taken(rows: &dyn Snapshot, username: &Username) -> Result<(), Error> {
    match rows.has_user_like(&Looks::of(username.as_str()))? {
        true => Err(Refusal::UsernameTaken.into()),
        false => Ok(()),
    }
}
