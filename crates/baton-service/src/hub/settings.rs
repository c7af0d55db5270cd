//! How this hub was started.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// What the operator chose.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether anybody may register.
    pub open_registration: bool,
    /// Calls a second and burst per token; none on a loopback bind.
    pub rate_limit: Option<(u32, u32)>,
    /// Whether a proxy in front says who calls.
    pub behind_proxy: bool,
    /// Origins that browsers may call from.
    pub cors_origins: Vec<String>,
    /// Where the hub keeps everything; large temporary files go there too.
    pub data_folder: PathBuf,
    /// What may be called outside.
    pub outbound: crate::outbound::Policy,
    /// What clients reach it by; in A2A cards. No slash at its end.
    pub public_url: String,
    /// What the cards of its agents say of the hub.
    pub cards: CardSettings,
    /// Whether it speaks TLS itself.
    pub serves_tls: bool,
    /// How long tasks stay once they have ended; forever if none is named.
    pub keep_tasks: Option<Duration>,
    /// Bytes of artifacts a network may have, unless a system admin sets another number for it.
    pub artifact_quota: i64,
    /// Whether what happens is written into the networks' logs; only a measurement turns it off.
    pub records_evidence: bool,
    /// What opens `/metrics` beside a system admin's token.
    pub metrics_token: Option<crate::metrics::MetricsToken>,
    /// The OpenID Connect issuer that users may sign in with.
    pub oidc: Option<super::OidcSettings>,
    /// Where spans are sent.
    pub collector: Option<crate::trace::Collector>,
}

/// What cards say of the hub; nothing by default. Every address is http or https.
#[derive(Debug, Clone, Default)]
pub struct CardSettings {
    /// Who runs the hub: a name and an address.
    pub provider: Option<(String, String)>,
    pub documentation_url: Option<String>,
    pub icon_url: Option<String>,
}

impl Settings {
    /// Whether browsers reach it over https, its own or a proxy's.
    pub fn is_https(&self) -> bool {
        self.serves_tls || self.public_url.starts_with("https://")
    }
}
