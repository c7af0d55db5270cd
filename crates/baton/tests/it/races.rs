//! Three enders at once, over both doors: exactly one wins, and the task's history shows only that one.

use serde_json::{Value, json};
use std::sync::Barrier;
use std::thread;

use super::history::assert_legal;
use super::http::Client;
use super::hub::Hub;
use super::tenant::{Tenant, act, events, send, task};
use super::tool::call;

const TASKS: usize = 200;
const ENDS: [&str; 3] = ["replied", "failed", "cancelled"];

/// Ends a task; even turns go over REST, odd ones over MCP.
fn end(agent: &Client, task_id: &str, status: &str, turn: usize) -> Value {
    let over_rest = turn.is_multiple_of(2);
    match (status, over_rest) {
        ("cancelled", true) => act(agent, task_id, "cancel", &json!({"reason": "not needed"})).json(),
        ("cancelled", false) => {
            call(agent, "cancel_task", &json!({"task_id": task_id, "reason": "not needed"}))
        }
        (_, true) => act(agent, task_id, "reply", &json!({"text": status, "status": status})).json(),
        (_, false) => {
            let arguments = json!({"text": status, "in_reply_to": task_id, "status": status});
            call(agent, "send_reply", &arguments)
        }
    }
}

/// What each of the three heard. They start together; one that panics keeps nobody waiting.
fn race(agent: &Client, task_id: &str, turn: usize) -> Vec<Value> {
    let start = Barrier::new(ENDS.len());
    thread::scope(|scope| {
        let ender = |place: usize| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                end(agent, task_id, ENDS[place], turn + place)
            })
        };
        let enders: Vec<_> = (0..ENDS.len()).map(ender).collect();
        enders.into_iter().map(|ender| ender.join().unwrap()).collect()
    })
}

#[test]
fn of_three_enders_at_once_exactly_one_wins() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let (sender, worker) = (network.agent("sender"), network.agent("worker"));
    let task_ids: Vec<String> =
        (0..TASKS).map(|number| send(&sender, "worker", &format!("task {number}"))).collect();

    let mut wins = [0; ENDS.len()];
    for (turn, task_id) in task_ids.iter().enumerate() {
        let answers = race(&worker, task_id, turn);
        let won: Vec<usize> = (0..ENDS.len()).filter(|place| answers[*place]["ok"] == true).collect();
        assert_eq!(won.len(), 1, "winners of {task_id}: {answers:?}");
        wins[won[0]] += 1;
        for (place, answer) in answers.iter().enumerate().filter(|(place, _)| *place != won[0]) {
            match ENDS[place] {
                "cancelled" => {
                    assert_eq!(*answer, json!({"ok": false, "task_id": task_id, "cancelled": false}));
                }
                _ => assert_eq!(answer["error"], "reply_task_terminal", "{answer}"),
            }
        }
        let row = task(&network.user, task_id);
        assert_eq!(row["status"], ENDS[won[0]]);
        let events = events(&network.user, task_id);
        assert_legal(&row, &events);
        assert_eq!(events.len(), 2, "{events:?}");
    }
    println!("won by {ENDS:?}: {wins:?}");
}
