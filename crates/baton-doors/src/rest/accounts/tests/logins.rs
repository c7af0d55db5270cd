//! POST /api/auth/login and /api/auth/logout, and the guard in front of them.

use axum::body::Body;
use axum::http::{Request, header};
use serde_json::json;
use std::sync::atomic::Ordering;

use super::hub::{PASSWORD, TestHub, said};

#[tokio::test]
async fn each_login_is_a_new_token_and_names_the_users_first_network() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let one = hub.login("alice", PASSWORD).await;
    assert!(one.text.starts_with(r#"{"ok":true,"user":{"user_id":"#), "{}", one.text);
    let (one, two) = (one.ok(), hub.login("alice", PASSWORD).await.ok());
    assert_eq!(one["network_id"], alice.network_id.as_str());
    assert_ne!(one["token"], two["token"]);
    for token in [&one["token"], &two["token"]] {
        hub.get("/api/auth/me", token.as_str().unwrap()).await.ok();
    }
    assert_eq!(hub.last_change().await, said("alice", "token.created"));
}

#[tokio::test]
async fn a_user_without_networks_logs_in_with_none() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    hub.delete(&format!("/api/networks/{}", alice.network_id), &alice.token).await.ok();
    assert_eq!(hub.login("alice", PASSWORD).await.ok()["network_id"], json!(null));
}

#[tokio::test]
async fn an_unknown_user_and_a_wrong_password_read_alike_and_both_cost_a_hash() {
    let hub = TestHub::start();
    hub.register("alice").await;
    let computed = || hub.hub.passwords.computed.load(Ordering::Relaxed);
    let before = computed();
    let wrong = hub.login("alice", "another harbour").await;
    assert_eq!(computed(), before + 1);
    let unknown = hub.login("nobody", "another harbour").await;
    assert_eq!(computed(), before + 2);
    assert_eq!(wrong.text, r#"{"ok":false,"error":"invalid username or password"}"#);
    assert_eq!((unknown.status, &unknown.text), (wrong.status, &wrong.text));
    wrong.refused(401, "invalid username or password");
}

#[tokio::test]
async fn five_failures_lock_the_username_even_for_the_right_password() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    for _ in 0..5 {
        hub.login("alice", "another harbour").await.refused(401, "invalid username or password");
    }
    let locked = hub.login("alice", PASSWORD).await;
    let retry_after: u64 = locked.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&retry_after), "{retry_after}");
    let body = locked.refused(429, "login_locked");
    assert!((1..=30_000).contains(&body["retry_after_ms"].as_u64().unwrap()), "{body}");
    hub.get("/api/auth/me", &alice.token).await.ok();
}

#[tokio::test]
async fn ten_failures_a_minute_stop_the_address_and_nobody_else() {
    let hub = TestHub::start_with(|settings| settings.behind_proxy = true);
    hub.register("alice").await;
    let login = |from: &str, username: String| {
        let body = json!({"username": username, "password": PASSWORD}).to_string();
        let request = Request::post("/api/auth/login").header("x-forwarded-for", from);
        hub.send(request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body)).unwrap())
    };
    for n in 0..10 {
        login("192.0.2.1", format!("nobody{n}")).await.refused(401, "invalid username or password");
    }
    let body = login("192.0.2.1", "alice".into()).await.refused(429, "rate_limited");
    assert!((1..=60_000).contains(&body["retry_after_ms"].as_u64().unwrap()), "{body}");
    login("192.0.2.2", "alice".into()).await.ok();
}

#[tokio::test]
async fn a_restart_forgets_neither_the_lock_of_a_username_nor_the_failures_of_an_address() {
    let hub = TestHub::start();
    hub.register("alice").await;
    for _ in 0..5 {
        hub.login("alice", "another harbour").await.refused(401, "invalid username or password");
    }
    let hub = hub.restarted();
    let computed = hub.hub.passwords.computed.load(Ordering::Relaxed);
    let body = hub.login("alice", PASSWORD).await.refused(429, "login_locked");
    assert!((1..=30_000).contains(&body["retry_after_ms"].as_u64().unwrap()), "{body}");
    assert_eq!(hub.hub.passwords.computed.load(Ordering::Relaxed), computed, "and no hash is computed");
    for n in 0..5 {
        hub.login(&format!("nobody{n}"), PASSWORD).await.refused(401, "invalid username or password");
    }
    let hub = hub.restarted();
    hub.login("bob", PASSWORD).await.refused(429, "rate_limited");
}

#[tokio::test]
async fn a_login_forgets_the_failures_of_its_username_also_for_the_next_start() {
    let hub = TestHub::start();
    hub.register("alice").await;
    for _ in 0..2 {
        for _ in 0..4 {
            hub.login("alice", "another harbour").await.refused(401, "invalid username or password");
        }
        hub.login("alice", PASSWORD).await.ok();
    }
    let hub = hub.restarted();
    hub.login("alice", "another harbour").await.refused(401, "invalid username or password");
    hub.login("alice", PASSWORD).await.ok();
}

#[tokio::test]
async fn without_a_proxy_a_forwarded_address_changes_nothing() {
    let hub = TestHub::start();
    for n in 0..11 {
        let body = json!({"username": format!("nobody{n}"), "password": PASSWORD}).to_string();
        let request = Request::post("/api/auth/login").header("x-forwarded-for", format!("192.0.2.{n}"));
        let request =
            request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body)).unwrap();
        let status = hub.send(request).await.status.as_u16();
        assert_eq!(status, if n < 10 { 401 } else { 429 }, "attempt {n}");
    }
}

#[tokio::test]
async fn logging_out_ends_the_token_that_calls_and_no_other() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let other = hub.login("alice", PASSWORD).await.ok();
    let reply = hub.post("/api/auth/logout", &alice.token, json!({})).await;
    assert_eq!(reply.text, r#"{"ok":true}"#);
    assert_eq!(hub.last_change().await, said("alice", "token.revoked"));
    hub.get("/api/auth/me", &alice.token).await.refused(401, "unauthorized");
    hub.get("/api/auth/me", other["token"].as_str().unwrap()).await.ok();
    hub.post("/api/auth/logout", &alice.network_token, json!({})).await.refused(403, "user_token_required");
}
