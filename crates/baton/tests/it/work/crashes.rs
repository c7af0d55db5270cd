//! Workers and hubs that die in the middle of it.

use serde_json::{Value, json};

use super::worker::{Worker, ended, eventually, is_running, pids, tenant_with};
use crate::it::hub::Hub;
use crate::it::tenant::{events, send, text};

#[test]
fn a_killed_workers_task_is_answered_once_by_another_and_its_command_is_gone() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    // The worker writes the task's text after it has named the command to its guard, so a kill after this read finds it named.
    let script = r#"read -r _; [ "$BATON_ATTEMPT" = 1 ] && { sleep 300 & echo "$$ $!" > "$WHERE/family"; wait; }; echo "attempt $BATON_ATTEMPT""#;
    let mut first = Worker::start(&agent, "coder", &["--lease", "5", "--grace", "1"], script);
    let task_id = send(&network.user, "coder", "go");
    let family = pids(&first.file("family"));
    first.kill9();
    let _second = Worker::start(&agent, "coder", &["--lease", "5"], script);
    eventually("the end of its command", || family.iter().all(|pid| !is_running(*pid)).then_some(()));
    let row = ended(&network.user, &task_id);
    assert_eq!((&row["status"], &row["result"]), (&json!("replied"), &json!("attempt 2")));
    let statuses: Vec<String> =
        events(&network.user, &task_id).iter().map(|event| text(&event["to_status"])).collect();
    assert_eq!(statuses, ["delivered", "running", "delivered", "running", "replied"]);
}

#[test]
fn a_hundred_tasks_and_four_workers_survive_a_killed_hub() {
    const TASKS: usize = 100;
    const FIRST: u64 = 50;
    let mut hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "many");
    let ledger = tempfile::NamedTempFile::new().unwrap();
    // Each run leaves a line with its lease's attempt. Only the first runs answer before the gate opens: the rest waits
    // there, in hand, so that the hub is killed in the middle of it.
    let gates = tempfile::tempdir().unwrap();
    let gate = gates.path().join("open");
    let script = format!(
        r#"read -r n; echo "$n $BATON_ATTEMPT" >> '{ledger}'
           [ "$(wc -l < '{ledger}')" -le {FIRST} ] || while [ ! -e '{gate}' ]; do sleep 0.02; done; echo "did $n""#,
        ledger = ledger.path().display(),
        gate = gate.display(),
    );
    let workers: Vec<Worker> = (0..4)
        .map(|_| Worker::start(&agent, "many", &["--lease", "5", "--concurrency", "2"], &script))
        .collect();
    let ids: Vec<String> = (0..TASKS).map(|n| send(&network.user, "many", &n.to_string())).collect();
    let replied = || {
        let stats = network.user.get("/api/tasks?limit=1").json()["stats"].clone();
        let counted =
            stats.as_array().unwrap().iter().find(|counted| counted["status"] == "replied").cloned();
        counted.map_or(0, |counted| counted["count"].as_u64().unwrap())
    };
    for some in [5, 30] {
        let count = eventually("some answers", || Some(replied()).filter(|count| *count >= some));
        assert!(count <= FIRST, "the gate is closed");
        hub.kill9();
        hub.restart();
    }
    std::fs::write(&gate, "").unwrap();
    for (n, id) in ids.iter().enumerate() {
        let row = ended(&network.user, id);
        assert_eq!(
            (&row["status"], &row["result"]),
            (&json!("replied"), &json!(format!("did {n}"))),
            "{row}"
        );
        let ends: Vec<Value> =
            events(&network.user, id).into_iter().filter(|event| event["to_status"] == "replied").collect();
        assert_eq!(ends.len(), 1, "answered once: {ends:?}");
    }
    // No lease was run twice: a task ran once per attempt.
    let mut runs: Vec<String> =
        std::fs::read_to_string(ledger.path()).unwrap().lines().map(Into::into).collect();
    let count = runs.len();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), count, "a lease was run twice");
    assert!(count >= TASKS);
    drop(workers);
}

#[test]
fn a_result_that_is_ready_while_the_hub_is_away_is_sent_when_it_is_back() {
    let mut hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "patient");
    let script = r#"echo started > "$WHERE/started"; while [ ! -e "$WHERE/go" ]; do sleep 0.02; done; echo "kept $BATON_ATTEMPT"; echo done > "$WHERE/done""#;
    let mut worker = Worker::start(&agent, "patient", &[], script);
    let task_id = send(&network.user, "patient", "go");
    worker.file("started");
    hub.kill9();
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    worker.file("done");
    worker.says("cannot be reached");
    hub.restart();
    assert_eq!(ended(&network.user, &task_id)["result"], "kept 1");
    worker.says("replied");
}
