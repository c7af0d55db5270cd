//! A hub on loopback is reached by its machine's names only. A page whose domain was made to point at 127.0.0.1
//! (DNS rebinding) comes with its own name in `Host` and is turned away.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, header};

use crate::hub::Settings;
use crate::rest::is_loopback_name;

/// Which names in `Host` are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hosts {
    Any,
    Loopback,
}

impl Hosts {
    /// A proxy passes on the name it is known by, also to a hub on its own machine.
    pub(super) fn of(settings: &Settings) -> Self {
        let is_private = settings.address.ip().is_loopback() && !settings.behind_proxy;
        if is_private { Self::Loopback } else { Self::Any }
    }

    pub(super) fn allow(self, headers: &HeaderMap) -> bool {
        self == Self::Any || host(headers).is_some_and(|host| is_loopback_name(host.host()))
    }
}

/// The host a request names.
pub(super) fn host(headers: &HeaderMap) -> Option<Authority> {
    headers.get(header::HOST)?.to_str().ok()?.parse().ok()
}
