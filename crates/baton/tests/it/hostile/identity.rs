//! A member speaks as somebody else's agent: refused, and two tokens of one alias differ wherever it is recorded
//! who acted.

use serde_json::{Value, json};

use crate::it::evidence_cli::workbench::{Workbench, key};
use crate::it::http::Client;
use crate::it::hub::{Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, claim, events, refused, report, send, succeed, text};

fn mint(user: &Client, network_id: &str, node_name: &str) -> crate::it::http::Response {
    user.post("/api/auth/node-token", &json!({"network_id": network_id, "node_name": node_name}))
}

fn user_id(user: &Client) -> String {
    text(&succeed(&user.get("/api/auth/me"))["user"]["user_id"])
}

#[test]
fn a_member_cannot_take_the_alias_of_another_users_agent() {
    let hub = Hub::start();
    let alice = Tenant::register(&hub, "alice");
    let (bob, _) = hub.register("bob");
    alice.admit(&bob, "member");
    let (worker, worker_token) = alice.mint("worker", "node");
    assert_eq!(report(&worker, "worker", "idle")["ok"], true);

    let said = refused(&mint(&bob, &alice.network_id, "worker"), 409, "alias_in_use");
    assert!(text(&said["message"]).contains("belongs to another user"), "{said}");
    let minted = succeed(&mint(&bob, &alice.network_id, "helper"));
    let helper = bob.with_token(minted["token"].as_str().unwrap());
    assert_eq!(report(&helper, "worker", "idle")["error"], "alias_in_use");
    // The owner of the alias mints as many as they like, and owns it when none is left.
    alice.agent("worker");
    for token in succeed(&alice.user.get("/api/auth/tokens"))["tokens"].as_array().unwrap() {
        if token["name"] == "node:worker" {
            succeed(&alice.user.delete(&format!("/api/auth/tokens/{}", text(&token["token_id"]))));
        }
    }
    refused(&mint(&bob, &alice.network_id, "worker"), 409, "alias_in_use");
    refused(&mint(&hub.admin(), &alice.network_id, "worker"), 403, "no write access to this network");
    assert!(worker_token.starts_with("tok_"));
}

#[test]
fn an_admin_hands_an_alias_over_and_the_old_tokens_for_it_end() {
    let hub = Hub::start();
    let alice = Tenant::register(&hub, "alice");
    let (bob, _) = hub.register("bob");
    let (eve, _) = hub.register("eve");
    alice.admit(&bob, "member");
    let worker = alice.agent("worker");
    let other = alice.agent("other");
    assert_eq!(report(&worker, "worker", "idle")["ok"], true);
    let path = format!("/api/networks/{}/aliases", alice.network_id);
    let to = |user: &Client| json!({"user_id": user_id(user)});

    refused(&bob.get(&path), 403, "permission_denied");
    refused(&bob.put(&format!("{path}/worker"), &to(&bob)), 403, "permission_denied");
    refused(&eve.put(&format!("{path}/worker"), &to(&eve)), 404, "network not found");
    refused(&alice.user.put(&format!("{path}/worker"), &to(&eve)), 400, "not a member");
    refused(&alice.user.put(&format!("{path}/nobody"), &to(&bob)), 404, "alias_not_found");
    succeed(&worker.get("/api/inbox"));

    succeed(&alice.user.put(&format!("{path}/worker"), &to(&bob)));
    refused(&worker.get("/api/inbox"), 401, "unauthorized");
    succeed(&other.get("/api/inbox"));
    refused(&mint(&alice.user, &alice.network_id, "worker"), 409, "alias_in_use");
    let minted = succeed(&mint(&bob, &alice.network_id, "worker"));
    let bobs = bob.with_token(minted["token"].as_str().unwrap());
    // The old session ended with its token: nobody waits for it to fall silent.
    assert_eq!(report(&bobs, "worker", "idle")["ok"], true);

    let listed = succeed(&alice.user.get(&path));
    let owners: Vec<_> = listed["aliases"].as_array().unwrap().iter().map(owner_of).collect();
    assert_eq!(owners, [("other".into(), "alice".into()), ("worker".into(), "bob".into())], "{listed}");
    let page = succeed(&alice.user.get(&format!("{path}?limit=1")));
    assert_eq!(page["aliases"][0]["alias"], "other", "{page}");
    let next = succeed(&alice.user.get(&format!("{path}?limit=1&cursor={}", text(&page["next_cursor"]))));
    assert_eq!(next["aliases"][0]["alias"], "worker", "{next}");
}

fn owner_of(row: &Value) -> (String, String) {
    (text(&row["alias"]), text(&row["owner"]))
}

/// The tokens a task's history names, oldest first, and what its evidence says of each event.
fn tokens_of(reader: &Client, task_id: &str) -> Vec<String> {
    let history: Vec<_> = events(reader, task_id).iter().map(|event| event["actor_token"].clone()).collect();
    let log = succeed(&reader.get(&format!("/api/evidence?task_id={task_id}&limit=100")));
    let log = log["events"].as_array().unwrap().iter();
    let recorded: Vec<_> =
        log.map(|event| event["data"]["attributes"]["baton"]["actor_token"].clone()).collect();
    assert_eq!(history, recorded);
    history.iter().map(text).collect()
}

#[test]
fn two_tokens_of_one_alias_are_told_apart_in_history_and_evidence() {
    let hub = Hub::start();
    let alice = Tenant::register(&hub, "alice");
    let ((one, one_id), (two, two_id)) = (alice.mint("worker", "node"), alice.mint("worker", "node"));
    let again = hub.login("alice", PASSWORD);
    let mut seen = Vec::new();
    for (sender, worker) in [(&alice.user, &one), (&again, &two), (&alice.user, &one)] {
        let task_id = send(sender, "worker", "work");
        let claimed = claim(worker, 0, 60);
        assert_eq!(claimed["task"]["task_id"], json!(task_id));
        let reply = json!({"text": "done", "lease_id": claimed["lease_id"]});
        succeed(&act(worker, &task_id, "reply", &reply));
        let actors: Vec<_> =
            events(&alice.user, &task_id).iter().map(|event| text(&event["actor"])).collect();
        assert_eq!(actors, ["alice", "worker", "worker"]);
        seen.push((task_id.clone(), tokens_of(&alice.user, &task_id)));
    }
    let [(_, first), (second_task, second), (_, third)] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!(first, third, "a token keeps its name");
    assert_eq!(first[1], first[2], "claim and reply by one token");
    for (mine, other) in first.iter().zip(second) {
        assert_ne!(mine, other, "two tokens of one user, and of one alias");
    }
    for name in first.iter().chain(second) {
        let digits = name.strip_prefix("tk_").unwrap();
        assert!(digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
        for id in [&one_id, &two_id] {
            assert!(!digits.contains(id.trim_start_matches("tok_")), "{name} shows {id}");
        }
    }
    // In another network the same user token has an unrelated name.
    let made = succeed(&alice.user.post("/api/networks", &json!({"name": "second"})));
    let second_network = text(&made["network_id"]);
    succeed(&mint(&alice.user, &second_network, "there"));
    let body = json!({"alias": "there", "task": "x", "network_id": second_network});
    let sent = succeed(&alice.user.post("/api/task", &body));
    assert_ne!(tokens_of(&alice.user, &text(&sent["task_id"]))[0], first[0]);

    // What is exported says the same, and holds offline.
    let workbench = Workbench::of(&hub, &alice);
    workbench.baton(["evidence", "export", "--task", second_task, "-o", "task.tar.gz"]).exited(0);
    workbench.baton(["evidence", "verify", "task.tar.gz", "--key", &key(&alice), "--json"]).exited(0);
    let shown = workbench.baton(["task", "show", second_task]).exited(0);
    assert!(shown.stdout.contains(&second[1]) && !shown.stdout.contains(&first[1]), "{}", shown.stdout);
    let shown = workbench.baton(["task", "show", second_task, "--json"]).exited(0);
    assert!(shown.stdout.contains(&second[1]), "{}", shown.stdout);
}
