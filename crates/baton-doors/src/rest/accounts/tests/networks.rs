//! /api/networks and /api/networks/:id.

use serde_json::json;

use super::hub::{TestHub, said};

#[tokio::test]
async fn a_network_is_made_listed_and_its_makers() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let body = json!({"name": " second ", "description": "for tests"});
    let reply = hub.post("/api/networks", &alice.token, body).await;
    assert!(reply.text.ends_with(r#","network_name":"second"}"#), "{}", reply.text);
    let id = reply.ok()["network_id"].as_str().unwrap().to_owned();
    let reply = hub.get("/api/networks", &alice.token).await;
    let second = format!(r#"{{"network_id":"{id}","network_name":"second","owner_id":"{}","#, alice.user_id);
    assert!(reply.text.contains(&second), "{}", reply.text);
    let list = reply.ok();
    assert_eq!(list["networks"].as_array().unwrap().len(), 2);
    assert_eq!(list["networks"][1]["member_role"], "owner");
    assert_eq!(hub.last_change().await, said("alice", "network.created"));
}

#[tokio::test]
async fn a_name_is_taken_per_owner() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let create = |token| hub.post("/api/networks", token, json!({"name": "team"}));
    create(&alice.token).await.ok();
    create(&alice.token).await.refused(400, "network name already exists");
    create(&bob.token).await.ok();
    create(&bob.network_token).await.refused(403, "user_token_required");
    for name in ["", "  ", &"x".repeat(201)] {
        hub.post("/api/networks", &alice.token, json!({"name": name})).await.refused(400, "invalid input");
    }
}

#[tokio::test]
async fn a_network_shows_its_numbers_to_every_member_and_its_nodes() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}", cast.owner.network_id);
    for token in [&cast.owner.token, &cast.admin.token, &cast.member.token, &cast.viewer.token, &cast.node] {
        let reply = hub.get(&path, token).await;
        assert!(reply.text.ends_with(r#""stats":{"nodes":1,"sessions":0,"tasks":[]}}"#), "{}", reply.text);
        assert_eq!(reply.ok()["network"]["network_id"], cast.owner.network_id.as_str());
    }
    hub.get(&path, &cast.outsider.token).await.refused(404, "network not found");
    hub.get(&path, &cast.outsider.network_token).await.refused(403, "permission_denied");
}

#[tokio::test]
async fn only_the_owner_renames_and_deletes() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}", cast.owner.network_id);
    let table = [
        (&cast.admin.token, 403, "permission_denied"),
        (&cast.member.token, 403, "permission_denied"),
        (&cast.viewer.token, 403, "permission_denied"),
        (&cast.outsider.token, 404, "network not found"),
        (&cast.node, 403, "user_token_required"),
    ];
    for (token, status, error) in table {
        hub.put(&path, token, json!({"name": "mine"})).await.refused(status, error);
        hub.delete(&path, token).await.refused(status, error);
    }
    hub.put(&path, &cast.owner.token, json!({"name": "renamed"})).await.ok();
    assert_eq!(hub.last_change().await, said("owner", "network.renamed"));
    assert_eq!(hub.get(&path, &cast.viewer.token).await.ok()["network"]["network_name"], "renamed");
    hub.delete(&path, &cast.owner.token).await.ok();
    assert_eq!(hub.last_change().await, said("owner", "network.deleted"));
}

#[tokio::test]
async fn a_rename_keeps_names_apart_and_may_say_the_same_name_again() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    hub.post("/api/networks", &alice.token, json!({"name": "team"})).await.ok();
    let path = format!("/api/networks/{}", alice.network_id);
    let rename = |name: &str| hub.put(&path, &alice.token, json!({"name": name}));
    rename("team").await.refused(400, "network name already exists");
    rename("default").await.ok();
}

#[tokio::test]
async fn a_deleted_network_takes_its_tokens_and_members_along() {
    let hub = TestHub::start();
    let cast = hub.cast().await;
    let path = format!("/api/networks/{}", cast.owner.network_id);
    hub.delete(&path, &cast.owner.token).await.ok();
    hub.get("/api/auth/me", &cast.node).await.refused(401, "unauthorized");
    hub.get(&path, &cast.owner.token).await.refused(404, "network not found");
    let networks = hub.get("/api/networks", &cast.viewer.token).await;
    assert!(!networks.text.contains(&cast.owner.network_id));
}

#[tokio::test]
async fn a_foreign_a_missing_and_a_malformed_network_answer_alike_on_every_route() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let routes = [
        ("GET", "", json!({})),
        ("PUT", "", json!({"name": "mine"})),
        ("DELETE", "", json!({})),
        ("GET", "/members", json!({})),
        ("POST", "/members", json!({"user_id": alice.user_id, "role": "admin"})),
        ("PUT", &format!("/members/{}", bob.user_id), json!({"role": "viewer"})),
        ("DELETE", &format!("/members/{}", bob.user_id), json!({})),
        ("DELETE", "/members/me", json!({})),
        ("GET", "/aliases", json!({})),
        ("PUT", "/aliases/worker", json!({"user_id": alice.user_id})),
        ("POST", "/invite", json!({"role": "member", "max_uses": 1})),
    ];
    for (method, rest, body) in routes {
        let mut texts = Vec::new();
        for network in [bob.network_id.as_str(), "net_000000000000", "nonsense"] {
            let path = format!("/api/networks/{network}{rest}");
            let reply = hub.call(method, &path, &alice.token, Some(body.clone())).await;
            texts.push(reply.text.clone());
            reply.refused(404, "network not found");
        }
        assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{method} {rest}: {texts:?}");
    }
    assert!(!hub.get("/api/networks", &alice.token).await.text.contains(&bob.network_id));
}
