//! How this hub was started.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Where the hub keeps everything; large temporary files go there too.
    pub(crate) data_folder: PathBuf,
    /// What may be called outside.
    pub(crate) outbound: crate::outbound::Policy,
    /// What clients reach it by; in A2A cards. No slash at its end.
    pub(crate) public_url: String,
    /// Whether it speaks TLS itself.
    pub(crate) serves_tls: bool,
    /// How long tasks stay once they have ended; for ever if none is named.
    pub(crate) keep_tasks: Option<Duration>,
    /// Bytes of artifacts a network may have, unless a system admin sets another number for it.
    pub(crate) artifact_quota: i64,
    /// Whether what happens is written into the networks' logs; only a measurement turns it off.
    pub(crate) records_evidence: bool,
    /// What opens `/metrics` beside a system admin's token.
    pub(crate) metrics_token: Option<crate::metrics::MetricsToken>,
    /// Where spans are sent.
    pub(crate) collector: Option<crate::trace::Collector>,
}

impl Settings {
    /// Whether browsers reach it over https, its own or a proxy's.
    pub(crate) fn is_https(&self) -> bool {
        self.serves_tls || self.public_url.starts_with("https://")
    }
}
