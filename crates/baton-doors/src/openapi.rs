//! The API's description, OpenAPI 3.1, made from the code: a route is listed once, with its annotated handler, and
//! the schemas come from the very types that are read and printed. Here the doors are put together, and every operation gets
//! what the gate in front of all doors may answer. `page` and `errors` make docs/api.md and docs/errors.md, which a test writes and
//! holds.

mod bounds;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, LazyLock};
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Type};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::rest::ErrorBody;
use crate::rest::described::failure;
use crate::web::COOKIE;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Baton hub",
        version = "v3",
        description = "A hub through which AI agents hand each other tasks. Errors are `{ok:false,error,message}`; docs/errors.md has every code. Every answer names its request in the header `x-request-id`: as the same header of the request did, or by a number.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(ErrorBody)),
    security(("bearer" = []), ("session" = [])),
    tags(
        (name = "hub", description = "The process itself"),
        (name = "accounts", description = "Users, tokens, networks, members and invites"),
        (name = "tasks", description = "Tasks, inboxes, leases and who is there"),
        (name = "artifacts", description = "Bytes with a name, that tasks, messages and replies refer to"),
        (name = "evidence", description = "The log of what was recorded, its proofs and exports"),
        (name = "remotes", description = "Remote agents, reached over A2A"),
        (name = "quotas", description = "How much an account or a network may have"),
        (name = "sessions", description = "The dashboard's sign-in, by cookie"),
        (name = "streams", description = "Server-sent events"),
        (name = "mcp", description = "Tools for models, JSON-RPC over Streamable HTTP"),
        (name = "a2a", description = "Every agent of a network as an A2A 1.0 agent, on both HTTP bindings"),
    ),
    modifiers(&Keys),
)]
struct Hub;

/// The doors that describe their routes where they list them; all but MCP's one route, which takes every method.
pub(crate) fn doors() -> OpenApiRouter<Arc<crate::hub::Hub>> {
    OpenApiRouter::new()
        .routes(routes!(describe))
        .merge(crate::rest::router())
        .merge(crate::events::router())
        .merge(crate::a2a::router())
        .merge(crate::web::router())
        .merge(crate::oauth::router())
}

/// What can be called: this description
///
/// Everybody.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "hub",
    security(()),
    responses((status = 200, description = "an OpenAPI 3.1 document", body = Object))
)]
async fn describe() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], json()).into_response()
}

/// The whole description.
pub(crate) fn document() -> utoipa::openapi::OpenApi {
    let mut whole = Hub::openapi();
    whole.merge(doors().into_openapi());
    whole.merge(crate::mcp::Described::openapi());
    bounds::set(&mut whole);
    whole.paths.paths.values_mut().flat_map(operations).for_each(add_common_answers);
    whole
}

/// The same as the bytes that are served.
pub(crate) fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        document().to_json().unwrap_or_else(|error| {
            // Text, numbers and lists: there is nothing in it that JSON cannot say.
            tracing::error!(%error, "the description could not be printed");
            String::from("{}")
        })
    });
    &JSON
}

const SESSION: &str = "The dashboard's session, from its own pages only: a change needs the headers `origin` and \
                       `baton-page: 1`. On plain http the cookie's name is `baton-PORT`, the port being the hub's.";

const RETRY_AFTER: &str = "retry-after";

/// What opens the doors, and when to try again at one that stays shut.
struct Keys;

impl Modify for Keys {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let mut bearer = Http::new(HttpAuthScheme::Bearer);
        bearer.description = Some("A user token (`utok_…`) or a node token (`ntok_…`)".into());
        let cookie = ApiKeyValue::with_description(COOKIE, SESSION);
        let components = api.components.get_or_insert_default();
        components.headers.insert(RETRY_AFTER.into(), retry_after().into());
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete].into_iter().flatten()
}

/// What the gate may answer instead of any door, and what every reader of arguments may.
fn add_common_answers(operation: &mut Operation) {
    let mut may = vec![
        (413, "the body is too large, whether one is read here or not"),
        (403, "your role or token does not allow it; or a host or origin that is not allowed"),
        (429, "too many calls"),
        (500, "the hub failed inside"),
        (503, "not now: the hub is stopping, busy, or cannot use its disk"),
    ];
    if !is_public(operation) {
        may.push((401, "no token, or one that opens nothing"));
    }
    if operation.request_body.is_some() || operation.parameters.is_some() {
        may.push((400, "an argument breaks its rule"));
    }
    if operation.request_body.is_some() {
        may.push((408, "the body took too long to arrive"));
        may.push((415, "the body is of another type"));
    }
    for (status, description) in may {
        let answers = &mut operation.responses.responses;
        let answer = answers.entry(status.to_string()).or_insert_with(|| RefOr::T(failure(description)));
        if let (429 | 503, RefOr::T(answer)) = (status, answer) {
            let named = Ref::new(format!("#/components/headers/{RETRY_AFTER}"));
            answer.headers.insert(RETRY_AFTER.into(), RefOr::Ref(named));
        }
    }
}

/// When to come back.
fn retry_after() -> Header {
    let seconds = ObjectBuilder::new().schema_type(Type::Integer);
    HeaderBuilder::new().schema(Some(seconds)).description(Some("Seconds, where the hub knows when")).build()
}

/// Whether it may be called without any key.
fn is_public(operation: &Operation) -> bool {
    operation.security.iter().flatten().any(|key| *key == SecurityRequirement::default())
}
