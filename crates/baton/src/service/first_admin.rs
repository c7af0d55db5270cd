//! The first start: a system admin and their network on a database without users. Only this makes a system admin.

use baton_core::{SystemRole, Username, check_password};
use baton_store::{Store, Transaction};

use super::Error;
use super::new_user::{self, NewUser};
use super::secret::{self, Revealed};
use crate::hub::Clock;
use crate::hub::password_hash::hash_off_thread;

/// What became of it.
#[derive(Debug)]
pub(crate) enum FirstAdmin {
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
pub(crate) async fn ensure(
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
        new_user::insert(tx, &new, HUB, now)?;
        Ok(true)
    };
    match store.write(create).await? {
        true => Ok(FirstAdmin::Created { generated_password }),
        false => Ok(FirstAdmin::Exists),
    }
}

/// Who acts when the operator does, on the hub's host.
pub(super) const HUB: &str = "hub";
