//! A cascade against everything else at once. Whatever was sent before the root was cancelled has ended by then, by the cascade
//! or by who raced with it; what is sent afterwards is ended by the next cascade. `hub check` runs when the hub goes.

use serde_json::{Value, json};
use std::sync::Barrier;
use std::thread;

use super::{nodes, tree};
use crate::it::history::assert_legal;
use crate::it::http::Client;
use crate::it::hub::Hub;
use crate::it::random::Random;
use crate::it::tenant::{Tenant, act, claim, events, send, send_with, succeed, task, text};

const ROUNDS: u64 = 6;
const AGENTS: [&str; 4] = ["planner", "coder", "tester", "writer"];
/// Nobody works for this one, so that its task, the root, is ended by the cascade.
const AWAY: &str = "lead";
const TASKS: usize = 40;
const SENDS: usize = 12;

fn part(alias: &str, parent: &str) -> Value {
    json!({"alias": alias, "task": "a part", "parent_task_id": parent, "allow_cycle": true})
}

/// A tree that grew by chance, root first.
fn grown(network: &Tenant, random: &mut Random) -> Vec<String> {
    let mut tasks = vec![send(&network.user, AWAY, "the root")];
    while tasks.len() < TASKS {
        // One that would be too deep is not sent.
        let parent = random.pick(&tasks).clone();
        let alias = *random.pick(&AGENTS);
        let answer = network.user.post("/api/task", &part(alias, &parent));
        if answer.status != 409 {
            tasks.push(text(&succeed(&answer)["task_id"]));
        }
    }
    tasks
}

/// Takes tasks and ends some of them; a lease that was lost meanwhile is no failure.
fn work(agent: &Client, random: &mut Random) {
    for _ in 0..SENDS {
        let claimed = claim(agent, 0, 60);
        let Some(id) = claimed["task"]["task_id"].as_str() else { continue };
        if random.percent(50) {
            let status = *random.pick(&["replied", "failed", "cancelled"]);
            let reply = json!({"text": "done", "status": status, "lease_id": claimed["lease_id"]});
            let answer = act(agent, id, "reply", &reply);
            assert!(matches!(answer.status, 200 | 409), "{}", answer.text());
        }
    }
}

fn grow(user: &Client, tasks: &[String], random: &mut Random) {
    for _ in 0..SENDS {
        let (alias, parent) = (*random.pick(&AGENTS), random.pick(tasks));
        let answer = user.post("/api/task", &part(alias, parent));
        assert!(matches!(answer.status, 200 | 202 | 409), "{}", answer.text());
    }
}

/// The cascade starts with all the others.
fn race(network: &Tenant, agents: &[Client], tasks: &[String], seed: u64) {
    let start = Barrier::new(agents.len() + 3);
    let start = &start;
    thread::scope(|scope| {
        for (n, agent) in (0..).zip(agents) {
            scope.spawn(move || {
                start.wait();
                work(agent, &mut Random::nth(seed, n));
            });
        }
        for n in 10..12 {
            scope.spawn(move || {
                start.wait();
                grow(&network.user, tasks, &mut Random::nth(seed, n));
            });
        }
        start.wait();
        let cancelled = succeed(&act(&network.user, &tasks[0], "cancel", &json!({"cascade": true})));
        assert_eq!(cancelled["cancelled"], true, "{cancelled}");
    });
}

#[test]
fn whatever_races_with_a_cascade_nothing_that_was_sent_before_it_stays_open() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let agents = AGENTS.map(|alias| network.agent(alias));
    network.agent(AWAY);
    for seed in 1..=ROUNDS {
        let tasks = grown(&network, &mut Random::of(seed));
        race(&network, &agents, &tasks, seed);
        let root = &tasks[0];
        let last = events(&network.user, root).pop().unwrap();
        let mut left = 0;
        for node in nodes(&tree(&network.user, root)) {
            let id = node["task_id"].as_str().unwrap();
            let story = events(&network.user, id);
            assert_legal(&task(&network.user, id), &story);
            if node["completed_at"].is_null() {
                left += 1;
                let was_later = story[0]["id"].as_i64() > last["id"].as_i64();
                assert!(was_later, "seed {seed}: {node} was sent before {last} and is open");
            }
        }
        println!("seed {seed}: {left} sent after the cascade");
        let again = act(&network.user, root, "cancel", &json!({"cascade": true}));
        assert_eq!(again.json()["ok"], left > 0, "{}", again.text());
        let whole = tree(&network.user, root);
        assert!(nodes(&whole).iter().all(|node| node["completed_at"].is_string()), "seed {seed}: {whole}");
    }
    // What was left of it harms nobody who comes after.
    send_with(&network.user, &json!({"alias": "coder", "task": "another"}));
}
