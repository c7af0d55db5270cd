//! What the REST door says when a use case gives no answer: a status, and `{ok:false,error,message}`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_adapter::AdapterError;
use baton_core::{ChainTask, Class, Refusal, Status, TaskId};
use baton_store::Error as StoreError;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

use super::DoorError;
use crate::json_depth;
use crate::service::Error;

/// A use case's error on its way to the client.
#[derive(Debug)]
pub struct ErrorResponse(pub Error);

impl<E: Into<Error>> From<E> for ErrorResponse {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The body of a failure; `ok` and `error` first, as the contract prints them.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
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

/// More about a failure: a field that breaks its rule, or a task of the chain of parents that a send was refused for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorDetail)]
#[serde(untagged)]
enum Detail {
    Field { field: String, rule: String },
    Parent { task_id: TaskId, to_name: String },
}

impl ErrorBody {
    /// A failure that needs no more words than its code.
    pub fn bare(why: DoorError) -> Self {
        Self { error: why.code().into(), ..Self::default() }
    }

    /// A failure whose remedy the caller should read too.
    pub fn with_remedy(why: DoorError) -> Self {
        Self::new(why.code(), why.remedy())
    }

    /// A body that nests too deep.
    pub fn too_deep() -> Self {
        Self::new(DoorError::NotJson.code(), json_depth::message())
    }

    /// A packet that was not taken.
    pub fn packet(error: &AdapterError) -> Self {
        Self::new(error.kind.as_str(), error.message.clone())
    }

    /// A header that was sent twice.
    pub fn duplicate_header(name: &str) -> Self {
        let why = DoorError::DuplicateHeader;
        Self::new(why.code(), format!("the request has more than one `{name}` header; send it once"))
    }

    /// A cookie that does not count, and why.
    pub fn not_our_page(why: &'static str) -> Self {
        Self::new(Refusal::PermissionDenied.code(), why)
    }

    fn new(error: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { error: error.into(), message: Some(message.into()), ..Self::default() }
    }

    fn argument(field: &str, rule: &str) -> Self {
        let details = vec![Detail::Field { field: field.into(), rule: rule.into() }];
        Self { details, ..Self::new("invalid input", format!("{field} {rule}")) }
    }

    /// What every door says of an error.
    pub fn of(error: &Error) -> Self {
        match error {
            Error::Argument { field, rule } => Self::argument(field, rule),
            Error::Refused(refusal) => Self::refused(refusal),
            Error::Store(error @ StoreError::Conflict) => {
                Self::new(DoorError::Busy.code(), error.to_string())
            }
            Error::Store(error) => Self::with_remedy(store_trouble(error)),
        }
    }

    fn refused(refusal: &Refusal) -> Self {
        let said = Self::new(refusal.code(), refusal.message());
        match (refusal, refusal.class()) {
            (_, Class::Unauthenticated) => Self { message: None, ..said },
            (_, Class::TaskEnded { status }) => Self { task_status: Some(status), ..said },
            (_, Class::RateLimited { retry_after_ms }) => {
                Self { retry_after_ms: Some(retry_after_ms), ..said }
            }
            (Refusal::InvalidInput { field, rule }, _) => Self::argument(field, rule),
            (Refusal::DelegationCycle { chain, .. }, _) => {
                let link = |task: &ChainTask| Detail::Parent {
                    task_id: task.id.clone(),
                    to_name: task.to.to_string(),
                };
                Self { details: chain.iter().map(link).collect(), ..said }
            }
            _ => said,
        }
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let (status, retry_after_seconds) = match &self.0 {
            Error::Argument { .. } => (StatusCode::BAD_REQUEST, None),
            Error::Refused(refusal) => (status_of(refusal), retry_after(refusal)),
            Error::Store(error) => {
                // Damage was logged once, when it was found.
                let is_known = matches!(
                    error,
                    StoreError::Busy
                        | StoreError::Conflict
                        | StoreError::TookTooLong
                        | StoreError::Closed
                        | StoreError::Damaged(_)
                );
                if !is_known {
                    tracing::error!(%error, "a call failed in the store");
                }
                let trouble = store_trouble(error);
                let may_pass = trouble.status() == StatusCode::SERVICE_UNAVAILABLE
                    && trouble != DoorError::DatabaseDamaged;
                (trouble.status(), may_pass.then_some(1))
            }
        };
        let mut response = (status, Json(ErrorBody::of(&self.0))).into_response();
        if let Some(seconds) = retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

const fn retry_after(refusal: &Refusal) -> Option<u64> {
    match refusal.class() {
        Class::RateLimited { retry_after_ms } => Some(retry_after_ms.div_ceil(1000)),
        _ => None,
    }
}

/// The store's error: the log receives what it is, the client whether to come back.
const fn store_trouble(error: &StoreError) -> DoorError {
    match error {
        StoreError::Busy | StoreError::Conflict => DoorError::Busy,
        StoreError::Unknown(_) => DoorError::OutcomeUnknown,
        StoreError::TookTooLong => DoorError::ReadTookTooLong,
        StoreError::Closed => DoorError::ShuttingDown,
        StoreError::Unavailable(_) => DoorError::StorageUnavailable,
        StoreError::Damaged(_) | StoreError::Altered(_) => DoorError::DatabaseDamaged,
        StoreError::Corrupt(_) | StoreError::Panicked(_) => DoorError::InternalError,
    }
}

/// A refusal's status.
pub const fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal.class() {
        Class::Unauthenticated => StatusCode::UNAUTHORIZED,
        Class::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
        Class::Forbidden | Class::OutsideNetwork => StatusCode::FORBIDDEN,
        Class::NotFound | Class::UnknownReference | Class::NothingThere => StatusCode::NOT_FOUND,
        Class::Conflict | Class::TaskEnded { .. } | Class::KeyReused => StatusCode::CONFLICT,
        Class::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Class::Invalid => StatusCode::BAD_REQUEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unknown_outcome_does_not_say_that_nothing_was_changed() {
        let lost = || StoreError::Unknown("the connection was lost".into());
        for (error, code, is_undone) in [
            (StoreError::Conflict, "busy", true),
            (StoreError::Unavailable("full".into()), "storage_unavailable", true),
            (lost(), "outcome_unknown", false),
        ] {
            let body = ErrorBody::of(&Error::Store(error.clone()));
            let message = body.message.unwrap();
            assert_eq!(
                (&*body.error, message.contains("nothing was changed")),
                (code, is_undone),
                "{message}"
            );
            let answer = ErrorResponse::from(error).into_response();
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE, "{code}");
            assert!(answer.headers().contains_key(header::RETRY_AFTER), "{code}");
        }
        let message = ErrorBody::of(&Error::Store(lost())).message.unwrap();
        assert!(message.contains("check before you repeat it"), "{message}");
    }
}
