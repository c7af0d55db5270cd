//! The dashboard's figures after a random mix of everything that happens to tasks: the work graph and every count of open
//! tasks equal a recount over the tasks themselves.

use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::http::Client;
use super::hub::Hub;
use super::random::Random;
use super::tenant::{Tenant, act, send, succeed, task, text};

const AGENTS: [&str; 4] = ["lead", "coder", "tester", "writer"];
const OPEN: [&str; 4] = ["delivered", "acked", "running", "waiting_input"];
const STEPS: usize = 400;

/// A network whose tasks are sent and changed at random.
struct World {
    tenant: Tenant,
    agents: BTreeMap<&'static str, Client>,
    tasks: Vec<String>,
    random: Random,
}

impl World {
    fn new(hub: &Hub, seed: u64) -> Self {
        let tenant = Tenant::of_admin(hub);
        let agents = AGENTS.map(|alias| (alias, tenant.agent(alias))).into();
        Self { tenant, agents, tasks: Vec::new(), random: Random::of(seed) }
    }

    /// Sends a task, or does something to one that may refuse it.
    fn step(&mut self) {
        if self.tasks.is_empty() || self.random.percent(40) {
            let to = *self.random.pick(&AGENTS);
            let from = *self.random.pick(&AGENTS);
            let sender = if self.random.percent(30) { &self.tenant.user } else { &self.agents[from] };
            self.tasks.push(send(sender, to, "something to do"));
            return;
        }
        let id = self.random.pick(&self.tasks).clone();
        let to = text(&task(&self.tenant.user, &id)["to_name"]);
        let assignee = &self.agents[&*to];
        let user = &self.tenant.user;
        let answer = match self.random.below(7) {
            0 | 1 => act(assignee, &id, "reply", &json!({"text": "done"})),
            2 => act(assignee, &id, "reply", &json!({"text": "no", "status": "failed"})),
            3 => act(assignee, &id, "ack", &json!({})),
            4 => act(user, &id, "cancel", &json!({"reason": "not needed"})),
            5 => act(user, &id, "reassign", &json!({"alias": self.random.pick(&AGENTS)})),
            _ => act(user, &id, "retry", &json!({})),
        };
        assert!(answer.status < 500, "{}", answer.text());
        if answer.status == 200 && answer.json()["retry_of"].is_string() {
            self.tasks.push(text(&answer.json()["task_id"]));
        }
    }

    /// A task each of its agent works on, and one that waits for an answer.
    fn begin_work(&self) {
        for agent in self.agents.values() {
            let claimed = succeed(&agent.post("/api/claim", &json!({"lease_seconds": 600})));
            if let (Some(id), true) = (claimed["task"]["task_id"].as_str(), self.tasks.len() > 1) {
                let question = json!({"question": "which?", "lease_id": claimed["lease_id"]});
                succeed(&act(agent, id, "ask", &question));
            }
            succeed(&agent.post("/api/claim", &json!({"lease_seconds": 600})));
        }
    }

    fn get(&self, path: &str) -> Value {
        let sign = if path.contains('?') { '&' } else { '?' };
        succeed(&self.tenant.user.get(&format!("{path}{sign}network_id={}", self.tenant.network_id)))
    }

    /// Every task of the network.
    fn every_task(&self) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("/api/tasks?limit=200{cursor}"));
            all.extend(page["tasks"].as_array().unwrap().iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }
}

/// The count of each end, and of the open ones, for each pair of sender and assignee.
fn recount(tasks: &[Value]) -> BTreeMap<(String, String), BTreeMap<String, u64>> {
    let mut edges: BTreeMap<_, BTreeMap<String, u64>> = BTreeMap::new();
    for task in tasks {
        let status = text(&task["status"]);
        let end = if OPEN.contains(&&*status) { "open".into() } else { status };
        let edge = edges.entry((text(&task["from_name"]), text(&task["to_name"]))).or_default();
        *edge.entry(end).or_default() += 1;
        *edge.entry("total".into()).or_default() += 1;
    }
    edges
}

/// The same, as the graph shows it.
fn drawn(graph: &Value) -> BTreeMap<(String, String), BTreeMap<String, u64>> {
    let ends = ["open", "replied", "failed", "cancelled", "expired", "total"];
    let edge = |edge: &Value| {
        let count = |end: &str| (end.to_owned(), edge[end].as_u64().unwrap());
        let counts = ends.into_iter().map(count).filter(|(_, count)| *count > 0).collect();
        ((text(&edge["from_name"]), text(&edge["to_name"])), counts)
    };
    graph["edges"].as_array().unwrap().iter().map(edge).collect()
}

/// The sum of what a list of statuses says of the open ones.
fn open_of(by_status: &Value) -> u64 {
    let counts = by_status.as_array().unwrap().iter();
    counts
        .filter(|one| OPEN.contains(&one["status"].as_str().unwrap()))
        .map(|one| one["count"].as_u64().unwrap())
        .sum()
}

#[test]
fn after_a_random_mix_the_graph_and_every_count_of_open_tasks_equal_a_recount() {
    let hub = Hub::start();
    let seed = 20_261_116;
    println!("seed {seed}");
    let mut world = World::new(&hub, seed);
    (0..STEPS).for_each(|_| world.step());
    world.begin_work();

    let tasks = world.every_task();
    let graph = world.get("/api/work-graph");
    assert_eq!(drawn(&graph), recount(&tasks));
    assert_eq!((&graph["tasks_read"], &graph["truncated"]), (&json!(tasks.len()), &json!(false)));

    let is_open = |task: &&Value| OPEN.contains(&task["status"].as_str().unwrap());
    let open = tasks.iter().filter(is_open).count() as u64;
    let statuses: Vec<_> =
        tasks.iter().filter(is_open).map(|task| task["status"].as_str().unwrap()).collect();
    assert!(OPEN.iter().all(|status| statuses.contains(status)), "each has some: {statuses:?}");
    let overview = world.get("/api/overview");
    assert_eq!(overview["tasks"]["open"], open);
    let network = succeed(&world.tenant.user.get(&format!("/api/networks/{}", world.tenant.network_id)));
    for by_status in [
        &overview["tasks"]["by_status"],
        &world.get("/api/stats")["tasks"]["by_status"],
        &world.get("/api/tasks")["stats"],
        &network["stats"]["tasks"],
    ] {
        assert_eq!(open_of(by_status), open, "{by_status}");
    }
    let open_edges: u64 = drawn(&graph).values().filter_map(|ends| ends.get("open")).sum();
    assert_eq!(open_edges, open);
    // The hub's end checks the counters once more, against the rows.
}
