//! The header with which an answer says that the caller's token expires soon. The door that looks the token up leaves the time
//! here; the gate puts it into the answer.

use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use std::sync::{Arc, OnceLock};

use crate::hub::{Hub, Identity};

/// Seconds that the token has left.
const EXPIRES_IN: HeaderName = HeaderName::from_static("baton-token-expires-in");

/// Where a request's door leaves how many seconds its token has left, if they are few.
#[derive(Debug, Clone, Default)]
pub struct ExpiryNotice(Arc<OnceLock<u32>>);

impl ExpiryNotice {
    /// Leaves it with the request whose token was looked up. Every door that looks one up does this.
    pub fn leave(request: &Extensions, hub: &Hub, identity: &Identity) {
        if let Some(Self(notice)) = request.get()
            && let Some(seconds) = hub.expires_soon(identity)
        {
            notice.get_or_init(|| seconds);
        }
    }

    /// Says it in an answer's head.
    pub fn announce(&self, headers: &mut HeaderMap) {
        if let Some(seconds) = self.0.get() {
            headers.insert(EXPIRES_IN, HeaderValue::from(*seconds));
        }
    }
}
