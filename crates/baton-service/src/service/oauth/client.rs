//! A client, as far as the hub knows it: by its registration, or by the document that its id leads to.

use baton_core::{UserId, check_network_name, limits};
use baton_store::Snapshot;

use super::client_document;
use crate::hub::{Hub, OauthClient};
use crate::service::{Error, labels};

/// Finds a client. One whose id is a URL is asked for its document, so this is for signed-in users only.
pub(super) async fn find(hub: &Hub, user: &UserId, id: &str) -> Result<OauthClient, Error> {
    if id.len() > limits::OAUTH_URI_MAX_BYTES {
        return Err(Error::argument("client_id", "is too long"));
    }
    if id.contains("://") {
        return client_document::client(hub, user, id).await;
    }
    let wanted = id.to_owned();
    let find = move |rows: &dyn Snapshot| -> Result<_, Error> { Ok(rows.oauth_client(&wanted)?) };
    let row = hub.store_for_anybody().read(find).await?.ok_or_else(|| {
        Error::argument("client_id", "is not registered with this hub; the client must register again")
    })?;
    Ok(OauthClient { id: row.client_id, name: row.name, redirect_uris: row.redirect_uris })
}

/// A client's name for itself, of a form that can be shown to a user.
pub(super) fn name(given: &str) -> Result<String, Error> {
    let name = given.trim();
    if name.is_empty() {
        return Err(Error::argument("client_name", "must not be empty"));
    }
    labels::at_most("client_name", name, limits::OAUTH_CLIENT_NAME_MAX_CHARS)?;
    check_network_name("client_name", name).map_err(Error::of_argument)?;
    Ok(name.to_owned())
}
