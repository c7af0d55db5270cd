//! Who is there and what they do: the list of agents, the rows of their workers, and how `baton work` is seen.

mod command;
mod listed;
mod said;
mod workers;

use serde_json::{Value, json};

use super::http::Client;
use super::tenant::succeed;

/// All agents that a caller is shown.
fn agents(reader: &Client) -> Vec<Value> {
    let answer = succeed(&reader.get("/api/agents"));
    assert_eq!(answer["next_cursor"], Value::Null);
    answer["agents"].as_array().unwrap().clone()
}

/// One agent, if it is listed.
fn find(reader: &Client, alias: &str) -> Option<Value> {
    agents(reader).into_iter().find(|agent| agent["alias"] == alias)
}

#[track_caller]
fn agent(reader: &Client, alias: &str) -> Value {
    find(reader, alias).unwrap_or_else(|| panic!("{alias} is not listed"))
}

fn names(agents: &[Value]) -> Vec<&str> {
    agents.iter().map(|agent| agent["alias"].as_str().unwrap()).collect()
}

/// Says that a worker is there.
fn put(agent: &Client, worker_id: &str, body: &Value) -> Value {
    let answer = succeed(&agent.put(&format!("/api/workers/{worker_id}"), body));
    assert_eq!((&answer["ok"], &answer["worker_id"]), (&json!(true), &json!(worker_id)));
    answer
}

/// The ids of an agent's workers.
fn worker_ids(reader: &Client, alias: &str) -> Vec<String> {
    let workers = find(reader, alias).map(|agent| agent["workers"].clone()).unwrap_or_else(|| json!([]));
    let ids = workers.as_array().unwrap().iter().map(|worker| super::tenant::text(&worker["worker_id"]));
    ids.collect()
}
