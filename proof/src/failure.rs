//! Why a part of the proof could not be measured.

use std::error::Error;
use std::io;

use crate::trouble::Trouble;

/// What stopped a part.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A call did not go through.
    #[error(transparent)]
    Call(#[from] Trouble),
    /// A server did not come up, or broke while it was set up.
    #[error("{server}: {reason}")]
    Server { server: &'static str, reason: String },
    /// A file could not be read or written.
    #[error("{name}: {error}")]
    File { name: String, error: io::Error },
    /// Somebody ended the run.
    #[error("ended by a signal")]
    Ended,
}

impl Failure {
    /// For `map_err`: a server's own error while it is set up.
    pub(crate) fn of<E: ToString>(server: &'static str) -> impl Fn(E) -> Self {
        move |error| Self::Server { server, reason: error.to_string() }
    }

    /// For `map_err`: a file's error.
    pub(crate) fn file(name: impl ToString) -> impl Fn(io::Error) -> Self {
        move |error| Self::File { name: name.to_string(), error }
    }
}

/// For `map_err`: a peer's error during a call, in the generator's words.
pub(crate) fn during<E>(call: &'static str) -> impl Fn(E) -> Trouble
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    move |error| Trouble::Connection { call, error: io::Error::other(error) }
}
