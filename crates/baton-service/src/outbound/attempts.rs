//! How calls outside ended, counted. Nothing here says who was called.

use reqwest::StatusCode;

use super::Error;
use crate::metrics::Tally;

crate::metrics::words!(
    /// How a call ended.
    Ended {
        Answered = "2xx",
        Declined = "other_status",
        Forbidden = "forbidden",
        Unreachable = "unreachable",
        Silent = "silent",
        Unreadable = "unreadable",
        Failed = "failed",
    }
);

impl Ended {
    fn of(outcome: Result<StatusCode, &Error>) -> Self {
        match outcome {
            Ok(status) if status.is_success() => Self::Answered,
            Ok(_) => Self::Declined,
            Err(Error::NoTarget(_) | Error::Forbidden | Error::NotHttps) => Self::Forbidden,
            Err(Error::NoAddress | Error::UnknownIssuer | Error::NoConnection(_)) => Self::Unreachable,
            Err(Error::Silent) => Self::Silent,
            Err(Error::TooLong | Error::Unreadable(_)) => Self::Unreadable,
            Err(Error::Failed(_)) => Self::Failed,
        }
    }
}

/// All calls by how they ended.
#[derive(Debug, Default)]
pub(super) struct Attempts(pub(super) Tally<Ended>);

impl Attempts {
    pub(super) fn note(&self, outcome: Result<StatusCode, &Error>) {
        self.0.note(Ended::of(outcome));
    }
}
