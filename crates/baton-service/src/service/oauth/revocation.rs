//! Revocation by the client (RFC 7009): with either of its tokens the whole grant ends. What is no token, or is another
//! client's, is answered alike.

use baton_core::{AccessToken, RefreshToken};
use baton_store::rows::TokenRow;
use baton_store::{Snapshot, Transaction};

use super::{OauthError, secrets};
use crate::hub::Hub;
use crate::service::accounts::registration::HUB;
use crate::service::secret::hash;
use crate::service::{Error, audit};

/// Ends the grant of a token.
pub async fn revoke(hub: &Hub, token: String, client_id: Option<String>) -> Result<(), OauthError> {
    let (now, presented) = (hub.clock.now(), token.clone());
    // Anybody may call: what leads nowhere takes no turn among the writes.
    let look = move |rows: &dyn Snapshot| -> Result<bool, Error> { Ok(find(rows, &presented)?.is_some()) };
    if !hub.store_for_anybody().read(look).await? {
        return Ok(());
    }
    let end = move |tx: &mut dyn Transaction| -> Result<(), Error> {
        let grant = find(tx.as_snapshot(), &token)?;
        let is_of_client = |grant: &TokenRow| client_id.is_none() || grant.client_id == client_id;
        let Some(grant) = grant.filter(is_of_client) else { return Ok(()) };
        if tx.revoke_token(&grant.token_id, now)? {
            let (network, id) = (grant.network_id.as_ref(), grant.token_id.as_str());
            tx.audit(now, HUB, audit::TOKEN_REVOKED, network, id, "by its OAuth client")?;
            tx.touch_access();
        }
        Ok(())
    };
    Ok(hub.store_for_anybody().write(end).await?)
}

fn find(rows: &dyn Snapshot, token: &str) -> Result<Option<TokenRow>, Error> {
    if let Some(refresh) = RefreshToken::parse(token) {
        return Ok(rows.oauth_grant(&secrets::family(&refresh))?.map(|grant| grant.token));
    }
    let access = AccessToken::parse(token).map(|access| rows.oauth_access(&hash(access.expose())));
    Ok(access.transpose()?.flatten().map(|(grant, _)| grant))
}
