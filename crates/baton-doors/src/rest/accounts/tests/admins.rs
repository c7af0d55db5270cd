//! The system admin: the first start, GET /api/audit-log and GET /api/users, and reading networks of others.

use serde_json::json;

use super::hub::{PASSWORD, TestHub, said};
use crate::service::accounts::registration::{self, FirstAdmin};

#[tokio::test]
async fn the_first_start_makes_a_system_admin_with_a_network() {
    let hub = TestHub::start();
    let token = hub.admin().await;
    let me = hub.get("/api/auth/me", &token).await.ok();
    assert_eq!(me["user"]["role"], "admin");
    assert_eq!(me["networks"].as_array().unwrap().len(), 1);
    assert_eq!(hub.audit().await[..2], [said("hub", "user.created"), said("hub", "network.created")]);
}

#[tokio::test]
async fn a_generated_password_is_shown_once_and_is_to_be_changed() {
    let hub = TestHub::start();
    let made = registration::ensure_first_admin(hub.store(), "admin", None).await.unwrap();
    let FirstAdmin::Created { generated_password: Some(password) } = made else { panic!("{made:?}") };
    let login = hub.login("admin", password.expose()).await.ok();
    assert_eq!(login["user"]["must_change_password"], true);
}

#[tokio::test]
async fn a_weak_password_of_the_operators_is_taken_and_is_to_be_changed() {
    let hub = TestHub::start();
    registration::ensure_first_admin(hub.store(), "admin", Some("admin".into())).await.unwrap();
    assert_eq!(hub.login("admin", "admin").await.ok()["user"]["must_change_password"], true);
    let hub = TestHub::start();
    assert!(registration::ensure_first_admin(hub.store(), "admin", Some(String::new())).await.is_err());
    assert!(registration::ensure_first_admin(hub.store(), "a", Some(PASSWORD.into())).await.is_err());
}

#[tokio::test]
async fn with_users_the_first_start_changes_nothing() {
    let hub = TestHub::start();
    hub.register("alice").await;
    let again =
        registration::ensure_first_admin(hub.store(), "alice", Some("another harbour".into())).await.unwrap();
    assert!(matches!(again, FirstAdmin::Exists));
    assert_eq!(hub.login("alice", PASSWORD).await.ok()["user"]["role"], "user");
}

#[tokio::test]
async fn only_a_system_admin_lists_users_and_reads_the_audit_log() {
    let hub = TestHub::start();
    let token = hub.admin().await;
    let alice = hub.register("alice").await;
    for path in ["/api/users", "/api/audit-log"] {
        hub.get(path, &alice.token).await.refused(403, "permission_denied");
        hub.get(path, &alice.network_token).await.refused(403, "user_token_required");
    }
    let reply = hub.get("/api/users", &token).await;
    assert!(!reply.text.contains("argon2"), "{}", reply.text);
    let users = reply.ok();
    assert_eq!(users["users"][1]["username"], "alice");
    assert_eq!(users["users"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_audit_log_is_paged_newest_first() {
    let hub = TestHub::start();
    let token = hub.admin().await;
    hub.register("alice").await;
    let newest = hub.get("/api/audit-log?limit=1", &token).await.ok();
    let entry = &newest["entries"][0];
    assert_eq!((&entry["actor"], &entry["action"]), (&json!("alice"), &json!("token.created")));
    let older = hub.get(&format!("/api/audit-log?cursor={}", newest["next_cursor"]), &token).await.ok();
    assert_eq!(older["entries"].as_array().unwrap().len(), hub.audit().await.len() - 1);
    assert_eq!(older["next_cursor"], json!(null));
    hub.get("/api/audit-log?limit=many", &token).await.refused(400, "invalid input");
}

#[tokio::test]
async fn a_system_admin_reads_a_network_of_others_by_naming_it_and_that_is_written_down() {
    let hub = TestHub::start();
    let token = hub.admin().await;
    let alice = hub.register("alice").await;
    let path = format!("/api/networks/{}", alice.network_id);
    let shown = hub.get(&path, &token).await.ok();
    assert_eq!(shown["network"]["member_role"], json!(null));
    assert_eq!(hub.last_change().await, said("root", "network.read"));
    hub.get("/api/networks/net_000000000000", &token).await.refused(404, "network not found");
    assert!(!hub.get("/api/networks", &token).await.text.contains(&alice.network_id));
}

#[tokio::test]
async fn a_system_admin_writes_nothing_in_a_network_of_others() {
    let hub = TestHub::start();
    let token = hub.admin().await;
    let alice = hub.register("alice").await;
    let path = format!("/api/networks/{}", alice.network_id);
    hub.put(&path, &token, json!({"name": "mine"})).await.refused(403, "permission_denied");
    hub.delete(&path, &token).await.refused(403, "permission_denied");
    hub.get(&format!("{path}/members"), &token).await.refused(403, "permission_denied");
    let body = json!({"network_id": alice.network_id, "node_name": "spy"});
    hub.post("/api/auth/node-token", &token, body).await.refused(403, "no write access to this network");
}
