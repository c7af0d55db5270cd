//! A large hub in a browser. The figures come with the test's output.

use serde_json::{Value, json};
use std::thread;

use super::script::drive;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, claim, report, send, succeed};

const TASKS: usize = 10_000;
const AGENTS: usize = 200;
/// Of an agent's tasks this many have ended.
const ENDED: usize = 10;
const CONNECTIONS: usize = 32;

fn alias(number: usize) -> String {
    format!("agent-{number}")
}

/// One agent: reports, is sent its share, ends some of it.
fn fill(user: &Client, agent: &Client, number: usize) {
    report(agent, &alias(number), "idle");
    for task in 0..TASKS / AGENTS {
        send(
            user,
            &alias(number),
            &format!("task {task} of agent {number}: look at this and say what you see"),
        );
    }
    for _ in 0..ENDED {
        let claimed = claim(agent, 0, 600);
        let path = format!("/api/tasks/{}/reply", claimed["task"]["task_id"].as_str().unwrap());
        succeed(&agent.post(&path, &json!({"text": "seen", "lease_id": claimed["lease_id"]})));
    }
}

fn given(hub: &Hub, network: &Tenant) -> Value {
    json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "tasks": TASKS, "agents": AGENTS,
    })
}

#[test]
fn pages_stay_quick_with_ten_thousand_tasks_and_two_hundred_agents() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let agents: Vec<_> = (0..AGENTS).map(|number| (number, network.agent(&alias(number)))).collect();
    thread::scope(|scope| {
        for share in agents.chunks(AGENTS.div_ceil(CONNECTIONS)) {
            let user = &network.user;
            scope.spawn(move || share.iter().for_each(|(number, agent)| fill(user, agent, *number)));
        }
    });
    for line in drive("speed.mjs", &given(&hub, &network)) {
        println!("{line}");
    }
}
