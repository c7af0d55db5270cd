//! The token endpoint: a code for the tokens of a new grant, and a refresh token for new ones. What a presented secret leads to
//! is decided by `baton_core::oauth`, in the transaction that acts on it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use baton_core::oauth::{CodeFacts, CodeVerifier, Exchange, RefreshFacts};
use baton_core::{AccessToken, RefreshToken, TokenId, TokenScope, UnixMillis, UserCaller, limits};
use baton_store::rows::{OauthCodeRow, OauthGrantRow};
use baton_store::{Snapshot, Transaction};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{OauthError, is_own_resource, resource_at, secrets};
use crate::hub::{Hub, OAUTH_REFRESHES};
use crate::service::accounts::registration::HUB;
use crate::service::accounts::tokens;
use crate::service::secret::{self, hash};
use crate::service::{Error, audit};

/// The parameters of a token request.
#[derive(Debug, Default)]
pub struct Request {
    pub grant_type: Option<String>,
    pub client_id: Option<String>,
    pub code: Option<String>,
    pub redirect_uri: Option<String>,
    pub code_verifier: Option<String>,
    pub refresh_token: Option<String>,
    pub resource: Option<String>,
}

/// New tokens (RFC 6749, section 5.1).
#[derive(Serialize)]
pub struct Issued {
    access_token: String,
    token_type: &'static str,
    expires_in: u32,
    refresh_token: String,
    scope: &'static str,
}

/// Outcome of a use case that has to be committed also where the client gets nothing.
type Committed = Result<Issued, OauthError>;

/// Exchanges.
pub async fn exchange(hub: &Hub, request: Request, base: &str) -> Result<Issued, OauthError> {
    if !is_own_resource(request.resource.as_deref(), base) {
        return Err(OauthError::invalid_target(&resource_at(base)));
    }
    let missing = |name: &str| OauthError::invalid_request(format!("{name} is required"));
    let client_id = request.client_id.ok_or_else(|| missing("client_id"))?;
    match request.grant_type.as_deref() {
        Some("authorization_code") => {
            let code = request.code.ok_or_else(|| missing("code"))?;
            let redirect_uri = request.redirect_uri.ok_or_else(|| missing("redirect_uri"))?;
            let verifier = request.code_verifier.ok_or_else(|| missing("code_verifier"))?;
            redeem(hub, client_id, &code, redirect_uri, &verifier).await
        }
        Some("refresh_token") => {
            let token = request.refresh_token.ok_or_else(|| missing("refresh_token"))?;
            refresh(hub, client_id, &token).await
        }
        Some(_) => Err(OauthError::unsupported_grant_type()),
        None => Err(missing("grant_type")),
    }
}

async fn redeem(hub: &Hub, client_id: String, code: &str, redirect_uri: String, verifier: &str) -> Committed {
    let hash = hash(code);
    let challenge = CodeVerifier::parse(verifier)
        .map(|verifier| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose())));
    let now = hub.clock.now();
    let unknown = || OauthError::invalid_grant("the code is unknown or was forgotten; ask the user again");
    // Anybody may call: what leads nowhere takes no turn among the writes.
    let look = move |rows: &dyn Snapshot| -> Result<bool, Error> { Ok(rows.oauth_code(&hash)?.is_some()) };
    if !hub.store_for_anybody().read(look).await? {
        return Err(unknown());
    }
    let redeem = move |tx: &mut dyn Transaction| -> Result<Committed, Error> {
        let Some(code) = tx.oauth_code(&hash)? else { return Ok(Err(unknown())) };
        let facts = CodeFacts {
            is_redeemed: code.token_id.is_some(),
            is_expired: code.expires_at <= now,
            is_of_client: code.client_id == client_id,
            is_of_redirect: code.redirect_uri == redirect_uri,
            is_verified: challenge.as_ref() == Some(&code.challenge),
        };
        match facts.decide() {
            Exchange::Issue => issue(tx, &code, now),
            Exchange::Refuse(why) => Ok(Err(OauthError::invalid_grant(why.description()))),
            Exchange::Revoke(why) => {
                if let Some(grant) = &code.token_id {
                    revoke(tx, grant, "its code was presented twice", now)?;
                }
                Ok(Err(OauthError::invalid_grant(why.description())))
            }
        }
    };
    hub.store_for_anybody().write(redeem).await?
}

/// Makes the grant. What the user was allowed to allow may have changed since.
fn issue(tx: &mut dyn Transaction, code: &OauthCodeRow, now: UnixMillis) -> Result<Committed, Error> {
    let Some(user) = tx.user(&code.user_id)? else {
        return Ok(Err(OauthError::invalid_grant("the user is no more")));
    };
    let user =
        UserCaller { user_id: user.user_id, username: user.username, system_role: user.role, token_id: None };
    match tokens::admit(tx.as_snapshot(), &user, &code.network_id, &code.alias, TokenScope::Node) {
        Ok(()) => {}
        Err(Error::Store(error)) => return Err(error.into()),
        Err(refused) => {
            return Ok(Err(OauthError::invalid_grant(format!(
                "the user may not do this any more: {refused}"
            ))));
        }
    }
    // The secret of the row itself is thrown away: only access tokens lead to it.
    let alias = Some(code.alias.clone());
    let (_, mut row) = secret::node_token(&user.user_id, &code.network_id, alias, TokenScope::Node, now);
    row.name = format!("oauth:{}", code.client_name);
    row.client_id = Some(code.client_id.clone());
    row.expires_at = Some(now.plus_seconds(limits::OAUTH_REFRESH_SECONDS));
    tx.insert_token(&row)?;
    tx.redeem_oauth_code(&code.hash, &row.token_id)?;
    tx.use_oauth_client(&code.client_id, now)?;
    let (actor, id) = (user.username.as_str(), row.token_id.as_str());
    tx.audit(now, actor, audit::TOKEN_CREATED, Some(&code.network_id), id, &row.name)?;
    hand_out(tx, &row.token_id, &secrets::first_refresh(), now).map(Ok)
}

/// Writes new secrets of a grant.
fn hand_out(
    tx: &mut dyn Transaction,
    grant: &TokenId,
    refresh: &RefreshToken,
    now: UnixMillis,
) -> Result<Issued, Error> {
    let (access, hash): (AccessToken, _) = secrets::access();
    tx.put_oauth_refresh(grant, &secrets::family(refresh), &secrets::rotating(refresh))?;
    tx.insert_oauth_access(grant, &hash, now.plus_seconds(limits::OAUTH_ACCESS_SECONDS))?;
    Ok(Issued {
        access_token: access.expose().to_owned(),
        token_type: "Bearer",
        expires_in: limits::OAUTH_ACCESS_SECONDS,
        refresh_token: refresh.expose().to_owned(),
        scope: "node",
    })
}

async fn refresh(hub: &Hub, client_id: String, token: &str) -> Committed {
    let unknown = || OauthError::invalid_grant("the refresh token is unknown or revoked; ask the user again");
    let presented = RefreshToken::parse(token).ok_or_else(unknown)?;
    let (now, elapsed, family) =
        (hub.clock.now(), hub.clock.now_without_jumps(), secrets::family(&presented));
    let look = move |rows: &dyn Snapshot| -> Result<bool, Error> {
        OAUTH_REFRESHES.check(rows, &family, elapsed)?;
        Ok(rows.oauth_grant(&family)?.is_some())
    };
    if !hub.store_for_anybody().read(look).await? {
        return Err(unknown());
    }
    let rotate = move |tx: &mut dyn Transaction| -> Result<Committed, Error> {
        let Some(OauthGrantRow { token: grant, secret }) = tx.oauth_grant(&family)? else {
            return Ok(Err(unknown()));
        };
        OAUTH_REFRESHES.check(tx.as_snapshot(), &family, elapsed)?;
        let facts = RefreshFacts {
            is_newest: secret == secrets::rotating(&presented),
            is_expired: grant.expires_at.is_some_and(|expires_at| expires_at <= now),
            is_of_client: grant.client_id.as_ref() == Some(&client_id),
        };
        match facts.decide() {
            Exchange::Issue => {
                OAUTH_REFRESHES.count(tx, &family, elapsed)?;
                tx.renew_token(&grant.token_id, now.plus_seconds(limits::OAUTH_REFRESH_SECONDS))?;
                hand_out(tx, &grant.token_id, &secrets::next_refresh(&presented), now).map(Ok)
            }
            Exchange::Refuse(why) => Ok(Err(OauthError::invalid_grant(why.description()))),
            Exchange::Revoke(why) => {
                revoke(tx, &grant.token_id, "a refresh token was presented twice", now)?;
                Ok(Err(OauthError::invalid_grant(why.description())))
            }
        }
    };
    hub.store_for_anybody().write(rotate).await?
}

/// Ends a grant, on suspicion.
fn revoke(
    tx: &mut dyn Transaction,
    grant: &TokenId,
    why: &'static str,
    now: UnixMillis,
) -> Result<(), Error> {
    let Some(row) = tx.token(grant)? else { return Ok(()) };
    if tx.revoke_token(grant, now)? {
        tx.audit(now, HUB, audit::TOKEN_REVOKED, row.network_id.as_ref(), grant.as_str(), why)?;
        tx.touch_access();
    }
    Ok(())
}
