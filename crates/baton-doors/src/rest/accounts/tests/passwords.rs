//! POST /api/auth/password, and the operator's reset.

use serde_json::json;

use super::hub::{PASSWORD, TestHub, said};
use crate::service::accounts::passwords;

const NEW: &str = "a louder harbour";

#[tokio::test]
async fn a_password_change_ends_every_user_token_and_no_node_token() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let other = hub.login("alice", PASSWORD).await.ok();
    let body = json!({"old_password": PASSWORD, "new_password": NEW});
    let reply = hub.post("/api/auth/password", &alice.token, body).await;
    assert!(reply.text.starts_with(r#"{"ok":true,"revoked":2,"token":"utok_"#), "{}", reply.text);
    let answer = reply.ok();
    for old in [alice.token.as_str(), other["token"].as_str().unwrap()] {
        hub.get("/api/auth/me", old).await.refused(401, "unauthorized");
    }
    hub.get("/api/auth/me", answer["token"].as_str().unwrap()).await.ok();
    hub.get("/api/auth/me", &alice.network_token).await.ok();
    hub.login("alice", PASSWORD).await.refused(401, "invalid username or password");
    hub.login("alice", NEW).await.ok();
    assert!(hub.audit().await.contains(&said("alice", "user.password_changed")));
}

#[tokio::test]
async fn a_password_change_wants_the_old_one_and_a_good_new_one() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let table = [
        ("wrong", NEW, "incorrect current password"),
        (PASSWORD, "short", "password must be at least 8 characters"),
        (PASSWORD, "password123", "password is too common"),
    ];
    for (old_password, new_password, error) in table {
        let body = json!({"old_password": old_password, "new_password": new_password});
        hub.post("/api/auth/password", &alice.token, body).await.refused(400, error);
    }
    let body = json!({"old_password": PASSWORD, "new_password": NEW});
    hub.post("/api/auth/password", &alice.network_token, body).await.refused(403, "user_token_required");
    hub.get("/api/auth/me", &alice.token).await.ok();
}

#[tokio::test]
async fn a_stolen_token_cannot_guess_the_password_without_end() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let guess = || json!({"old_password": "a guess", "new_password": NEW});
    for _ in 0..5 {
        let reply = hub.post("/api/auth/password", &alice.token, guess()).await;
        reply.refused(400, "incorrect current password");
    }
    hub.post("/api/auth/password", &alice.token, guess()).await.refused(429, "login_locked");
    hub.login("alice", PASSWORD).await.ok();
}

#[tokio::test]
async fn of_two_password_changes_at_once_one_wins() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let change = |new: &str| {
        let body = json!({"old_password": PASSWORD, "new_password": new});
        hub.post("/api/auth/password", &alice.token, body)
    };
    let (one, two) = tokio::join!(change(NEW), change("a third harbour"));
    let winners = [&one, &two].into_iter().filter(|reply| reply.status.as_u16() == 200).count();
    assert_eq!(winners, 1, "{} {}", one.text, two.text);
}

#[tokio::test]
async fn a_reset_ends_user_tokens_keeps_node_tokens_and_asks_for_a_new_password() {
    let hub = TestHub::start();
    let alice = hub.register("alice").await;
    let reset = passwords::reset(hub.store(), "alice").await.unwrap();
    hub.get("/api/auth/me", &alice.token).await.refused(401, "unauthorized");
    hub.get("/api/auth/me", &alice.network_token).await.ok();
    hub.get("/api/auth/me", reset.token.expose()).await.ok();
    let login = hub.login("alice", reset.new_password.expose()).await.ok();
    assert_eq!(login["user"]["must_change_password"], true);
    assert!(hub.audit().await.contains(&said("hub", "user.password_reset")));
    let body = json!({"old_password": reset.new_password.expose(), "new_password": NEW});
    hub.post("/api/auth/password", reset.token.expose(), body).await.ok();
    let login = hub.login("alice", NEW).await.ok();
    assert!(login["user"].get("must_change_password").is_none());
    let unknown = passwords::reset(hub.store(), "nobody").await.unwrap_err();
    assert_eq!(unknown.to_string(), "no user has this id");
}
