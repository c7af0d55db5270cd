//! Tasks, inboxes, leases and who is there, over REST.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use baton_core::{LeaseId, MessageId, TaskId};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Authenticated, Body, ErrorBody, HubState, Path, Query, Rate, Reserved, answer, json};
use crate::hub::Hub;
use crate::hub::in_flight::{Cost, ResponseReservation};
use crate::request_trace::Traced;
use crate::rest::described::{Conflict, NotFound};
use crate::service::task_wait::ProgressSink;
use crate::service::{
    broadcast, claim_task, extend_lease, get_completions, get_task, inbox, list_tasks, messages, overview,
    send_task, send_tasks, share_artifact, stats, statuses, task_events, task_tree, work_graph,
};

/// Every route about tasks.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(send))
        .routes(routes!(list, send_many))
        .routes(routes!(show))
        .routes(routes!(tree))
        .routes(routes!(share))
        .routes(routes!(events))
        .routes(routes!(inbox))
        .routes(routes!(ack_delivery))
        .routes(routes!(claim))
        .routes(routes!(extend))
        .routes(routes!(list_messages))
        .routes(routes!(completions))
        .routes(routes!(status))
        .routes(routes!(counts))
        .routes(routes!(overview))
        .routes(routes!(work_graph))
        .routes(routes!(send_broadcast))
}

/// Activity of a network, minute by minute, and tasks that need attention
///
/// Readers of the network.
#[utoipa::path(
    get,
    path = "/api/overview",
    tag = "tasks",
    params(overview::QueryArgs),
    responses(
        (status = 200, description = "the figures", body = overview::Overview),
        NotFound
    )
)]
async fn overview(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<overview::QueryArgs>,
) -> Response {
    answer(overview::run(&hub, &who.caller, args).await)
}

/// Who hands work to whom
///
/// Readers of the network.
#[utoipa::path(
    get,
    path = "/api/work-graph",
    tag = "tasks",
    params(work_graph::QueryArgs),
    responses(
        (status = 200, description = "the edges", body = work_graph::WorkGraph),
        NotFound
    )
)]
async fn work_graph(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<work_graph::QueryArgs>,
) -> Response {
    answer(work_graph::run(&hub, &who.caller, args).await)
}

/// Send a task to an agent, and wait for its end if asked to
///
/// Members of the network and its nodes. With `wait_seconds` the answer comes when the task has ended or asks for input, or
/// when the time is over, and has `task` and `ended`. Where the network has as many waiting calls as it may, the answer
/// comes at once.
#[utoipa::path(
    post,
    path = "/api/task",
    tag = "tasks",
    operation_id = "send_task",
    params(("traceparent" = Option<String>, Header, description = "The trace the task belongs to, as W3C has it")),
    request_body = send_task::Args,
    responses(
        (status = 200, description = "sent", body = send_task::TaskSent),
        (status = 202, description = "sent, and it waits: the agent is offline", body = send_task::TaskSent),
        NotFound,
        Conflict
    )
)]
async fn send(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Traced(traceparent): Traced,
    Reserved(place): Reserved,
    Body(args): Body<send_task::Args>,
) -> Response {
    let share = ResponseReservation::new(place, who, Cost::Item);
    match send_task::run(&hub, share.caller(), args, traceparent, &share, &ProgressSink::default()).await {
        // The task waits for an agent that is not there.
        Ok(sent) if sent.is_queued() => json(StatusCode::ACCEPTED, "application/json", &sent),
        outcome => answer(outcome),
    }
}

/// What became of one of several tasks: what `POST /api/task` answers, or the error it gives.
#[derive(Serialize, ToSchema)]
#[schema(as = TaskOutcome)]
#[serde(untagged)]
enum SendOutcome {
    Sent(send_task::TaskSent),
    Refused(ErrorBody),
}

/// What became of several tasks, in their order.
#[derive(Serialize, ToSchema)]
#[schema(as = TasksSent)]
struct SendOutcomes {
    ok: bool,
    results: Vec<SendOutcome>,
}

/// Send up to 100 tasks in one call
///
/// Members of the network and its nodes. Each task has its own outcome, in order: what `POST /api/task` answers for it, or
/// the error object that `POST /api/task` gives, `ok` being false. All that are accepted are in one commit. Each counts as a
/// call against the rate limit.
#[utoipa::path(
    post,
    path = "/api/tasks",
    tag = "tasks",
    operation_id = "send_tasks",
    params(("traceparent" = Option<String>, Header, description = "The trace the tasks belong to, as W3C has it")),
    request_body = send_tasks::Args,
    responses(
        (status = 200, description = "what became of each", body = SendOutcomes)
    )
)]
async fn send_many(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Traced(traceparent): Traced,
    Rate(rate): Rate,
    Body(args): Body<send_tasks::Args>,
) -> Response {
    if let (Ok(()), Some(rate)) = (args.check(), rate) {
        rate.charge(args.tasks.len() - 1);
    }
    let outcomes = send_tasks::run(&hub, &who.caller, args, traceparent).await;
    answer(outcomes.map(|outcomes| {
        SendOutcomes {
            ok: true,
            results: outcomes
                .into_iter()
                .map(|outcome| match outcome {
                    Ok(sent) => SendOutcome::Sent(sent),
                    Err(error) => SendOutcome::Refused(ErrorBody::of(&error)),
                })
                .collect(),
        }
    }))
}

/// Tasks, newest first
///
/// Readers of the network; a node token sees the tasks it is party to.
#[utoipa::path(
    get,
    path = "/api/tasks",
    tag = "tasks",
    operation_id = "list_tasks",
    params(list_tasks::QueryArgs),
    responses(
        (status = 200, description = "a page", body = list_tasks::Tasks),
        NotFound
    )
)]
async fn list(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<list_tasks::QueryArgs>,
) -> Response {
    answer(list_tasks::run_on_query(&hub, &who.caller, args).await)
}

/// A task, waiting for something new if asked to
///
/// Readers of the network; a node token sees the tasks it is party to. With `wait_seconds` the answer comes once the task has
/// an event after `after`, or the time is over.
#[utoipa::path(
    get,
    path = "/api/tasks/{id}",
    tag = "tasks",
    operation_id = "show_task",
    params(("id" = TaskId, Path, description = "The task"), get_task::QueryArgs),
    responses(
        (status = 200, description = "the task and its messages", body = get_task::TaskShown),
        NotFound
    )
)]
async fn show(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Reserved(place): Reserved,
    Path(id): Path<String>,
    Query(args): Query<get_task::QueryArgs>,
) -> Response {
    let share = ResponseReservation::new(place, who, Cost::Item);
    answer(get_task::run_on_path(&hub, share.caller(), id, args, &share).await)
}

/// The tree a task stands in: its ancestors, the task, and all it led to
///
/// Readers of the network; a node token sees the tasks it is party to, and nothing above or below one that it is not.
#[utoipa::path(
    get,
    path = "/api/tasks/{id}/tree",
    tag = "tasks",
    operation_id = "show_task_tree",
    params(("id" = TaskId, Path, description = "The task")),
    responses(
        (status = 200, description = "the tree", body = task_tree::TaskTreeShown),
        NotFound
    )
)]
async fn tree(State(hub): HubState, Authenticated(who): Authenticated, Path(id): Path<String>) -> Response {
    answer(task_tree::run_on_path(&hub, &who.caller, &id).await)
}

/// Share an artifact, or more of one, before the task ends
///
/// The agent that works on it, under its lease. Each part is exactly one of `text`, `raw` (base64), `url`, `data` and
/// `sha256` (uploaded before). A2A streams show it as an `artifactUpdate`.
#[utoipa::path(
    post,
    path = "/api/tasks/{id}/artifacts",
    tag = "tasks",
    operation_id = "share_artifact",
    params(("id" = TaskId, Path, description = "The task")),
    request_body = share_artifact::PathArgs,
    responses(
        (status = 200, description = "shared", body = share_artifact::ArtifactShared),
        NotFound,
        Conflict
    )
)]
async fn share(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<share_artifact::PathArgs>,
) -> Response {
    answer(share_artifact::run_on_path(&hub, &who, &id, args).await)
}

/// What happened to tasks, newest first
///
/// Readers of the network; a node token sees the tasks it is party to.
#[utoipa::path(
    get,
    path = "/api/task_events",
    tag = "tasks",
    operation_id = "list_task_events",
    params(task_events::QueryArgs),
    responses(
        (status = 200, description = "the events", body = task_events::TaskEvents),
        NotFound
    )
)]
async fn events(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<task_events::QueryArgs>,
) -> Response {
    answer(task_events::run(&hub, &who.caller, args).await)
}

/// What has been delivered and not acknowledged
///
/// Whose inbox it is.
#[utoipa::path(
    get,
    path = "/api/inbox",
    tag = "tasks",
    operation_id = "read_inbox",
    params(inbox::QueryArgs),
    responses(
        (status = 200, description = "the deliveries", body = inbox::Inbox),
        NotFound
    )
)]
async fn inbox(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<inbox::QueryArgs>,
) -> Response {
    answer(inbox::read_own(&hub, &who.caller, args).await)
}

/// Acknowledge a delivery
///
/// Whose inbox it is in.
#[utoipa::path(
    post,
    path = "/api/inbox/{id}/ack",
    tag = "tasks",
    params(("id" = MessageId, Path, description = "The delivery, or its task")),
    request_body = inbox::AckOwnArgs,
    responses(
        (status = 200, description = "acknowledged", body = inbox::Acked),
        NotFound,
        Conflict
    )
)]
async fn ack_delivery(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<inbox::AckOwnArgs>,
) -> Response {
    answer(inbox::ack_own(&hub, &who.caller, id, args).await)
}

/// Take the next task under a lease, or several, waiting for one if asked to
///
/// Node tokens. With `max` the answer has `tasks`: at least one is waited for, and as many are taken as there are then and fit
/// into the answer.
#[utoipa::path(
    post,
    path = "/api/claim",
    tag = "tasks",
    operation_id = "claim_task",
    request_body = claim_task::BodyArgs,
    responses(
        (status = 200, description = "a task and its lease, or none; with `max` a list of them", body = claim_task::ClaimAnswer),
        Conflict
    )
)]
async fn claim(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Body(args): Body<claim_task::BodyArgs>,
) -> Response {
    answer(claim_task::run_on_body(&hub, &who.caller, args).await)
}

/// Go on holding a lease
///
/// The node token that holds it.
#[utoipa::path(
    post,
    path = "/api/leases/{id}/extend",
    tag = "tasks",
    operation_id = "extend_lease",
    params(("id" = LeaseId, Path, description = "The lease")),
    request_body = extend_lease::PathArgs,
    responses(
        (status = 200, description = "until when", body = extend_lease::LeaseExtended),
        Conflict
    )
)]
async fn extend(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<extend_lease::PathArgs>,
) -> Response {
    answer(extend_lease::run_on_path(&hub, &who.caller, id, args).await)
}

/// Every delivery, with its content
///
/// Readers of the network; a node token sees its own.
#[utoipa::path(
    get,
    path = "/api/messages",
    tag = "tasks",
    params(messages::QueryArgs),
    responses(
        (status = 200, description = "the deliveries", body = messages::Messages),
        NotFound
    )
)]
async fn list_messages(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<messages::QueryArgs>,
) -> Response {
    answer(messages::run(&hub, &who.caller, args).await)
}

/// What agents reported as done
///
/// Readers of the network; a node token sees its own.
#[utoipa::path(
    get,
    path = "/api/completions",
    tag = "tasks",
    operation_id = "list_completions",
    params(get_completions::QueryArgs),
    responses(
        (status = 200, description = "the reports", body = get_completions::Completions),
        NotFound
    )
)]
async fn completions(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<get_completions::QueryArgs>,
) -> Response {
    answer(get_completions::run_on_query(&hub, &who.caller, args).await)
}

/// Which agents are there
///
/// Readers of the network, and its nodes.
#[utoipa::path(
    get,
    path = "/api/status",
    tag = "tasks",
    operation_id = "list_sessions",
    params(statuses::QueryArgs),
    responses(
        (status = 200, description = "the sessions", body = statuses::Sessions),
        NotFound
    )
)]
async fn status(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<statuses::QueryArgs>,
) -> Response {
    answer(statuses::all_for_rest(&hub, &who.caller, args).await)
}

/// Figures of tasks and agents
///
/// Readers of the network.
#[utoipa::path(
    get,
    path = "/api/stats",
    tag = "tasks",
    operation_id = "show_stats",
    params(stats::QueryArgs),
    responses(
        (status = 200, description = "the figures", body = stats::Stats),
        NotFound
    )
)]
async fn counts(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<stats::QueryArgs>,
) -> Response {
    answer(stats::run(&hub, &who.caller, args).await)
}

/// Tell every agent that is there
///
/// Members of the network and its nodes.
#[utoipa::path(
    post,
    path = "/api/broadcast",
    tag = "tasks",
    operation_id = "broadcast",
    request_body = broadcast::Args,
    responses(
        (status = 200, description = "told", body = broadcast::BroadcastSent),
        NotFound
    )
)]
async fn send_broadcast(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Body(args): Body<broadcast::Args>,
) -> Response {
    answer(broadcast::run(&hub, &who.caller, args).await)
}
