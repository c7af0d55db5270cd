//! Reading a hub's log: how the commands that do so report an error.

use crate::cli::failure::Failure;
use crate::client;

/// Told to an agent that wants to see everything.
const WHOLE_LOG: &str = "an agent's token reads the evidence of its own tasks only (--task TASK); for the whole log use a \
coordinator's token, or that of a member of the network (`baton login`)";

/// What stopped a reader, with what to do about it.
pub(super) fn failed(error: client::Error) -> Failure {
    match error.code() {
        Some("permission_denied") => Failure::Advised { error: Box::new(error), advice: WHOLE_LOG },
        _ => error.into(),
    }
}
