//! A large hub in a browser: what its pages cost in bytes, always, and in time if it is measured (`make bench-pages`): on a
//! machine that does other things too, times say nothing. The figures come with the test's output.

use serde_json::{Value, json};
use std::thread;

use super::script::drive;
use crate::it::http::Client;
use crate::it::hub::{ADMIN, Hub, PASSWORD};
use crate::it::tenant::{Tenant, claim, report, send, succeed};

const AGENTS: usize = 200;
const CONNECTIONS: usize = 32;

/// How large the hub is, and whether times are held to their limits.
#[derive(Clone, Copy)]
struct Size {
    tasks: usize,
    /// Of an agent's tasks this many have ended.
    ended: usize,
    is_measured: bool,
}

const TESTED: Size = Size { tasks: 2_000, ended: 2, is_measured: false };
const MEASURED: Size = Size { tasks: 10_000, ended: 10, is_measured: true };

fn alias(number: usize) -> String {
    format!("agent-{number}")
}

/// One agent: reports, is sent its share, ends some of it.
fn fill(size: Size, user: &Client, agent: &Client, number: usize) {
    report(agent, &alias(number), "idle");
    for task in 0..size.tasks / AGENTS {
        send(
            user,
            &alias(number),
            &format!("task {task} of agent {number}: look at this and say what you see"),
        );
    }
    for _ in 0..size.ended {
        let claimed = claim(agent, 0, 600);
        let path = format!("/api/tasks/{}/reply", claimed["task"]["task_id"].as_str().unwrap());
        succeed(&agent.post(&path, &json!({"text": "seen", "lease_id": claimed["lease_id"]})));
    }
}

fn given(size: Size, hub: &Hub, network: &Tenant) -> Value {
    json!({
        "base": hub.url(), "username": ADMIN, "password": PASSWORD, "network": network.network_id,
        "token": network.user.token, "tasks": size.tasks, "agents": AGENTS, "measured": size.is_measured,
    })
}

#[test]
fn pages_stay_small_with_thousands_of_tasks_and_two_hundred_agents() {
    let size = if std::env::var_os("BATON_MEASURE_PAGES").is_some() { MEASURED } else { TESTED };
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let agents: Vec<_> = (0..AGENTS).map(|number| (number, network.agent(&alias(number)))).collect();
    thread::scope(|scope| {
        for share in agents.chunks(AGENTS.div_ceil(CONNECTIONS)) {
            let user = &network.user;
            scope.spawn(move || share.iter().for_each(|(number, agent)| fill(size, user, agent, *number)));
        }
    });
    for line in drive("speed.mjs", &given(size, &hub, &network)) {
        println!("{line}");
    }
}
