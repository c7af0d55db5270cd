//! A new user with a network of their own: what registering and the first start have in common.

use baton_core::{NetworkId, NetworkRole, SystemRole, UnixMillis, UserId, Username};
use baton_store::Transaction;
use baton_store::rows::{NetworkRow, UserRow};

use super::{Error, audit};
use crate::random;

/// What the network that comes with a user is called.
const NETWORK_NAME: &str = "default";

/// A user to be made.
#[derive(Debug)]
pub(super) struct NewUser {
    pub(super) username: Username,
    pub(super) display_name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) role: SystemRole,
    pub(super) password_hash: String,
    pub(super) must_change_password: bool,
}

/// Inserts a user and their network.
pub(super) fn insert(
    tx: &mut dyn Transaction,
    new: &NewUser,
    actor: &str,
    now: UnixMillis,
) -> Result<(UserRow, NetworkId), Error> {
    let user = UserRow {
        user_id: UserId::from_random(random::bytes()),
        username: new.username.clone(),
        display_name: new.display_name.clone(),
        email: new.email.clone(),
        role: new.role,
        password_hash: new.password_hash.clone(),
        must_change_password: new.must_change_password,
        created_at: now,
    };
    tx.insert_user(&user)?;
    tx.audit(now, actor, audit::USER_CREATED, None, user.user_id.as_str(), user.username.as_str())?;
    let network_id = own_network(tx, &user.user_id, NETWORK_NAME, None, actor, now)?;
    Ok((user, network_id))
}

/// Inserts a network and makes its owner a member.
pub(super) fn own_network(
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
