//! GET and PUT /api/auth/me.

use serde_json::json;

use super::hub::{TestHub, said};

#[tokio::test]
async fn a_user_sees_themselves_and_their_networks() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let reply = hub.get("/api/auth/me", &alice.token).await;
    assert!(
        reply.text.starts_with(r#"{"ok":true,"user":{"#)
            && reply.text.ends_with(r#""current_network":null}"#)
    );
    let me = reply.ok();
    assert_eq!(me["user"]["user_id"], alice.user_id.as_str());
    assert_eq!(me["networks"].as_array().unwrap().len(), 1);
    assert_eq!(me["networks"][0]["network_name"], "default");
}

#[tokio::test]
async fn a_node_token_sees_its_own_network_only() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    hub.post("/api/networks", &alice.token, json!({"name": "second"})).await.ok();
    let me = hub.get("/api/auth/me", &alice.network_token).await.ok();
    assert_eq!(me["current_network"], alice.network_id.as_str());
    assert_eq!(me["networks"].as_array().unwrap().len(), 1);
    let list = hub.get("/api/networks", &alice.network_token).await.ok();
    assert_eq!(list["networks"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_profile_change_keeps_what_is_absent() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    hub.put("/api/auth/me", &alice.token, json!({"display_name": "Alice"})).await.ok();
    let me = hub.put("/api/auth/me", &alice.token, json!({"email": "a@example.org"})).await.ok();
    assert_eq!(me["user"]["display_name"], "Alice");
    assert_eq!(me["user"]["email"], "a@example.org");
    assert_eq!(hub.last_change().await, said("alice", "user.changed"));
    let changes = hub.audit().await.len();
    hub.put("/api/auth/me", &alice.token, json!({})).await.ok();
    assert_eq!(hub.audit().await.len(), changes, "nothing changed, nothing is recorded");
    let body = json!({"display_name": "x"});
    hub.put("/api/auth/me", &alice.network_token, body).await.refused(403, "user_token_required");
}

#[tokio::test]
async fn every_route_behind_the_gate_wants_a_token() {
    let hub = TestHub::start();
    let routes = [
        ("GET", "/api/auth/me"),
        ("PUT", "/api/auth/me"),
        ("POST", "/api/auth/password"),
        ("POST", "/api/auth/logout"),
        ("POST", "/api/auth/node-token"),
        ("GET", "/api/auth/tokens"),
        ("DELETE", "/api/auth/tokens/tok_000000000000"),
        ("GET", "/api/networks"),
        ("POST", "/api/networks"),
        ("POST", "/api/networks/join"),
        ("GET", "/api/networks/net_000000000000"),
        ("PUT", "/api/networks/net_000000000000"),
        ("DELETE", "/api/networks/net_000000000000"),
        ("GET", "/api/networks/net_000000000000/members"),
        ("POST", "/api/networks/net_000000000000/members"),
        ("PUT", "/api/networks/net_000000000000/members/u_000000000000"),
        ("DELETE", "/api/networks/net_000000000000/members/u_000000000000"),
        ("GET", "/api/networks/net_000000000000/aliases"),
        ("PUT", "/api/networks/net_000000000000/aliases/worker"),
        ("GET", "/api/invitations"),
        ("POST", "/api/invitations/net_000000000000/accept"),
        ("POST", "/api/invitations/net_000000000000/decline"),
        ("POST", "/api/networks/net_000000000000/invite"),
        ("GET", "/api/audit-log"),
        ("GET", "/api/users"),
    ];
    let unknown = format!("utok_{}", "0".repeat(64));
    for (method, path) in routes {
        for token in ["", "nonsense", unknown.as_str()] {
            let reply = hub.call(method, path, token, None).await;
            assert_eq!(reply.status.as_u16(), 401, "{method} {path}");
            assert_eq!(reply.text, r#"{"ok":false,"error":"unauthorized"}"#);
        }
    }
}
