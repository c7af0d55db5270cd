//! Names that are made to be mistaken for others, or for an option or a path: none is created, and those that exist
//! continue working.

use rusqlite::{Connection, params};
use serde_json::json;

use crate::it::hub::{Hub, PASSWORD};
use crate::it::tenant::{Tenant, claim, refused, report, send, succeed, text};

#[test]
fn no_alias_is_created_that_hides_or_looks_like_another_name_of_the_network() {
    let hub = Hub::start();
    let alice = Tenant::register(&hub, "alice");
    for alias in ["bob", "agent-1", "corner", "Review", "通信龙", "сор"] {
        alice.agent(alias); // the last one in Cyrillic
    }
    let mint = |name: &str| {
        let body = json!({"network_id": alice.network_id, "node_name": name});
        alice.user.post("/api/auth/node-token", &body)
    };
    for (name, status, code) in [
        ("bob\u{3164}", 400, "invalid input"),
        ("b\u{43e}b", 400, "invalid input"), // Cyrillic о
        (".", 400, "invalid input"),
        ("..", 400, "invalid input"),
        (".hidden", 400, "invalid input"),
        ("-x", 400, "invalid input"),
        ("--help", 400, "invalid input"),
        ("ｂｏｂ", 400, "invalid input"),
        ("\u{430}\u{440}\u{456}", 400, "invalid input"), // api in Cyrillic
        ("agent-l", 409, "alias_in_use"),
        ("agent-I", 409, "alias_in_use"),
        ("comer", 409, "alias_in_use"),
        ("cop", 409, "alias_in_use"),
        ("alice", 409, "alias_in_use"),
        ("Alice", 409, "alias_in_use"),
        ("aIice", 409, "alias_in_use"),
    ] {
        let said = refused(&mint(name), status, code);
        assert!(said.to_string().len() > 40, "a refusal says why: {said}");
    }
    let fresh = alice.agent("fresh");
    assert_eq!(report(&fresh, "agent-l", "idle")["error"], "alias_in_use");
    let answer = crate::it::tool::call(&fresh, "send_task", &json!({"alias": "--help", "task": "x"}));
    assert_eq!(answer["error"], "alias_not_found", "what is addressed is not judged: {answer}");
    for name in ["bob", "bob2", "龙agent", "さくら漢字", "Борис", "한글"] {
        succeed(&mint(name));
    }
}

#[test]
fn no_username_is_registered_that_is_anothers_in_another_case_or_looks_like_it() {
    let hub = Hub::start();
    hub.register("Ian");
    for (name, code) in [
        ("Admin", "username already taken"),
        ("ADMIN", "username already taken"),
        ("adrnin", "username already taken"),
        ("ian", "username already taken"),
        ("lan", "username already taken"),
        ("Hub", "username already taken"),
        ("--help", "username contains invalid characters"),
        ("-x", "username contains invalid characters"),
        ("한글かな", "username contains invalid characters"),
        ("bob\u{3164}", "username contains invalid characters"),
    ] {
        let body = json!({"username": name, "password": PASSWORD});
        refused(&hub.client().post("/api/auth/register", &body), 400, code);
    }
    let network = Tenant::register(&hub, "通信龙");
    for name in ["-x", "a\u{202e}b", "P\u{430}ypal", "a\u{7}b"] {
        refused(&network.user.post("/api/networks", &json!({"name": name})), 400, "invalid input");
    }
    succeed(&network.user.post("/api/networks", &json!({"name": "Équipe №1 (青い組)"})));
}

/// With a Cyrillic о, which no new name may mix in.
const ODD: &str = "b\u{43e}t-1";

#[test]
fn names_from_before_the_rules_keep_working_and_are_not_imitated() {
    let mut hub = Hub::start();
    let alice = Tenant::register(&hub, "alice");
    let odd = alice.agent("plain");
    assert!(hub.stop().success());
    // As a release without the rules left it.
    let database = Connection::open(hub.data_dir().join("hub.db")).unwrap();
    for sql in [
        "UPDATE tokens SET alias = ?1 WHERE alias = 'plain'",
        "UPDATE aliases SET alias = ?1, skeleton = '', skeleton_lower = '' WHERE alias = 'plain'",
    ] {
        assert_eq!(database.execute(sql, params![ODD]).unwrap(), 1);
    }
    database.execute("DELETE FROM skeletons", []).unwrap();
    drop(database);
    hub.restart();
    let alice = Tenant { user: hub.login("alice", PASSWORD), network_id: alice.network_id };
    let odd = hub.client().with_token(odd.token.as_deref().unwrap());
    assert_eq!(report(&odd, ODD, "idle")["ok"], true);
    let sent = send(&alice.user, ODD, "work");
    assert_eq!(text(&claim(&odd, 0, 60)["task"]["task_id"]), sent);
    // Its owner mints another token for it; nobody creates what looks like it.
    alice.agent(ODD);
    let body = json!({"network_id": alice.network_id, "node_name": "bot-1"});
    refused(&alice.user.post("/api/auth/node-token", &body), 409, "alias_in_use");
}
