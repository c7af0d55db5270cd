//! The log as a user reads it: a golden history, hostile text, following, and who may look.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use super::workbench::{Workbench, events, handoff};
use crate::it::hub::Hub;
use crate::it::tenant::{Tenant, send};

const HOSTILE: &str = r#"{"protocol":"a2a","version":"0.2","event_type":"task.requested","timestamp":"2026-03-04T05:06:07Z","agent":{"id":"ev\u001b[31mil\u009b2J\nx\u202e"},"task":{"id":"t\u0007","kind":"delegation","status":"\u001b]0;gone\u0007"},"attributes":{"baton":{"from":"hub","to":"a-name-that-goes-on-for-longer-than-anybody-would-read"}}}"#;

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.chars().count())))
}

fn row(index: usize, cells: [&str; 7]) -> String {
    let widths = [24, 12, 24, 36, 20, 18, 0];
    let cells: Vec<_> = cells.into_iter().zip(widths).map(|(cell, columns)| padded(cell, columns)).collect();
    format!("{index:>6}  {}", cells.join("  ")).trim_end().to_owned() + "\n"
}

#[test]
fn a_small_history_is_shown_word_for_word_and_nothing_hostile_comes_through() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let task = handoff(&tenant);
    workbench.fed(["adapt", "--send"], HOSTILE).exited(0);
    let all = events(&tenant);
    let time = |index: usize| all[index]["time"].as_str().unwrap();
    let way = "alice → bob";
    let hostile = [
        "2026-03-04T05:06:07Z",
        "ev\\u{1b}[31mil\\u{9b}2J x\\u{202e}",
        "task.requested \\u{1b}]0;gone\\u{7}",
        "t\\u{7}",
        "hub → a-name-that-goes-on-for-longer-than-any…",
        "reported by admin",
        "handoff visible",
    ];
    let expected = [
        format!("The evidence of network {}. Every handoff flag is a bounded observed visibility flag only; none of them means that\n", tenant.network_id),
        "the handoff was valid, authorised, complete, trusted or successful.\n\n".into(),
        " index  time                      actor         what                      task                                  from → to             origin\n".into(),
        row(0, [time(0), "alice", "task.requested delivered", &task, way, "hub", "handoff visible"]),
        row(1, [time(1), "bob", "task.updated running", &task, way, "hub", ""]),
        row(2, [time(2), "bob", "task.updated replied", &task, way, "hub", ""]),
        row(3, hostile),
    ];
    let shown = workbench.baton(["evidence", "log"]).exited(0);
    assert_eq!(shown.stdout, expected.concat());

    let json = workbench.baton(["evidence", "log", "--json"]).exited(0);
    assert_eq!(json.lines(), all, "the same events");
    let is_raw = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!json.stdout.contains(is_raw) && !shown.stdout.contains(is_raw));
}

#[test]
fn a_task_and_a_place_to_begin_narrow_it_down() {
    let hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    let task = handoff(&tenant);
    send(&tenant.user, "bob", "something else");
    let indexes = |arguments: &[&str]| -> Vec<u64> {
        let all = [&["evidence", "log", "--json"], arguments].concat();
        workbench
            .baton(all)
            .exited(0)
            .lines()
            .iter()
            .map(|event| event["assayseq"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(indexes(&[]), [0, 1, 2, 3]);
    assert_eq!(indexes(&["--task", &task]), [0, 1, 2]);
    assert_eq!(indexes(&["--task", &task, "--after", "0"]), [1, 2]);
    assert_eq!(indexes(&["--after", "2"]), [3]);
    assert_eq!(indexes(&["--after", "3"]), [0_u64; 0]);

    let bob = Workbench::of(&hub, &tenant).with_token(tenant.agent("bob").token.as_deref().unwrap());
    bob.baton(["evidence", "log", "--task", &task]).exited(0);
    let refused = bob.baton(["evidence", "log"]).exited(6);
    assert!(refused.stderr.contains("permission_denied") && refused.stderr.contains("--task"), "{refused:?}");
}

#[test]
fn following_goes_on_through_a_restart_of_the_hub() {
    let mut hub = Hub::start();
    let tenant = Tenant::of_admin(&hub);
    let workbench = Workbench::of(&hub, &tenant);
    tenant.agent("bob");
    let first = send(&tenant.user, "bob", "one");
    let mut command = workbench.command(["evidence", "log", "--follow", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
    let next = || {
        let line = told.recv_timeout(Duration::from_secs(30)).expect("an event");
        let event: Value = serde_json::from_str(&line).unwrap();
        event["data"]["task"]["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(next(), first);
    let second = send(&tenant.user, "bob", "two");
    assert_eq!(next(), second);
    hub.restart();
    let third = send(&tenant.user, "bob", "three");
    assert_eq!(next(), third);
    child.kill().unwrap();
    child.wait().unwrap();
}
