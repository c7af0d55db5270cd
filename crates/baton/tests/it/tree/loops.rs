//! The loop guard: agents that hand the same work on in a circle are stopped, and so is a chain without an end.

use serde_json::{Value, json};

use super::{places, send_part, tree};
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, act, claim, refused, send, send_with, succeed, text};
use crate::it::tool::call;

const AGENTS: [&str; 3] = ["planner", "coder", "tester"];

/// A network of three agents, and the chain of tasks along which they handed work on.
fn three_in_a_row(hub: &Hub) -> (Tenant, [Client; 3], [String; 3]) {
    let network = Tenant::of_admin(hub);
    let agents = AGENTS.map(|alias| network.agent(alias));
    let plan = send(&network.user, "planner", "build it");
    let code = send_part(&agents[0], "coder", &plan);
    let test = send_part(&agents[1], "tester", &code);
    (network, agents, [plan, code, test])
}

fn chain(tasks: &[String]) -> Value {
    let links = tasks.iter().zip(AGENTS).map(|(id, alias)| json!({"task_id": id, "to_name": alias}));
    Value::Array(links.collect())
}

#[test]
fn a_loop_of_three_agents_is_stopped_with_its_chain_shown() {
    let hub = Hub::start();
    let (network, [_, _, tester], tasks) = three_in_a_row(&hub);
    let before = tree(&network.user, &tasks[0]);
    for alias in AGENTS {
        let body = json!({"alias": alias, "task": "you do it", "parent_task_id": tasks[2]});
        let told = refused(&tester.post("/api/task", &body), 409, "delegation_cycle");
        assert_eq!(told["details"], chain(&tasks), "root first");
        let message = told["message"].as_str().unwrap();
        let words = format!(
            "{alias} has an open task in the chain of parents: planner ({}) > coder ({}) > tester ({}); ",
            tasks[0], tasks[1], tasks[2]
        );
        assert!(message.starts_with(&words), "{message}");
        // Over the other doors alike: several at once, and the tool.
        let several = succeed(&tester.post("/api/tasks", &json!({"tasks": [body]})));
        assert_eq!(several["results"][0], told);
        assert_eq!(call(&tester, "send_task", &body), told);
    }
    assert_eq!(tree(&network.user, &tasks[0]), before, "nothing was sent");

    // Elsewhere it is free to send, and to the same agents without naming the parent.
    network.agent("writer");
    send_part(&tester, "writer", &tasks[2]);
    send(&tester, "planner", "something else");
}

#[test]
fn a_loop_is_allowed_to_whoever_says_so() {
    let hub = Hub::start();
    let (network, [_, _, tester], tasks) = three_in_a_row(&hub);
    let mut body = json!({
        "alias": "planner", "task": "review it", "parent_task_id": tasks[2], "idempotency_key": "once",
    });
    refused(&tester.post("/api/task", &body), 409, "delegation_cycle");
    body["allow_cycle"] = json!(true);
    let sent = send_with(&tester, &body);
    assert_eq!(send_with(&tester, &body), sent, "the same key and arguments");
    body["allow_cycle"] = json!(false);
    refused(&tester.post("/api/task", &body), 409, "idempotency_key_reused");
    let over_mcp = json!({"alias": "coder", "task": "again", "parent_task_id": sent, "allow_cycle": true});
    assert_eq!(call(&tester, "send_task", &over_mcp)["ok"], true);
    assert_eq!(tree(&network.user, &sent)["nodes"][3]["task_id"], json!(sent), "below the three");
}

#[test]
fn a_task_that_has_ended_stands_in_nobodys_way() {
    let hub = Hub::start();
    let (network, [planner, coder, tester], tasks) = three_in_a_row(&hub);
    claim(&coder, 0, 60);
    succeed(&act(&coder, &tasks[1], "reply", &json!({"text": "done"})));
    let again = send_part(&tester, "coder", &tasks[2]);
    // The planner's task is still open, also above one that has ended.
    let body = json!({"alias": "planner", "task": "x", "parent_task_id": again});
    refused(&coder.post("/api/task", &body), 409, "delegation_cycle");
    succeed(&act(&planner, &tasks[0], "reply", &json!({"text": "done"})));
    send_with(&coder, &body);
    assert_eq!(places(&tree(&network.user, &tasks[0])).len(), 5);
}

#[test]
fn a_retry_is_no_new_delegation() {
    let hub = Hub::start();
    let (network, [planner, ..], tasks) = three_in_a_row(&hub);
    let body = json!({"alias": "planner", "task": "x", "parent_task_id": tasks[2], "allow_cycle": true});
    let looped = send_with(&network.user, &body);
    succeed(&act(&planner, &looped, "reply", &json!({"text": "no", "status": "failed"})));
    let retried = succeed(&act(&network.user, &looped, "retry", &json!({})));
    assert_eq!(retried["retry_of"], json!(looped));
}

/// A chain of tasks, each a part of the one before it, as long as the network allows: its tasks, and what refused the next.
fn longest_chain(network: &Tenant, most: usize) -> (Vec<String>, Value) {
    let mut tasks = vec![send(&network.user, "worker", "begin")];
    loop {
        let last = tasks.last().unwrap();
        let body = json!({"alias": "worker", "task": "go on", "parent_task_id": last, "allow_cycle": true});
        let answer = network.user.post("/api/task", &body);
        if answer.status == 409 {
            return (tasks, refused(&answer, 409, "delegation_too_deep"));
        }
        tasks.push(text(&succeed(&answer)["task_id"]));
        assert!(tasks.len() <= most, "a chain of {} tasks", tasks.len());
    }
}

#[test]
fn a_chain_of_parents_has_sixteen_tasks_unless_an_admin_sets_another_depth() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("worker");
    let path = format!("/api/networks/{}/quotas", network.network_id);
    let depth = |answer: &Value| {
        let quotas = answer["quotas"].as_array().unwrap();
        quotas.iter().find(|quota| quota["quota"] == "delegation_depth").unwrap().clone()
    };
    let default = json!({"quota": "delegation_depth", "used": null, "limit": 16, "default_limit": 16});
    assert_eq!(depth(&succeed(&network.user.get(&path))), default);
    let (tasks, told) = longest_chain(&network, 40);
    assert_eq!(tasks.len(), 17, "the last has a chain of 16 parents");
    assert!(told["message"].as_str().unwrap().contains("more than 16 tasks"), "{told}");
    assert_eq!(places(&tree(&network.user, &tasks[16])).len(), 17);

    let set = succeed(&network.user.put(&path, &json!({"delegation_depth": 32})));
    assert_eq!(depth(&set)["limit"], 32);
    let (tasks, told) = longest_chain(&network, 40);
    assert_eq!(tasks.len(), 33);
    assert!(told["message"].as_str().unwrap().contains("more than 32 tasks"), "{told}");
    // As deep as a chain can be, the tree is shown whole, from either end.
    for end in [&tasks[0], &tasks[32]] {
        let whole = tree(&network.user, end);
        assert_eq!((places(&whole).len(), &whole["truncated"]), (33, &json!(false)));
    }
    for wrong in [33, -1] {
        let answer = network.user.put(&path, &json!({"delegation_depth": wrong}));
        let told = refused(&answer, 400, "invalid input");
        assert_eq!(told["details"][0]["rule"], "must be 0 to 32, or null");
    }
    succeed(&network.user.put(&path, &json!({"delegation_depth": 0})));
    assert_eq!(longest_chain(&network, 40).0.len(), 1, "nothing is handed on at all");
    succeed(&network.user.put(&path, &json!({"delegation_depth": null})));
    assert_eq!(longest_chain(&network, 40).0.len(), 17);
}
