//! Work that spans tasks: the tree a task stands in, a cancel that ends all of it, and the guard against agents that hand the
//! same work to each other forever.

mod cancels;
mod command;
mod loops;
mod races;
mod shown;

use serde_json::{Value, json};

use super::http::Client;
use super::tenant::{send_with, succeed, text};

/// Most tasks of a tree in an answer, and most open descendants that end together.
const MOST: usize = 1_000;

/// Sends a part of a task.
fn send_part(from: &Client, alias: &str, parent: &str) -> String {
    send_with(from, &json!({"alias": alias, "task": "a part", "parent_task_id": parent}))
}

/// Sends so many parts of a task, a hundred at a time.
fn send_parts(from: &Client, alias: &str, parent: &str, count: usize) -> Vec<String> {
    let part = json!({"alias": alias, "task": "a part", "parent_task_id": parent, "allow_cycle": true});
    let mut ids = Vec::new();
    while ids.len() < count {
        let parts = vec![part.clone(); (count - ids.len()).min(100)];
        let answer = succeed(&from.post("/api/tasks", &json!({"tasks": parts})));
        for result in answer["results"].as_array().unwrap() {
            assert_eq!(result["ok"], true, "{result}");
            ids.push(text(&result["task_id"]));
        }
    }
    ids
}

/// The tree of a task.
fn tree(reader: &Client, task: &str) -> Value {
    succeed(&reader.get(&format!("/api/tasks/{task}/tree")))["tree"].clone()
}

fn nodes(tree: &Value) -> &[Value] {
    tree["nodes"].as_array().unwrap()
}

/// The ids of a tree, each with its depth.
fn places(tree: &Value) -> Vec<(String, u64)> {
    nodes(tree).iter().map(|node| (text(&node["task_id"]), node["depth"].as_u64().unwrap())).collect()
}
