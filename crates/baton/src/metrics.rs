//! What the hub counts of itself, and the page that shows it (`GET /metrics`, Prometheus' text format). Counting is a
//! few atomic additions: no lock, no allocation. No label ever holds a name: not of a network, an alias, a user or a task.

mod door;
pub(crate) mod exposition;
pub(crate) mod process;
mod requests;
mod token;
mod words;

pub(crate) use door::Door;
pub(crate) use token::MetricsToken;
pub(crate) use words::{Tally, Word, words};

use process::StartTime;
use requests::Requests;
use std::sync::Arc;

/// Everything that is counted beside the store, which counts for itself.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) requests: Requests,
    pub(crate) pushes: Tally<PushOutcome>,
    /// Shared with every connection.
    pub(crate) connections_closed: Arc<Tally<ConnectionsClosed>>,
    pub(crate) started: StartTime,
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
