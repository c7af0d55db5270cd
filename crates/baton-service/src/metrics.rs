//! What the hub counts of itself, and the page that shows it (`GET /metrics`, Prometheus' text format). Counting is a
//! few atomic additions: no lock, no allocation. No label ever holds a name: not of a network, an alias, a user or a task.

mod door;
pub mod exposition;
pub mod process;
mod requests;
mod token;
mod words;

pub use door::Door;
pub use token::MetricsToken;
pub(crate) use words::words;
pub use words::{LabelValue, Tally};

use process::StartTime;
use requests::Requests;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Everything that is counted beside the store, which counts for itself.
#[derive(Debug, Default)]
pub struct Metrics {
    pub requests: Requests,
    pub pushes: Tally<PushOutcome>,
    /// Shared with every connection.
    pub connections_closed: Arc<Tally<ConnectionsClosed>>,
    /// Shared with the listener.
    pub certificate: Arc<Certificate>,
    pub started: StartTime,
}

/// What is known of the hub's own certificate.
#[derive(Debug, Default)]
pub struct Certificate {
    /// Unix seconds; 0 without a certificate, or if its time cannot be read.
    expires: AtomicU64,
    pub reloads: Tally<CertificateReload>,
}

impl Certificate {
    /// Notes the end of the validity of the certificate that is in use.
    pub fn set_expiry(&self, unix_seconds: u64) {
        self.expires.store(unix_seconds, Ordering::Relaxed);
    }

    /// Unix seconds; none without a certificate.
    pub fn expiry(&self) -> Option<u64> {
        Some(self.expires.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }
}

words!(
    /// How a reload of the hub's certificate went.
    CertificateReload {
        Loaded = "loaded",
        // The one before stays in use.
        Failed = "failed",
    }
);

words!(
    /// Why the hub closed a connection.
    ConnectionsClosed {
        SlowReader = "slow_reader",
        AddressLimit = "address_limit",
    }
);

words!(
    /// How telling a push receiver of an event went.
    PushOutcome {
        Told = "told",
        TriedAgain = "tried_again",
        GivenUp = "given_up",
    }
);
