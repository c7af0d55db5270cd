//! Tasks, inboxes, leases and who is there, over REST.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use baton_core::Refusal;
use std::sync::Arc;

use super::{Authenticated, Body, Failure, HubState, Query, answer};
use crate::hub::Hub;
use crate::service::{
    ack_inbox, ask_sender, broadcast, cancel_task, claim_task, extend_lease, follow_up, get_completions,
    get_inbox, get_task, list_tasks, messages, overview, reassign_task, retry_task, send_ack, send_reply,
    send_task, stats, statuses, task_events, work_graph,
};
use crate::trace::Traced;

/// Every route about tasks.
pub(crate) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/task", post(send))
        .route("/api/tasks", get(list))
        .route("/api/tasks/{id}", get(show))
        .route("/api/tasks/{id}/cancel", post(cancel))
        .route("/api/tasks/{id}/retry", post(retry))
        .route("/api/tasks/{id}/reassign", post(reassign))
        .route("/api/tasks/{id}/reply", post(reply))
        .route("/api/tasks/{id}/ack", post(ack))
        .route("/api/tasks/{id}/ask", post(ask))
        .route("/api/tasks/{id}/answer", post(follow_up_on))
        .route("/api/task_events", get(events))
        .route("/api/inbox", get(inbox))
        .route("/api/inbox/{id}/ack", post(ack_delivery))
        .route("/api/claim", post(claim))
        .route("/api/leases/{id}/extend", post(extend))
        .route("/api/messages", get(list_messages))
        .route("/api/completions", get(completions))
        .route("/api/status", get(status))
        .route("/api/stats", get(counts))
        .route("/api/overview", get(overview))
        .route("/api/work-graph", get(work_graph))
        .route("/api/broadcast", post(tell_all))
}

async fn overview(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<overview::QueryArgs>,
) -> Response {
    answer(overview::run(&hub, &who.caller, args).await)
}

async fn work_graph(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<work_graph::QueryArgs>,
) -> Response {
    answer(work_graph::run(&hub, &who.caller, args).await)
}

async fn send(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Traced(traceparent): Traced,
    Body(args): Body<send_task::Args>,
) -> Response {
    match send_task::run(&hub, &who.caller, args, traceparent).await {
        // The task waits for an agent that is not there.
        Ok(sent) if sent.is_queued() => (StatusCode::ACCEPTED, Json(sent)).into_response(),
        outcome => answer(outcome),
    }
}

async fn list(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<list_tasks::QueryArgs>,
) -> Response {
    answer(list_tasks::run_on_query(&hub, &who.caller, args).await)
}

async fn show(State(hub): HubState, Authenticated(who): Authenticated, Path(id): Path<String>) -> Response {
    answer(get_task::run(&hub, &who.caller, get_task::Args::of(id)).await)
}

async fn cancel(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<cancel_task::PathArgs>,
) -> Response {
    match cancel_task::run_on_path(&hub, &who.caller, id, args).await {
        Ok(cancelled) => match &cancelled.refusal {
            None => Json(cancelled).into_response(),
            Some(Refusal::TaskNotFound) => Failure(Refusal::TaskNotFound.into()).into_response(),
            Some(_) => (StatusCode::CONFLICT, Json(cancelled)).into_response(),
        },
        Err(error) => Failure(error).into_response(),
    }
}

async fn retry(State(hub): HubState, Authenticated(who): Authenticated, Path(id): Path<String>) -> Response {
    answer(retry_task::run_on_path(&hub, &who.caller, &id).await)
}

async fn reassign(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<reassign_task::PathArgs>,
) -> Response {
    answer(reassign_task::run_on_path(&hub, &who.caller, &id, args).await)
}

async fn reply(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<send_reply::PathArgs>,
) -> Response {
    answer(send_reply::run_on_path(&hub, &who.caller, &id, args).await)
}

async fn ack(State(hub): HubState, Authenticated(who): Authenticated, Path(id): Path<String>) -> Response {
    answer(send_ack::run_on_path(&hub, &who.caller, &id).await)
}

async fn ask(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<ask_sender::PathArgs>,
) -> Response {
    answer(ask_sender::run_on_path(&hub, &who.caller, &id, args).await)
}

async fn follow_up_on(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<follow_up::PathArgs>,
) -> Response {
    answer(follow_up::run_on_path(&hub, &who.caller, &id, args).await)
}

async fn events(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<task_events::QueryArgs>,
) -> Response {
    answer(task_events::run(&hub, &who.caller, args).await)
}

async fn inbox(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<get_inbox::QueryArgs>,
) -> Response {
    answer(get_inbox::run_on_query(&hub, &who.caller, args).await)
}

async fn ack_delivery(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<ack_inbox::PathArgs>,
) -> Response {
    answer(ack_inbox::run_on_path(&hub, &who.caller, id, args).await)
}

async fn claim(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Body(args): Body<claim_task::Args>,
) -> Response {
    answer(claim_task::run(&hub, &who.caller, args).await)
}

async fn extend(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Path(id): Path<String>,
    Body(args): Body<extend_lease::PathArgs>,
) -> Response {
    answer(extend_lease::run_on_path(&hub, &who.caller, id, args).await)
}

async fn list_messages(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<messages::QueryArgs>,
) -> Response {
    answer(messages::run(&hub, &who.caller, args).await)
}

async fn completions(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<get_completions::QueryArgs>,
) -> Response {
    answer(get_completions::run_on_query(&hub, &who.caller, args).await)
}

async fn status(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<statuses::AllArgs>,
) -> Response {
    answer(statuses::all_for_rest(&hub, &who.caller, args).await)
}

async fn counts(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Query(args): Query<stats::QueryArgs>,
) -> Response {
    answer(stats::run(&hub, &who.caller, args).await)
}

async fn tell_all(
    State(hub): HubState,
    Authenticated(who): Authenticated,
    Body(args): Body<broadcast::Args>,
) -> Response {
    answer(broadcast::run(&hub, &who.caller, args).await)
}
