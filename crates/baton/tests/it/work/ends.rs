//! A command that is no longer wanted ends, with everything it started.

use rustix::process::Signal;
use serde_json::json;
use std::time::{Duration, Instant};

use super::worker::{Worker, ended, eventually, is_running, pids, tenant_with};
use crate::it::hub::Hub;
use crate::it::tenant::{act, send, succeed, task};

/// A command with two children and a grandchild, who record who they are.
const FAMILY: &str = r#"sh -c 'sleep 300 & echo $! ; wait' > "$WHERE/grandchild" & sleep 300 &
sleep 0.05; while [ ! -s "$WHERE/grandchild" ]; do sleep 0.02; done
echo "$$ $! $(cat "$WHERE/grandchild")" > "$WHERE/family"; wait"#;

fn wait_until_gone(family: &[u32]) {
    eventually("the end of all of them", || family.iter().all(|pid| !is_running(*pid)).then_some(()));
}

#[test]
fn a_cancel_ends_the_command_and_its_children_at_once() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "busy");
    // It extends its lease after a third of an hour; whatever it learns before that, the stream told it.
    let mut worker = Worker::start(&agent, "busy", &["--lease", "3600"], FAMILY);
    let task_id = send(&network.user, "busy", "go");
    let family = pids(&worker.file("family"));
    assert_eq!(family.len(), 3);
    assert!(family.iter().all(|pid| is_running(*pid)));
    succeed(&act(&network.user, &task_id, "cancel", &json!({"reason": "enough"})));
    wait_until_gone(&family);
    let line = worker.says("cancelled");
    assert!(line.contains(&task_id), "{line}");
    assert_eq!(task(&network.user, &task_id)["result"], "enough");
    // And it continues working.
    std::fs::remove_file(worker.home.path().join("grandchild")).unwrap();
    let next = send(&network.user, "busy", "again");
    eventually("the next task", || (task(&network.user, &next)["status"] == "running").then_some(()));
}

#[test]
fn a_task_given_to_another_ends_here_and_is_answered_there() {
    let hub = Hub::start();
    let (network, first) = tenant_with(&hub, "first");
    let second = network.agent("second");
    let mut worker = Worker::start(&first, "first", &[], FAMILY);
    let task_id = send(&network.user, "first", "go");
    let family = pids(&worker.file("family"));
    let _other = Worker::start(&second, "second", &[], "echo mine now");
    succeed(&act(&network.user, &task_id, "reassign", &json!({"new_alias": "second"})));
    wait_until_gone(&family);
    worker.says("reassigned");
    let row = ended(&network.user, &task_id);
    assert_eq!((&row["to_name"], &row["result"]), (&json!("second"), &json!("mine now")));
}

#[test]
fn a_command_that_ignores_term_is_killed_after_the_grace() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "stubborn");
    let script = r#"trap '' TERM; echo $$ > "$WHERE/pid"; while :; do sleep 1; done"#;
    let mut worker = Worker::start(&agent, "stubborn", &["--grace", "1"], script);
    let task_id = send(&network.user, "stubborn", "go");
    let pid = pids(&worker.file("pid"))[0];
    let begun = Instant::now();
    succeed(&act(&network.user, &task_id, "cancel", &json!({})));
    wait_until_gone(&[pid]);
    assert!(begun.elapsed() >= Duration::from_millis(900), "it had its grace: {:?}", begun.elapsed());
    worker.says("cancelled");
    // The slot is free again.
    let next = send(&network.user, "stubborn", "again");
    eventually("the next task", || (task(&network.user, &next)["status"] == "running").then_some(()));
}

#[test]
fn a_lost_lease_ends_the_command() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "lost");
    let mut worker = Worker::start(&agent, "lost", &["--lease", "5"], FAMILY);
    let task_id = send(&network.user, "lost", "go");
    let family = pids(&worker.file("family"));
    // Somebody else with the same token answers without a lease.
    succeed(&act(&agent, &task_id, "reply", &json!({"text": "by hand"})));
    wait_until_gone(&family);
    worker.says("no longer ours");
    assert_eq!(ended(&network.user, &task_id)["result"], "by hand");
    worker.signal(Signal::TERM);
    assert!(worker.ends().0.success());
}

#[test]
fn a_run_past_its_time_is_ended_with_its_children_and_the_task_fails_with_the_time() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "slow");
    let mut worker = Worker::start(&agent, "slow", &["--timeout", "1"], FAMILY);
    let task_id = send(&network.user, "slow", "go");
    let family = pids(&worker.file("family"));
    let row = ended(&network.user, &task_id);
    assert_eq!(
        (&row["status"], &row["result"]),
        (&json!("failed"), &json!("the command was ended after 1 s"))
    );
    wait_until_gone(&family);
    worker.says("failed");
}

#[test]
fn a_failed_command_is_run_again_as_often_as_it_may_before_the_task_is_answered() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "flaky");
    let script = r#"echo x >> "$WHERE/runs"; n=$(wc -l < "$WHERE/runs"); echo "run $n failed" >&2
        [ "$(cat)" = never ] && exit 4; [ "$n" -ge 3 ] && echo "run $n" && exit 0; exit 4"#;
    let mut worker = Worker::start(&agent, "flaky", &["--retries", "2"], script);
    let row = ended(&network.user, &send(&network.user, "flaky", "sometimes"));
    assert_eq!((&row["status"], &row["result"]), (&json!("replied"), &json!("run 3")));
    for left in [1, 0] {
        let line = worker.says("failed and is run again: exit code 4");
        assert!(line.contains(&format!("left {left}")), "{line}");
    }
    worker.says("replied");
    let row = ended(&network.user, &send(&network.user, "flaky", "never"));
    assert_eq!((&row["status"], &row["result"]), (&json!("failed"), &json!("exit code 4\nrun 6 failed")));
    assert_eq!(row["attempt"], 1, "all in one attempt");
}
