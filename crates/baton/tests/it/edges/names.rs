//! Aliases and usernames: one name space per network, reserved names, and the first bind (section 2).

use serde_json::json;

use crate::it::hub::{Hub, PASSWORD};
use crate::it::tenant::{Tenant, refused, report, send, succeed, task, text};

#[test]
fn an_alias_equal_to_a_members_username_is_refused() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let body = json!({"network_id": network.network_id, "node_name": "alice"});
    refused(&network.user.post("/api/auth/node-token", &body), 409, "alias_in_use");
    let agent = network.agent("worker");
    assert_eq!(report(&agent, "alice", "idle")["error"], "alias_in_use");
}

#[test]
fn a_join_of_a_user_whose_name_is_an_alias_is_refused() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    network.agent("bob");
    let (bob, _) = hub.register("bob");
    let path = format!("/api/networks/{}/invite", network.network_id);
    let invite = succeed(&network.user.post(&path, &json!({"role": "member", "max_uses": 1})));
    let answer = bob.post("/api/networks/join", &json!({"invite_code": invite["invite_code"]}));
    refused(&answer, 409, "alias_in_use");
    let members = succeed(&network.user.get(&format!("/api/networks/{}/members", network.network_id)));
    assert_eq!(members["members"].as_array().unwrap().len(), 1, "{members}");
}

#[test]
fn reserved_names_are_no_aliases_and_no_usernames() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    for name in ["hub", "me", "network", "api"] {
        let body = json!({"network_id": network.network_id, "node_name": name});
        refused(&network.user.post("/api/auth/node-token", &body), 400, "invalid input");
        let body = json!({"username": name, "password": PASSWORD});
        refused(&hub.client().post("/api/auth/register", &body), 400, "username already taken");
    }
}

#[test]
fn an_alias_is_1_to_200_letters_digits_and_three_signs_in_nfc() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let mint = |name: &str| {
        let body = json!({"network_id": network.network_id, "node_name": name});
        network.user.post("/api/auth/node-token", &body)
    };
    for name in ["a b", "a/b", "a\u{0}b", "a@b", &"x".repeat(201)] {
        refused(&mint(name), 400, "invalid input");
    }
    refused(&mint(""), 400, "network_id and node_name required");
    succeed(&mint(&"x".repeat(200)));
    succeed(&mint("通信龙.a_b-1"));
    // Two spellings of one name are one alias.
    succeed(&mint("caf\u{e9}"));
    let task_id = send(&network.user, "cafe\u{301}", "work");
    assert_eq!(task(&network.user, &task_id)["to_name"], "caf\u{e9}");
}

#[test]
fn a_first_report_binds_a_fresh_alias_and_a_second_cannot_change_it() {
    let hub = Hub::start();
    let (user, registered) = hub.register("alice");
    let network = Tenant { user, network_id: text(&registered["network_id"]) };
    let agent = network.user.with_token(registered["network_token"].as_str().unwrap());
    // Without an alias it acts as nobody.
    let answer = agent.post("/api/task", &json!({"alias": "taken", "task": "x"}));
    refused(&answer, 403, "permission_denied");
    network.agent("taken");
    assert_eq!(report(&agent, "taken", "idle")["error"], "alias_in_use");
    assert_eq!(report(&agent, "fresh", "idle")["ok"], true);
    assert_eq!(report(&agent, "other", "idle")["error"], "permission_denied");
    assert_eq!(report(&agent, "fresh", "working")["ok"], true);
    send(&agent, "taken", "work");
}

#[test]
fn a_minted_token_may_bind_another_alias_at_its_first_report() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let agent = network.agent("minted");
    assert_eq!(report(&agent, "chosen", "idle")["ok"], true);
    let task_id = send(&network.user, "chosen", "work");
    assert_eq!(crate::it::tenant::inbox_task_ids(&agent), [task_id]);
}

#[test]
fn a_live_alias_is_not_taken_by_another_token() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (first, second) = (network.agent("worker"), network.agent("worker"));
    assert_eq!(report(&first, "worker", "idle")["ok"], true);
    assert_eq!(report(&second, "worker", "idle")["error"], "alias_in_use");
    assert_eq!(report(&first, "worker", "working")["ok"], true);
}

#[test]
fn the_names_in_from_never_override_the_token() {
    let hub = Hub::start();
    let network = Tenant::register(&hub, "alice");
    let (sender, _worker) = (network.agent("sender"), network.agent("worker"));
    let body = json!({"alias": "worker", "task": "x", "from": "boss", "from_session": 7});
    let sent = succeed(&sender.post("/api/task", &body));
    assert_eq!(task(&network.user, &text(&sent["task_id"]))["from_name"], "sender");
}
