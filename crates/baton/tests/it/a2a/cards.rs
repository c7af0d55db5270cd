//! An agent's card: where it is, who may see it, what it says.

use serde_json::{Value, json};

use super::door::{ALL, Door};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, refused, succeed};
use crate::it::tool;

const CARD: &str = "/.well-known/agent-card.json";

fn publish(tenant: &Tenant, is_public: bool) {
    let path = format!("/api/networks/{}", tenant.network_id);
    succeed(&tenant.user.put(&path, &json!({"public_cards": is_public})));
    assert_eq!(succeed(&tenant.user.get(&path))["network"]["public_cards"], is_public);
}

#[test]
fn a_card_is_for_members_until_the_network_shows_its_cards_to_everybody() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let stranger = Tenant::register(&hub, "mallory").user;
    let nobody = hub.client();
    let door = Door::of(&tenant, &nobody, "worker");
    for path in ["", "/", CARD] {
        let path = format!("{}{path}", door.base);
        assert_eq!(nobody.get(&path).status, 401, "{path}");
        assert_eq!(stranger.get(&path).status, 404, "{path}");
        assert_eq!(tenant.user.get(&path).status, 200, "{path}");
    }
    publish(&tenant, true);
    let cards: Vec<Value> = ["", "/", CARD]
        .iter()
        .flat_map(|path| {
            [&nobody, &stranger, &tenant.user].map(|who| who.get(&format!("{}{path}", door.base)))
        })
        .map(|answer| answer.json())
        .collect();
    assert!(cards.iter().all(|card| *card == cards[0]), "{cards:#?}");
    assert_eq!(nobody.get(&format!("/a2a/{}/nobody{CARD}", tenant.network_id)).status, 404);
    // Calls need a token anyway, and a member's.
    assert_eq!(door.http("GET", "extendedAgentCard", None).status, 401);
    for binding in ALL {
        let extended = |who| door.called_by(who).call(binding, "GetExtendedAgentCard", &json!({}));
        assert_eq!(extended(&stranger), Err("TASK_NOT_FOUND".into()));
        assert_eq!(extended(&tenant.user).unwrap()["name"], "worker");
    }
    publish(&tenant, false);
    assert_eq!(nobody.get(&door.base).status, 401);
}

#[test]
fn only_the_owner_says_who_sees_the_cards() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let (admin, _) = hub.register("bob");
    tenant.admit(&admin, "admin");
    let path = format!("/api/networks/{}", tenant.network_id);
    refused(&admin.put(&path, &json!({"public_cards": true})), 403, "permission_denied");
    refused(&tenant.user.put(&path, &json!({})), 400, "invalid input");
    refused(&tenant.user.put(&path, &json!({"public_cards": "yes"})), 400, "invalid input");
    succeed(&tenant.user.put(&path, &json!({"name": "renamed", "public_cards": true})));
    let network = &succeed(&tenant.user.get(&path))["network"];
    assert_eq!((&network["network_name"], &network["public_cards"]), (&json!("renamed"), &json!(true)));
}

#[test]
fn a_card_says_what_the_agent_reported_and_one_who_said_nothing_gets_an_honest_minimum() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let card = tenant.user.get(&door.base).json();
    assert_eq!(card["skills"].as_array().unwrap().len(), 1);
    assert_eq!(card["skills"][0]["id"], "task");
    for capability in ["streaming", "pushNotifications", "extendedAgentCard"] {
        assert_eq!(card["capabilities"][capability], true, "{capability}");
    }
    let report = json!({"resume_id": "w", "alias": "worker", "status": "idle", "version": "3.1",
        "description": "Paints fences", "skills": [{"id": "paint", "name": "Painting", "tags": ["fence"]}]});
    assert_eq!(tool::call(&worker, "report_status", &report)["ok"], true);
    let card = tenant.user.get(&door.base).json();
    assert_eq!((&card["description"], &card["version"]), (&json!("Paints fences"), &json!("3.1")));
    let skill = json!({"id": "paint", "name": "Painting", "description": "Painting", "tags": ["fence"]});
    assert_eq!(card["skills"], json!([skill]));
    let scheme = json!({"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer",
        "description": "A token of the Baton hub, of a member of the agent's network"}}});
    assert_eq!(card["securitySchemes"], scheme);
}

#[test]
fn urls_in_cards_come_from_the_setting_and_never_from_the_request() {
    let hub = Hub::start_with(&[
        "--username",
        "admin",
        "--password",
        "a-password-for-tests",
        "--public-url",
        "https://hub.example.org/baton/",
    ]);
    let tenant = Tenant::of_admin(&hub);
    tenant.agent("zoë");
    let path = format!("/a2a/{}/zo%C3%AB/.well-known/agent-card.json", tenant.network_id);
    let card = tenant.user.send("GET", &path, &[("host", "localhost:1")], None).json();
    let base = format!("https://hub.example.org/baton/a2a/{}/zo%C3%AB", tenant.network_id);
    assert_eq!(card["name"], "zoë");
    assert_eq!(
        card["supportedInterfaces"],
        json!([
            {"url": format!("{base}/"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": base, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
        ])
    );
    let plain = Hub::start();
    let tenant = Tenant::register(&plain, "alice");
    tenant.agent("worker");
    let card = tenant.user.get(&format!("/a2a/{}/worker", tenant.network_id)).json();
    let base = format!("{}/a2a/{}/worker/", plain.url(), tenant.network_id);
    assert_eq!(card["supportedInterfaces"][0]["url"], base);
}

#[test]
fn a_card_is_kept_for_a_while_and_answered_without_a_body_while_it_is_the_same() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    let worker = tenant.agent("worker");
    publish(&tenant, true);
    let nobody = hub.client();
    let path = format!("{}{CARD}", Door::of(&tenant, &nobody, "worker").base);
    let first = nobody.get(&path);
    assert_eq!(first.header("cache-control"), Some("public, max-age=60"));
    assert_eq!(tenant.user.get(&path).header("cache-control"), Some("private, max-age=60"));
    let (tag, date) = (first.header("etag").unwrap(), first.header("last-modified").unwrap());
    for known in
        [("if-none-match", tag), ("if-none-match", "\"other\", W/\"x\", *"), ("if-modified-since", date)]
    {
        let again = nobody.send_text("GET", &path, &[known], None);
        assert_eq!((again.status, again.body.len()), (304, 0), "{known:?}");
        assert_eq!(again.header("etag"), Some(tag));
    }
    let older = ("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT");
    for unknown in [("if-none-match", "\"other\""), older, ("if-modified-since", "yesterday")] {
        assert_eq!(nobody.send_text("GET", &path, &[unknown], None).status, 200, "{unknown:?}");
    }
    // A tag counts before a time.
    let both = [("if-none-match", "\"other\""), ("if-modified-since", date)];
    assert_eq!(nobody.send_text("GET", &path, &both, None).status, 200);
    let skills = json!([{
        "id": "sum", "examples": ["add 1 and 2"], "input_modes": ["application/json"], "output_modes": ["text/plain"]
    }]);
    let report = json!({"resume_id": "r", "alias": "worker", "status": "idle", "skills": skills});
    assert_eq!(tool::call(&worker, "report_status", &report)["ok"], true);
    let changed = nobody.send_text("GET", &path, &[("if-none-match", tag)], None);
    assert_eq!(changed.status, 200);
    let skill = &changed.json()["skills"][0];
    assert_eq!(skill["examples"], json!(["add 1 and 2"]));
    assert_eq!(
        (&skill["inputModes"], &skill["outputModes"]),
        (&json!(["application/json"]), &json!(["text/plain"]))
    );
}

#[test]
fn a_card_is_signed_by_the_same_key_after_a_restart() {
    let mut hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let seen = || {
        let keys = hub_keys(&door);
        let signature = door.client.get(&door.base).json()["signatures"][0].clone();
        (keys, signature)
    };
    let before = seen();
    assert_eq!(before.0["keys"].as_array().map(Vec::len), Some(1), "{before:?}");
    assert!(before.1["signature"].is_string(), "{before:?}");
    hub.kill9();
    hub.restart();
    assert_eq!(seen(), before);
}

/// The public keys that cards are signed with.
fn hub_keys(door: &Door) -> Value {
    let answer = Client { token: None, ..door.client.clone() }.get("/.well-known/jwks.json");
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test]
fn extensions_are_declared_and_those_that_a_client_names_are_named_back() {
    let hub = Hub::start();
    let tenant = Tenant::register(&hub, "alice");
    tenant.agent("worker");
    let door = Door::of(&tenant, &tenant.user, "worker");
    let card = tenant.user.get(&door.base).json();
    let declared: Vec<&str> = card["capabilities"]["extensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert_eq!(declared, ["urn:baton:a2a:resumable-streams:1", "urn:baton:a2a:idempotency-key:1"]);
    let named = format!("https://example.com/unknown, {}", declared[1]);
    let params = json!({"contextId": "x"});
    for answer in [
        door.rpc_with("ListTasks", &params, &[("a2a-extensions", &named)]),
        door.answer_http("ListTasks", &params, &[("a2a-extensions", &named)]),
    ] {
        assert_eq!(answer.header("a2a-extensions"), Some(declared[1]));
    }
    assert_eq!(door.rpc("ListTasks", &params).header("a2a-extensions"), None);
}
