//! The JSON-RPC binding: `POST` on an agent's base. Every answer is HTTP 200 but what HTTP itself is asked to say: no
//! token, no right, no time.

use axum::body::{Body, to_bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_core::limits;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

use super::agent_caller::{AgentCaller, check_version};
use super::call::{A2aResponse, Call, Reply};
use super::error::{A2aError, ErrorInfo, Kind};
use super::http::{event_stream, is_json, names, status, with_headers};
use super::{extension, input};
use crate::hub::Hub;
use crate::rest::json;

const JSON: &str = "application/json";

/// A response, whole.
#[derive(Serialize)]
struct RpcResponse<'a> {
    jsonrpc: &'static str,
    id: &'a Value,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Result(&'a Reply),
    Error { code: i32, message: &'a str, data: [ErrorInfo; 1] },
}

/// Answers a request on an agent's base.
pub(super) async fn answer(
    State(hub): State<Arc<Hub>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let (network_id, alias) = names(path);
    let (mut id, extensions) = (Value::Null, extension::asked_for(request.headers()));
    let response = match serve(&hub, (&network_id, &alias), request, &mut id).await {
        Ok(A2aResponse::Value(reply)) => {
            let said = RpcResponse { jsonrpc: "2.0", id: &id, outcome: Outcome::Result(&reply) };
            json(StatusCode::OK, JSON, &said)
        }
        Ok(A2aResponse::Stream(stream)) => event_stream(Body::from_stream(stream.frames(Some(id)))),
        Err(fault) => refuse(&id, &fault),
    };
    extension::named_in(extensions, response)
}

/// `id` is set as soon as it is known, so that an error names it.
async fn serve(
    hub: &Arc<Hub>,
    agent: (&str, &str),
    request: Request,
    id: &mut Value,
) -> Result<A2aResponse, A2aError> {
    let visitor = AgentCaller::admit(hub, agent, request.headers(), request.extensions()).await?;
    let version = check_version(request.headers(), request.uri());
    if !is_json(request.headers()) {
        return Err(A2aError::new(Kind::ContentTypeNotSupported, "send application/json"));
    }
    // The gate bounds it too; what it cuts off it answers itself.
    let body = to_bytes(request.into_body(), limits::JSON_BODY_MAX_BYTES).await;
    let body = body.map_err(|_| A2aError::new(Kind::InvalidRequest, "the body could not be read"))?;
    let (method, params) = envelope(&body, id)?;
    version?;
    Call::read(&method, input::tidy(params))?.run(hub, visitor).await
}

/// The request's method and parameters.
fn envelope(body: &[u8], id: &mut Value) -> Result<(String, Value), A2aError> {
    let invalid = |rule: &str| A2aError::new(Kind::InvalidRequest, rule);
    let Value::Object(mut members) = input::parse(body)? else {
        return Err(invalid("a request is one object"));
    };
    match members.remove("id") {
        Some(given @ (Value::String(_) | Value::Null)) => *id = given,
        Some(Value::Number(given)) if given.is_i64() || given.is_u64() => *id = given.into(),
        _ => return Err(invalid("id must be a string, a whole number or null")),
    }
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("jsonrpc must be \"2.0\""));
    }
    let Some(Value::String(method)) = members.remove("method") else {
        return Err(invalid("method must be a string"));
    };
    match members.remove("params") {
        None | Some(Value::Null) => Ok((method, Value::Object(serde_json::Map::new()))),
        Some(params @ Value::Object(_)) => Ok((method, params)),
        Some(_) => Err(A2aError::params("params must be an object")),
    }
}

fn refuse(id: &Value, fault: &A2aError) -> Response {
    let words = fault.kind.words();
    let outcome = Outcome::Error { code: words.code, message: &fault.message, data: fault.details() };
    // Plain words and a request's own id: there is nothing in it that JSON cannot say.
    let body = serde_json::to_string(&RpcResponse { jsonrpc: "2.0", id, outcome }).unwrap_or_default();
    let response = (status(words.rpc_http), [(header::CONTENT_TYPE, JSON)], body).into_response();
    with_headers(response, fault)
}
