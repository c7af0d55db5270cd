//! Evidence over REST: the log, its checkpoint and proofs for readers of the network, its key for everybody, and
//! packets of other systems from those who may write.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Json, body};
use baton_core::limits;
use bytes::Bytes;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::arguments::{media_type, refuse};
use super::{Authenticated, DoorError, ErrorBody, ErrorResponse, HubState, Query, answer};
use crate::hub::Hub;
use crate::rest::described::NotFound;
use crate::service::Error;
use crate::service::evidence::export::{self, Export};
use crate::service::evidence::{page, proof, report};

/// The stretch of the log an export covers: from an index up to another, which is not part of it.
pub const LOG_FROM: HeaderName = HeaderName::from_static("baton-log-from");
pub const LOG_TO: HeaderName = HeaderName::from_static("baton-log-to");

/// Every route about evidence.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(newest_checkpoint))
        .routes(routes!(inclusion))
        .routes(routes!(consistency))
        .routes(routes!(key))
        .routes(routes!(bundle))
        .routes(routes!(side_file))
        .routes(routes!(hand_in))
}

/// The events of a log, in order
///
/// Readers of the network; a node token only of tasks it is party to.
#[utoipa::path(
    get,
    path = "/api/evidence",
    tag = "evidence",
    operation_id = "list_evidence",
    params(page::QueryArgs),
    responses(
        (status = 200, description = "the events as they were recorded", body = page::EvidenceEvents),
        NotFound
    )
)]
async fn list(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<page::QueryArgs>,
) -> Response {
    answer(page::run_on_query(&hub, &who.caller, args).await)
}

/// The newest signed checkpoint of a log
///
/// Readers of the network.
#[utoipa::path(
    get,
    path = "/api/evidence/checkpoint",
    tag = "evidence",
    params(proof::CheckpointArgs),
    responses(
        (status = 200, description = "a signed note", content_type = "text/plain", body = String),
        NotFound
    )
)]
async fn newest_checkpoint(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<proof::CheckpointArgs>,
) -> Response {
    match proof::checkpoint(&hub, &who.caller, args).await {
        Ok(note) => ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], note).into_response(),
        Err(error) => ErrorResponse(error).into_response(),
    }
}

/// That an event is in a log
///
/// Readers of the network.
#[utoipa::path(
    get,
    path = "/api/evidence/proof",
    tag = "evidence",
    operation_id = "prove_inclusion",
    params(proof::InclusionArgs),
    responses(
        (status = 200, description = "the hashes beside its way to the root", body = proof::Inclusion),
        NotFound
    )
)]
async fn inclusion(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<proof::InclusionArgs>,
) -> Response {
    answer(proof::inclusion(&hub, &who.caller, args).await)
}

/// That a log only grew
///
/// Readers of the network.
#[utoipa::path(
    get,
    path = "/api/evidence/consistency",
    tag = "evidence",
    operation_id = "prove_consistency",
    params(proof::ConsistencyArgs),
    responses(
        (status = 200, description = "the hashes between the two roots", body = proof::Consistency),
        NotFound
    )
)]
async fn consistency(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<proof::ConsistencyArgs>,
) -> Response {
    answer(proof::consistency(&hub, &who.caller, args).await)
}

/// The public key of the hub's checkpoints
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/api/evidence/key",
    tag = "evidence",
    operation_id = "show_evidence_key",
    security(()),
    responses(
        (status = 200, description = "the key, as signed notes name it", body = proof::Key)
    )
)]
async fn key(State(hub): HubState) -> Response {
    Json(proof::key(&hub)).into_response()
}

/// Evidence to take away: a bundle of events
///
/// Readers of the network; a node token only of tasks it is party to.
#[utoipa::path(
    get,
    path = "/api/evidence/bundle",
    tag = "evidence",
    operation_id = "export_bundle",
    params(export::QueryArgs),
    responses(
        (status = 200, description = "the bundle; `baton-log-from` and `baton-log-to` say what it covers", content_type = "application/gzip", body = Vec<u8>),
        NotFound
    )
)]
async fn bundle(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<export::QueryArgs>,
) -> Response {
    stream(export::bundle(&hub, &who, args).await, "tar.gz", "application/gzip")
}

/// What proves the events of a bundle
///
/// Readers of the network; a node token only of tasks it is party to.
#[utoipa::path(
    get,
    path = "/api/evidence/side-file",
    tag = "evidence",
    operation_id = "export_side_file",
    params(export::QueryArgs),
    responses(
        (status = 200, description = "the checkpoint and the proofs", content_type = "application/json", body = Object),
        NotFound
    )
)]
async fn side_file(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<export::QueryArgs>,
) -> Response {
    stream(export::side_file(&hub, &who, args).await, "tar.gz.proof.json", "application/json")
}

/// An export as it is put together. Which stretch of the log it covers stands in its head, so that a side file can be
/// asked for that covers the same.
fn stream(outcome: Result<Export, Error>, ending: &str, media_type: &'static str) -> Response {
    let export = match outcome {
        Ok(export) => export,
        Err(error) => return ErrorResponse(error).into_response(),
    };
    let head = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}.{ending}\"", export.name)),
        (LOG_FROM, export.from.to_string()),
        (LOG_TO, export.to.to_string()),
    ];
    let mut response = (AppendHeaders(head), Body::from_stream(export.pieces)).into_response();
    if let Some(length) = export.length {
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// Hand in packets of other systems
///
/// Members of the network and its nodes.
#[utoipa::path(
    post,
    path = "/api/evidence/packets",
    tag = "evidence",
    operation_id = "report_packets",
    params(report::QueryArgs),
    request_body(
        content((Object = "application/json"), (String = "application/x-ndjson")),
        description = "One packet, or one a line"
    ),
    responses(
        (status = 200, description = "what became of each", body = report::PacketsReported)
    )
)]
async fn hand_in(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<report::QueryArgs>,
    request: Request,
) -> Response {
    let form = media_type(&request).map(str::to_ascii_lowercase);
    let Ok(bytes) = body::to_bytes(request.into_body(), limits::JSON_BODY_MAX_BYTES).await else {
        return refuse(DoorError::BodyTooLarge);
    };
    let packets = match form.as_deref() {
        Some("application/json") => vec![bytes],
        Some("application/x-ndjson") => lines(&bytes),
        _ => return refuse(DoorError::NotCalledPackets),
    };
    let outcome = report::run(&hub, &who.caller, args, packets).await;
    match &outcome {
        // One packet that is not taken is a call that did nothing.
        Ok(done) if form.as_deref() == Some("application/json") => match done.only_refusal() {
            Some(error) => (StatusCode::BAD_REQUEST, Json(ErrorBody::packet(error))).into_response(),
            None => answer(outcome),
        },
        _ => answer(outcome),
    }
}

/// One packet a line; a blank line holds none.
fn lines(body: &Bytes) -> Vec<Bytes> {
    let lines = body.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.is_empty()).map(|line| body.slice_ref(line)).collect()
}
