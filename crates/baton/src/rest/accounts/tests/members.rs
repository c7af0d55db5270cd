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
    add(&cast.admin.token, "member").await.ok();
    assert_eq!(hub.role_in(&cast.owner, &cast.outsider).await, Some(NetworkRole::Member));
    assert_eq!(hub.last_change().await, said("the-admin", "member.added"));
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
    let baton_core::Caller::Node(node) = identity.caller else { panic!("a node token") };
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
    hub.delete(&path(&cast.admin.user_id), &cast.admin.token).await.refused(403, "permission_denied");
    for token in [&cast.member.token, &cast.viewer.token] {
        hub.delete(&path(&cast.viewer.user_id), token).await.refused(403, "permission_denied");
        hub.delete(&path(&cast.outsider.user_id), token).await.refused(403, "permission_denied");
    }
    hub.delete(&path(&cast.viewer.user_id), &cast.outsider.token).await.refused(404, "network not found");
    hub.delete(&path(&cast.viewer.user_id), &cast.node).await.refused(403, "user_token_required");
    hub.delete(&path(&cast.admin.user_id), &cast.owner.token).await.ok();
    assert_eq!(hub.role_in(&cast.owner, &cast.admin).await, None);
}
