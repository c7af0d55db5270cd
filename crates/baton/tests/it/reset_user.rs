//! `baton hub admin reset-user`: the operator's way back in, with and without a running hub.

use serde_json::json;

use super::hub::{ADMIN, Hub, PASSWORD};

/// The password and the token that were printed.
fn reset(hub: &Hub, username: &str) -> (String, String) {
    let output = hub.baton(&["hub", "admin", "reset-user", "--username", username]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let after =
        |beginning: &str| text.lines().find_map(|line| line.strip_prefix(beginning)).unwrap().to_owned();
    (after("new password: "), after("new token: "))
}

#[test]
fn a_running_hub_is_asked_and_ends_the_users_tokens_at_once() {
    let hub = Hub::start();
    let old = hub.admin();
    let network = old.get("/api/auth/me").json()["networks"][0]["network_id"].clone();
    let minted = old.post("/api/auth/node-token", &json!({"network_id": network, "node_name": "worker"}));
    let node = hub.client().with_token(minted.json()["token"].as_str().unwrap());

    let (password, token) = reset(&hub, ADMIN);
    assert_eq!(old.get("/api/auth/me").status, 401);
    assert_eq!(hub.client().with_token(&token).get("/api/auth/me").status, 200);
    assert_eq!(node.get("/api/inbox").status, 200, "node tokens stay");
    let wrong = hub.client().post("/api/auth/login", &json!({"username": ADMIN, "password": PASSWORD}));
    assert_eq!(wrong.status, 401);
    hub.login(ADMIN, &password);
    assert!(!hub.log().contains(&password) && !hub.log().contains(&token));
}

#[test]
fn without_a_hub_the_database_is_changed() {
    let mut hub = Hub::start();
    let old = hub.admin();
    assert!(hub.stop().success());
    let (password, token) = reset(&hub, ADMIN);
    hub.restart();
    assert_eq!(old.get("/api/auth/me").status, 401);
    assert_eq!(hub.client().with_token(&token).get("/api/auth/me").status, 200);
    hub.login(ADMIN, &password);
}

#[test]
fn an_unknown_user_is_told() {
    let mut hub = Hub::start();
    for _ in 0..2 {
        let output = hub.baton(&["hub", "admin", "reset-user", "--username", "nobody"]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1);
        assert!(output.stdout.is_empty());
        if hub.is_running() {
            assert!(hub.stop().success());
        }
    }
}

#[test]
fn a_folder_without_a_hub_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = super::hub::baton();
    command.args(["hub", "admin", "reset-user", "--username", ADMIN, "--data-dir"]).arg(folder.path());
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
