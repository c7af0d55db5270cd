//! A cancel with `cascade`: all that is open below a task ends with it, in one transaction, or nothing does.

use serde_json::{Value, json};

use super::{MOST, nodes, send_part, send_parts, tree};
use crate::it::history::assert_legal;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, events, inbox_task_ids, refused, send, succeed, task};
use crate::it::tool::call;

/// A tree of five tasks: the root, two below it, one below each of these.
struct Family {
    network: Tenant,
    agents: [Client; 3],
    root: String,
    /// The nearer first.
    below: [String; 4],
}

fn family(hub: &Hub) -> Family {
    let network = Tenant::of_admin(hub);
    let agents = ["planner", "coder", "tester"].map(|alias| network.agent(alias));
    let root = send(&network.user, "planner", "build it");
    let code = send_part(&agents[0], "coder", &root);
    let docs = send_part(&agents[0], "tester", &root);
    let test = send_part(&agents[1], "tester", &code);
    let style = send_part(&agents[2], "coder", &docs);
    Family { network, agents, root, below: [code, docs, test, style] }
}

fn cascade(client: &Client, task: &str, reason: &str) -> Value {
    succeed(&act(client, task, "cancel", &json!({"cascade": true, "reason": reason})))
}

/// The last event of a task.
fn end(reader: &Client, id: &str) -> Value {
    events(reader, id).pop().unwrap()
}

#[test]
fn all_that_is_open_below_a_task_ends_with_it_the_deepest_first() {
    let hub = Hub::start();
    let Family { network, agents: [planner, coder, tester], root, below } = family(&hub);
    let (reader, [code, docs, test, style]) = (&network.user, &below);
    // One is being worked on, one has been answered.
    let held = claim(&tester, 0, 600);
    assert_eq!(held["task"]["task_id"], json!(docs));
    succeed(&act(&tester, test, "reply", &json!({"text": "done"})));
    let replied = task(reader, test);
    let mut stream = tester.stream("/events/tester", None).unwrap();

    let answer = cascade(&network.user, &root, "not needed");
    assert_eq!(answer, json!({"ok": true, "task_id": root, "cancelled": true, "cancelled_descendants": 3}));
    for (id, detail) in [
        (&root, "not needed"),
        (code, "cancelled with its parent"),
        (docs, "cancelled with its parent"),
        (style, "cancelled with its parent"),
    ] {
        let row = task(reader, id);
        assert_eq!((&row["status"], &row["result"]), (&json!("cancelled"), &json!("not needed")), "{row}");
        assert_eq!(
            (&end(reader, id)["detail"], &end(reader, id)["actor"]),
            (&json!(detail), &json!("admin"))
        );
        assert_legal(&row, &events(reader, id));
    }
    assert_eq!(task(reader, test), replied, "what had ended stays as it is");

    let order = [style, docs, code, &root].map(|id| end(reader, id)["id"].as_i64().unwrap());
    assert!(order.is_sorted(), "{order:?}");
    // Workers learn of it as of any cancel.
    let path = format!("/api/leases/{}/extend", held["lease_id"].as_str().unwrap());
    refused(&tester.post(&path, &json!({})), 409, "lease_lost");
    for id in [style, docs] {
        let frame = stream.next_of("task_cancelled").unwrap().data;
        assert_eq!((&frame["task_id"], &frame["reason"]), (&json!(id), &json!("not needed")));
    }
    for agent in [&planner, &coder, &tester] {
        assert!(inbox_task_ids(agent).is_empty());
    }
}

#[test]
fn a_cancel_alone_says_how_much_is_still_open_below() {
    let hub = Hub::start();
    let Family { network, agents: [planner, ..], root, below } = family(&hub);
    // Open tasks are counted below those that have ended too.
    succeed(&act(&network.user, &below[0], "cancel", &json!({})));
    let answer = succeed(&act(&planner, &root, "cancel", &json!({})));
    assert_eq!(answer, json!({"ok": true, "task_id": root, "cancelled": true, "open_descendants": 3}));
    let open = |id: &String| task(&network.user, id)["completed_at"].is_null();
    assert_eq!(below.iter().filter(|id| open(id)).count(), 3);

    // The task has ended: a cancel of it alone is refused as ever, one of what is below it is not.
    let ended = act(&planner, &root, "cancel", &json!({}));
    assert_eq!(
        (ended.status, ended.json()),
        (409, json!({"ok": false, "task_id": root, "cancelled": false}))
    );
    let root_before = task(&network.user, &root);
    let over_mcp = call(&planner, "cancel_task", &json!({"task_id": root, "cascade": true}));
    let expected = json!({"ok": true, "task_id": root, "cancelled": false, "cancelled_descendants": 3});
    assert_eq!(over_mcp, expected);
    assert!(below.iter().all(|id| !open(id)));
    assert_eq!(task(&network.user, &below[3])["result"], "cancelled by planner");
    assert_eq!(task(&network.user, &root), root_before);
    let again = act(&planner, &root, "cancel", &json!({"cascade": true}));
    assert_eq!(
        (again.status, again.json()),
        (409, json!({"ok": false, "task_id": root, "cancelled": false}))
    );
}

#[test]
fn who_may_not_cancel_a_task_cancels_nothing_below_it() {
    let hub = Hub::start();
    let Family { network, agents: [.., tester], root, below } = family(&hub);
    let (stranger, viewer) = (Tenant::register(&hub, "mallory"), Tenant::register(&hub, "vera"));
    network.admit(&viewer.user, "viewer");
    let body = json!({"cascade": true});
    refused(&act(&stranger.user, &root, "cancel", &body), 404, "task_not_found");
    refused(&act(&stranger.agent("spy"), &root, "cancel", &body), 404, "task_not_found");
    refused(&act(&viewer.user, &root, "cancel", &body), 403, "permission_denied");
    // It works on tasks below, and may end those; the root is not its own.
    refused(&act(&tester, &root, "cancel", &body), 403, "permission_denied");
    let whole = tree(&network.user, &root);
    assert!(nodes(&whole).iter().all(|node| node["status"] == "delivered"), "{whole}");
    let branch = cascade(&tester, &below[1], "a branch");
    assert_eq!(branch["cancelled_descendants"], 1, "the docs, and the style below them");
    let open = nodes(&tree(&network.user, &root)).iter().filter(|node| node["status"] == "delivered").count();
    assert_eq!(open, 3);
}

#[test]
fn a_thousand_open_descendants_end_together_and_one_more_is_refused_before_anything_changes() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let planner = network.agent("planner");
    network.agent("coder");
    let root = send(&network.user, "planner", "build it");
    let mut parts = send_parts(&planner, "coder", &root, MOST);
    parts.extend(send_parts(&planner, "coder", &parts[0], 1));
    let path = format!("/api/task_events?network_id={}&limit=1", network.network_id);
    let newest = || network.user.get(&path).json()["events"][0]["id"].clone();

    let before = newest();
    let body = json!({"cascade": true, "reason": "enough"});
    let told = refused(&act(&network.user, &root, "cancel", &body), 409, "tree_too_large");
    let message = told["message"].as_str().unwrap();
    assert!(message.starts_with("1001 of the 1001 descendants examined are open; at most 1000"), "{message}");
    let over_mcp = json!({"task_id": root, "network_id": network.network_id, "cascade": true});
    assert_eq!(call(&network.user, "cancel_task", &over_mcp)["error"], "tree_too_large");
    assert_eq!(newest(), before, "nothing happened");

    succeed(&act(&network.user, &parts[1000], "cancel", &json!({})));
    assert_eq!(cascade(&network.user, &root, "enough")["cancelled_descendants"], MOST);
    let path = format!("/api/tasks?network_id={}&status=delivered", network.network_id);
    assert_eq!(network.user.get(&path).json()["count"], 0);
    assert_eq!(end(&network.user, &parts[999])["detail"], "cancelled with its parent");

    // Counted up to the same number.
    let root = send(&network.user, "planner", "build it again");
    send_parts(&planner, "coder", &root, MOST + 5);
    let alone = succeed(&act(&network.user, &root, "cancel", &json!({})));
    assert_eq!(alone["open_descendants"], MOST);
}
