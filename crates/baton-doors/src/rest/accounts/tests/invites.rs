//! POST /api/networks/:id/invite and /api/networks/join.

use baton_core::NetworkRole;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::hub::{Account, PASSWORD, Reply, TestHub, said};

async fn invite(hub: &TestHub, network: &Account, token: &str, body: Value) -> Reply {
    hub.post(&format!("/api/networks/{}/invite", network.network_id), token, body).await
}

async fn code(hub: &TestHub, network: &Account, body: Value) -> String {
    let body = invite(hub, network, &network.token, body).await.ok();
    body["invite_code"].as_str().unwrap().to_owned()
}

async fn join(hub: &TestHub, token: &str, code: &str) -> Reply {
    hub.post("/api/networks/join", token, json!({"invite_code": code})).await
}

#[tokio::test]
async fn an_invite_makes_whoever_has_it_a_member() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let code = code(&hub, &alice, json!({"role": "viewer"})).await;
    assert!(code.starts_with("inv_") && code.len() >= 4 + 32, "{code}");
    assert_eq!(hub.last_change().await, said("alice", "invite.created"));
    let reply = join(&hub, &bob.token, &code).await;
    assert_eq!(reply.text, format!(r#"{{"ok":true,"network_id":"{}","role":"viewer"}}"#, alice.network_id));
    assert_eq!(hub.last_change().await, said("bob", "member.joined"));
    assert_eq!(hub.role_in(&alice, &bob).await, Some(NetworkRole::Viewer));
    let members = hub.get(&format!("/api/networks/{}/members", alice.network_id), &alice.token).await.ok();
    assert_eq!(members["members"][1]["invited_by"], "alice");
}

async fn preview(hub: &TestHub, token: &str, code: &str) -> Reply {
    hub.post("/api/networks/join/preview", token, json!({"invite_code": code})).await
}

#[tokio::test]
async fn an_invite_shows_what_it_leads_to_before_it_is_used() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let code = code(&hub, &alice, json!({"role": "viewer"})).await;
    let expected = |is_member: bool| {
        json!({
            "ok": true, "network_id": alice.network_id, "network_name": "default", "role": "viewer",
            "is_member": is_member, "invited_by": "alice",
        })
    };
    for _ in 0..2 {
        assert_eq!(preview(&hub, &bob.token, &code).await.ok(), expected(false));
    }
    assert_eq!(hub.role_in(&alice, &bob).await, None, "nobody has joined");
    assert_eq!(hub.last_change().await, said("alice", "invite.created"));
    join(&hub, &bob.token, &code).await.ok();
    assert_eq!(preview(&hub, &bob.token, &code).await.ok(), expected(true));

    // What would refuse to join refuses here too.
    let carol = hub.register("carol").await;
    preview(&hub, &carol.token, &code).await.refused(400, "invite code fully used");
    preview(&hub, &carol.token, "inv_nonsense").await.refused(400, "invalid invite code");
    let node = hub.post(
        "/api/auth/node-token",
        &alice.token,
        json!({"network_id": alice.network_id, "node_name": "carol"}),
    );
    node.await.ok();
    let second = invite(&hub, &alice, &alice.token, json!({})).await.ok();
    preview(&hub, &carol.token, second["invite_code"].as_str().unwrap()).await.refused(409, "alias_in_use");
}

#[tokio::test]
async fn a_preview_counts_as_a_try_to_join() {
    let hub = TestHub::start();
    let bob = hub.register("bob").await;
    for _ in 0..10 {
        preview(&hub, &bob.token, "inv_nonsense").await.refused(400, "invalid invite code");
    }
    join(&hub, &bob.token, "inv_nonsense").await.refused(429, "rate_limited");
}

#[tokio::test]
async fn one_invites_only_into_roles_below_ones_own() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let table = [
        (&cast.owner.token, "owner", 403, "permission_denied"),
        (&cast.admin.token, "admin", 403, "permission_denied"),
        (&cast.member.token, "viewer", 403, "permission_denied"),
        (&cast.viewer.token, "viewer", 403, "permission_denied"),
        (&cast.outsider.token, "viewer", 404, "network not found"),
        (&cast.node, "viewer", 403, "user_token_required"),
        (&cast.owner.token, "boss", 400, "invalid input"),
    ];
    for (token, role, status, error) in table {
        invite(&hub, &cast.owner, token, json!({"role": role, "max_uses": 1})).await.refused(status, error);
    }
    invite(&hub, &cast.owner, &cast.owner.token, json!({"role": "admin"})).await.ok();
    invite(&hub, &cast.owner, &cast.admin.token, json!({})).await.ok();
}

#[tokio::test]
async fn the_numbers_of_an_invite_are_bounded() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    for body in [
        json!({"max_uses": 0}),
        json!({"max_uses": -1}),
        json!({"max_uses": 1_001}),
        json!({"expires_days": 0}),
        json!({"expires_days": 366}),
        json!({"max_uses": "many"}),
    ] {
        invite(&hub, &alice, &alice.token, body).await.refused(400, "invalid input");
    }
}

#[tokio::test]
async fn of_two_who_use_a_single_use_invite_one_joins() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let (bob, carol) = (hub.register("bob").await, hub.register("carol").await);
    let code = code(&hub, &alice, json!({"role": "member", "max_uses": 1})).await;
    let (one, two) = tokio::join!(join(&hub, &bob.token, &code), join(&hub, &carol.token, &code));
    let (won, lost) = if one.status.as_u16() == 200 { (one, two) } else { (two, one) };
    won.ok();
    lost.refused(400, "invite code fully used");
    let joined = [hub.role_in(&alice, &bob).await, hub.role_in(&alice, &carol).await];
    assert_eq!(joined.iter().flatten().count(), 1);
}

#[tokio::test]
async fn an_invite_never_changes_a_members_role_nor_is_it_used_up_by_one() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let code = code(&hub, &cast.owner, json!({"role": "admin", "max_uses": 1})).await;
    assert_eq!(join(&hub, &cast.viewer.token, &code).await.ok()["role"], "viewer");
    assert_eq!(join(&hub, &cast.owner.token, &code).await.ok()["role"], "owner");
    assert_eq!(hub.role_in(&cast.owner, &cast.viewer).await, Some(NetworkRole::Viewer));
    assert_eq!(join(&hub, &cast.outsider.token, &code).await.ok()["role"], "admin");
}

#[tokio::test]
async fn an_unknown_and_a_malformed_code_are_invalid() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    for code in [format!("inv_{}", "0".repeat(64)), "inv_1".into(), String::new()] {
        join(&hub, &alice.token, &code).await.refused(400, "invalid invite code");
    }
    let reply = join(&hub, &alice.network_token, "inv_1").await;
    reply.refused(403, "user_token_required");
}

#[tokio::test]
async fn an_expired_invite_admits_nobody() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let code_hash = <[u8; 32]>::from(Sha256::digest("inv_00000000000000000000000000000000"));
    let row = baton_store::rows::InviteRow {
        code_hash,
        network_id: baton_core::NetworkId::parse(&alice.network_id).unwrap(),
        role: NetworkRole::Member,
        max_uses: 1,
        uses: 0,
        expires_at: Some(hub.hub.clock.now().plus_millis(-1)),
        created_by: baton_core::UserId::parse(&alice.user_id).unwrap(),
        created_at: hub.hub.clock.now(),
    };
    hub.store().write(move |tx| tx.insert_invite(&row)).await.unwrap();
    let reply = join(&hub, &bob.token, "inv_00000000000000000000000000000000").await;
    reply.refused(400, "invite code expired");
}

#[tokio::test]
async fn an_invite_ends_with_the_power_of_whoever_made_it() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let body = invite(&hub, &cast.owner, &cast.admin.token, json!({"max_uses": 5})).await.ok();
    let code = body["invite_code"].as_str().unwrap();
    let path = format!("/api/networks/{}/members/{}", cast.owner.network_id, cast.admin.user_id);
    hub.delete(&path, &cast.owner.token).await.ok();
    join(&hub, &cast.admin.token, code).await.refused(400, "invite code expired");
    join(&hub, &cast.outsider.token, code).await.refused(400, "invite code expired");
}

#[tokio::test]
async fn nobody_joins_whose_username_is_an_alias_of_the_network() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    hub.mint(&alice, "bob").await;
    let code = code(&hub, &alice, json!({"max_uses": 1})).await;
    join(&hub, &bob.token, &code).await.refused(409, "alias_in_use");
    let carol = hub.register("carol").await;
    join(&hub, &carol.token, &code).await.ok();
}

#[tokio::test]
async fn joins_have_a_limit_of_their_own() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    for _ in 0..10 {
        join(&hub, &alice.token, "inv_1").await.refused(400, "invalid invite code");
    }
    join(&hub, &alice.token, "inv_1").await.refused(429, "rate_limited");
    // A restart does not forget them, and another token is free.
    let other = hub.login("alice", PASSWORD).await.ok();
    let hub = hub.restarted();
    join(&hub, &alice.token, "inv_1").await.refused(429, "rate_limited");
    join(&hub, other["token"].as_str().unwrap(), "inv_1").await.refused(400, "invalid invite code");
}

#[tokio::test]
async fn invites_are_listed_without_their_codes_and_withdrawn() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}/invites", cast.owner.network_id);
    assert_eq!(hub.get(&path, &cast.owner.token).await.ok()["invites"], json!([]));
    let code = code(&hub, &cast.owner, json!({"role": "viewer", "max_uses": 3, "expires_days": 2})).await;
    join(&hub, &cast.outsider.token, &code).await.ok();
    let reply = hub.get(&path, &cast.admin.token).await;
    assert!(!reply.text.contains(&code) && !reply.text.contains(&code[4..20]), "{}", reply.text);
    let listed = reply.ok()["invites"][0].clone();
    assert_eq!(
        (&listed["role"], &listed["max_uses"], &listed["uses"]),
        (&json!("viewer"), &json!(3), &json!(1))
    );
    assert_eq!(listed["created_by"], "owner");
    assert!(listed["expires_at"].is_string() && listed["created_at"].is_string());
    let one = format!("{path}/{}", listed["invite_id"].as_str().unwrap());
    hub.delete(&one, &cast.admin.token).await.ok();
    assert_eq!(hub.last_change().await, said("the-admin", "invite.deleted"));
    hub.delete(&one, &cast.admin.token).await.refused(400, "invalid invite code");
    let late = hub.register("late").await;
    join(&hub, &late.token, &code).await.refused(400, "invalid invite code");
    assert_eq!(hub.role_in(&cast.owner, &cast.outsider).await, Some(NetworkRole::Viewer), "who joined stays");
}

#[tokio::test]
async fn invites_are_for_admins_of_their_network() {
    let hub = TestHub::start();
    let root = hub.admin().await;
    let cast = hub.cast().await;
    code(&hub, &cast.owner, json!({})).await;
    let path = format!("/api/networks/{}/invites", cast.owner.network_id);
    let invite = hub.get(&path, &cast.owner.token).await.ok()["invites"][0]["invite_id"].clone();
    let one = format!("{path}/{}", invite.as_str().unwrap());
    let refused = [
        (&cast.member.token, 403, "permission_denied"),
        (&cast.viewer.token, 403, "permission_denied"),
        (&root, 403, "permission_denied"),
        (&cast.outsider.token, 404, "network not found"),
        (&cast.node, 403, "user_token_required"),
    ];
    for (token, status, error) in refused {
        hub.get(&path, token).await.refused(status, error);
        hub.delete(&one, token).await.refused(status, error);
    }
    // An invite of another network is none of one's own.
    let elsewhere = one.replace(&cast.owner.network_id, &cast.outsider.network_id);
    hub.delete(&elsewhere, &cast.outsider.token).await.refused(400, "invalid invite code");
    hub.delete(&format!("{path}/nonsense"), &cast.owner.token).await.refused(400, "invalid invite code");
    hub.delete(&one, &cast.owner.token).await.ok();
}
