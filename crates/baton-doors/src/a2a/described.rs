//! The A2A door in the API's description. Its messages are the protocol's, so their schemas are named and not repeated;
//! its paths after an agent's base are read in `http`, and a test holds them against this table.

use a2a_types::methods;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{
    ComponentsBuilder, Content, OpenApi, OpenApiBuilder, PathItem, Ref, RefOr, Required, Response,
    ResponseBuilder, SecurityRequirement,
};
use utoipa::{PartialSchema, ToSchema};

use super::agent_caller::SPOKEN;
use crate::rest::ErrorBody;

const BASE: &str = "/a2a/{network_id}/{alias}";
const MEMBERS: &str =
    "Members of the agent's network and its nodes; a task is for those who are party to it.";
/// The body of an error of the HTTP+JSON binding.
const ERROR: &str = "A2aError";
/// A response of the JSON-RPC binding.
const RESPONSE: &str = "A2aResponse";

/// How an operation answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    Json,
    Stream,
}

/// An operation of the HTTP+JSON binding.
struct Row {
    method: HttpMethod,
    /// After the agent's base.
    path: &'static str,
    operation: &'static str,
    summary: &'static str,
    answers: Answers,
}

const fn row(
    method: HttpMethod,
    path: &'static str,
    operation: &'static str,
    summary: &'static str,
    answers: Answers,
) -> Row {
    Row { method, path, operation, summary, answers }
}

/// Every path of the binding.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row(HttpMethod::Post, "/message:send", methods::SEND_MESSAGE, "Send a message, and wait for what comes of it", Answers::Json),
    row(HttpMethod::Post, "/message:stream", methods::SEND_STREAMING_MESSAGE, "Send a message, and follow what comes of it", Answers::Stream),
    row(HttpMethod::Get, "/extendedAgentCard", methods::GET_EXTENDED_AGENT_CARD, "The agent's card, for those who may see the agent", Answers::Json),
    row(HttpMethod::Get, "/tasks", methods::LIST_TASKS, "The tasks of an agent", Answers::Json),
    row(HttpMethod::Get, "/tasks/{id}", methods::GET_TASK, "A task", Answers::Json),
    row(HttpMethod::Post, "/tasks/{id}:cancel", methods::CANCEL_TASK, "Call a task off", Answers::Json),
    row(HttpMethod::Get, "/tasks/{id}:subscribe", methods::SUBSCRIBE_TO_TASK, "Follow a task", Answers::Stream),
    row(HttpMethod::Post, "/tasks/{id}:subscribe", methods::SUBSCRIBE_TO_TASK, "Follow a task", Answers::Stream),
    row(HttpMethod::Post, "/tasks/{id}/pushNotificationConfigs", methods::CREATE_PUSH_CONFIG, "Register a push receiver for a task's events", Answers::Json),
    row(HttpMethod::Get, "/tasks/{id}/pushNotificationConfigs", methods::LIST_PUSH_CONFIGS, "List the push receivers of a task", Answers::Json),
    row(HttpMethod::Get, "/tasks/{id}/pushNotificationConfigs/{config_id}", methods::GET_PUSH_CONFIG, "Get one push receiver of a task", Answers::Json),
    row(HttpMethod::Delete, "/tasks/{id}/pushNotificationConfigs/{config_id}", methods::DELETE_PUSH_CONFIG, "Tell them no more", Answers::Json),
];

/// The door's part of the description.
pub(super) fn openapi() -> OpenApi {
    let mut paths = PathsBuilder::new();
    for (path, suffix) in [(BASE.to_owned(), ""), (format!("{BASE}/"), "_with_slash")] {
        paths = paths.path(&path, PathItem::new(HttpMethod::Get, card(&path, &format!("show_card{suffix}"))));
        paths = paths.path(&path, PathItem::new(HttpMethod::Post, rpc(&path, suffix)));
    }
    let well_known = format!("{BASE}/{}", super::http::CARD);
    paths =
        paths.path(&well_known, PathItem::new(HttpMethod::Get, card(&well_known, "show_well_known_card")));
    for row in ROWS {
        paths = paths.path(format!("{BASE}{}", row.path), PathItem::new(row.method.clone(), operation(row)));
    }
    let components = ComponentsBuilder::new()
        .schema(ERROR, error())
        .schema(RESPONSE, response())
        .schema(ErrorBody::name(), ErrorBody::schema());
    OpenApiBuilder::new().paths(paths).components(Some(components.build())).build()
}

fn operation(row: &Row) -> Operation {
    let path = format!("{BASE}{}", row.path);
    let said = format!("What A2A 1.0 calls `{}`.", row.operation);
    let mut operation = begin(&path, &id_of(row), row.summary).description(Some(format!("{MEMBERS} {said}")));
    if row.method == HttpMethod::Post {
        operation = operation.request_body(Some(object_body("As the protocol has it", A2A_FORMS)));
    }
    let done = match row.answers {
        Answers::Json => json_answer(&said, &anything()),
        Answers::Stream => stream_answer(&said),
    };
    for header in headers_of(row.operation) {
        operation = operation.parameter(header.parameter());
    }
    operation = operation.response("200", done);
    failures(operation, &[400, 401, 403, 404, 429, 500, 503], ERROR)
}

/// `message:send` and its like as names, one for each method of a path.
fn id_of(row: &Row) -> String {
    let method = match row.method {
        HttpMethod::Post if row.answers == Answers::Stream => "post_",
        _ => "",
    };
    format!("a2a_{method}{}", row.operation)
}

fn card(path: &str, id: &str) -> Operation {
    let who = "Everybody if the network shows its cards, else those who may see the agent.";
    let operation = begin(path, &format!("a2a_{id}"), "An agent's card")
        .description(Some(who))
        .security(SecurityRequirement::default())
        .response("200", json_answer("What A2A 1.0 calls `AgentCard`.", &anything()));
    failures(operation, &[401, 404, 500, 503], ERROR)
}

fn rpc(path: &str, suffix: &str) -> Operation {
    let said = "A JSON-RPC 2.0 response, or a stream of them; an operation that failed is one too";
    let answer = ResponseBuilder::new()
        .description(said)
        .content("application/json", Content::new(Some(Ref::from_schema_name(RESPONSE))))
        .content("text/event-stream", Content::new(Some(text())));
    let operation = begin(path, &format!("a2a_call{suffix}"), "Call an operation of an agent over JSON-RPC")
        .description(Some(MEMBERS))
        .request_body(Some(object_body("A JSON-RPC 2.0 request", &["application/json"])))
        .parameter(Taken::IdempotencyKey.parameter())
        .parameter(Taken::TraceParent.parameter())
        .parameter(Taken::LastEventId.parameter())
        .response("200", answer);
    failures(operation, &[401, 403, 429, 503], RESPONSE)
}

fn begin(path: &str, id: &str, summary: &str) -> OperationBuilder {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let parameters: Vec<Parameter> = names.map(path_name).chain([version()]).collect();
    OperationBuilder::new()
        .tag("a2a")
        .operation_id(Some(id))
        .summary(Some(summary))
        .parameters(Some(parameters))
        .security(bearer())
}

/// A header that may be sent.
#[derive(Debug, Clone, Copy)]
enum Taken {
    IdempotencyKey,
    TraceParent,
    LastEventId,
}

impl Taken {
    fn parameter(self) -> Parameter {
        let (name, description) = match self {
            Self::IdempotencyKey => ("Idempotency-Key", "By which a message that is sent again is known"),
            Self::TraceParent => ("traceparent", "The trace a new task belongs to, as W3C has it"),
            Self::LastEventId => {
                ("Last-Event-ID", "The id of the last frame seen: the stream continues after it")
            }
        };
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .description(Some(description))
            .schema(Some(text()))
            .build()
    }
}

/// What an operation looks at beside the version.
fn headers_of(operation: &str) -> &'static [Taken] {
    match operation {
        methods::SEND_MESSAGE | methods::SEND_STREAMING_MESSAGE => {
            &[Taken::IdempotencyKey, Taken::TraceParent]
        }
        methods::SUBSCRIBE_TO_TASK => &[Taken::LastEventId],
        _ => &[],
    }
}

/// The one version that is spoken; a card is for clients that do not know that yet.
fn version() -> Parameter {
    ParameterBuilder::new()
        .name("A2A-Version")
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some("The version of the protocol; not needed for a card"))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String).enum_values(Some([SPOKEN]))))
        .build()
}

/// No cookie opens this door.
fn bearer() -> SecurityRequirement {
    SecurityRequirement::new("bearer", Vec::<String>::new())
}

fn path_name(name: &str) -> Parameter {
    let (schema, description): (RefOr<Schema>, _) = match name {
        "network_id" => (Ref::from_schema_name("NetworkId").into(), "The agent's network"),
        "alias" => (Ref::from_schema_name("Alias").into(), "The agent"),
        "id" => (Ref::from_schema_name("TaskId").into(), "The task"),
        _ => (text().into(), "As the protocol has it"),
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

const A2A_FORMS: &[&str] = &["application/json", "application/a2a+json"];

fn object_body(description: &str, forms: &[&str]) -> utoipa::openapi::request_body::RequestBody {
    let mut body = RequestBodyBuilder::new().description(Some(description)).required(Some(Required::True));
    for form in forms {
        body = body.content(*form, Content::new(Some(anything())));
    }
    body.build()
}

fn json_answer(description: &str, schema: &Schema) -> Response {
    let mut answer = ResponseBuilder::new().description(description);
    for form in A2A_FORMS {
        answer = answer.content(*form, Content::new(Some(schema.clone())));
    }
    answer.build()
}

fn stream_answer(description: &str) -> Response {
    let content = Content::new(Some(text()));
    ResponseBuilder::new().description(description).content("text/event-stream", content).build()
}

/// The binding's own errors; what the gate in front says has the hub's form.
fn failures(mut operation: OperationBuilder, statuses: &[u16], binding: &str) -> Operation {
    for status in statuses {
        let either = AnyOfBuilder::new()
            .item(Ref::from_schema_name(binding))
            .item(Ref::from_schema_name(ErrorBody::name()))
            .build();
        let answer = json_answer("not done; the reason says why", &Schema::AnyOf(either));
        operation = operation.response(status.to_string(), answer);
    }
    operation.build()
}

fn anything() -> Schema {
    ObjectBuilder::new().schema_type(Type::Object).into()
}

fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).into()
}

fn integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer)
}

fn error() -> Schema {
    let said = ObjectBuilder::new()
        .property("code", integer())
        .property("status", text())
        .property("message", text())
        .required("code")
        .required("status")
        .required("message");
    ObjectBuilder::new().property("error", said).required("error").into()
}

fn response() -> Schema {
    let error = ObjectBuilder::new()
        .property("code", integer())
        .property("message", text())
        .required("code")
        .required("message");
    ObjectBuilder::new()
        .property("jsonrpc", ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["2.0"])))
        .property("result", anything())
        .property("error", error)
        .required("jsonrpc")
        .required("id")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::http::Route;
    use axum::http::Method;

    fn method_of(row: &Row) -> Method {
        match row.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Post => Method::POST,
            HttpMethod::Delete => Method::DELETE,
            _ => panic!("a method the binding has not"),
        }
    }

    #[test]
    fn every_described_path_is_the_operation_it_says() {
        for row in ROWS {
            let path = row.path.trim_start_matches('/').replace(['{', '}'], "");
            let found = Route::find(&method_of(row), &path).map(|route| route.method);
            assert_eq!(found, Some(row.operation), "{path}");
        }
    }

    #[test]
    fn every_operation_is_described() {
        let source = include_str!("http.rs");
        for name in source.split("methods::").skip(1).filter_map(|rest| rest.split([',', ';']).next()) {
            let described = include_str!("described.rs").matches(&format!("methods::{name},")).count();
            assert!(described > 0, "{name}");
        }
    }
}
