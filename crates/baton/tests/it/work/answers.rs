//! A task goes in at one end and an answer comes out at the other.

use serde_json::json;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use super::worker::{Worker, ended, tenant_with};
use crate::it::hub::{ADMIN, Hub};
use crate::it::program::binary;
use crate::it::tenant::{events, send, send_with, text};

#[test]
fn a_sent_task_is_answered_with_what_the_command_prints() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "upper");
    let mut worker = Worker::start_command(&agent, "upper", &[], &["tr", "a-z", "A-Z"]);
    worker.says("waiting for tasks");
    let task_id = send(&network.user, "upper", "hello äöü");
    let row = ended(&network.user, &task_id);
    assert_eq!((&row["status"], &row["result"]), (&json!("replied"), &json!("HELLO äöü")));
    let line = worker.says("replied");
    assert!(line.contains(&task_id) && line.contains(ADMIN) && !line.contains("HELLO"), "{line}");
    let statuses: Vec<_> =
        events(&network.user, &task_id).iter().map(|event| text(&event["to_status"])).collect();
    assert_eq!(statuses, ["delivered", "running", "replied"]);
}

#[test]
fn the_command_finds_its_task_in_its_environment_and_in_its_arguments() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "teller");
    let folder = tempfile::tempdir().unwrap();
    let script = r#"#!/bin/sh
echo "$1|$2|$BATON_TASK_ID|$BATON_FROM|$BATON_KIND|$BATON_CONTEXT|$BATON_ATTEMPT|$BATON_ALIAS|$BATON_HUB|$BATON_NETWORK|$BATON_PARENT_TASK_ID|$BATON_TOKEN"; cat"#;
    let program = folder.path().join("teller");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, Permissions::from_mode(0o700)).unwrap();
    let command = [program.to_str().unwrap(), "{task}", "a{task}z"];
    let _worker = Worker::start_command(&agent, "teller", &["--allow-embedded"], &command);
    let body = json!({"alias": "teller", "task": "$(touch /tmp/never) `x`", "context": "some\nmore", "kind": "question"});
    let task_id = send_with(&network.user, &body);
    let row = ended(&network.user, &task_id);
    let token = agent.token.as_deref().unwrap();
    let (hub, net) = (hub.url(), &network.network_id);
    let expected = format!(
        "$(touch /tmp/never) `x`|a$(touch /tmp/never) `x`z|{task_id}|{ADMIN}|question|some\nmore|1|teller|{hub}|{net}|{task_id}|{token}\n\
         $(touch /tmp/never) `x`"
    );
    assert_eq!(row["result"], json!(expected));
}

#[test]
fn each_way_a_command_ends_has_its_answer() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "sh");
    // The task itself is the script: these tests trust their sender.
    let _worker = Worker::start_command(&agent, "sh", &["--concurrency", "4"], &["sh"]);
    for (script, status, result) in [
        ("true", "replied", "(no output)"),
        ("echo; printf ' \\n\\t\\n'", "replied", "(no output)"),
        ("printf 'no line end'", "replied", "no line end"),
        ("echo lost; echo 'what went wrong' >&2; exit 3", "failed", "exit code 3\nwhat went wrong"),
        ("echo 'only this'; exit 1", "failed", "exit code 1\nonly this"),
        ("exit 7", "failed", "exit code 7"),
        ("kill -9 $$", "failed", "ended by signal 9"),
        (
            "sleep 60 & echo 'does not wait for what it left behind'",
            "replied",
            "does not wait for what it left behind",
        ),
        ("setsid sleep 3 & echo 'nor for what has left it'", "replied", "nor for what has left it"),
        ("exec 0<&-; echo deaf", "replied", "deaf"),
    ] {
        let row = ended(&network.user, &send(&network.user, "sh", script));
        assert_eq!((&row["status"], &row["result"]), (&json!(status), &json!(result)), "{script}");
    }
    let noise = "i=0; while [ $i -lt 3000 ]; do echo \"line $i\" >&2; i=$((i+1)); done; exit 1";
    let row = ended(&network.user, &send(&network.user, "sh", noise));
    let result = text(&row["result"]);
    assert!(result.starts_with("exit code 1\n") && result.ends_with("line 2999"), "{result}");
    assert!(result.chars().count() <= 4_100, "the tail of stderr, not all of it");
}

#[test]
fn tasks_run_side_by_side_up_to_the_number_asked_for() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "pair");
    // Each waits for the other, so that they end only if both run at once.
    let script = r#"read -r me other; : > "$WHERE/$me"; while [ ! -e "$WHERE/$other" ]; do sleep 0.02; done; echo "$me met $other""#;
    let _worker = Worker::start(&agent, "pair", &["--concurrency", "2"], script);
    let (a, b) = (send(&network.user, "pair", "a b"), send(&network.user, "pair", "b a"));
    assert_eq!(ended(&network.user, &a)["result"], "a met b");
    assert_eq!(ended(&network.user, &b)["result"], "b met a");
}

#[test]
fn an_agent_that_waits_for_work_is_online_and_shows_what_it_does() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "shown");
    let mut worker = Worker::start(
        &agent,
        "shown",
        &["--lease", "5"],
        "echo step one; read -r _; while [ ! -e \"$WHERE/go\" ]; do sleep 0.02; done",
    );
    worker.says("waiting for tasks");
    super::worker::eventually("an idle agent", || {
        let sent = network.user.get("/api/status").json();
        Some(()).filter(|()| sent["sessions"][0]["status"] == "idle")
    });
    let sent = network.user.post("/api/task", &json!({"alias": "shown", "task": "go"}));
    assert_eq!((sent.status, &sent.json()["session_status"]), (200, &json!("idle")), "{}", sent.text());
    let output = super::worker::eventually("its output", || {
        let status = network.user.get("/api/status").json();
        let session = status["sessions"][0].clone();
        (session["status"] == "working" && session["output"].is_string()).then(|| text(&session["output"]))
    });
    assert_eq!(output, "step one\n");
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    assert_eq!(ended(&network.user, &text(&sent.json()["task_id"]))["result"], "step one");
}

#[test]
fn a_command_hands_work_on_as_its_agent() {
    let hub = Hub::start();
    let (network, planner) = tenant_with(&hub, "planner");
    let coder = network.agent("coder");
    let script = format!(r#""{}" send coder "write $(cat)" --wait=20"#, binary().display());
    let _workers = [
        Worker::start(&planner, "planner", &[], &script),
        Worker::start(&coder, "coder", &[], "sed 's/^/did: /'"),
    ];
    let asked = send(&network.user, "planner", "a haiku");
    let row = ended(&network.user, &asked);
    assert_eq!((&row["status"], &row["result"]), (&json!("replied"), &json!("did: write a haiku")), "{row}");
    let tasks = network.user.get("/api/tasks?to_name=coder").json();
    let part = &tasks["tasks"][0];
    assert_eq!((&part["from_name"], &part["kind"]), (&json!("planner"), &json!("delegation")), "{part}");
    assert_eq!(part["parent_task_id"], json!(asked));
}

#[test]
fn a_persons_token_is_enough_and_the_token_minted_for_the_run_goes_with_it() {
    let hub = Hub::start();
    let (network, _) = tenant_with(&hub, "other");
    let before = network.user.get("/api/auth/tokens").json()["tokens"].as_array().unwrap().len();
    let mut worker = Worker::start(&network.user, "minted", &["--once"], "cat");
    worker.says("waiting for tasks");
    let task_id = send(&network.user, "minted", "hi");
    assert_eq!(ended(&network.user, &task_id)["result"], "hi");
    let (status, said) = worker.ends();
    assert!(status.success(), "{said}");
    assert_eq!(network.user.get("/api/auth/tokens").json()["tokens"].as_array().unwrap().len(), before);
}
