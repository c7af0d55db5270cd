//! How this hub was started.

use std::net::SocketAddr;

/// What the operator chose.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// Whether anybody may register.
    pub(crate) open_registration: bool,
    /// Calls a second and burst per token; none on a loopback bind.
    pub(crate) rate_limit: Option<(u32, u32)>,
    /// Whether a proxy in front says who calls.
    pub(crate) behind_proxy: bool,
    /// Origins that browsers may call from.
    pub(crate) cors_origins: Vec<String>,
}

impl Settings {
    /// Of a hub that listens nowhere: a command that works on the database.
    pub(crate) fn offline() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            open_registration: false,
            rate_limit: None,
            behind_proxy: false,
            cors_origins: Vec::new(),
        }
    }
}
