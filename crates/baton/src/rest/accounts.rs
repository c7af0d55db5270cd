//! Users, tokens, networks, members and invites over REST. Every route of them on one screen.

#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{delete, get, post, put};
use std::sync::Arc;

use super::client_address::ClientAddress;
use super::{Authenticated, Body, HubState, Query, answer};
use crate::hub::Hub;
use crate::service::{
    Holder, audit_log, invites, login, logout, members, networks, node_token, password, profile, register,
    tokens, users,
};

/// The routes.
pub(crate) fn routes() -> Router<Arc<Hub>> {
    Router::new()
        .route("/api/auth/register", post(register))
        .route("/api/auth/login", post(login))
        .route("/api/auth/logout", post(logout))
        .route("/api/auth/me", get(show_profile).put(change_profile))
        .route("/api/auth/password", post(change_password))
        .route("/api/auth/node-token", post(mint_node_token))
        .route("/api/auth/tokens", get(list_tokens))
        .route("/api/auth/tokens/{token}", delete(revoke_token))
        .route("/api/networks", get(list_networks).post(create_network))
        .route("/api/networks/join", post(join_network))
        .route("/api/networks/{network}", get(show_network).put(rename_network).delete(delete_network))
        .route("/api/networks/{network}/members", get(list_members).post(add_member))
        .route("/api/networks/{network}/members/{user}", put(change_member).delete(remove_member))
        .route("/api/networks/{network}/invite", post(create_invite))
        .route("/api/networks/{network}/invites", get(list_invites))
        .route("/api/networks/{network}/invites/{invite}", delete(delete_invite))
        .route("/api/networks/{network}/tokens", get(list_node_tokens))
        .route("/api/networks/{network}/tokens/{token}", delete(revoke_node_token))
        .route("/api/audit-log", get(read_audit_log))
        .route("/api/users", get(list_users))
}

type Caller = Authenticated;

/// Whoever has no token yet is not kept much room for.
const PUBLIC: usize = baton_core::limits::PUBLIC_BODY_MAX_BYTES;

async fn register(State(hub): HubState, Body(args): Body<register::Args, PUBLIC>) -> Response {
    answer(register::run(&hub, args).await)
}

async fn login(State(hub): HubState, from: ClientAddress, Body(args): Body<login::Args, PUBLIC>) -> Response {
    answer(login::run(&hub, from.0, Holder::Tool, args).await)
}

async fn logout(State(hub): HubState, by: Caller) -> Response {
    answer(logout::run(&hub, by.0).await)
}

async fn show_profile(State(hub): HubState, by: Caller) -> Response {
    answer(profile::show::run(&hub, by.0.caller).await)
}

async fn change_profile(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<profile::change::Args>,
) -> Response {
    answer(profile::change::run(&hub, by.0.caller, args).await)
}

async fn change_password(
    State(hub): HubState,
    by: Caller,
    from: ClientAddress,
    Body(args): Body<password::Args>,
) -> Response {
    answer(password::run(&hub, &by.0.caller, from.0, Holder::Tool, args).await)
}

async fn mint_node_token(State(hub): HubState, by: Caller, Body(args): Body<node_token::Args>) -> Response {
    answer(node_token::run(&hub, by.0.caller, args).await)
}

async fn list_tokens(State(hub): HubState, by: Caller) -> Response {
    answer(tokens::list::run(&hub, &by.0.caller).await)
}

async fn revoke_token(State(hub): HubState, by: Caller, Path(token): Path<String>) -> Response {
    answer(tokens::revoke::run(&hub, &by.0.caller, &token).await)
}

async fn list_networks(State(hub): HubState, by: Caller) -> Response {
    answer(networks::list::run(&hub, by.0.caller).await)
}

async fn create_network(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<networks::create::Args>,
) -> Response {
    answer(networks::create::run(&hub, &by.0.caller, args).await)
}

async fn show_network(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(networks::show::run(&hub, by.0.caller, &network).await)
}

async fn rename_network(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<networks::rename::Args>,
) -> Response {
    answer(networks::rename::run(&hub, by.0.caller, &network, args).await)
}

async fn delete_network(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(networks::delete::run(&hub, by.0.caller, &network).await)
}

async fn list_members(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(members::list::run(&hub, by.0.caller, &network).await)
}

async fn add_member(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<members::add::Args>,
) -> Response {
    answer(members::add::run(&hub, by.0.caller, &network, args).await)
}

async fn change_member(
    State(hub): HubState,
    by: Caller,
    Path((network, user)): Path<(String, String)>,
    Body(args): Body<members::change::Args>,
) -> Response {
    answer(members::change::run(&hub, by.0.caller, &network, &user, args).await)
}

async fn remove_member(
    State(hub): HubState,
    by: Caller,
    Path((network, user)): Path<(String, String)>,
) -> Response {
    answer(members::remove::run(&hub, by.0.caller, &network, &user).await)
}

async fn create_invite(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<invites::create::Args>,
) -> Response {
    answer(invites::create::run(&hub, by.0.caller, &network, args).await)
}

async fn list_invites(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(invites::list::run(&hub, by.0.caller, &network).await)
}

async fn delete_invite(
    State(hub): HubState,
    by: Caller,
    Path((network, invite)): Path<(String, String)>,
) -> Response {
    answer(invites::delete::run(&hub, by.0.caller, &network, &invite).await)
}

async fn list_node_tokens(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<tokens::of_network::QueryArgs>,
) -> Response {
    answer(tokens::of_network::list(&hub, by.0.caller, &network, args).await)
}

async fn revoke_node_token(
    State(hub): HubState,
    by: Caller,
    Path((network, token)): Path<(String, String)>,
) -> Response {
    answer(tokens::of_network::revoke(&hub, by.0.caller, &network, &token).await)
}

async fn join_network(State(hub): HubState, by: Caller, Body(args): Body<invites::join::Args>) -> Response {
    answer(invites::join::run(&hub, by.0, args).await)
}

async fn read_audit_log(State(hub): HubState, by: Caller, Query(args): Query<audit_log::Args>) -> Response {
    answer(audit_log::run(&hub, &by.0.caller, args).await)
}

async fn list_users(State(hub): HubState, by: Caller) -> Response {
    answer(users::run(&hub, &by.0.caller).await)
}
