//! The OpenID Connect issuer that users may sign in with: how the operator named it, and what it last said of itself.

use baton_core::oidc::GroupRole;
use baton_core::{MonotonicMillis, limits};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The operator's settings of it.
#[derive(Clone)]
pub struct OidcSettings {
    pub issuer: String,
    pub client_id: String,
    pub client_secret: String,
    /// Whose members may sign in, and as what; everybody, as users, if none is named.
    pub groups: Vec<GroupRole>,
}

impl fmt::Debug for OidcSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OidcSettings({} at {})", self.client_id, self.issuer)
    }
}

/// What the issuer says of itself: where it is called, and its keys as it wrote them.
#[derive(Debug)]
pub struct OidcProvider {
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    /// Where what an ID token leaves out is asked for.
    pub userinfo_endpoint: Option<String>,
    /// The scopes that it says it knows.
    pub scopes: Vec<String>,
    pub keys: Vec<serde_json::Value>,
}

/// What was read last.
#[derive(Debug, Default)]
pub struct OidcProviderCache(Mutex<Option<(MonotonicMillis, Arc<OidcProvider>)>>);

impl OidcProviderCache {
    /// What is known, if it was read no longer ago than this.
    pub fn recall(&self, now: MonotonicMillis, most_millis: i64) -> Option<Arc<OidcProvider>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = known.as_ref().filter(|(read_at, _)| now.millis_since(*read_at) < most_millis);
        fresh.map(|(_, provider)| provider.clone())
    }

    pub fn remember(&self, provider: &Arc<OidcProvider>, now: MonotonicMillis) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, provider.clone()));
    }
}

/// How long what an issuer says of itself is taken for known.
pub const KEPT_MILLIS: i64 = limits::OIDC_PROVIDER_KEPT.as_millis() as i64;
/// And how long before it is read again because a key is missing.
pub const KEPT_WITHOUT_KEY_MILLIS: i64 = limits::OIDC_PROVIDER_KEPT_MIN.as_millis() as i64;
