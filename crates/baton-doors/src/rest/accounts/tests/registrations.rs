//! POST /api/auth/register.

use baton_core::limits::JSON_BODY_MAX_BYTES;
use serde_json::json;

use super::hub::{PASSWORD, TestHub, said};

#[tokio::test]
async fn registering_gives_a_user_a_network_and_a_token_for_each() {
    let hub = TestHub::start();
    let body = json!({"username": "alice", "password": PASSWORD, "email": "a@example.org", "unknown": 1});
    let reply = hub.post("/api/auth/register", "", body).await;
    assert!(reply.text.starts_with(r#"{"ok":true,"user":{"user_id":"u_"#), "{}", reply.text);
    let body = reply.ok();
    assert_eq!(body["user"]["username"], "alice");
    assert_eq!(body["user"]["email"], "a@example.org");
    assert_eq!(body["user"]["display_name"], json!(null));
    assert_eq!(body["user"]["role"], "user");
    assert_eq!(body["user"].as_object().unwrap().len(), 5);
    let token = body["token"].as_str().unwrap();
    assert!(token.starts_with("utok_") && token.len() >= 5 + 32);
    let me = hub.get("/api/auth/me", token).await.ok();
    assert_eq!(me["networks"][0]["network_id"], body["network_id"]);
    assert_eq!(me["networks"][0]["member_role"], "owner");
    let node = hub.get("/api/auth/me", body["network_token"].as_str().unwrap()).await.ok();
    assert_eq!(node["current_network"], body["network_id"]);
    let expected = ["user.created", "network.created", "token.created", "token.created"];
    assert_eq!(hub.audit().await, expected.map(|action| said("alice", action)));
}

#[tokio::test]
async fn registration_errors_come_in_the_contracts_order() {
    let hub = TestHub::start();
    hub.register("alice").await;
    let long = "x".repeat(51);
    let table = [
        ("a", "short", "username must be at least 2 characters"),
        (long.as_str(), "short", "username too long (max 50)"),
        ("a b", "short", "username contains invalid characters"),
        ("alice", "short", "username already taken"),
        ("hub", "short", "username already taken"),
        ("bob", "short", "password must be at least 8 characters"),
        ("bob", "PassWord123", "password is too common"),
    ];
    for (username, password, error) in table {
        let body = json!({"username": username, "password": password});
        hub.post("/api/auth/register", "", body).await.refused(400, error);
    }
}

#[tokio::test]
async fn cjk_usernames_are_welcome() {
    let hub = TestHub::start();
    hub.register("林小明").await;
}

#[tokio::test]
async fn a_closed_hub_registers_nobody() {
    let hub = TestHub::start_with(|settings| settings.open_registration = false);
    let body = json!({"username": "alice", "password": PASSWORD});
    hub.post("/api/auth/register", "", body).await.refused(403, "registration is closed");
    assert!(hub.audit().await.is_empty());
}

#[tokio::test]
async fn of_two_who_want_one_name_one_gets_it() {
    let hub = TestHub::start();
    let body = json!({"username": "alice", "password": PASSWORD});
    let (one, two) = tokio::join!(
        hub.post("/api/auth/register", "", body.clone()),
        hub.post("/api/auth/register", "", body)
    );
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400], "{} {}", one.text, two.text);
}

#[tokio::test]
async fn bad_bodies_are_named() {
    let hub = TestHub::start();
    let register = |body: serde_json::Value| hub.post("/api/auth/register", "", body);
    let missing = register(json!({"username": "alice"})).await.refused(400, "invalid input");
    assert_eq!(missing["details"][0]["field"], "password", "{missing}");
    let wrong = register(json!({"username": 7, "password": PASSWORD})).await.refused(400, "invalid input");
    assert_eq!(wrong["details"][0]["field"], "username");
    let long = json!({"username": "bob", "password": PASSWORD, "email": "x".repeat(1_001)});
    register(long).await.refused(400, "invalid input");
    let huge = json!({"username": "bob", "password": "x".repeat(JSON_BODY_MAX_BYTES)});
    assert_eq!(register(huge).await.status.as_u16(), 413);
}
