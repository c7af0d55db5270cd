//! Errors as gRPC has them: a code, a message, and the same reason as on the other bindings in the details
//! (google.rpc.ErrorInfo). The gate's own refusals, which come before any door, are put into the same words.

use a2a_types::errordetails::PROTOCOL_DOMAIN;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use baton_core::limits;
use prost::Message;
use prost_types::{Any, Duration};
use serde::Deserialize;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status};

use super::{A2aError, Kind};

const TYPE: &str = "type.googleapis.com/google.rpc.";

/// google.rpc.Status.
#[derive(Clone, PartialEq, Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

/// google.rpc.ErrorInfo, without the metadata it may have.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(string, tag = "2")]
    domain: String,
}

/// google.rpc.RetryInfo.
#[derive(Clone, PartialEq, Message)]
struct RetryInfo {
    #[prost(message, optional, tag = "1")]
    retry_delay: Option<Duration>,
}

fn detail(name: &str, message: &impl Message) -> Any {
    Any { type_url: format!("{TYPE}{name}"), value: message.encode_to_vec() }
}

impl From<A2aError> for Status {
    fn from(fault: A2aError) -> Self {
        let (code, reason) = (code(fault.kind), fault.kind.words().reason.to_owned());
        let mut metadata = MetadataMap::new();
        let mut details =
            vec![detail("ErrorInfo", &ErrorInfo { reason, domain: PROTOCOL_DOMAIN.to_owned() })];
        if let Some(seconds) = fault.retry_after_seconds {
            let delay = Duration { seconds: i64::try_from(seconds).unwrap_or(i64::MAX), nanos: 0 };
            details.push(detail("RetryInfo", &RetryInfo { retry_delay: Some(delay) }));
            metadata.insert("retry-after", seconds.into());
        }
        let status = RpcStatus { code: code.into(), message: fault.message.clone(), details };
        Self::with_details_and_metadata(code, fault.message, status.encode_to_vec().into(), metadata)
    }
}

/// The code that the table names.
pub(super) fn code(kind: Kind) -> Code {
    match kind {
        Kind::TaskNotFound => Code::NotFound,
        Kind::TaskNotCancelable | Kind::UnsupportedOperation | Kind::VersionNotSupported => {
            Code::FailedPrecondition
        }
        Kind::ContentTypeNotSupported | Kind::ParseError | Kind::InvalidRequest | Kind::InvalidParams => {
            Code::InvalidArgument
        }
        Kind::MethodNotFound => Code::Unimplemented,
        Kind::InternalError => Code::Internal,
        Kind::Unauthenticated => Code::Unauthenticated,
        Kind::PermissionDenied => Code::PermissionDenied,
        Kind::ResourceExhausted => Code::ResourceExhausted,
        Kind::Unavailable => Code::Unavailable,
    }
}

/// Whether a request or an answer is called gRPC.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    let called = headers.get(header::CONTENT_TYPE).and_then(|called| called.to_str().ok());
    called.and_then(|called| called.strip_prefix("application/grpc")).is_some_and(|rest| {
        // Not `application/grpc-web`, which has other frames.
        rest.is_empty() || rest.starts_with(['+', ';'])
    })
}

/// What the gate answers in the words of REST.
#[derive(Deserialize)]
struct Refused {
    error: String,
    message: Option<String>,
}

/// The answer to a gRPC call. A refusal of the gate, because the call never reached the door, becomes the status that says
/// the same; an answer of another door that did what it was asked stays as it is.
pub(crate) async fn in_place_of(answer: Response) -> Response {
    if is_grpc(answer.headers()) {
        return if is_too_large(answer.headers()) { too_large().into_http() } else { answer };
    }
    if !(answer.status().is_client_error() || answer.status().is_server_error()) {
        return answer;
    }
    let kind = match answer.status() {
        StatusCode::UNAUTHORIZED => Kind::Unauthenticated,
        StatusCode::FORBIDDEN => Kind::PermissionDenied,
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Kind::MethodNotFound,
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => Kind::ResourceExhausted,
        StatusCode::REQUEST_TIMEOUT | StatusCode::SERVICE_UNAVAILABLE => Kind::Unavailable,
        status if status.is_client_error() => Kind::InvalidRequest,
        _ => Kind::InternalError,
    };
    let seconds = answer.headers().get(header::RETRY_AFTER).and_then(|seconds| seconds.to_str().ok());
    let retry_after_seconds = seconds.and_then(|seconds| seconds.parse().ok());
    let body = to_bytes(answer.into_body(), limits::SMALL_BODY_MAX_BYTES).await.unwrap_or_default();
    let message = match serde_json::from_slice::<Refused>(&body) {
        Ok(Refused { error, message: Some(message) }) => format!("{error}: {message}"),
        Ok(Refused { error, .. }) => error,
        Err(_) => kind.words().reason.to_owned(),
    };
    Status::from(A2aError { kind, message, retry_after_seconds }).into_http::<Body>()
}

/// tonic calls a message past its limit "out of range", which nothing else here is; other servers of gRPC and its clients
/// call it an exhausted resource.
fn is_too_large(answered: &HeaderMap) -> bool {
    answered
        .get(Status::GRPC_STATUS)
        .is_some_and(|code| *code == HeaderValue::from(i32::from(Code::OutOfRange)))
}

fn too_large() -> Status {
    let most = limits::JSON_BODY_MAX_BYTES;
    A2aError::new(
        Kind::ResourceExhausted,
        format!("a message may have at most {most} bytes; send less at a time"),
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_refusal_becomes_a_status_and_an_answer_of_another_door_stays() {
        let answered = |status: StatusCode| {
            let body = Body::from(r#"{"error":"why","message":"what to do"}"#);
            in_place_of(axum::http::Response::builder().status(status).body(body).unwrap())
        };
        for kept in [StatusCode::OK, StatusCode::NO_CONTENT, StatusCode::SEE_OTHER] {
            let answer = answered(kept).await;
            assert_eq!((answer.status(), answer.headers().get(Status::GRPC_STATUS)), (kept, None));
        }
        for refused in [StatusCode::NOT_FOUND, StatusCode::UNAUTHORIZED, StatusCode::INTERNAL_SERVER_ERROR] {
            let answer = answered(refused).await;
            assert_eq!(answer.status(), StatusCode::OK, "{refused}");
            assert!(is_grpc(answer.headers()) && answer.headers().contains_key(Status::GRPC_STATUS));
        }
    }

    #[test]
    fn the_code_of_each_kind_is_the_status_of_the_table() {
        for (kind, _) in Kind::ALL {
            let name: String = format!("{:?}", code(*kind))
                .chars()
                .enumerate()
                .flat_map(|(at, letter)| {
                    let gap = (at > 0 && letter.is_uppercase()).then_some('_');
                    gap.into_iter().chain([letter.to_ascii_uppercase()])
                })
                .collect();
            assert_eq!(name, kind.words().status, "{kind:?}");
        }
    }

    #[test]
    fn a_status_carries_its_reason_and_when_to_come_back() {
        let fault = A2aError {
            kind: Kind::ResourceExhausted,
            message: "too many".into(),
            retry_after_seconds: Some(3),
        };
        let status = Status::from(fault);
        assert_eq!(status.metadata().get("retry-after").unwrap(), "3");
        let told = RpcStatus::decode(status.details()).unwrap();
        assert_eq!((told.code, &*told.message), (8, "too many"));
        let info = ErrorInfo::decode(&*told.details[0].value).unwrap();
        assert_eq!(told.details[0].type_url, "type.googleapis.com/google.rpc.ErrorInfo");
        assert_eq!((&*info.reason, &*info.domain), ("RESOURCE_EXHAUSTED", "a2a-protocol.org"));
        let retry = RetryInfo::decode(&*told.details[1].value).unwrap();
        assert_eq!(retry.retry_delay, Some(Duration { seconds: 3, nanos: 0 }));
    }

    #[test]
    fn only_grpc_itself_is_called_so() {
        for (called, expected) in [
            ("application/grpc", true),
            ("application/grpc+proto", true),
            ("application/grpc;x=y", true),
            ("application/grpc-web", false),
            ("application/json", false),
        ] {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, called.parse().unwrap())]);
            assert_eq!(is_grpc(&headers), expected, "{called}");
        }
        assert!(!is_grpc(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_exhausts_a_resource() {
        for (code, expected) in [(Code::OutOfRange, "8"), (Code::NotFound, "5")] {
            let answer = in_place_of(Status::new(code, "").into_http::<Body>()).await;
            assert_eq!(answer.headers()[Status::GRPC_STATUS], expected);
        }
    }
}
