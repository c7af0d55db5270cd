//! GET /api/auth/tokens and DELETE /api/auth/tokens/:id.

use serde_json::json;

use super::hub::{TestHub, said};

#[tokio::test]
async fn tokens_are_listed_newest_first_without_their_secrets() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let (secret, token_id) = hub.mint(&alice, "builder").await;
    let reply = hub.get("/api/auth/tokens", &alice.token).await;
    assert!(!reply.text.contains(&secret) && !reply.text.contains("hash"), "{}", reply.text);
    let first =
        format!(r#"{{"ok":true,"tokens":[{{"token_id":"{token_id}","name":"node:builder","scope":"node","#);
    assert!(reply.text.starts_with(&first), "{}", reply.text);
    let body = reply.ok();
    assert_eq!(body["tokens"][0]["network_id"], alice.network_id.as_str());
    assert_eq!(body["tokens"][0]["last_used_at"], json!(null));
    assert_eq!(body["tokens"][0]["created_at"].as_str().unwrap().len(), "2026-01-01 00:00:00".len());
    let user = body["tokens"].as_array().unwrap().iter().find(|token| token["scope"] == "user").unwrap();
    assert_eq!((&user["network_id"], &user["name"]), (&json!(null), &json!("user-login")));
    hub.get("/api/auth/tokens", &secret).await.refused(403, "user_token_required");
}

#[tokio::test]
async fn a_revoked_token_is_refused_at_its_next_call() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let (secret, token_id) = hub.mint(&alice, "builder").await;
    hub.get("/api/auth/me", &secret).await.ok();
    let reply = hub.delete(&format!("/api/auth/tokens/{token_id}"), &alice.token).await;
    assert_eq!(reply.text, r#"{"ok":true}"#);
    hub.get("/api/auth/me", &secret).await.refused(401, "unauthorized");
    assert_eq!(hub.last_change().await, said("alice", "token.revoked"));
    hub.delete(&format!("/api/auth/tokens/{token_id}"), &alice.token).await.refused(404, "token not found");
}

#[tokio::test]
async fn somebody_elses_token_is_not_found_and_stays() {
    let hub = TestHub::start();
    let (alice, bob) = (hub.register("alice").await, hub.register("bob").await);
    let (secret, token_id) = hub.mint(&alice, "builder").await;
    let mut texts = Vec::new();
    for id in [token_id.as_str(), "tok_000000000000", "nonsense"] {
        let reply = hub.delete(&format!("/api/auth/tokens/{id}"), &bob.token).await;
        texts.push(reply.text.clone());
        reply.refused(404, "token not found");
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
    hub.get("/api/auth/me", &secret).await.ok();
    let list = hub.get("/api/auth/tokens", &bob.token).await;
    assert!(!list.text.contains(&token_id));
}

#[tokio::test]
async fn node_tokens_revoke_nothing() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let (secret, token_id) = hub.mint(&alice, "builder").await;
    let path = format!("/api/auth/tokens/{token_id}");
    hub.delete(&path, &secret).await.refused(403, "user_token_required");
}
