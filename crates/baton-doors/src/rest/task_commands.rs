//! The commands to one task over REST: `POST /api/tasks/{id}/…`. Route and description are made of what each use case says
//! of itself (`service/task_command.rs`).

use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use baton_core::{Refusal, TaskId};
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{OneOfBuilder, Schema};
use utoipa::openapi::{Content, Paths, Ref, RefOr, Required, ResponseBuilder, ResponsesBuilder};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::{Authenticated, Body, ErrorBody, ErrorResponse, HubState, Path, Strict, answer, json};
use crate::hub::Hub;
use crate::rest::described::{Conflict, NotFound};
use crate::service::task_command::{BodyRule, OnTask, TaskCommand};
use baton_service::task_commands;

/// Every command's route, with its description.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    let routes = task_commands!(course: route).into_iter().chain(task_commands!(lease: route));
    routes.fold(OpenApiRouter::new(), OpenApiRouter::routes)
}

fn route<C: TaskCommand>() -> UtoipaMethodRouter<Arc<Hub>> {
    let mut schemas = Schemas::default();
    let operation = describe::<C>(&mut schemas);
    let path = format!("/api/tasks/{{id}}/{}", C::ABOUT.verb);
    let mut paths = Paths::new();
    paths.add_path_operation(path, vec![HttpMethod::Post], operation);
    (schemas.0, paths, post(handle::<C>))
}

async fn handle<C: TaskCommand>(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let args = match C::ABOUT.body {
        // An absent body is one without members.
        BodyRule::Unread => <Body<_>>::from_request(Request::default(), &()).await.map(|Body(args)| args),
        BodyRule::Open => <Body<_>>::from_request(request, &()).await.map(|Body(args)| args),
        BodyRule::Strict => Strict::from_request(request, &()).await.map(|Strict(args)| args),
    };
    let args: C::Args = match args {
        Ok(args) => args,
        Err(refused) => return refused,
    };
    let outcome = C::run(&hub, &who.caller, OnTask::of_path(id), args).await;
    match outcome.as_ref().ok().and_then(C::refusal) {
        None => answer(outcome),
        Some(Refusal::TaskNotFound) => ErrorResponse(Refusal::TaskNotFound.into()).into_response(),
        Some(_) => match outcome {
            Ok(refused) => json(StatusCode::CONFLICT, "application/json", &refused),
            Err(error) => ErrorResponse(error).into_response(),
        },
    }
}

fn describe<C: TaskCommand>(schemas: &mut Schemas) -> Operation {
    let about = C::ABOUT;
    let id = ParameterBuilder::new()
        .name("id")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some("The task"))
        .schema(Some(schemas.name::<TaskId>()));
    let mut operation = OperationBuilder::new()
        .tag("tasks")
        .operation_id(Some(about.operation_id))
        .summary(Some(about.summary))
        .description(Some(about.details))
        .parameter(id);
    if about.body != BodyRule::Unread {
        let content = Content::new(Some(schemas.name::<C::Args>()));
        let body = RequestBodyBuilder::new().content("application/json", content);
        operation = operation.request_body(Some(body.required(Some(Required::True)).build()));
    }
    let done = response(about.done, schemas.name::<C::Response>());
    let mut responses =
        ResponsesBuilder::new().response("200", done).responses_from_into_responses::<NotFound>();
    responses = match about.conflict {
        None => responses.responses_from_into_responses::<Conflict>(),
        Some(conflict) => {
            responses.response("409", response(conflict.means, schemas.refused::<C>(conflict.schema)))
        }
    };
    operation.responses(responses.build()).build()
}

/// A JSON body with what it means.
fn response(means: &str, body: Ref) -> utoipa::openapi::Response {
    ResponseBuilder::new().description(means).content("application/json", Content::new(Some(body))).build()
}

/// The schemas that a command's description refers to.
#[derive(Default)]
struct Schemas(Vec<(String, RefOr<Schema>)>);

impl Schemas {
    /// Adds a type with all it consists of, and refers to it.
    fn name<T: ToSchema>(&mut self) -> Ref {
        self.0.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.0);
        Ref::from_schema_name(T::name())
    }

    /// A refusal that says more than an error: the command's answer, or the error.
    fn refused<C: TaskCommand>(&mut self, description: &str) -> Ref {
        let name = format!("{}Refused", C::Args::name());
        let either = OneOfBuilder::new()
            .item(self.name::<C::Response>())
            .item(Ref::from_schema_name(ErrorBody::name()))
            .description(Some(description));
        self.0.push((name.clone(), either.into()));
        Ref::from_schema_name(name)
    }
}
