//! What is done with tasks from the page, and what the page says of them by itself.

use serde_json::json;

use super::script::{drive, drive_with};
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, act, claim, send, send_with, succeed};
use crate::it::work::worker::Worker;

#[test]
fn a_task_sent_from_the_page_arrives_and_ends_live_without_a_reload() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let agent = network.agent("upper");
    let script = r#"said=$(cat); while [ ! -e "$WHERE/go" ]; do sleep 0.02; done; echo "$said" | tr a-z A-Z"#;
    let mut worker = Worker::start(&agent, "upper", &[], script);
    worker.says("waiting for tasks");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id, "alias": "upper",
    });
    drive_with("live.mjs", &given, |_| std::fs::write(worker.home.path().join("go"), "").unwrap());
}

#[test]
fn a_task_is_cancelled_with_a_reason_that_stands_on_the_page_and_in_the_hub() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("worker");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "task": send(&network.user, "worker", "to be cancelled"),
    });
    drive("cancel.mjs", &given);
}

#[test]
fn files_go_along_from_the_page_and_are_previewed_and_downloaded_there() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let agent = network.agent("worker");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "agent": agent.token, "alias": "worker",
    });
    drive("files.mjs", &given);
}

#[test]
fn a_task_is_reassigned_answered_and_retried_from_its_page() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (first, second) = (network.agent("first"), network.agent("second"));
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "agents": {"first": first.token, "second": second.token},
        "task": send(&network.user, "first", "merge the branch"),
    });
    drive("acts.mjs", &given);
}

#[test]
fn the_parts_of_the_open_tasks_on_the_overview_add_up() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let worker = network.agent("worker");
    let answered = send(&network.user, "worker", "answer it");
    succeed(&act(&worker, &answered, "reply", &json!({"text": "so"})));
    let asked = send(&network.user, "worker", "ask about it");
    let claimed = claim(&worker, 0, 600);
    let question = json!({"question": "which?", "lease_id": claimed["lease_id"]});
    succeed(&act(&worker, &asked, "ask", &question));
    send(&network.user, "worker", "work on it");
    claim(&worker, 0, 600);
    let seen = send(&network.user, "worker", "see it");
    succeed(&act(&worker, &seen, "ack", &json!({})));
    send(&network.user, "worker", "nobody takes it up");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "open": 4, "sent": 5,
    });
    drive("figures.mjs", &given);
}

#[test]
fn tasks_are_found_by_part_of_a_name_and_an_unknown_address_leads_back() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    for name in ["coder", "reviewer"] {
        network.agent(name);
        send(&network.user, name, &format!("for the {name}"));
    }
    let given =
        json!({"base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id});
    drive("names.mjs", &given);
}

#[test]
fn the_overview_looks_again_when_nothing_happens() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    network.agent("worker");
    send(&network.user, "worker", "nobody takes it up");
    let given =
        json!({"base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id});
    drive("idle.mjs", &given);
}

#[test]
fn what_the_pages_say_is_what_the_hub_said() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let worker = network.agent("worker");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "agent": worker.token,
    });
    drive("sayings.mjs", &given);
}

#[test]
fn a_tasks_tree_stands_on_its_page_as_a_waterfall_and_is_cancelled_from_there() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let [planner, coder, tester] = ["planner", "coder", "tester"].map(|alias| network.agent(alias));
    let root = send(&network.user, "planner", "build it");
    let part = |from, alias: &str, parent: &str| {
        send_with(from, &json!({"alias": alias, "task": "a part", "parent_task_id": parent}))
    };
    let code = part(&planner, "coder", &root);
    let test = part(&coder, "tester", &code);
    claim(&tester, 0, 600);
    succeed(&act(&tester, &test, "reply", &json!({"text": "done"})));
    let alone = send(&network.user, "planner", "something else");
    let given = json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "tasks": {"root": root, "code": code, "test": test, "alone": alone},
    });
    drive("tree.mjs", &given);
}
