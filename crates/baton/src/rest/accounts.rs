//! Users, tokens, networks, members and invites over REST. Every route of them on one screen.

#[cfg(test)]
mod tests;

use axum::extract::State;
use axum::response::Response;
use baton_core::{NetworkId, TokenId, UserId};
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::client_address::ClientAddress;
use super::{Authenticated, Body, HubState, Path, Query, answer};
use crate::hub::Hub;
use crate::rest::described::{BadRequest, Conflict, NotFound, WrongCredentials};
use crate::service::page::PageArgs;
use crate::service::{
    Done, Holder, aliases, audit_log, invitations, invites, login, logout, members, networks, node_token,
    password, profile, register, tokens, users,
};

/// The routes.
pub(crate) fn routes() -> OpenApiRouter<Arc<Hub>> {
    OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(login))
        .routes(routes!(logout))
        .routes(routes!(show_profile, change_profile))
        .routes(routes!(change_password))
        .routes(routes!(mint_node_token))
        .routes(routes!(list_tokens))
        .routes(routes!(revoke_token))
        .routes(routes!(list_networks, create_network))
        .routes(routes!(join_network))
        .routes(routes!(show_network, rename_network, delete_network))
        .routes(routes!(list_members, add_member))
        .routes(routes!(change_member, remove_member))
        .routes(routes!(list_aliases))
        .routes(routes!(hand_over_alias))
        .routes(routes!(create_invite))
        .routes(routes!(list_invites))
        .routes(routes!(delete_invite))
        .routes(routes!(list_node_tokens))
        .routes(routes!(revoke_node_token))
        .routes(routes!(list_invitations))
        .routes(routes!(accept_invitation))
        .routes(routes!(decline_invitation))
        .routes(routes!(read_audit_log))
        .routes(routes!(list_users))
}

type Caller = Authenticated;

/// Whoever has no token yet is not kept much room for.
const PUBLIC: usize = baton_core::limits::PUBLIC_BODY_MAX_BYTES;

/// Register, with a network of one's own
///
/// Everybody, unless the hub's operator has closed registration.
#[utoipa::path(
    post,
    path = "/api/auth/register",
    tag = "accounts",
    security(()),
    request_body = register::Args,
    responses(
        (status = 200, description = "the user, a user token and a node token of the new network", body = register::Answer)
    )
)]
async fn register(
    State(hub): HubState,
    from: ClientAddress,
    Body(args): Body<register::Args, PUBLIC>,
) -> Response {
    answer(register::run(&hub, from.0, args).await)
}

/// Log in
///
/// Everybody. Each login is a new token.
#[utoipa::path(
    post,
    path = "/api/auth/login",
    tag = "accounts",
    security(()),
    request_body = login::Args,
    responses(
        (status = 200, description = "a user token", body = login::Answer),
        WrongCredentials
    )
)]
async fn login(State(hub): HubState, from: ClientAddress, Body(args): Body<login::Args, PUBLIC>) -> Response {
    answer(login::run(&hub, from.0, Holder::Tool, args).await)
}

/// End the token it is called with
///
/// User tokens.
#[utoipa::path(
    post,
    path = "/api/auth/logout",
    tag = "accounts",
    responses(
        (status = 200, description = "ended", body = Done)
    )
)]
async fn logout(State(hub): HubState, by: Caller) -> Response {
    answer(logout::run(&hub, by.0).await)
}

/// Who calls
///
/// Every token.
#[utoipa::path(
    get,
    path = "/api/auth/me",
    tag = "accounts",
    responses(
        (status = 200, description = "the user, and the networks it sees", body = profile::Answer)
    )
)]
async fn show_profile(State(hub): HubState, by: Caller) -> Response {
    answer(profile::show::run(&hub, by.0.caller.clone()).await)
}

/// Change one's names
///
/// User tokens.
#[utoipa::path(
    put,
    path = "/api/auth/me",
    tag = "accounts",
    request_body = profile::change::Args,
    responses(
        (status = 200, description = "the user as it is now", body = profile::Answer)
    )
)]
async fn change_profile(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<profile::change::Args>,
) -> Response {
    answer(profile::change::run(&hub, by.0.caller.clone(), args).await)
}

/// Change one's password
///
/// User tokens. Every other user token of the user ends; node tokens stay.
#[utoipa::path(
    post,
    path = "/api/auth/password",
    tag = "accounts",
    request_body = password::Args,
    responses(
        (status = 200, description = "a new user token", body = password::Answer)
    )
)]
async fn change_password(
    State(hub): HubState,
    by: Caller,
    from: ClientAddress,
    Body(args): Body<password::Args>,
) -> Response {
    answer(password::run(&hub, &by.0.caller, from.0, Holder::Tool, args).await)
}

/// Make a node token
///
/// Members of the network; `coordinator` needs an admin or the owner.
#[utoipa::path(
    post,
    path = "/api/auth/node-token",
    tag = "accounts",
    request_body = node_token::Args,
    responses(
        (status = 200, description = "the token, this once", body = node_token::Answer),
        NotFound,
        Conflict
    )
)]
async fn mint_node_token(State(hub): HubState, by: Caller, Body(args): Body<node_token::Args>) -> Response {
    answer(node_token::run(&hub, by.0.caller.clone(), args).await)
}

/// One's own tokens
///
/// User tokens.
#[utoipa::path(
    get,
    path = "/api/auth/tokens",
    tag = "accounts",
    params(PageArgs),
    responses(
        (status = 200, description = "without their secrets", body = tokens::list::Answer)
    )
)]
async fn list_tokens(State(hub): HubState, by: Caller, Query(args): Query<PageArgs>) -> Response {
    answer(tokens::list::run(&hub, &by.0.caller, args).await)
}

/// End one of one's own tokens
///
/// User tokens.
#[utoipa::path(
    delete,
    path = "/api/auth/tokens/{token}",
    tag = "accounts",
    params(("token" = TokenId, Path, description = "The token")),
    responses(
        (status = 200, description = "ended", body = Done),
        NotFound
    )
)]
async fn revoke_token(State(hub): HubState, by: Caller, Path(token): Path<String>) -> Response {
    answer(tokens::revoke::run(&hub, &by.0.caller, &token).await)
}

/// The networks one sees
///
/// Every token; a node token sees its own.
#[utoipa::path(
    get,
    path = "/api/networks",
    tag = "accounts",
    params(PageArgs),
    responses(
        (status = 200, description = "the networks", body = networks::list::Answer)
    )
)]
async fn list_networks(State(hub): HubState, by: Caller, Query(args): Query<PageArgs>) -> Response {
    answer(networks::list::run(&hub, by.0.caller.clone(), args).await)
}

/// Make a network
///
/// User tokens; the caller becomes its owner.
#[utoipa::path(
    post,
    path = "/api/networks",
    tag = "accounts",
    request_body = networks::create::Args,
    responses(
        (status = 200, description = "made", body = networks::create::Answer)
    )
)]
async fn create_network(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<networks::create::Args>,
) -> Response {
    answer(networks::create::run(&hub, &by.0.caller, args).await)
}

/// A network and its figures
///
/// Its members and nodes.
#[utoipa::path(
    get,
    path = "/api/networks/{network}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    responses(
        (status = 200, description = "the network", body = networks::show::Answer),
        NotFound
    )
)]
async fn show_network(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(networks::show::run(&hub, by.0.caller.clone(), &network).await)
}

/// Rename a network, or show its agents' cards to everybody
///
/// Its owner.
#[utoipa::path(
    put,
    path = "/api/networks/{network}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = networks::rename::Args,
    responses(
        (status = 200, description = "changed", body = Done),
        NotFound
    )
)]
async fn rename_network(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<networks::rename::Args>,
) -> Response {
    answer(networks::rename::run(&hub, by.0.caller.clone(), &network, args).await)
}

/// Delete a network with its tasks, tokens, history and evidence log; export the evidence first to keep it
///
/// Its owner.
#[utoipa::path(
    delete,
    path = "/api/networks/{network}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    responses(
        (status = 200, description = "gone", body = Done),
        NotFound
    )
)]
async fn delete_network(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(networks::delete::run(&hub, by.0.caller.clone(), &network).await)
}

/// Who is in a network
///
/// Its admins and its owner.
#[utoipa::path(
    get,
    path = "/api/networks/{network}/members",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), PageArgs),
    responses(
        (status = 200, description = "the members, and the users who are invited and have not answered", body = members::list::Answer),
        NotFound
    )
)]
async fn list_members(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(members::list::run(&hub, by.0.caller.clone(), &network, args).await)
}

/// Invite a user, who becomes a member on accepting
///
/// Its admins and its owner, into roles below their own.
#[utoipa::path(
    post,
    path = "/api/networks/{network}/members",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = invitations::create::Args,
    responses(
        (status = 200, description = "invited; pending until the user answers", body = invitations::create::Answer),
        NotFound,
        Conflict
    )
)]
async fn add_member(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<invitations::create::Args>,
) -> Response {
    answer(invitations::create::run(&hub, by.0.caller.clone(), &network, args).await)
}

/// Change a member's role
///
/// Its owner.
#[utoipa::path(
    put,
    path = "/api/networks/{network}/members/{user}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("user" = UserId, Path, description = "The user")),
    request_body = members::change::Args,
    responses(
        (status = 200, description = "changed", body = Done),
        NotFound
    )
)]
async fn change_member(
    State(hub): HubState,
    by: Caller,
    Path((network, user)): Path<(String, String)>,
    Body(args): Body<members::change::Args>,
) -> Response {
    answer(members::change::run(&hub, by.0.caller.clone(), &network, &user, args).await)
}

/// Remove a member with their tokens there, withdraw an invitation, or leave
///
/// Its admins and its owner, of roles below their own. Everybody but the owner may name themselves, by id or as `me`,
/// to leave.
#[utoipa::path(
    delete,
    path = "/api/networks/{network}/members/{user}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("user" = String, Path, description = "The user's id, or `me`")),
    responses(
        (status = 200, description = "removed, withdrawn or left", body = Done),
        NotFound,
        BadRequest
    )
)]
async fn remove_member(
    State(hub): HubState,
    by: Caller,
    Path((network, user)): Path<(String, String)>,
) -> Response {
    answer(members::remove::run(&hub, by.0.caller.clone(), &network, &user).await)
}

/// The aliases of a network and the users they belong to
///
/// Its admins and its owner.
#[utoipa::path(
    get,
    path = "/api/networks/{network}/aliases",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), PageArgs),
    responses(
        (status = 200, description = "in the order of their names", body = aliases::list::Answer),
        NotFound
    )
)]
async fn list_aliases(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(aliases::list::run(&hub, by.0.caller.clone(), &network, args).await)
}

/// Hand an alias over to another member
///
/// Its admins and its owner. The tokens that other users have for the alias are revoked.
#[utoipa::path(
    put,
    path = "/api/networks/{network}/aliases/{alias}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("alias" = String, Path, description = "The alias")),
    request_body = aliases::hand_over::Args,
    responses(
        (status = 200, description = "handed over", body = Done),
        NotFound,
        BadRequest
    )
)]
async fn hand_over_alias(
    State(hub): HubState,
    by: Caller,
    Path((network, alias)): Path<(String, String)>,
    Body(args): Body<aliases::hand_over::Args>,
) -> Response {
    answer(aliases::hand_over::run(&hub, by.0.caller.clone(), &network, &alias, args).await)
}

/// One's own pending invitations
///
/// User tokens.
#[utoipa::path(
    get,
    path = "/api/invitations",
    tag = "accounts",
    responses(
        (status = 200, description = "oldest first", body = invitations::list::Answer)
    )
)]
async fn list_invitations(State(hub): HubState, by: Caller) -> Response {
    answer(invitations::list::run(&hub, &by.0.caller).await)
}

/// Accept an invitation
///
/// User tokens.
#[utoipa::path(
    post,
    path = "/api/invitations/{network}/accept",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    responses(
        (status = 200, description = "joined, as what", body = invites::join::Answer),
        NotFound,
        Conflict
    )
)]
async fn accept_invitation(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(invitations::accept::run(&hub, &by.0.caller, &network).await)
}

/// Decline an invitation
///
/// User tokens.
#[utoipa::path(
    post,
    path = "/api/invitations/{network}/decline",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    responses(
        (status = 200, description = "declined", body = Done),
        NotFound
    )
)]
async fn decline_invitation(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(invitations::decline::run(&hub, &by.0.caller, &network).await)
}

/// Make an invite
///
/// Its admins and its owner, into roles below their own.
#[utoipa::path(
    post,
    path = "/api/networks/{network}/invite",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = invites::create::Args,
    responses(
        (status = 200, description = "the code, this once", body = invites::create::Answer),
        NotFound
    )
)]
async fn create_invite(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<invites::create::Args>,
) -> Response {
    answer(invites::create::run(&hub, by.0.caller.clone(), &network, args).await)
}

/// The invites of a network
///
/// Its admins and its owner.
#[utoipa::path(
    get,
    path = "/api/networks/{network}/invites",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), PageArgs),
    responses(
        (status = 200, description = "without their codes", body = invites::list::Answer),
        NotFound
    )
)]
async fn list_invites(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(invites::list::run(&hub, by.0.caller.clone(), &network, args).await)
}

/// Withdraw an invite
///
/// Its admins and its owner.
#[utoipa::path(
    delete,
    path = "/api/networks/{network}/invites/{invite}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("invite" = String, Path, description = "The invite")),
    responses(
        (status = 200, description = "withdrawn", body = Done),
        NotFound,
        BadRequest
    )
)]
async fn delete_invite(
    State(hub): HubState,
    by: Caller,
    Path((network, invite)): Path<(String, String)>,
) -> Response {
    answer(invites::delete::run(&hub, by.0.caller.clone(), &network, &invite).await)
}

/// The node tokens of a network
///
/// Its admins and its owner.
#[utoipa::path(
    get,
    path = "/api/networks/{network}/tokens",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), PageArgs),
    responses(
        (status = 200, description = "without their secrets", body = tokens::of_network::Answer),
        NotFound
    )
)]
async fn list_node_tokens(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(tokens::of_network::list(&hub, by.0.caller.clone(), &network, args).await)
}

/// End a node token of a network
///
/// Its admins and its owner.
#[utoipa::path(
    delete,
    path = "/api/networks/{network}/tokens/{token}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("token" = TokenId, Path, description = "The token")),
    responses(
        (status = 200, description = "ended", body = Done),
        NotFound
    )
)]
async fn revoke_node_token(
    State(hub): HubState,
    by: Caller,
    Path((network, token)): Path<(String, String)>,
) -> Response {
    answer(tokens::of_network::revoke(&hub, by.0.caller.clone(), &network, &token).await)
}

/// Join a network by an invite
///
/// User tokens.
#[utoipa::path(
    post,
    path = "/api/networks/join",
    tag = "accounts",
    request_body = invites::join::Args,
    responses(
        (status = 200, description = "joined, as what", body = invites::join::Answer),
        Conflict
    )
)]
async fn join_network(State(hub): HubState, by: Caller, Body(args): Body<invites::join::Args>) -> Response {
    answer(invites::join::run(&hub, by.0, args).await)
}

/// Who changed users, tokens, members and networks, and when
///
/// System admins.
#[utoipa::path(
    get,
    path = "/api/audit-log",
    tag = "accounts",
    params(audit_log::Args),
    responses(
        (status = 200, description = "newest first", body = audit_log::Answer)
    )
)]
async fn read_audit_log(State(hub): HubState, by: Caller, Query(args): Query<audit_log::Args>) -> Response {
    answer(audit_log::run(&hub, &by.0.caller, args).await)
}

/// Every user
///
/// System admins.
#[utoipa::path(
    get,
    path = "/api/users",
    tag = "accounts",
    params(PageArgs),
    responses(
        (status = 200, description = "the users", body = users::Answer)
    )
)]
async fn list_users(State(hub): HubState, by: Caller, Query(args): Query<PageArgs>) -> Response {
    answer(users::run(&hub, &by.0.caller, args).await)
}
