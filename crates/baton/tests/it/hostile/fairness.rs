//! One tenant keeps the hub busy; another's calls are answered in between. What is compared is the order in which
//! calls end, never how long they take.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::super::http::Client;
use super::super::hub::Hub;
use super::super::tenant::{Tenant, refused, report, send, succeed};

/// Runs `attack` on so many connections, so often each; once the first call has ended, `victim` runs beside them.
/// Answers how many calls of the attack had ended by the time the victim was done.
fn beside(connections: usize, calls: usize, attack: impl Fn() + Sync, victim: impl FnOnce()) -> usize {
    let ended = AtomicUsize::new(0);
    let (began, is_begun) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..connections {
            let (began, ended, attack) = (began.clone(), &ended, &attack);
            scope.spawn(move || {
                for _ in 0..calls {
                    attack();
                    ended.fetch_add(1, Ordering::SeqCst);
                    let _ = began.send(());
                }
            });
        }
        is_begun.recv().unwrap();
        victim();
        ended.load(Ordering::SeqCst)
    })
}

/// A tenant with so many large tasks, none of which a search for `nowhere` finds.
fn with_large_tasks(hub: &Hub, name: &str, count: usize) -> Tenant {
    let tenant = Tenant::register(hub, name);
    let agent = tenant.agent("worker");
    report(&agent, "worker", "idle");
    let text = "x".repeat(9_000);
    for _ in 0..count {
        send(&tenant.user, "worker", &text);
    }
    tenant
}

#[test]
fn reads_are_answered_before_the_searches_that_another_network_has_waiting() {
    let hub = Hub::start();
    let attacker = with_large_tasks(&hub, "mallory", 150);
    let victim = Tenant::register(&hub, "vera");
    let search = format!("/api/tasks?text=nowhere&network_id={}", attacker.network_id);
    let (connections, calls) = (32, 4);
    let ended = beside(
        connections,
        calls,
        || assert_eq!(attacker.user.get(&search).status, 200),
        || {
            for _ in 0..8 {
                succeed(&victim.user.get("/api/tasks"));
            }
        },
    );
    assert!(ended < connections * calls, "all {ended} searches ended first");
}

/// So many live sessions in a network.
fn with_sessions(hub: &Hub, name: &str, count: usize) -> (Tenant, Vec<Client>) {
    let tenant = Tenant::register(hub, name);
    let agents = (0..count)
        .map(|n| {
            let alias = format!("agent-{n}");
            let agent = tenant.agent(&alias);
            report(&agent, &alias, "idle");
            agent
        })
        .collect();
    (tenant, agents)
}

#[test]
fn sends_are_taken_between_the_steps_of_another_networks_broadcasts() {
    let hub = Hub::start();
    let (attacker, agents) = with_sessions(&hub, "mallory", 200);
    let victim = Tenant::register(&hub, "vera");
    let worker = victim.agent("worker");
    report(&worker, "worker", "idle");
    let shout = json!({"message": "y".repeat(9_000), "network_id": attacker.network_id});
    let (connections, calls) = (12, 5);
    let ended = beside(
        connections,
        calls,
        || assert_eq!(succeed(&attacker.user.post("/api/broadcast", &shout))["recipients"], 200),
        || {
            for n in 0..6 {
                send(&victim.user, "worker", &format!("task {n}"));
            }
        },
    );
    assert!(ended < connections * calls, "all {ended} broadcasts ended first");
    // Everybody got every broadcast, each once.
    let inbox = succeed(&agents[7].get("/api/inbox?limit=100"));
    assert_eq!(inbox["messages"].as_array().map(Vec::len), Some(connections * calls));
}

#[test]
fn a_deleted_network_is_gone_at_once_and_its_rows_leave_while_others_work() {
    let mut hub = Hub::start();
    let admin = hub.admin();
    let owner = with_large_tasks(&hub, "mallory", 300);
    let path = format!("/api/networks/{}", owner.network_id);
    let tasks = succeed(&owner.user.get("/api/tasks?limit=1"));
    let task = format!("/api/tasks/{}", tasks["tasks"][0]["task_id"].as_str().unwrap());
    let agent = owner.agent("late");
    let name = succeed(&owner.user.get(&path))["network"]["network_name"].clone();
    succeed(&owner.user.delete(&path));
    for somebody in [&owner.user, &admin] {
        assert_eq!(somebody.get(&path).status, 404);
        refused(&somebody.get(&task), 404, "task_not_found");
    }
    refused(&owner.user.put(&path, &json!({"name": "mine"})), 404, "network not found");
    assert_eq!(agent.get("/api/inbox").status, 401);
    // Its owner may use the name again, and everything works before and after a kill in the middle.
    succeed(&owner.user.post("/api/networks", &json!({"name": name})));
    hub.kill9();
    hub.restart();
    let victim = Tenant::register(&hub, "vera");
    let worker = victim.agent("worker");
    report(&worker, "worker", "idle");
    send(&victim.user, "worker", "a task");
    let listed: Value = succeed(&owner.user.get("/api/networks"));
    let ids: Vec<&Value> =
        listed["networks"].as_array().unwrap().iter().map(|one| &one["network_id"]).collect();
    assert!(!ids.contains(&&json!(owner.network_id)), "{listed}");
}
