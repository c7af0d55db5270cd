//! The MCP door: POST /mcp, Streamable HTTP without sessions, on the official SDK. Who calls and whether the body
//! is JSON-RPC at all is settled here; tools with their schemas, resources and prompts, and how they are answered, are in `mcp/`.

mod answer;
mod effect;
mod handler;
mod message;
mod progress;
mod prompt;
mod resource;
mod schema;
mod subscription;
mod task;
#[cfg(test)]
mod tests;
mod tool;
mod tools;

use axum::Router;
use axum::body::{self, Body};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use baton_core::limits;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use utoipa::OpenApi;

use crate::hub::Hub;
use crate::rest::{Authenticated, DoorError, ErrorBody};
use handler::Handler;
use tool::Tool;

type Service = StreamableHttpService<Handler, NeverSessionManager>;

/// The door: the same tools, answered as an SSE frame or, to a client that takes nothing else, as plain JSON.
#[derive(Clone)]
struct Door {
    hub: Arc<Hub>,
    framed: Service,
    plain: Service,
}

/// Marks a request whose answer is an event stream, which has room for notifications before the response.
#[derive(Debug, Clone, Copy)]
struct Framed;

/// What the route is, for the description: it is served for every method, so that a caller is asked for its token first.
#[derive(OpenApi)]
#[openapi(paths(enter))]
pub(crate) struct Described;

/// The route of the MCP door.
pub(crate) fn router<S: Clone + Send + Sync + 'static>(hub: &Arc<Hub>) -> Router<S> {
    router_of(hub, tools::all())
}

fn router_of<S: Clone + Send + Sync + 'static>(hub: &Arc<Hub>, tools: Vec<Tool>) -> Router<S> {
    router_with(hub, &Handler::new(hub.clone(), tools))
}

fn router_with<S: Clone + Send + Sync + 'static>(hub: &Arc<Hub>, handler: &Handler) -> Router<S> {
    let door = Door { hub: hub.clone(), framed: service(handler, false), plain: service(handler, true) };
    Router::new().route("/mcp", any(enter).with_state(door))
}

fn service(handler: &Handler, json_response: bool) -> Service {
    // Hosts and origins are checked once for all doors, in front of them.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(json_response)
        .with_max_request_body_bytes(limits::JSON_BODY_MAX_BYTES)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let handler = handler.clone();
    StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config)
}

/// Call a tool, or list the tools
///
/// Every token; what a tool allows is as with the REST call it stands for.
#[utoipa::path(
    post,
    path = "/mcp",
    tag = "mcp",
    operation_id = "call_mcp",
    security(("bearer" = [])),
    params(("traceparent" = Option<String>, Header, description = "The trace a task that is sent belongs to, unless `_meta` names one")),
    request_body(content = Object, description = "One JSON-RPC 2.0 message, as MCP has it"),
    responses(
        (status = 200, description = "a JSON-RPC 2.0 response, framed as a server-sent event unless only JSON is accepted",
            content((String = "text/event-stream"), (Object = "application/json"))),
        (status = 202, description = "a notification was taken"),
        (status = 400, description = "no JSON-RPC message; the body is a JSON-RPC error",
            content((Object = "application/json"), (String = "text/plain"))),
    )
)]
async fn enter(State(door): State<Door>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let wants_plain_json = wants_plain_json(&parts.headers);
    match Authenticated::from_request_parts(&mut parts, &door.hub).await {
        Ok(Authenticated(identity)) => parts.extensions.insert(identity),
        Err(refused) => return challenged(&door.hub, refused, &parts.headers),
    };
    suit_sdk(&mut parts);
    if parts.method != Method::POST {
        // There is no session to listen to or to end: the SDK says which method is allowed.
        return door.framed.handle(Request::from_parts(parts, body)).await.into_response();
    }
    let Ok(bytes) = body::to_bytes(body, limits::JSON_BODY_MAX_BYTES).await else {
        let why = DoorError::BodyTooLarge;
        return (why.status(), axum::Json(ErrorBody::bare(why))).into_response();
    };
    if let Err(broken) = message::check(&bytes) {
        return broken.into_response();
    }
    let service = if wants_plain_json { &door.plain } else { &door.framed };
    if !wants_plain_json {
        parts.extensions.insert(Framed);
    }
    service.handle(Request::from_parts(parts, Body::from(bytes))).await.into_response()
}

/// A 401 with what clients look for in it: how to authenticate (RFC 6750, section 3) and where to get a token (RFC 9728), so
/// that they ask for one and do not just say that they cannot connect.
fn challenged(hub: &Hub, mut refused: Response, headers: &HeaderMap) -> Response {
    if refused.status() == StatusCode::UNAUTHORIZED {
        let challenge = crate::oauth::challenge(&hub.settings, headers);
        refused.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    refused
}

/// A client that lists JSON and nothing that covers an event stream.
fn wants_plain_json(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    accept.contains("application/json") && !accept.contains("text/") && !accept.contains("*/*")
}

/// The SDK insists on both types in `Accept`, on JSON in `Content-Type` and on a `Host`; here the body is read as
/// JSON whatever it is called, and hosts are the business of the gate in front.
fn suit_sdk(parts: &mut Parts) {
    let suited = [
        (header::ACCEPT, "application/json, text/event-stream"),
        (header::CONTENT_TYPE, "application/json"),
        (header::HOST, "localhost"),
    ];
    for (name, value) in suited {
        parts.headers.insert(name, HeaderValue::from_static(value));
    }
    // It was looked up already, and what the SDK does not have it cannot log.
    parts.headers.remove(header::AUTHORIZATION);
}
