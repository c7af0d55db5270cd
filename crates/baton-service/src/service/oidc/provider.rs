//! Calls to the issuer, all by the one guarded client: its metadata with its keys, kept for a while, and the exchange of a code.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

use crate::hub::{Hub, KEPT_MILLIS, KEPT_WITHOUT_KEY_MILLIS, OidcProvider, OidcSettings};

/// Why the issuer could not be asked, for the log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Trouble(pub(super) String);

#[derive(Debug, Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Keys {
    keys: Vec<Value>,
}

/// What a code was exchanged for.
#[derive(Deserialize)]
pub(super) struct Tokens {
    pub(super) id_token: String,
    access_token: Option<String>,
}

/// What the issuer says of itself; `again` if a key was missing in what is known.
pub(super) async fn provider(
    hub: &Hub,
    settings: &OidcSettings,
    again: bool,
) -> Result<Arc<OidcProvider>, Trouble> {
    let kept = if again { KEPT_WITHOUT_KEY_MILLIS } else { KEPT_MILLIS };
    if let Some(known) = hub.oidc_provider.recall(hub.clock.monotonic(), kept) {
        return Ok(known);
    }
    let url = format!("{}/.well-known/openid-configuration", settings.issuer.trim_end_matches('/'));
    let metadata: Metadata = get(hub, &url, None).await?;
    // Whoever answers here must be the issuer that was named, or its tokens could be another's.
    if metadata.issuer != settings.issuer {
        return Err(Trouble(format!("{url} says that its issuer is {}", metadata.issuer)));
    }
    let Keys { keys } = get(hub, &metadata.jwks_uri, None).await?;
    let Metadata { authorization_endpoint, token_endpoint, userinfo_endpoint, .. } = metadata;
    let scopes = metadata.scopes_supported;
    let provider =
        Arc::new(OidcProvider { authorization_endpoint, token_endpoint, userinfo_endpoint, scopes, keys });
    hub.oidc_provider.remember(&provider, hub.clock.monotonic());
    Ok(provider)
}

async fn get<T: DeserializeOwned>(hub: &Hub, url: &str, bearer: Option<&str>) -> Result<T, Trouble> {
    let trouble = |error: crate::outbound::Error| Trouble(format!("{url}: {error}"));
    let calls = hub.outbound.for_hub();
    let target = calls.target(url).map_err(trouble)?;
    let mut request =
        calls.request(Method::GET, &target).map_err(trouble)?.header("accept", "application/json");
    if let Some(bearer) = bearer {
        request = request.bearer_auth(bearer);
    }
    let answer = calls.send(request).await.map_err(trouble)?;
    match answer.status {
        StatusCode::OK => answer.json().map_err(trouble),
        status => Err(Trouble(format!("{url} answered {status}"))),
    }
}

/// What the issuer says of a user beside the ID token; none if it has nothing more to say.
pub(super) async fn userinfo<T: DeserializeOwned>(
    hub: &Hub,
    provider: &OidcProvider,
    tokens: &Tokens,
) -> Result<Option<T>, Trouble> {
    match (&provider.userinfo_endpoint, &tokens.access_token) {
        (Some(url), Some(token)) => get(hub, url, Some(token)).await.map(Some),
        _ => Ok(None),
    }
}

/// The tokens for a code.
pub(super) async fn tokens(
    hub: &Hub,
    settings: &OidcSettings,
    provider: &OidcProvider,
    (code, verifier, redirect_uri): (&str, &str, &str),
) -> Result<Tokens, Trouble> {
    let url = &provider.token_endpoint;
    let trouble = |error: crate::outbound::Error| Trouble(format!("{url}: {error}"));
    let calls = hub.outbound.for_hub();
    let target = calls.target(url).map_err(trouble)?;
    let request = calls.request(Method::POST, &target).map_err(trouble)?;
    // RFC 6749, section 2.3.1: both are encoded before they are joined.
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let secret =
        STANDARD.encode(format!("{}:{}", encoded(&settings.client_id), encoded(&settings.client_secret)));
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect_uri),
        ("code_verifier", verifier),
    ];
    let body = fields.map(|(name, value)| format!("{name}={}", encoded(value))).join("&");
    let request = request
        .header("authorization", format!("Basic {secret}"))
        .header("accept", "application/json")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    let answer = calls.send(request).await.map_err(trouble)?;
    if answer.status != StatusCode::OK {
        return Err(Trouble(format!("{url} answered {} to a code", answer.status)));
    }
    answer.json().map_err(trouble)
}
