//! The tree of a task: what is in it, where it ends, and who sees what of it.

use serde_json::json;

use super::{MOST, nodes, places, send_part, send_parts, tree};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, refused, send, succeed, task};
use crate::it::tool::call;

#[test]
fn a_tree_has_the_chain_above_the_task_and_all_below_it_in_order() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let [planner, coder, tester] = ["planner", "coder", "tester"].map(|alias| network.agent(alias));
    let root = send(&network.user, "planner", "build it");
    let code = send_part(&planner, "coder", &root);
    let docs = send_part(&planner, "tester", &root);
    let test = send_part(&coder, "tester", &code);
    claim(&tester, 0, 60);
    succeed(&act(&tester, &docs, "reply", &json!({"text": "done"})));

    let from_root = tree(&network.user, &root);
    let expected = [(root.clone(), 0), (code.clone(), 1), (test.clone(), 2), (docs.clone(), 1)];
    assert_eq!(places(&from_root), expected, "each task is followed by what is below it");
    assert_eq!((&from_root["task_id"], &from_root["truncated"]), (&json!(root), &json!(false)));
    for node in nodes(&from_root) {
        let row = task(&network.user, node["task_id"].as_str().unwrap());
        for field in [
            "parent_task_id",
            "from_name",
            "to_name",
            "kind",
            "status",
            "created_at",
            "started_at",
            "completed_at",
        ] {
            assert_eq!(node[field], row[field], "{field} of {node}");
        }
        assert_eq!(node.as_object().unwrap().len(), 10, "{node}");
    }
    assert_eq!(nodes(&from_root)[3]["status"], "replied");

    // From the middle: the ancestors, the task and what is below it, and no task beside it.
    let from_code = tree(&network.user, &code);
    assert_eq!(places(&from_code), [(root.clone(), 0), (code.clone(), 1), (test, 2)]);
    assert_eq!(places(&tree(&network.user, &docs)), [(root.clone(), 0), (docs, 1)]);
    let told = call(&network.user, "get_task_tree", &json!({"task_id": code}));
    assert_eq!(told, json!({"ok": true, "tree": from_code}));

    // A retry is a part of the same task.
    succeed(&act(&network.user, &code, "cancel", &json!({})));
    let again = succeed(&act(&network.user, &code, "retry", &json!({})))["task_id"].clone();
    let last = nodes(&tree(&network.user, &root)).last().unwrap().clone();
    assert_eq!((&last["task_id"], &last["parent_task_id"]), (&again, &json!(root)));
}

#[test]
fn a_node_sees_the_part_of_a_tree_that_its_own_tasks_connect() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let [planner, coder, tester, other] =
        ["planner", "coder", "tester", "other"].map(|alias| network.agent(alias));
    let root = send(&network.user, "planner", "build it");
    let code = send_part(&planner, "coder", &root);
    let test = send_part(&coder, "tester", &code);
    let deep = send_part(&tester, "other", &test);

    let seen = |reader, id: &str| -> Vec<String> {
        places(&tree(reader, id)).into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(seen(&planner, &root), [&*root, &*code]);
    assert_eq!(seen(&planner, &code), [&*root, &*code]);
    assert_eq!(seen(&coder, &code), [&*code, &*test]);
    assert_eq!(seen(&tester, &deep), [&*test, &*deep]);
    assert_eq!(seen(&network.coordinator("lead"), &test), [&*root, &*code, &*test, &*deep]);
    // Depth begins with the first task that is shown: how much is hidden above it is not told.
    assert_eq!(places(&tree(&other, &deep)), [(deep.clone(), 0)]);
    assert_eq!(nodes(&tree(&other, &deep))[0]["parent_task_id"], json!(test), "as its own row says");

    // Whoever may not read the task gets what a look at the task itself gets, and nothing of the tree.
    for (reader, hidden) in [(&planner, &test), (&planner, &deep), (&other, &root), (&other, &test)] {
        let path = format!("/api/tasks/{hidden}");
        let (shown, looked) = (reader.get(&format!("{path}/tree")), reader.get(&path));
        assert_eq!((shown.status, shown.text()), (looked.status, looked.text()));
        refused(&shown, 403, "permission_denied");
        assert_eq!(call(reader, "get_task_tree", &json!({"task_id": hidden}))["error"], "permission_denied");
    }
}

#[test]
fn a_stranger_is_told_that_there_is_no_such_task() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("coder");
    let root = send(&network.user, "coder", "build it");
    let stranger = Tenant::register(&hub, "mallory");
    for reader in [&stranger.user, &stranger.agent("spy"), &stranger.coordinator("spies")] {
        for id in [&*root, "00000000-0000-7000-8000-000000000000", "no-id"] {
            let (shown, looked) =
                (reader.get(&format!("/api/tasks/{id}/tree")), reader.get(&format!("/api/tasks/{id}")));
            refused(&shown, 404, "task_not_found");
            assert_eq!(shown.text(), looked.text());
            assert_eq!(call(reader, "get_task_tree", &json!({"task_id": id}))["error"], "task_not_found");
        }
    }
}

#[test]
fn a_wide_tree_is_shown_up_to_a_thousand_tasks() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let planner = network.agent("planner");
    network.agent("coder");
    let root = send(&network.user, "planner", "build it");
    let parts = send_parts(&planner, "coder", &root, MOST - 1);
    let whole = tree(&network.user, &root);
    assert_eq!((nodes(&whole).len(), &whole["truncated"]), (MOST, &json!(false)));
    let shown: Vec<String> = places(&whole).into_iter().skip(1).map(|(id, _)| id).collect();
    assert_eq!(shown, parts, "oldest first");

    let one_more = send_part(&planner, "coder", &root);
    let cut = tree(&network.user, &root);
    assert_eq!((nodes(&cut).len(), &cut["truncated"]), (MOST, &json!(true)));
    assert!(places(&cut).iter().all(|(id, _)| *id != one_more));
    let told = call(&planner, "get_task_tree", &json!({"task_id": root}));
    assert_eq!(told["tree"], cut);
}
