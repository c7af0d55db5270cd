//! What the REST door says when a use case gives no answer: a status, and `{ok:false,error,message}`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_adapter::AdapterError;
use baton_core::{Refusal, Status};
use baton_store::Error as StoreError;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

use super::Plain;
use crate::json_depth;
use crate::service::Error;

/// A use case's error on its way to the client.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Error);

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The body of a failure; `ok` and `error` first, as the contract prints them.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct ErrorBody {
    ok: bool,
    error: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorDetail)]
struct Detail {
    field: String,
    rule: String,
}

impl ErrorBody {
    /// A failure that needs no more words than its code.
    pub(crate) fn bare(why: Plain) -> Self {
        Self { error: why.code().into(), ..Self::default() }
    }

    /// A body that nests too deep.
    pub(crate) fn too_deep() -> Self {
        Self::said(Plain::NotJson.code(), json_depth::message())
    }

    /// A packet that was not taken.
    pub(crate) fn packet(error: &AdapterError) -> Self {
        Self::said(error.kind.as_str(), error.message.clone())
    }

    /// A cookie that does not count, and why.
    pub(crate) fn not_our_page(why: &'static str) -> Self {
        Self::said(Refusal::PermissionDenied.code(), why)
    }

    fn said(error: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { error: error.into(), message: Some(message.into()), ..Self::default() }
    }

    fn argument(field: &str, rule: &str) -> Self {
        let details = vec![Detail { field: field.into(), rule: rule.into() }];
        Self { details, ..Self::said("invalid input", format!("{field} {rule}")) }
    }

    /// What every door says of an error.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::Argument { field, rule } => Self::argument(field, rule),
            Error::Refused(refusal) => Self::refused(refusal),
            Error::Store(error) => {
                let trouble = store_trouble(error);
                Self::said(trouble.code(), trouble.remedy())
            }
        }
    }

    fn refused(refusal: &Refusal) -> Self {
        let said = Self::said(refusal.code(), refusal.message());
        match refusal {
            Refusal::Unauthorized | Refusal::WrongCredentials => Self { message: None, ..said },
            Refusal::ReplyTaskTerminal { status } | Refusal::TaskIsTerminal { status } => {
                Self { task_status: Some(*status), ..said }
            }
            Refusal::RateLimited { retry_after_ms } | Refusal::LoginLocked { retry_after_ms } => {
                Self { retry_after_ms: Some(*retry_after_ms), ..said }
            }
            Refusal::InvalidInput { field, rule } => Self::argument(field, rule),
            _ => said,
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, retry_after_seconds) = match &self.0 {
            Error::Argument { .. } => (StatusCode::BAD_REQUEST, None),
            Error::Refused(refusal) => (status_of(refusal), retry_after(refusal)),
            Error::Store(error) => {
                if !matches!(error, StoreError::Busy | StoreError::Closed) {
                    tracing::error!(%error, "a call failed in the store");
                }
                let status = store_trouble(error).status();
                (status, (status == StatusCode::SERVICE_UNAVAILABLE).then_some(1))
            }
        };
        let mut response = (status, Json(ErrorBody::of(&self.0))).into_response();
        if let Some(seconds) = retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

fn retry_after(refusal: &Refusal) -> Option<u64> {
    match refusal {
        Refusal::RateLimited { retry_after_ms } | Refusal::LoginLocked { retry_after_ms } => {
            Some(retry_after_ms.div_ceil(1000))
        }
        _ => None,
    }
}

/// The store's trouble: the log hears what it is, the client whether to come back.
const fn store_trouble(error: &StoreError) -> Plain {
    match error {
        StoreError::Busy => Plain::Busy,
        StoreError::Closed => Plain::ShuttingDown,
        StoreError::Unavailable(_) => Plain::StorageUnavailable,
        StoreError::Corrupt(_) | StoreError::Panicked(_) => Plain::InternalError,
    }
}

/// A refusal's status.
pub(crate) fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::Unauthorized | Refusal::WrongCredentials => StatusCode::UNAUTHORIZED,
        Refusal::RateLimited { .. } | Refusal::LoginLocked { .. } => StatusCode::TOO_MANY_REQUESTS,
        Refusal::PermissionDenied
        | Refusal::NetworkNotNamed
        | Refusal::TokenHasNoAlias
        | Refusal::RoleNotBelowYours
        | Refusal::UserTokenRequired
        | Refusal::NetworkTokenRequired
        | Refusal::NetworkAccessDenied
        | Refusal::NoWriteAccess
        | Refusal::QuotaExceeded { .. }
        | Refusal::RegistrationClosed => StatusCode::FORBIDDEN,
        Refusal::NetworkNotFound
        | Refusal::TokenNotFound
        | Refusal::UserNotFound
        | Refusal::TaskNotFound
        | Refusal::NoEvidence
        | Refusal::ReplyTaskNotFound
        | Refusal::AliasNotFound
        | Refusal::MessageNotOpen => StatusCode::NOT_FOUND,
        Refusal::ReplyTaskTerminal { .. }
        | Refusal::TaskIsTerminal { .. }
        | Refusal::TaskNotRetryable { .. }
        | Refusal::AlreadyRetried { .. }
        | Refusal::TaskIsRunning
        | Refusal::TaskIsWaitingInput
        | Refusal::TaskIsNotRunning { .. }
        | Refusal::TaskIsNotWaitingInput { .. }
        | Refusal::TaskExists
        | Refusal::LeaseLost
        | Refusal::LeaseStillRuns
        | Refusal::TaskNotOverdue
        | Refusal::IdempotencyKeyReused
        | Refusal::AliasInUse => StatusCode::CONFLICT,
        Refusal::NetworkIdRequired
        | Refusal::NetworkNameTaken
        | Refusal::MintFieldsMissing
        | Refusal::CrossNetworkParent
        | Refusal::InvalidInput { .. }
        | Refusal::UsernameTooShort
        | Refusal::UsernameTooLong
        | Refusal::UsernameHasInvalidCharacters
        | Refusal::UsernameTaken
        | Refusal::PasswordTooShort
        | Refusal::PasswordTooCommon
        | Refusal::WrongOldPassword
        | Refusal::AlreadyMember
        | Refusal::NotAMember
        | Refusal::InviteUnknown
        | Refusal::InviteUsedUp
        | Refusal::InviteExpired => StatusCode::BAD_REQUEST,
    }
}
