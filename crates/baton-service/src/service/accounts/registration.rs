//! How users come to be: registering, and the first start on a database without users. Each has a network of their own.

use baton_core::{
    NameSkeletons, NetworkId, Refusal, SystemRole, TokenScope, UnixMillis, UserId, Username, check_password,
};
use baton_store::rows::{TokenRow, UserRow};
use baton_store::{Snapshot, Store, Transaction};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

use crate::hub::password_hash::{HashRequester, hash_off_thread};
use crate::hub::{Clock, Hub};
use crate::random;
use crate::service::accounts::networks;
use crate::service::accounts::users::UserView;
use crate::service::secret::{self, Revealed};
use crate::service::{Error, audit, labels};

#[derive(Deserialize, Serialize, ToSchema)]
pub struct Registration {
    pub username: String,
    pub password: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Registered {
    ok: bool,
    user: UserView,
    token: Revealed,
    network_token: Revealed,
    network_id: NetworkId,
}

/// Registering: a user, a network of their own, a token for each.
pub async fn register(hub: &Hub, address: IpAddr, args: Registration) -> Result<Registered, Error> {
    let new = new_user(hub, address, args).await?;
    let now = hub.clock.now();
    hub.store_for_anybody().write(move |tx| insert_registered(tx, &new, now)).await
}

/// A user who registered in a browser.
#[derive(Debug)]
pub struct SignedUp {
    pub user: UserView,
    pub network_id: NetworkId,
    /// The browser's session.
    pub token: Revealed,
}

/// Registering in a browser: a user and a network of their own. The session is the only token, for nobody would have another.
pub async fn sign_up(hub: &Hub, address: IpAddr, args: Registration) -> Result<SignedUp, Error> {
    let new = new_user(hub, address, args).await?;
    let now = hub.clock.now();
    let insert = move |tx: &mut dyn Transaction| {
        let (user, network_id) = insert_new(tx, &new, now)?;
        let (token, row) = secret::user_token(&user.user_id, secret::Holder::Browser, now);
        insert_token(tx, &new.username, &row, now)?;
        Ok(SignedUp { user: user.into(), network_id, token })
    };
    hub.store_for_anybody().write(insert).await
}

/// The user that is asked for. The rules are checked in the contract's order.
async fn new_user(hub: &Hub, address: IpAddr, args: Registration) -> Result<NewUser, Error> {
    if !hub.settings.open_registration {
        return Err(Refusal::RegistrationClosed.into());
    }
    let username = Username::parse_new(&args.username)?;
    let (wanted, asker) = (username.clone(), HashRequester::new(address, username.as_str()));
    hub.store_for_anybody().read(move |rows| refuse_taken(rows, &wanted)).await?;
    check_password(&args.password)?;
    let display_name = labels::label("display_name", args.display_name.as_deref())?;
    let email = labels::label("email", args.email.as_deref())?;
    let password_hash = hub.passwords.hash(asker, args.password).await?;
    let role = SystemRole::User;
    Ok(NewUser { username, display_name, email, role, password_hash, must_change_password: false })
}

fn insert_registered(tx: &mut dyn Transaction, new: &NewUser, now: UnixMillis) -> Result<Registered, Error> {
    let (user, network_id) = insert_new(tx, new, now)?;
    let (token, token_row) = secret::user_token(&user.user_id, secret::Holder::Tool, now);
    let (network_token, network_token_row) =
        secret::node_token(&user.user_id, &network_id, None, TokenScope::Node, now);
    for row in [token_row, network_token_row] {
        insert_token(tx, &new.username, &row, now)?;
    }
    Ok(Registered { ok: true, user: user.into(), token, network_token, network_id })
}

fn insert_new(
    tx: &mut dyn Transaction,
    new: &NewUser,
    now: UnixMillis,
) -> Result<(UserRow, NetworkId), Error> {
    // Somebody else may have taken the name while the password was hashed.
    refuse_taken(tx.as_snapshot(), &new.username)?;
    insert_user(tx, new, new.username.as_str(), now)
}

fn insert_token(
    tx: &mut dyn Transaction,
    actor: &Username,
    row: &TokenRow,
    now: UnixMillis,
) -> Result<(), Error> {
    tx.insert_token(row)?;
    let (network, id) = (row.network_id.as_ref(), row.token_id.as_str());
    tx.audit(now, actor.as_str(), audit::TOKEN_CREATED, network, id, "registration")?;
    Ok(())
}

/// A username is taken if another equals it, ignoring case, or looks like it.
fn refuse_taken(rows: &dyn Snapshot, username: &Username) -> Result<(), Error> {
    match rows.has_user_like(&NameSkeletons::of(username.as_str()))? {
        true => Err(Refusal::UsernameTaken.into()),
        false => Ok(()),
    }
}

/// What became of it.
#[derive(Debug)]
pub enum FirstAdmin {
    /// There are users already; nothing was changed.
    Exists,
    /// The admin was made.
    Created {
        /// Their password, if it was generated: to be shown once, and to be changed.
        generated_password: Option<Revealed>,
    },
}

/// Makes the first admin if there is no user yet. The operator's own choice of password is taken as it is; a weak
/// one is marked to be changed, as is a generated one.
pub async fn ensure_first_admin(
    store: &dyn Store,
    username: &str,
    password: Option<String>,
) -> Result<FirstAdmin, Error> {
    if store.read(|rows| Ok::<_, Error>(rows.has_users()?)).await? {
        return Ok(FirstAdmin::Exists);
    }
    let username = Username::parse_new(username)?;
    if password.as_deref() == Some("") {
        return Err(Error::argument("password", "must not be empty"));
    }
    let generated_password = password.is_none().then(secret::password);
    let chosen =
        generated_password.as_ref().map(Revealed::expose).or(password.as_deref()).unwrap_or_default();
    let must_change_password = generated_password.is_some() || check_password(chosen).is_err();
    let password_hash = hash_off_thread(chosen.to_owned()).await?;
    let role = SystemRole::Admin;
    let new =
        NewUser { username, display_name: None, email: None, role, password_hash, must_change_password };
    let now = Clock::start().now();
    let create = move |tx: &mut dyn Transaction| {
        if tx.has_users()? {
            return Ok::<_, Error>(false);
        }
        insert_user(tx, &new, HUB, now)?;
        Ok(true)
    };
    match store.write(create).await? {
        true => Ok(FirstAdmin::Created { generated_password }),
        false => Ok(FirstAdmin::Exists),
    }
}

/// Who acts when the operator does, on the hub's host.
pub(in crate::service) const HUB: &str = "hub";

/// What the network that comes with a user is called.
const NETWORK_NAME: &str = "default";

/// A user to be made.
#[derive(Debug)]
pub(in crate::service) struct NewUser {
    pub username: Username,
    pub display_name: Option<String>,
    pub email: Option<String>,
    pub role: SystemRole,
    pub password_hash: String,
    pub must_change_password: bool,
}

/// Inserts a user and their network.
pub(in crate::service) fn insert_user(
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
    let network_id = networks::insert(tx, &user.user_id, NETWORK_NAME, None, actor, now)?;
    Ok((user, network_id))
}
