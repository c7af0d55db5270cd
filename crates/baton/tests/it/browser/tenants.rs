//! Who may look and not touch, and who may not even look.

use serde_json::json;

use super::script::drive;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, claim, report, send, succeed, text};

#[test]
fn a_viewer_has_no_buttons_and_the_hub_refuses_what_they_would_do() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let viewer = Tenant::register(&hub, "vera");
    network.admit(&viewer.user, "viewer");
    let worker = network.agent("worker");
    network.agent("second");
    report(&worker, "worker", "idle");
    let waiting = send(&network.user, "worker", "a task that asks");
    let lease = claim(&worker, 0, 3600)["lease_id"].clone();
    succeed(&act(&worker, &waiting, "ask", &json!({"question": "which?", "lease_id": lease})));
    let ended = send(&network.user, "worker", "a task that failed");
    succeed(&act(&worker, &ended, "reply", &json!({"text": "no", "status": "failed"})));
    let open = send(&network.user, "worker", "a task that is open");
    let given = json!({
        "base": hub.url(), "network": network.network_id, "token": network.user.token,
        "viewer": {"username": "vera", "password": PASSWORD},
        "open": open, "ended": ended, "waiting": waiting,
    });
    drive("viewer.mjs", &given);
}

#[test]
fn another_tenants_user_sees_nothing_and_is_refused_the_stream() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    Tenant::register(&hub, "mallory");
    let worker = network.agent("worker");
    report(&worker, "worker", "idle");
    let secret = "the launch is on friday";
    let given = json!({
        "base": hub.url(), "network": network.network_id, "secret": secret,
        "task": send(&network.user, "worker", secret), "stranger": {"username": "mallory", "password": PASSWORD},
    });
    drive("stranger.mjs", &given);
}

#[test]
fn an_invitation_is_answered_on_the_page_and_an_admin_sees_who_has_not_answered() {
    let hub = Hub::start();
    let (host, guest) = (Tenant::register(&hub, "hanna"), Tenant::register(&hub, "gina"));
    Tenant::register(&hub, "gustav");
    let user_id = |name: &str| {
        let me = hub.login(name, PASSWORD).get("/api/auth/me");
        text(&succeed(&me)["user"]["user_id"])
    };
    let make = |name: &str, invited: &[&str]| {
        let network = text(&succeed(&host.user.post("/api/networks", &json!({"name": name})))["network_id"]);
        for username in invited {
            let body = json!({"user_id": user_id(username), "role": "member"});
            succeed(&host.user.post(&format!("/api/networks/{network}/members"), &body));
        }
        network
    };
    let welcome = make("welcome", &["gina", "gustav"]);
    make("pushy", &["gina"]);
    let given = json!({
        "base": hub.url(), "own": guest.network_id, "welcome": welcome,
        "guest": {"username": "gina", "password": PASSWORD}, "host": {"username": "hanna", "password": PASSWORD},
    });
    drive("invitations.mjs", &given);
}

#[test]
fn a_link_invites_who_is_signed_in_and_who_is_not_and_its_code_reaches_no_log() {
    let mut hub =
        Hub::start_with_env(&["--username", ADMIN, "--password", PASSWORD], &[("BATON_LOG", "trace")]);
    let host = Tenant::register(&hub, "hanna");
    let late = Tenant::register(&hub, "liv");
    Tenant::register(&hub, "gina");
    let welcome = succeed(&host.user.post("/api/networks", &json!({"name": "welcome"})));
    let person = |username: &str| json!({"username": username, "password": PASSWORD});
    let given = json!({
        "base": hub.url(), "network": welcome["network_id"], "home": late.network_id,
        "host": person("hanna"), "guest": person("gina"), "late": person("liv"),
    });
    let said = drive("invite-link.mjs", &given);
    let code = said.iter().find_map(|line| line.strip_prefix("code: ")).unwrap();
    assert!(hub.stop().success());
    let log = hub.log();
    assert!(log.contains("/api/networks/join/preview") && !log.contains(code), "{log}");
}
