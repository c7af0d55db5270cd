//! How `baton work` takes its tasks: each free slot has a claim of its own, and a reply brings the next task.

use serde_json::json;

use super::super::handoff::{figure, parked};
use super::super::hub::Hub;
use super::super::tenant::{Tenant, succeed};
use super::worker::{Worker, ended, eventually};

const TASKS: usize = 12;
const SLOTS: usize = 3;

#[test]
fn replies_bring_the_next_tasks_and_every_free_slot_has_a_claim_of_its_own() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let agent = network.agent("busy");
    let tasks: Vec<_> = (0..TASKS).map(|n| json!({"alias": "busy", "task": format!("task {n}")})).collect();
    let sent = succeed(&network.user.post("/api/tasks", &json!({"tasks": tasks})));
    // A slot that is done waits until every task was begun, so that no slot runs dry while another has work.
    let script = format!(
        r#"read -r task; : > "$WHERE/$BATON_TASK_ID"; while [ "$(ls "$WHERE" | grep -c -)" -lt {SLOTS} ]; do sleep 0.02; done; echo done"#
    );
    let slots = SLOTS.to_string();
    let _worker = Worker::start(&agent, "busy", &["--concurrency", &slots], &script);
    for one in sent["results"].as_array().unwrap() {
        assert_eq!(ended(&network.user, one["task_id"].as_str().unwrap())["result"], "done");
    }
    // Once all is done, the slots wait side by side.
    parked(&network.user, SLOTS);
    let claims = || figure(&network.user, r#"baton_requests_total{door="claim",class="2xx"}"#);
    let replies = r#"baton_task_transitions_total{from="running",to="replied"}"#;
    assert_eq!(figure(&network.user, replies), TASKS as f64);
    assert_eq!(claims(), SLOTS as f64, "one claim for each slot; all further tasks came with replies");
    // A task for each slot, in one commit: the claims that wait have them, and no further request is made for them.
    let tasks: Vec<_> = (0..SLOTS).map(|n| json!({"alias": "busy", "task": format!("more {n}")})).collect();
    succeed(&network.user.post("/api/tasks", &json!({"tasks": tasks})));
    let all = (TASKS + SLOTS) as f64;
    eventually("all replies", || (figure(&network.user, replies) == all).then_some(()));
    parked(&network.user, SLOTS);
    assert_eq!(claims(), 2.0 * SLOTS as f64);
}
