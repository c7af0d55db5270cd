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
use crate::service::accounts::{
    aliases, audit_log, invitations, invites, members, networks, passwords, registration, sessions, tokens,
    users,
};
use crate::service::page::PageArgs;
use crate::service::{Done, Holder};

/// The routes.
pub(super) fn routes() -> OpenApiRouter<Arc<Hub>> {
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
        .routes(routes!(preview_invite))
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

/// Callers without a token share a small budget.
const PUBLIC: usize = baton_core::limits::PUBLIC_BODY_MAX_BYTES;

/// Register, with a network of one's own
///
/// Everybody, unless the hub's operator has closed registration.
#[utoipa::path(
    post,
    path = "/api/auth/register",
    tag = "accounts",
    security(()),
    request_body = registration::Registration,
    responses(
        (status = 200, description = "the user, a user token and a node token of the new network", body = registration::Registered)
    )
)]
async fn register(
    State(hub): HubState,
    from: ClientAddress,
    Body(args): Body<registration::Registration, PUBLIC>,
) -> Response {
    answer(registration::register(&hub, from.0, args).await)
}

/// Log in
///
/// Everybody. Each login is a new token.
#[utoipa::path(
    post,
    path = "/api/auth/login",
    tag = "accounts",
    security(()),
    request_body = sessions::Login,
    responses(
        (status = 200, description = "a user token", body = sessions::LoggedIn),
        WrongCredentials
    )
)]
async fn login(
    State(hub): HubState,
    from: ClientAddress,
    Body(args): Body<sessions::Login, PUBLIC>,
) -> Response {
    answer(sessions::login(&hub, from.0, Holder::Tool, args).await)
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
    answer(sessions::logout(&hub, by.0).await)
}

/// Who calls
///
/// Every token.
#[utoipa::path(
    get,
    path = "/api/auth/me",
    tag = "accounts",
    responses(
        (status = 200, description = "the user, and the networks it sees", body = users::Profile)
    )
)]
async fn show_profile(State(hub): HubState, by: Caller) -> Response {
    answer(users::profile(&hub, by.0.caller.clone()).await)
}

/// Change one's names
///
/// User tokens.
#[utoipa::path(
    put,
    path = "/api/auth/me",
    tag = "accounts",
    request_body = users::ProfileChange,
    responses(
        (status = 200, description = "the user as it is now", body = users::Profile)
    )
)]
async fn change_profile(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<users::ProfileChange>,
) -> Response {
    answer(users::change_profile(&hub, by.0.caller.clone(), args).await)
}

/// Change one's password
///
/// User tokens. Every other user token and every OAuth grant of the user ends; other node tokens stay.
#[utoipa::path(
    post,
    path = "/api/auth/password",
    tag = "accounts",
    request_body = passwords::PasswordChange,
    responses(
        (status = 200, description = "a new user token", body = passwords::PasswordChanged)
    )
)]
async fn change_password(
    State(hub): HubState,
    by: Caller,
    from: ClientAddress,
    Body(args): Body<passwords::PasswordChange>,
) -> Response {
    answer(passwords::change(&hub, &by.0.caller, from.0, Holder::Tool, args).await)
}

/// Make a node token
///
/// Members of the network; `coordinator` needs an admin or the owner.
#[utoipa::path(
    post,
    path = "/api/auth/node-token",
    tag = "accounts",
    request_body = tokens::NewNodeToken,
    responses(
        (status = 200, description = "the token, this once", body = tokens::NodeTokenMinted),
        NotFound,
        Conflict
    )
)]
async fn mint_node_token(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<tokens::NewNodeToken>,
) -> Response {
    answer(tokens::mint(&hub, by.0.caller.clone(), args).await)
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
        (status = 200, description = "without their secrets", body = tokens::Tokens)
    )
)]
async fn list_tokens(State(hub): HubState, by: Caller, Query(args): Query<PageArgs>) -> Response {
    answer(tokens::list(&hub, &by.0.caller, args).await)
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
    answer(tokens::revoke(&hub, &by.0.caller, &token).await)
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
        (status = 200, description = "the networks", body = networks::Networks)
    )
)]
async fn list_networks(State(hub): HubState, by: Caller, Query(args): Query<PageArgs>) -> Response {
    answer(networks::list(&hub, by.0.caller.clone(), args).await)
}

/// Make a network
///
/// User tokens; the caller becomes its owner.
#[utoipa::path(
    post,
    path = "/api/networks",
    tag = "accounts",
    request_body = networks::NewNetwork,
    responses(
        (status = 200, description = "made", body = networks::NetworkCreated)
    )
)]
async fn create_network(
    State(hub): HubState,
    by: Caller,
    Body(args): Body<networks::NewNetwork>,
) -> Response {
    answer(networks::create(&hub, &by.0.caller, args).await)
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
        (status = 200, description = "the network", body = networks::NetworkShown),
        NotFound
    )
)]
async fn show_network(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(networks::show(&hub, by.0.caller.clone(), &network).await)
}

/// Rename a network, or show its agents' cards to everybody
///
/// Its owner.
#[utoipa::path(
    put,
    path = "/api/networks/{network}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = networks::Change,
    responses(
        (status = 200, description = "changed", body = Done),
        NotFound
    )
)]
async fn rename_network(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<networks::Change>,
) -> Response {
    answer(networks::change(&hub, by.0.caller.clone(), &network, args).await)
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
    answer(networks::delete(&hub, by.0.caller.clone(), &network).await)
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
        (status = 200, description = "the members, and the users who are invited and have not answered", body = members::Members),
        NotFound
    )
)]
async fn list_members(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(members::list(&hub, by.0.caller.clone(), &network, args).await)
}

/// Invite a user, who becomes a member on accepting
///
/// Its admins and its owner, into roles below their own.
#[utoipa::path(
    post,
    path = "/api/networks/{network}/members",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = invitations::NewInvitation,
    responses(
        (status = 200, description = "invited; pending until the user answers", body = invitations::MemberInvited),
        NotFound,
        Conflict
    )
)]
async fn add_member(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<invitations::NewInvitation>,
) -> Response {
    answer(invitations::create(&hub, by.0.caller.clone(), &network, args).await)
}

/// Change a member's role
///
/// Its owner.
#[utoipa::path(
    put,
    path = "/api/networks/{network}/members/{user}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("user" = UserId, Path, description = "The user")),
    request_body = members::RoleChange,
    responses(
        (status = 200, description = "changed", body = Done),
        NotFound
    )
)]
async fn change_member(
    State(hub): HubState,
    by: Caller,
    Path((network, user)): Path<(String, String)>,
    Body(args): Body<members::RoleChange>,
) -> Response {
    answer(members::change(&hub, by.0.caller.clone(), &network, &user, args).await)
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
    answer(members::remove(&hub, by.0.caller.clone(), &network, &user).await)
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
        (status = 200, description = "in the order of their names", body = aliases::Aliases),
        NotFound
    )
)]
async fn list_aliases(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(aliases::list(&hub, by.0.caller.clone(), &network, args).await)
}

/// Hand an alias over to another member
///
/// Its admins and its owner. The tokens that other users have for the alias are revoked.
#[utoipa::path(
    put,
    path = "/api/networks/{network}/aliases/{alias}",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network"), ("alias" = String, Path, description = "The alias")),
    request_body = aliases::AliasHandOver,
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
    Body(args): Body<aliases::AliasHandOver>,
) -> Response {
    answer(aliases::hand_over(&hub, by.0.caller.clone(), &network, &alias, args).await)
}

/// One's own pending invitations
///
/// User tokens.
#[utoipa::path(
    get,
    path = "/api/invitations",
    tag = "accounts",
    responses(
        (status = 200, description = "oldest first", body = invitations::Invitations)
    )
)]
async fn list_invitations(State(hub): HubState, by: Caller) -> Response {
    answer(invitations::list(&hub, &by.0.caller).await)
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
        (status = 200, description = "joined, as what", body = invites::Joined),
        NotFound,
        Conflict
    )
)]
async fn accept_invitation(State(hub): HubState, by: Caller, Path(network): Path<String>) -> Response {
    answer(invitations::accept(&hub, &by.0.caller, &network).await)
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
    answer(invitations::decline(&hub, &by.0.caller, &network).await)
}

/// Make an invite
///
/// Its admins and its owner, into roles below their own.
#[utoipa::path(
    post,
    path = "/api/networks/{network}/invite",
    tag = "accounts",
    params(("network" = NetworkId, Path, description = "The network")),
    request_body = invites::NewInvite,
    responses(
        (status = 200, description = "the code, this once", body = invites::InviteCreated),
        NotFound
    )
)]
async fn create_invite(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Body(args): Body<invites::NewInvite>,
) -> Response {
    answer(invites::create(&hub, by.0.caller.clone(), &network, args).await)
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
        (status = 200, description = "without their codes", body = invites::Invites),
        NotFound
    )
)]
async fn list_invites(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(invites::list(&hub, by.0.caller.clone(), &network, args).await)
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
    answer(invites::delete(&hub, by.0.caller.clone(), &network, &invite).await)
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
        (status = 200, description = "without their secrets", body = tokens::NodeTokens),
        NotFound
    )
)]
async fn list_node_tokens(
    State(hub): HubState,
    by: Caller,
    Path(network): Path<String>,
    Query(args): Query<PageArgs>,
) -> Response {
    answer(tokens::list_of_network(&hub, by.0.caller.clone(), &network, args).await)
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
    answer(tokens::revoke_of_network(&hub, by.0.caller.clone(), &network, &token).await)
}

/// Join a network by an invite
///
/// User tokens.
#[utoipa::path(
    post,
    path = "/api/networks/join",
    tag = "accounts",
    request_body = invites::Join,
    responses(
        (status = 200, description = "joined, as what", body = invites::Joined),
        Conflict
    )
)]
async fn join_network(State(hub): HubState, by: Caller, Body(args): Body<invites::Join>) -> Response {
    answer(invites::join(&hub, by.0, args).await)
}

/// Show what an invite leads to, before joining
///
/// User tokens. It uses nothing up, is refused where joining would be, and counts as a try to join.
#[utoipa::path(
    post,
    path = "/api/networks/join/preview",
    tag = "accounts",
    request_body = invites::Join,
    responses(
        (status = 200, description = "the network, the role, who invited", body = invites::Preview),
        Conflict
    )
)]
async fn preview_invite(State(hub): HubState, by: Caller, Body(args): Body<invites::Join>) -> Response {
    answer(invites::preview(&hub, by.0, args).await)
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
        (status = 200, description = "newest first", body = audit_log::AuditLog)
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
        (status = 200, description = "the users", body = users::Users)
    )
)]
async fn list_users(State(hub): HubState, by: Caller, Query(args): Query<PageArgs>) -> Response {
    answer(users::list(&hub, &by.0.caller, args).await)
}
