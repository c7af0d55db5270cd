//! What can go wrong between the generator and the hub.

use std::io;

/// A call or a run that did not go through.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The hub answered, but not with success.
    #[error("{call} was answered {status}: {body}")]
    Refused { call: &'static str, status: u16, body: String },
    /// The hub answered something the contract does not foresee.
    #[error("{call} was answered with something else than expected: {body}")]
    Unexpected { call: &'static str, body: String },
    /// The connection broke.
    #[error("{call}: {error}")]
    Connection { call: &'static str, error: io::Error },
    /// A task was sent and its frame did not come.
    #[error("no new_task frame within {seconds} s of the send")]
    NoFrame { seconds: u64 },
    /// A task was sent and its worker's command did not start, or was not answered.
    #[error("the worker's command did not run within {seconds} s of the send")]
    NoStart { seconds: u64 },
    /// The address is not one the generator can reach.
    #[error("{0} is no address of a hub: give it as http://host:port")]
    Address(String),
}

impl Trouble {
    /// For `map_err`: an I/O error during a call.
    pub(super) fn during(call: &'static str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Connection { call, error }
    }

    /// Whether the connection is good for another call.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Unexpected { .. })
    }
}
