//! The HTTP+JSON binding: what a path after an agent's base means, and the cards. Answers are `application/a2a+json`
//! for those who ask for it or send it, else `application/json`.

use a2a_types::methods;
use axum::body::{Body, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_core::limits;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

use super::agent_caller::{AgentCaller, check_version, query};
use super::call::{A2aResponse, Call};
use super::error::{A2aError, ErrorInfo, Kind};
use super::{card, card_answer, extension, input};
use crate::hub::Hub;
use crate::service::agent::AgentAddress;

const JSON: &str = "application/json";
const A2A_JSON: &str = "application/a2a+json";
pub(super) const CARD: &str = ".well-known/agent-card.json";

/// An error's body.
#[derive(Serialize)]
struct ErrorEnvelope<'a> {
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: u16,
    status: &'static str,
    message: &'a str,
    details: [ErrorInfo; 1],
}

/// What a path means: an operation, and what the path says for it.
pub(super) struct Route<'a> {
    pub(super) method: &'static str,
    names: Vec<(&'static str, &'a str)>,
}

impl<'a> Route<'a> {
    /// Every path of the binding.
    #[rustfmt::skip]
    pub(super) fn find(method: &Method, path: &'a str) -> Option<Self> {
        let is_get = *method == Method::GET;
        let is_post = *method == Method::POST;
        let is_delete = *method == Method::DELETE;
        let steps: Vec<&str> = path.split('/').collect();
        let route = |method, names: &[(&'static str, &'a str)]| Some(Self { method, names: names.to_vec() });
        match *steps {
            ["message:send"]       if is_post => route(methods::SEND_MESSAGE, &[]),
            ["message:stream"]     if is_post => route(methods::SEND_STREAMING_MESSAGE, &[]),
            ["extendedAgentCard"]  if is_get  => route(methods::GET_EXTENDED_AGENT_CARD, &[]),
            ["tasks"]              if is_get  => route(methods::LIST_TASKS, &[]),
            ["tasks", task] => match task.split_once(':') {
                None                   if is_get            => route(methods::GET_TASK, &[("id", task)]),
                Some((id, "cancel"))   if is_post           => route(methods::CANCEL_TASK, &[("id", id)]),
                Some((id, "subscribe")) if is_get || is_post => route(methods::SUBSCRIBE_TO_TASK, &[("id", id)]),
                _ => None,
            },
            ["tasks", task, "pushNotificationConfigs"] if is_post => route(methods::CREATE_PUSH_CONFIG, &[("taskId", task)]),
            ["tasks", task, "pushNotificationConfigs"] if is_get  => route(methods::LIST_PUSH_CONFIGS, &[("taskId", task)]),
            ["tasks", task, "pushNotificationConfigs", id] if is_get    => route(methods::GET_PUSH_CONFIG, &[("taskId", task), ("id", id)]),
            ["tasks", task, "pushNotificationConfigs", id] if is_delete => route(methods::DELETE_PUSH_CONFIG, &[("taskId", task), ("id", id)]),
            _ => None,
        }
    }
}

/// The card, on the base itself.
pub(super) async fn card(
    State(hub): State<Arc<Hub>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Extensions,
    headers: HeaderMap,
) -> Response {
    let (network_id, alias) = names(path);
    show_card(&hub, (&network_id, &alias), &headers, &request).await
}

/// Answers a request on a path after the base.
pub(super) async fn answer(
    State(hub): State<Arc<Hub>>,
    path: Result<Path<(String, String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let (network_id, alias, rest) = names(path);
    if rest == CARD && *request.method() == Method::GET {
        return show_card(&hub, (&network_id, &alias), request.headers(), request.extensions()).await;
    }
    let (media_type, extensions) = (answered_as(request.headers()), extension::asked_for(request.headers()));
    let response = match serve(&hub, (&network_id, &alias), &rest, request).await {
        Ok(A2aResponse::Value(reply)) => json(StatusCode::OK, media_type, &*reply),
        Ok(A2aResponse::Stream(stream)) => event_stream(Body::from_stream(stream.frames(None))),
        Err(fault) => refuse(media_type, &fault),
    };
    extension::named_in(extensions, response)
}

/// The names in a path; one that is not text names nothing.
pub(super) fn names<T: Default>(path: Result<Path<T>, PathRejection>) -> T {
    path.map(|Path(names)| names).unwrap_or_default()
}

async fn serve(
    hub: &Arc<Hub>,
    agent: (&str, &str),
    path: &str,
    request: Request,
) -> Result<A2aResponse, A2aError> {
    let visitor = AgentCaller::admit(hub, agent, request.headers(), request.extensions()).await?;
    check_version(request.headers(), request.uri())?;
    let unknown = || A2aError::new(Kind::MethodNotFound, format!("there is no {} {path}", request.method()));
    let route = Route::find(request.method(), path).ok_or_else(unknown)?;
    let mut params = match *request.method() {
        Method::GET | Method::DELETE => input::of_query(query(request.uri())),
        _ => read_body(request).await?,
    };
    if let Value::Object(members) = &mut params {
        // What the path says counts, whatever the body says.
        members.extend(route.names.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
    }
    Call::read(route.method, params)?.run(hub, visitor).await
}

async fn read_body(request: Request) -> Result<Value, A2aError> {
    if !is_json(request.headers()) {
        let message = format!("send {A2A_JSON} or {JSON}");
        return Err(A2aError::new(Kind::ContentTypeNotSupported, message));
    }
    // The gate bounds it too; what it cuts off it answers itself.
    let body = to_bytes(request.into_body(), limits::JSON_BODY_MAX_BYTES).await;
    let body = body.map_err(|_| A2aError::new(Kind::InvalidRequest, "the body could not be read"))?;
    if body.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match input::parse(&body)? {
        object @ Value::Object(_) => Ok(input::tidy(object)),
        _ => Err(A2aError::params("the body must be an object")),
    }
}

async fn show_card(
    hub: &Hub,
    (network_id, alias): (&str, &str),
    headers: &HeaderMap,
    request: &Extensions,
) -> Response {
    let media_type = answered_as(headers);
    let card = async {
        let address = AgentAddress::parse(network_id, alias).ok_or_else(A2aError::not_found)?;
        let caller = card::asker(hub, headers, request).await?;
        card::public(hub, &address, caller.as_ref()).await
    };
    match card.await {
        Ok(card) => card_answer::answer(headers, media_type, &card),
        Err(fault) => refuse(media_type, &fault),
    }
}

pub(super) fn refuse(media_type: &'static str, fault: &A2aError) -> Response {
    let words = fault.kind.words();
    let said = ErrorObject {
        code: words.http,
        status: words.status,
        message: &fault.message,
        details: fault.details(),
    };
    with_headers(json(status(words.http), media_type, &ErrorEnvelope { error: said }), fault)
}

fn json(status: StatusCode, media_type: &'static str, value: &impl Serialize) -> Response {
    crate::rest::json(status, media_type, value)
}

/// What goes with a fault in the head of its answer.
pub(super) fn with_headers(mut response: Response, fault: &A2aError) -> Response {
    if fault.kind == Kind::Unauthenticated {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = fault.retry_after_seconds {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A number of the table.
pub(super) fn status(number: u16) -> StatusCode {
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A stream of server-sent events.
pub(super) fn event_stream(body: Body) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        // Proxies that collect an answer before they pass it on are asked not to.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}

/// Whether the content type is JSON or missing.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    media_types(headers, &header::CONTENT_TYPE).all(|name| name == JSON || name == A2A_JSON)
}

/// What the answer is called: the first of the two names that the client accepts, else what it sent.
pub(super) fn answered_as(headers: &HeaderMap) -> &'static str {
    let ours = |name: String| [JSON, A2A_JSON].into_iter().find(|ours| *ours == name);
    media_types(headers, &header::ACCEPT)
        .find_map(ours)
        .or_else(|| media_types(headers, &header::CONTENT_TYPE).find_map(ours))
        .unwrap_or(JSON)
}

/// The media types a header lists, in lower case and without parameters.
fn media_types(headers: &HeaderMap, name: &HeaderName) -> impl Iterator<Item = String> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(|one| one.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}
