//! Artifacts over REST: uploads and downloads are streamed. Whatever an artifact's media type says, a browser that is sent
//! there saves it and runs nothing of it.

#[cfg(test)]
mod tests;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_core::ArtifactHash;
use baton_store::rows::ArtifactRow;

use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::byte_range::ByteRange;
use super::{
    Authenticated, DoorError, ErrorBody, ErrorResponse, HubState, Path, Query, answer, discard, is_known,
};
use crate::hub::{Hub, Identity};
use crate::rest::described::NotFound;
use crate::service::artifacts::upload::{self, Unfinished, Upload};
use crate::service::artifacts::{download, list};

/// The path of uploads, whose bodies are streamed.
pub const ARTIFACTS: &str = "/api/artifacts";

/// Every route about artifacts.
pub fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new().routes(routes!(list_artifacts, put_artifact)).routes(routes!(get_artifact))
}

/// Upload an artifact
///
/// Members of the network and its nodes. The body is the bytes, up to 1 GiB; they are durable when this is answered. An
/// artifact that nothing refers to is removed 24 hours after it was last uploaded.
#[utoipa::path(
    put,
    path = "/api/artifacts",
    tag = "artifacts",
    params(upload::QueryArgs),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes"),
    responses(
        (status = 200, description = "uploaded", body = upload::ArtifactUploaded),
        (status = 413, description = "it is larger than 1 GiB, or does not fit into the network's quota", body = ErrorBody)
    )
)]
async fn put_artifact(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<upload::QueryArgs>,
    request: Request,
) -> Response {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let mut body = request.into_body().into_data_stream();
    let upload = match Upload::read(&args, length) {
        Ok(upload) => upload,
        Err(error) => {
            discard::upload(body).await;
            return ErrorResponse(error).into_response();
        }
    };
    // In a task of its own: a client that hangs up leaves an upload that is given up in order, or done.
    let uploading = tokio::spawn(async move {
        let uploaded = upload::run(&hub, &who, &upload, &mut body).await;
        if uploaded.is_err() {
            // A client that is cut off while it sends sees no answer.
            discard::upload(body).await;
        }
        uploaded
    });
    match uploading.await {
        Ok(Ok(uploaded)) => answer(Ok(uploaded)),
        Ok(Err(unfinished)) => refused(unfinished),
        Err(error) => {
            tracing::error!(%error, "an upload panicked");
            plain(DoorError::InternalError)
        }
    }
}

fn refused(unfinished: Unfinished) -> Response {
    match unfinished {
        Unfinished::Failed(error) => ErrorResponse(error).into_response(),
        Unfinished::Late => plain(DoorError::BodyTooLate),
        Unfinished::Cut => plain(DoorError::BodyCutOff),
        Unfinished::Stopping => {
            let mut response = plain(DoorError::ShuttingDown);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
    }
}

fn plain(why: DoorError) -> Response {
    (why.status(), Json(ErrorBody::with_remedy(why))).into_response()
}

/// The artifacts of a network, or of a task, newest first
///
/// Readers of the network; a node token only its own uploads, or with `task_id` those of a task it is party to.
#[utoipa::path(
    get,
    path = "/api/artifacts",
    tag = "artifacts",
    params(list::QueryArgs),
    responses(
        (status = 200, description = "the artifacts", body = list::Artifacts),
        NotFound
    )
)]
async fn list_artifacts(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<list::QueryArgs>,
) -> Response {
    answer(list::run(&hub, &who.caller, args).await)
}

/// Download an artifact
///
/// Readers of the network; a node token only its own uploads and what a task it is party to refers to. One range of bytes can
/// be asked for, and an `ETag` that is the SHA-256 makes a repeated download cost nothing.
#[utoipa::path(
    get,
    path = "/api/artifacts/{sha256}",
    tag = "artifacts",
    params(("sha256" = ArtifactHash, Path, description = "The SHA-256 of its bytes"), download::QueryArgs),
    responses(
        (status = 200, description = "the bytes, with the media type they were uploaded with", content_type = "application/octet-stream", body = Vec<u8>),
        (status = 206, description = "the range of bytes", content_type = "application/octet-stream", body = Vec<u8>),
        (status = 304, description = "the bytes are those of `If-None-Match`"),
        (status = 416, description = "the range begins behind the last byte"),
        NotFound
    )
)]
async fn get_artifact(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(sha256): Path<String>,
    Query(args): Query<download::QueryArgs>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    let artifact = match download::find(&hub, &who.caller, &sha256, &args).await {
        Ok(artifact) => artifact,
        Err(error) => return ErrorResponse(error).into_response(),
    };
    let tag = format!("\"{}\"", artifact.hash);
    if is_known(&headers, &tag) {
        return with_head(StatusCode::NOT_MODIFIED.into_response(), &artifact, &tag);
    }
    // A range of what has changed since is of no use; what has this SHA-256 never changes.
    let is_other = headers.get(header::IF_RANGE).is_some_and(|known| known.as_bytes() != tag.as_bytes());
    let asked = headers.get(header::RANGE).filter(|_| !is_other).and_then(|range| range.to_str().ok());
    let range = asked.map_or(ByteRange::Whole, |range| ByteRange::read(range, artifact.size));
    let response = respond(&hub, &who, &artifact, range, &method).await;
    with_head(response, &artifact, &tag)
}

async fn respond(
    hub: &Hub,
    who: &Identity,
    artifact: &ArtifactRow,
    range: ByteRange,
    method: &Method,
) -> Response {
    let (status, bytes, content_range) = match range {
        ByteRange::Whole => (StatusCode::OK, 0..artifact.size, None),
        ByteRange::Part(part) => {
            let named = format!("bytes {}-{}/{}", part.start, part.end - 1, artifact.size);
            (StatusCode::PARTIAL_CONTENT, part, Some(named))
        }
        ByteRange::Unsatisfiable => {
            let size = format!("bytes */{}", artifact.size);
            return (StatusCode::RANGE_NOT_SATISFIABLE, [(header::CONTENT_RANGE, size)]).into_response();
        }
    };
    let length = bytes.end - bytes.start;
    let body = match *method {
        Method::HEAD => Body::empty(),
        _ => match download::open(hub, who, artifact, bytes).await {
            Ok(pieces) => Body::from_stream(pieces),
            Err(error) => return ErrorResponse(error).into_response(),
        },
    };
    let mut response = (status, body).into_response();
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    if let Some(range) = content_range.and_then(|range| HeaderValue::try_from(range).ok()) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    response
}

/// What every answer about an artifact's bytes says of them. An error keeps its own content type.
fn with_head(mut response: Response, artifact: &ArtifactRow, tag: &str) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    if response.status().is_client_error() || response.status().is_server_error() {
        return response;
    }
    let name = format!("attachment; filename*=UTF-8''{}", escaped(artifact.name.as_str()));
    for (header, value) in [
        (header::CONTENT_TYPE, artifact.media_type.as_str()),
        (header::CONTENT_DISPOSITION, &name),
        (header::ETAG, tag),
        (header::ACCEPT_RANGES, "bytes"),
        (header::CACHE_CONTROL, "private, no-cache"),
    ] {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(header, value);
        }
    }
    response
}

/// A name as RFC 8187 writes it: every byte but letters, digits and a few marks in hex.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
