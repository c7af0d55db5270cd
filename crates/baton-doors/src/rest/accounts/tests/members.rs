//! /api/networks/:id/members.

use baton_core::NetworkRole;
use serde_json::json;

use super::hub::{Account, Reply, TestHub, said};

#[tokio::test]
async fn owners_and_admins_list_members_and_nobody_else_does() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}/members", cast.owner.network_id);
    let reply = hub.get(&path, &cast.admin.token).await;
    let first = format!(
        r#"{{"user_id":"{}","username":"owner","display_name":null,"role":"owner","joined_at":"#,
        cast.owner.user_id
    );
    assert!(reply.text.contains(&first), "{}", reply.text);
    let body = reply.ok();
    let members = body["members"].as_array().unwrap();
    assert_eq!(members.len(), 4);
    let viewer = members.iter().find(|member| member["role"] == "viewer").unwrap();
    assert_eq!((&viewer["username"], &viewer["invited_by"]), (&json!("the-viewer"), &json!("owner")));
    hub.get(&path, &cast.owner.token).await.ok();
    hub.get(&path, &cast.member.token).await.refused(403, "permission_denied");
    hub.get(&path, &cast.viewer.token).await.refused(403, "permission_denied");
    hub.get(&path, &cast.outsider.token).await.refused(404, "network not found");
    hub.get(&path, &cast.node).await.refused(403, "user_token_required");
}

#[tokio::test]
async fn one_adds_only_roles_below_ones_own_and_never_an_owner() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}/members", cast.owner.network_id);
    let add =
        |token, role: &str| hub.post(&path, token, json!({"user_id": cast.outsider.user_id, "role": role}));
    add(&cast.owner.token, "owner").await.refused(403, "permission_denied");
    add(&cast.admin.token, "admin").await.refused(403, "permission_denied");
    for token in [&cast.member.token, &cast.viewer.token] {
        add(token, "viewer").await.refused(403, "permission_denied");
    }
    add(&cast.outsider.token, "viewer").await.refused(404, "network not found");
    add(&cast.node, "viewer").await.refused(403, "user_token_required");
    add(&cast.owner.token, "boss").await.refused(400, "invalid input");
    assert_eq!(hub.role_in(&cast.owner, &cast.outsider).await, None);
    assert_eq!(add(&cast.admin.token, "member").await.ok()["pending"], true);
    assert_eq!(hub.role_in(&cast.owner, &cast.outsider).await, None);
    assert_eq!(hub.last_change().await, said("the-admin", "invitation.created"));
    add(&cast.owner.token, "admin").await.refused(400, "user already invited");
    assert_eq!(hub.accept(&cast.owner, &cast.outsider).await.ok()["role"], "member");
    assert_eq!(hub.role_in(&cast.owner, &cast.outsider).await, Some(NetworkRole::Member));
    assert_eq!(hub.last_change().await, said("outsider", "member.joined"));
    add(&cast.owner.token, "admin").await.refused(400, "user already a member");
    assert_eq!(hub.role_in(&cast.owner, &cast.outsider).await, Some(NetworkRole::Member));
    for user_id in ["u_000000000000", "nonsense"] {
        let reply = hub.post(&path, &cast.owner.token, json!({"user_id": user_id})).await;
        reply.refused(404, "user not found");
    }
}

#[tokio::test]
async fn nobody_is_added_whose_username_is_an_alias_of_the_network() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    hub.mint(&alice, "bob").await;
    let path = format!("/api/networks/{}/members", alice.network_id);
    hub.post(&path, &alice.token, json!({"user_id": bob.user_id})).await.refused(409, "alias_in_use");
}

#[tokio::test]
async fn an_alias_that_came_after_the_invitation_keeps_its_namesake_out() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let path = format!("/api/networks/{}/members", alice.network_id);
    hub.post(&path, &alice.token, json!({"user_id": bob.user_id})).await.ok();
    hub.mint(&alice, "Bob").await;
    hub.accept(&alice, &bob).await.refused(409, "alias_in_use");
    assert_eq!(hub.role_in(&alice, &bob).await, None);
}

#[tokio::test]
async fn an_admin_sees_and_withdraws_pending_invitations() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}/members", cast.owner.network_id);
    let invite = json!({"user_id": cast.outsider.user_id, "role": "admin"});
    hub.post(&path, &cast.owner.token, invite).await.ok();
    let pending = hub.get(&path, &cast.admin.token).await.ok()["pending"].clone();
    let pending = pending.as_array().unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0]["user_id"], json!(cast.outsider.user_id));
    assert_eq!((&pending[0]["role"], &pending[0]["invited_by"]), (&json!("admin"), &json!("owner")));
    let one = format!("{path}/{}", cast.outsider.user_id);
    // An admin takes away only what an admin may give.
    hub.delete(&one, &cast.admin.token).await.refused(403, "permission_denied");
    hub.delete(&one, &cast.owner.token).await.ok();
    assert_eq!(hub.last_change().await, said("owner", "invitation.withdrawn"));
    hub.accept(&cast.owner, &cast.outsider).await.refused(404, "invitation_not_found");
    hub.delete(&one, &cast.owner.token).await.refused(400, "not a member");
}

#[tokio::test]
async fn an_invitation_ends_with_its_makers_right_to_make_it_and_with_a_join_by_code() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let (second, third) = (hub.register("second").await, hub.register("third").await);
    let path = format!("/api/networks/{}/members", cast.owner.network_id);
    for (inviter, user) in [(&cast.admin, &cast.outsider), (&cast.owner, &second), (&cast.owner, &third)] {
        hub.post(&path, &inviter.token, json!({"user_id": user.user_id})).await.ok();
    }
    let admin = format!("{path}/{}", cast.admin.user_id);
    hub.put(&admin, &cast.owner.token, json!({"role": "member"})).await.ok();
    hub.accept(&cast.owner, &cast.outsider).await.refused(404, "invitation_not_found");
    hub.accept(&cast.owner, &second).await.ok();
    let invite = format!("/api/networks/{}/invite", cast.owner.network_id);
    let code = hub.post(&invite, &cast.owner.token, json!({"role": "viewer"})).await.ok();
    hub.post("/api/networks/join", &third.token, json!({"invite_code": code["invite_code"]})).await.ok();
    assert_eq!(hub.get("/api/invitations", &third.token).await.ok()["invitations"], json!([]));
    assert_eq!(hub.role_in(&cast.owner, &third).await, Some(NetworkRole::Viewer));
}

#[tokio::test]
async fn pending_invitations_are_capped_per_user_and_per_network() {
    use baton_core::{NetworkId, UserId, limits};
    let hub = TestHub::start();
    let (alice, victim) = (hub.register("alice").await, hub.register("victim").await);
    let id = UserId::parse(&victim.user_id).unwrap();
    let owner = UserId::parse(&alice.user_id).unwrap();
    let fill = move |tx: &mut dyn baton_store::Transaction| {
        let most = limits::INVITATIONS_PER_USER_MAX_COUNT;
        for n in 0..most {
            let at = baton_core::UnixMillis::new(n as i64);
            let network_id = NetworkId::from_random([0, 0, 0, 0, 1, n as u8]);
            let name = format!("net {n}");
            tx.insert_network(&baton_store::rows::NetworkRow {
                network_id: network_id.clone(),
                name,
                owner_id: owner.clone(),
                description: None,
                created_at: at,
                updated_at: at,
                public_cards: false,
            })?;
            tx.insert_invitation(&network_id, &id, NetworkRole::Viewer, &owner, at)?;
        }
        Ok::<_, baton_store::Error>(())
    };
    hub.store().write(fill).await.unwrap();
    let path = format!("/api/networks/{}/members", alice.network_id);
    let body = hub.post(&path, &alice.token, json!({"user_id": victim.user_id})).await;
    let body = body.refused(400, "invalid input");
    assert!(body.to_string().contains("already has 100 pending invitations"), "{body}");
    hub.post("/api/invitations/net_000000000100/decline", &victim.token, json!({})).await.ok();
    hub.post(&path, &alice.token, json!({"user_id": victim.user_id})).await.ok();
}

#[tokio::test]
async fn everybody_but_the_owner_leaves_and_their_tokens_there_end() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let body = json!({"network_id": cast.owner.network_id, "node_name": "helper"});
    let minted = hub.post("/api/auth/node-token", &cast.member.token, body).await.ok();
    let path = |user: &str| format!("/api/networks/{}/members/{user}", cast.owner.network_id);
    let message = hub.delete(&path("me"), &cast.owner.token).await.refused(403, "permission_denied");
    assert!(message["message"].as_str().unwrap().contains("delete the network instead"), "{message}");
    hub.delete(&path("me"), &cast.outsider.token).await.refused(404, "network not found");
    hub.delete(&path("me"), &cast.node).await.refused(403, "user_token_required");
    for (account, named) in [(&cast.admin, "me"), (&cast.member, &*cast.member.user_id), (&cast.viewer, "me")]
    {
        hub.delete(&path(named), &account.token).await.ok();
        assert_eq!(hub.role_in(&cast.owner, account).await, None);
        assert_eq!(hub.last_change().await, said(&account.username, "member.left"));
    }
    hub.get("/api/auth/me", minted["token"].as_str().unwrap()).await.refused(401, "unauthorized");
    hub.get("/api/auth/me", &cast.member.network_token).await.ok();
}

#[tokio::test]
async fn only_the_owner_changes_roles_and_never_to_or_from_owner() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let hub = &hub;
    let change = |token, user, role| change_role(hub, &cast.owner, token, user, role);
    let member = cast.member.user_id.as_str();
    for token in [&cast.admin.token, &cast.member.token, &cast.viewer.token] {
        change(token, member, "viewer").await.refused(403, "permission_denied");
        change(token, &cast.outsider.user_id, "viewer").await.refused(403, "permission_denied");
    }
    change(&cast.outsider.token, member, "viewer").await.refused(404, "network not found");
    change(&cast.node, member, "viewer").await.refused(403, "user_token_required");
    change(&cast.owner.token, member, "owner").await.refused(403, "permission_denied");
    change(&cast.owner.token, &cast.owner.user_id, "viewer").await.refused(403, "permission_denied");
    change(&cast.owner.token, &cast.outsider.user_id, "viewer").await.refused(400, "not a member");
    change(&cast.owner.token, "nonsense", "viewer").await.refused(400, "not a member");
    change(&cast.owner.token, member, "admin").await.ok();
    assert_eq!(hub.role_in(&cast.owner, &cast.member).await, Some(NetworkRole::Admin));
    assert_eq!(hub.last_change().await, said("owner", "member.changed"));
}

#[tokio::test]
async fn a_coordinator_token_reaches_no_further_than_its_owner_may_give() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let body = json!({"network_id": cast.owner.network_id, "node_name": "chief", "scope": "coordinator"});
    let minted = hub.post("/api/auth/node-token", &cast.admin.token, body).await.ok();
    let scope = async || {
        let list = hub.get("/api/auth/tokens", &cast.admin.token).await.ok();
        let tokens = list["tokens"].as_array().unwrap().clone();
        tokens.iter().find(|token| token["token_id"] == minted["token_id"]).unwrap()["scope"].clone()
    };
    assert_eq!(scope().await, "coordinator");
    change_role(&hub, &cast.owner, &cast.owner.token, &cast.admin.user_id, "member").await.ok();
    assert_eq!(scope().await, "node");
    let identity = hub.hub.identify(minted["token"].as_str().unwrap()).await.unwrap();
    let baton_core::Caller::Node(node) = &identity.caller else { panic!("a node token") };
    assert_eq!(node.scope, baton_core::TokenScope::Node);
}

async fn change_role(hub: &TestHub, network: &Account, token: &str, user: &str, role: &str) -> Reply {
    let path = format!("/api/networks/{}/members/{user}", network.network_id);
    hub.put(&path, token, json!({"role": role})).await
}

#[tokio::test]
async fn removing_a_member_ends_their_node_tokens_there_at_once() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let body = json!({"network_id": cast.owner.network_id, "node_name": "helper"});
    let minted = hub.post("/api/auth/node-token", &cast.member.token, body).await.ok();
    let helper = minted["token"].as_str().unwrap();
    hub.get("/api/auth/me", helper).await.ok();
    let path = format!("/api/networks/{}/members/{}", cast.owner.network_id, cast.member.user_id);
    hub.delete(&path, &cast.admin.token).await.ok();
    assert_eq!(hub.last_change().await, said("the-admin", "member.removed"));
    hub.get("/api/auth/me", helper).await.refused(401, "unauthorized");
    hub.get("/api/auth/me", &cast.member.token).await.ok();
    hub.get("/api/auth/me", &cast.member.network_token).await.ok();
    let network = format!("/api/networks/{}", cast.owner.network_id);
    hub.get(&network, &cast.member.token).await.refused(404, "network not found");
    hub.delete(&path, &cast.admin.token).await.refused(400, "not a member");
}

#[tokio::test]
async fn one_removes_only_roles_below_ones_own() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = |user: &str| format!("/api/networks/{}/members/{user}", cast.owner.network_id);
    hub.delete(&path(&cast.owner.user_id), &cast.owner.token).await.refused(403, "permission_denied");
    hub.delete(&path(&cast.owner.user_id), &cast.admin.token).await.refused(403, "permission_denied");
    for token in [&cast.member.token, &cast.viewer.token] {
        hub.delete(&path(&cast.admin.user_id), token).await.refused(403, "permission_denied");
        hub.delete(&path(&cast.outsider.user_id), token).await.refused(403, "permission_denied");
    }
    hub.delete(&path(&cast.viewer.user_id), &cast.outsider.token).await.refused(404, "network not found");
    hub.delete(&path(&cast.viewer.user_id), &cast.node).await.refused(403, "user_token_required");
    hub.delete(&path(&cast.admin.user_id), &cast.owner.token).await.ok();
    assert_eq!(hub.role_in(&cast.owner, &cast.admin).await, None);
}
