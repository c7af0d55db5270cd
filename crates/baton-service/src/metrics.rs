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

/// Everything that is counted beside the store, which counts for itself.
#[derive(Debug, Default)]
pub struct Metrics {
    pub requests: Requests,
    pub pushes: Tally<PushOutcome>,
    /// Shared with every connection.
    pub connections_closed: Arc<Tally<ConnectionsClosed>>,
    pub started: StartTime,
}

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
