//! Where clients find what they need: RFC 9728 for the MCP door, RFC 8414 for the authorization server, and the challenge of a
//! 401 that leads there (RFC 6750).

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use baton_core::oauth::CHALLENGE_METHOD;
use serde_json::{Value, json};

use crate::hub::Settings;
use crate::rest::{HubState, base_url};
use crate::service::oauth::resource_at;

/// The MCP door as a protected resource.
pub(super) async fn resource(State(hub): HubState, headers: HeaderMap) -> Json<Value> {
    let base = base_url(&hub.settings, &headers);
    Json(json!({
        "resource": resource_at(&base),
        "resource_name": "Baton",
        "authorization_servers": [base],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["node"],
    }))
}

/// The authorization server.
pub(super) async fn server(State(hub): HubState, headers: HeaderMap) -> Json<Value> {
    let base = base_url(&hub.settings, &headers);
    let at = |path: &str| format!("{base}{path}");
    Json(json!({
        "issuer": base,
        "authorization_endpoint": at("/oauth/authorize"),
        "token_endpoint": at("/oauth/token"),
        "registration_endpoint": at("/oauth/register"),
        "revocation_endpoint": at("/oauth/revoke"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": [CHALLENGE_METHOD],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": ["node"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    }))
}

/// What a 401 of the MCP door says: where its metadata is, and whether the token that came was the trouble.
pub(crate) fn challenge(settings: &Settings, headers: &HeaderMap) -> HeaderValue {
    let base = base_url(settings, headers);
    let broken = match headers.contains_key(header::AUTHORIZATION) {
        true => ", error=\"invalid_token\"",
        false => "",
    };
    let text = format!(
        "Bearer realm=\"baton\"{broken}, resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\""
    );
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer realm=\"baton\""))
}
