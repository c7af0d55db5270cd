//! Why a call gave no answer, what to do about it, and the exit code of a tool that stops for it.

use reqwest::StatusCode;
use serde::Deserialize;
use std::time::Duration;

use super::{Client, HubAddress, TokenSource};

/// The hub could not be reached, or the server that answered is not a hub.
pub(crate) const UNREACHABLE: u8 = 5;
/// The hub refused.
pub(crate) const REFUSED: u8 = 6;

/// No answer.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Error {
    /// No connection, no answer in time, or a hub (or a proxy before it) that cannot serve right now.
    #[error("the hub at {hub} cannot be reached: {cause}{}", unreachable_advice(.hub, .cause))]
    Unreachable {
        hub: HubAddress,
        cause: String,
        /// The hub cannot have seen the call.
        is_unsent: bool,
    },
    /// The token is unknown, revoked or expired; the hub does not say which.
    #[error(
        "the hub at {hub} does not accept your token ({token_source}): it may be unknown, revoked or expired; {}",
        .token_source.remedy(.hub)
    )]
    Unauthorized { hub: HubAddress, token_source: TokenSource },
    /// A rule refused.
    #[error("{0}")]
    Refused(Box<Refused>),
    /// What came is not what a hub answers.
    #[error("the server at {hub} does not answer like a Baton hub: {what}; check the address")]
    Protocol { hub: HubAddress, what: String },
}

/// The hub's no, in its own words.
#[derive(Debug, Clone, thiserror::Error)]
#[error("refused by the hub: {}", if .message.is_empty() { code.clone() } else { format!("{message} [{code}]") })]
pub(crate) struct Refused {
    pub(crate) status: u16,
    /// The wire's code, such as `alias_not_found`.
    pub(crate) code: String,
    /// A sentence that says what to do; may be empty.
    pub(crate) message: String,
    pub(crate) retry_after: Option<Duration>,
    /// The answer as it came.
    pub(crate) body: String,
}

/// What an error's body says.
#[derive(Debug, Default, Deserialize)]
struct ErrorBody {
    #[serde(default)]
    error: String,
    #[serde(default)]
    message: String,
    retry_after_ms: Option<u64>,
}

impl Error {
    /// What reqwest met on the way.
    pub(crate) fn unreachable(hub: &HubAddress, error: &reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::silent(hub);
        }
        // reqwest's own words name the URL; the cause at the bottom says what happened.
        let mut deepest: &dyn std::error::Error = error;
        while let Some(inner) = deepest.source() {
            deepest = inner;
        }
        let words = deepest.to_string();
        let cause = words.split(" (os error").next().unwrap_or_default().to_owned();
        Self::Unreachable { hub: hub.clone(), cause, is_unsent: error.is_connect() }
    }

    /// The hub says nothing.
    pub(super) fn silent(hub: &HubAddress) -> Self {
        Self::away(hub, "no answer in time")
    }

    /// The hub was there and is not any more.
    pub(crate) fn away(hub: &HubAddress, cause: impl Into<String>) -> Self {
        Self::Unreachable { hub: hub.clone(), cause: cause.into(), is_unsent: false }
    }

    pub(crate) fn protocol(hub: &HubAddress, what: impl Into<String>) -> Self {
        Self::Protocol { hub: hub.clone(), what: what.into() }
    }

    /// The body of an error response.
    pub(crate) fn of_answer(client: &Client, status: StatusCode, body: &str) -> Self {
        let hub = client.hub();
        let said = serde_json::from_str::<ErrorBody>(body);
        let is_json = said.is_ok();
        let said = said.unwrap_or_default();
        match status {
            // 401 with a text of its own is a wrong password, not a wrong token.
            // Without a hub's JSON it is the no of something before the hub.
            StatusCode::UNAUTHORIZED if is_json && matches!(&*said.error, "" | "unauthorized") => {
                Self::Unauthorized { hub: hub.clone(), token_source: client.token_source().clone() }
            }
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
                let words = if said.message.is_empty() { status.to_string() } else { said.message };
                Self::away(hub, words)
            }
            _ if status.is_redirection() || !is_json => Self::protocol(hub, format!("it answers {status}")),
            _ => {
                let reason = || status.canonical_reason().unwrap_or("refused").to_lowercase();
                Self::Refused(Box::new(Refused {
                    status: status.as_u16(),
                    code: if said.error.is_empty() { reason() } else { said.error },
                    message: said.message,
                    retry_after: said.retry_after_ms.map(Duration::from_millis),
                    body: body.into(),
                }))
            }
        }
    }

    /// The exit code of a tool that stops here.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Unreachable { .. } | Self::Protocol { .. } => UNREACHABLE,
            Self::Unauthorized { .. } | Self::Refused(_) => REFUSED,
        }
    }

    /// Whether the same call may be answered later: the hub was away, or had enough for the moment.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused(refused) => refused.retry_after.is_some(),
            Self::Unauthorized { .. } | Self::Protocol { .. } => false,
        }
    }

    /// Whether no later try can end otherwise: the hub looked at the call and refused. A hub that is away, busy or
    /// broken inside, or something else that answers in its place, may pass.
    pub(crate) fn is_final(&self) -> bool {
        self.status().is_some_and(|status| status < 500) && !self.is_transient()
    }

    /// The hub's code, if it refused for a reason.
    pub(crate) fn code(&self) -> Option<&str> {
        match self {
            Self::Refused(refused) => Some(&refused.code),
            Self::Unauthorized { .. } => Some("unauthorized"),
            _ => None,
        }
    }

    /// The HTTP status of a refusal.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refused) => Some(refused.status),
            Self::Unauthorized { .. } => Some(401),
            _ => None,
        }
    }
}

fn unreachable_advice(hub: &HubAddress, cause: &str) -> &'static str {
    if cause.contains("certificate") || cause.contains("UnknownIssuer") {
        "; if the hub has a private CA, pass --ca FILE"
    } else if hub.is_loopback() {
        "; is it running? `baton hub start` starts one"
    } else {
        "; check the address and the network"
    }
}
