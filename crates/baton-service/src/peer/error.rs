//! Why a remote agent gave no answer, by what there is to do: try again, or not.

use baton_core::Refusal;
use reqwest::StatusCode;

use crate::outbound;

/// A2A's codes for what will not be otherwise the next time.
const TASK_NOT_FOUND: i64 = -32001; // not a limit: a code
const TASK_NOT_CANCELABLE: i64 = -32002; // not a limit: a code
const UNSUPPORTED: i64 = -32004; // not a limit: a code
/// JSON-RPC's own code for error inside.
const INTERNAL: i64 = -32603; // not a limit: a code

/// No answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PeerError {
    /// It may go better later; whether the call arrived is not known.
    #[error("{0}")]
    Transient(String),
    /// It may go better later, and nothing was done there: the call did not arrive, or was turned away unread.
    #[error("{0}")]
    NotTaken(String),
    /// It will not.
    #[error("{0}")]
    Final(String),
    /// Its card is not signed as it has to be. It may be again, or another key may be pinned; until then nothing is sent.
    #[error("{}", .0.message())]
    Refused(Refusal),
    /// It does not know the task, or the task has ended there.
    #[error("{0}")]
    TaskIsGone(String),
}

impl PeerError {
    /// Whether it may go better later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Transient(_) | Self::NotTaken(_) | Self::Refused(_))
    }

    /// A card that is away for a while, as during a new release of the agent, says nothing of a task that is out.
    pub(super) fn of_card(status: StatusCode) -> Self {
        let trouble = Self::of_status(status, "the card cannot be read");
        if status == StatusCode::NOT_FOUND || trouble.may_pass() {
            return Self::NotTaken(trouble.to_string());
        }
        trouble
    }

    pub(super) fn of_status(status: StatusCode, message: &str) -> Self {
        let text = format!("{message} (HTTP {})", status.as_u16());
        match status {
            StatusCode::NOT_FOUND => Self::TaskIsGone(text),
            StatusCode::TOO_MANY_REQUESTS => Self::NotTaken(text),
            StatusCode::REQUEST_TIMEOUT => Self::Transient(text),
            status if status.is_server_error() => Self::Transient(text),
            _ => Self::Final(text),
        }
    }

    pub(super) fn of_rpc(code: i64, message: &str, status: StatusCode) -> Self {
        let text = format!("{message} ({code})");
        match code {
            TASK_NOT_FOUND | TASK_NOT_CANCELABLE | UNSUPPORTED => Self::TaskIsGone(text),
            INTERNAL => Self::Transient(text),
            _ if status == StatusCode::TOO_MANY_REQUESTS => Self::NotTaken(text),
            _ if status.is_server_error() => Self::Transient(text),
            _ => Self::Final(text),
        }
    }
}

impl From<Refusal> for PeerError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<outbound::Error> for PeerError {
    fn from(error: outbound::Error) -> Self {
        use outbound::Error;
        match error {
            // A name may lead elsewhere the next time, a line may be there again, a certificate be another.
            Error::NoAddress | Error::UnknownIssuer | Error::NoConnection(_) => {
                Self::NotTaken(error.to_string())
            }
            Error::Silent | Error::Failed(_) => Self::Transient(error.to_string()),
            Error::NoTarget(_)
            | Error::Forbidden
            | Error::NotHttps
            | Error::TooLong
            | Error::Unreadable(_) => Self::Final(error.to_string()),
        }
    }
}
