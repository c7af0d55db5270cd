//! The tools that the conformance suite of the tasks extension calls, as agents of a hub: a call of one becomes `send_task` to the
//! agent of that name, so that what the suite checks is the hub's own way with handles. Only what a tool is called and what it
//! is given are changed; answers are passed on as they come.

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::it::http::Client;
use crate::it::tenant::{Tenant, act, claim, succeed, task};

/// Replies at once, unless it is asked to take longer than any check waits for an end: then the task stays open.
const COMPUTES: &str = "slow_compute";
/// Fails.
const FAILS: &str = "failing_job";
/// Asks, and replies when it is answered.
const CONFIRMS: &str = "confirm_delete";
/// Never comes, so that the hub ends its tasks.
const STAYS_AWAY: &str = "protocol_error_job";
/// Longer than a check waits for a task to end.
const LONG_SECONDS: u64 = 10;

/// The agents behind the tools, until they are dropped.
pub(super) struct Agents {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Agents {
    pub(super) fn start(network: &Tenant) -> Self {
        network.agent(STAYS_AWAY);
        let is_over = Arc::new(AtomicBool::new(false));
        let threads = [COMPUTES, FAILS, CONFIRMS].map(|alias| {
            let (agent, user, is_over) = (network.agent(alias), network.user.clone(), is_over.clone());
            thread::spawn(move || work(alias, &agent, &user, &is_over))
        });
        Self { is_over, threads: threads.into() }
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "an agent failed");
        }
    }
}

fn work(alias: &str, agent: &Client, user: &Client, is_over: &AtomicBool) {
    let mut asked: Vec<(String, Value)> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let claimed = claim(agent, 1, 600);
        if let Some(id) = claimed["task"]["task_id"].as_str() {
            let lease = &claimed["lease_id"];
            let given: Value = serde_json::from_str(claimed["task"]["content"].as_str().unwrap()).unwrap();
            match alias {
                COMPUTES if given["seconds"].as_u64().unwrap_or(0) >= LONG_SECONDS => {}
                COMPUTES => reply(agent, id, lease, "replied"),
                FAILS => reply(agent, id, lease, "failed"),
                _ => {
                    let question = json!({"question": "delete it?", "lease_id": lease, "keep_lease": true});
                    succeed(&act(agent, id, "ask", &question));
                    asked.push((id.to_owned(), lease.clone()));
                }
            }
        }
        asked.retain(|(id, lease)| match task(user, id)["status"].as_str().unwrap() {
            "running" => {
                reply(agent, id, lease, "replied");
                false
            }
            status => status == "waiting_input",
        });
    }
}

/// A task that was cancelled meanwhile needs no reply.
fn reply(agent: &Client, id: &str, lease: &Value, status: &str) {
    let answer = act(agent, id, "reply", &json!({"lease_id": lease, "text": "done", "status": status}));
    assert!([200, 409].contains(&answer.status), "{} {}", answer.status, answer.text());
}

/// A request of the suite as a request to the hub; none if it is one already. With it the name it now calls, if that changed.
pub(super) fn translated(message: &Value) -> Option<(Value, Option<&'static str>)> {
    let mut message = message.clone();
    let params = message["params"].clone();
    let (method, name) = (message["method"].as_str()?, params["name"].as_str().unwrap_or_default());
    match (method, name) {
        ("tools/call", COMPUTES | FAILS | CONFIRMS | STAYS_AWAY) => {
            let arguments = &mut message["params"]["arguments"];
            let ttl_seconds = if name == STAYS_AWAY { 1 } else { 600 };
            *arguments = json!({"alias": name, "task": arguments.to_string(), "ttl_seconds": ttl_seconds});
            message["params"]["name"] = json!("send_task");
            Some((message, Some("send_task")))
        }
        // A tool that opens no task.
        ("tools/call", "greet") => {
            message["params"]["name"] = json!("list_agents");
            message["params"]["arguments"] = json!({});
            Some((message, Some("list_agents")))
        }
        ("tasks/update", _) => {
            for (_, response) in message["params"]["inputResponses"].as_object_mut()? {
                if response["content"]["confirm"].is_boolean() {
                    response["content"] = json!({"answer": "yes"});
                }
            }
            Some((message, None))
        }
        _ => None,
    }
}
