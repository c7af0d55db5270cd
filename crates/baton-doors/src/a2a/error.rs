//! Errors of the A2A door: one table, printed by every binding. A use case's error becomes one of its rows here and
//! nowhere else.

use a2a_types::errordetails::{ERROR_INFO_TYPE, PROTOCOL_DOMAIN};
use baton_core::{Class, Refusal};
use baton_store::Error as StoreError;
use serde::Serialize;

use crate::rest::DoorError;
use crate::service::Error;

/// The codes of an error kind: JSON-RPC code, HTTP status, gRPC name and reason.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorNames {
    pub(super) code: i32,
    pub(super) http: u16,
    pub(super) status: &'static str,
    pub(super) reason: &'static str,
    /// The HTTP status of a JSON-RPC answer.
    pub(super) rpc_http: u16,
}

const fn words(code: i32, http: u16, status: &'static str, reason: &'static str) -> ErrorNames {
    ErrorNames { code, http, status, reason, rpc_http: 200 }
}

/// The same status whatever the binding.
const fn of_http(code: i32, http: u16, status: &'static str) -> ErrorNames {
    ErrorNames { code, http, status, reason: status, rpc_http: http }
}

macro_rules! kinds {
    ($(#[doc = $meaning:literal] $name:ident = $words:expr;)+) => {
        /// What went wrong, as the protocol has it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $(#[doc = $meaning] $name,)+
        }

        impl Kind {
            #[cfg(test)]
            pub(super) const ALL: &[(Self, &str)] = &[$((Self::$name, $meaning)),+];

            pub(super) const fn words(self) -> ErrorNames {
                match self { $(Self::$name => $words,)+ }
            }
        }
    };
}

kinds! {
    /// The agent or task does not exist, or the caller may not see it.
    TaskNotFound = words(-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND");
    /// The task has ended already.
    TaskNotCancelable = words(-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE");
    /// The task is not in a state for this: the message says which.
    UnsupportedOperation = words(-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION");
    /// The body or a part of the message is of a type that is not taken.
    ContentTypeNotSupported = words(-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED");
    /// Send `A2A-Version: 1.0`.
    VersionNotSupported = words(-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED");
    /// The body is not JSON.
    ParseError = words(-32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR");
    /// The body is not a request.
    InvalidRequest = words(-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST");
    /// There is no such operation.
    MethodNotFound = words(-32601, 404, "UNIMPLEMENTED", "METHOD_NOT_FOUND");
    /// An argument breaks its rule, named in the message.
    InvalidParams = words(-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS");
    /// The hub failed inside; it may or may not have been done.
    InternalError = words(-32603, 500, "INTERNAL", "INTERNAL_ERROR");
    // What every HTTP server says in its own way; the protocol leaves it to HTTP, so JSON-RPC has the status too.
    /// The token is missing, unknown or revoked.
    Unauthenticated = of_http(-32090, 401, "UNAUTHENTICATED");
    /// Your role or your token does not allow this.
    PermissionDenied = of_http(-32091, 403, "PERMISSION_DENIED");
    /// Too many calls: `retry-after` says when to come back.
    ResourceExhausted = of_http(-32092, 429, "RESOURCE_EXHAUSTED");
    /// Not now: the hub is stopping, busy, or cannot use its disk; or its database is damaged.
    Unavailable = of_http(-32093, 503, "UNAVAILABLE");
}

/// The table for docs/errors.md: reason, HTTP status, JSON-RPC code, meaning.
#[cfg(test)]
pub(crate) fn errors() -> impl Iterator<Item = (&'static str, u16, i32, &'static str)> {
    Kind::ALL.iter().map(|(kind, meaning)| {
        let words = kind.words();
        (words.reason, words.http, words.code, meaning.trim().trim_end_matches('.'))
    })
}

/// An error on its way to the client.
#[derive(Debug, Clone)]
pub(super) struct A2aError {
    pub(super) kind: Kind,
    pub(super) message: String,
    pub(super) retry_after_seconds: Option<u64>,
}

/// What a client may look up the error by.
#[derive(Debug, Serialize)]
pub(super) struct ErrorInfo {
    #[serde(rename = "@type")]
    kind: &'static str,
    reason: &'static str,
    domain: &'static str,
}

impl A2aError {
    pub(super) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after_seconds: None }
    }

    /// The request does not say what its operation takes.
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidParams, message)
    }

    /// An unknown network, agent or task, and one that is out of sight: all alike.
    pub(super) fn not_found() -> Self {
        Self::new(Kind::TaskNotFound, "there is no such agent or task here")
    }

    pub(super) const fn details(&self) -> [ErrorInfo; 1] {
        [ErrorInfo { kind: ERROR_INFO_TYPE, reason: self.kind.words().reason, domain: PROTOCOL_DOMAIN }]
    }

    fn later(kind: Kind, message: String, seconds: u64) -> Self {
        Self { kind, message, retry_after_seconds: Some(seconds) }
    }
}

impl<E: Into<Error>> From<E> for A2aError {
    fn from(error: E) -> Self {
        match error.into() {
            Error::Argument { field, rule } => Self::params(format!("{field} {rule}")),
            Error::Refused(refusal) => of_refusal(&refusal),
            Error::Store(error) => of_store(&error),
        }
    }
}

impl A2aError {
    /// An error that came after the message had been committed: it must not be answered as one that changed nothing.
    pub(super) fn after_commit(self) -> Self {
        match self.kind {
            Kind::Unavailable => Self { message: DoorError::OutcomeUnknown.remedy().into(), ..self },
            _ => self,
        }
    }
}

fn of_store(error: &StoreError) -> A2aError {
    let come_back = |message: &str| A2aError::later(Kind::Unavailable, message.into(), 1);
    match error {
        StoreError::Busy => come_back("too many calls are waiting"),
        StoreError::Conflict => come_back(&error.to_string()),
        StoreError::TookTooLong => come_back("the read took too long and was stopped; ask for less"),
        StoreError::Closed => come_back("the hub is stopping"),
        // Logged once, when it was found; retrying does not help.
        StoreError::Damaged(_) | StoreError::Altered(_) => {
            let (code, remedy) = (DoorError::DatabaseDamaged.code(), DoorError::DatabaseDamaged.remedy());
            A2aError::new(Kind::Unavailable, format!("{code}: {remedy}"))
        }
        StoreError::Unknown(_)
        | StoreError::Unavailable(_)
        | StoreError::Corrupt(_)
        | StoreError::Panicked(_) => {
            tracing::error!(%error, "a call failed in the store");
            match error {
                StoreError::Unknown(_) => come_back(DoorError::OutcomeUnknown.remedy()),
                StoreError::Unavailable(_) => come_back("the hub cannot use its disk; nothing was changed"),
                _ => A2aError::new(
                    Kind::InternalError,
                    "the hub failed inside; it may or may not have been done",
                ),
            }
        }
    }
}

fn of_refusal(refusal: &Refusal) -> A2aError {
    let kind = match refusal.class() {
        Class::OutsideNetwork | Class::NotFound => return A2aError::not_found(),
        Class::RateLimited { retry_after_ms } => {
            let seconds = retry_after_ms.div_ceil(1000);
            return A2aError::later(Kind::ResourceExhausted, refusal.message(), seconds);
        }
        Class::TaskEnded { status } => {
            let message = format!("the task is already {status}: send a new message in its context instead");
            return A2aError::new(Kind::UnsupportedOperation, message);
        }
        Class::Unauthenticated => Kind::Unauthenticated,
        Class::Forbidden => Kind::PermissionDenied,
        Class::NothingThere | Class::Conflict => Kind::UnsupportedOperation,
        Class::UnknownReference | Class::KeyReused | Class::TooLarge | Class::Invalid => Kind::InvalidParams,
    };
    A2aError::new(kind, refusal.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unknown_outcome_does_not_say_that_nothing_was_changed() {
        for (error, is_undone) in [
            (StoreError::Conflict, true),
            (StoreError::Unavailable("full".into()), true),
            (StoreError::Unknown("the connection was lost".into()), false),
        ] {
            let fault = of_store(&error);
            assert_eq!((fault.kind, fault.retry_after_seconds), (Kind::Unavailable, Some(1)), "{error}");
            assert_eq!(fault.message.contains("nothing was changed"), is_undone, "{}", fault.message);
        }
    }
}
