//! `baton logs` and `baton watch` where no terminal is: lines as they happen, through a restart, into any pipe.

use serde_json::{Value, json};
use std::process::Command;

use super::super::hub::Hub;
use super::super::program::binary;
use super::super::tenant::{act, claim, report, send, succeed};
use super::cli_user::CliUser;

#[test]
fn what_happens_is_told_line_by_line_through_a_restart() {
    let mut hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    send(&ada.tenant.user, "coder", "before");
    let logs = ada.start(&["logs"]);
    logs.stderr.wait_for("following");
    let id = send(&ada.tenant.user, "coder", "one");
    let line = logs.stdout.wait_for(&id);
    assert!(line.contains("delivered") && line.ends_with("ada: sent"), "{line}");
    claim(&coder, 0, 60);
    logs.stdout.wait_for("coder: claimed, attempt 1");
    report(&coder, "coder", "idle");
    logs.stdout.wait_for("coder is idle");
    hub.kill9();
    logs.stderr.wait_for("waiting for the hub");
    hub.restart();
    let second = send(&ada.tenant.user, "coder", "two");
    logs.stdout.wait_for(&second);
    let ran = logs.interrupt();
    assert!(!ran.stdout.contains("before"), "{}", ran.stdout);
}

#[test]
fn with_since_the_past_comes_first_and_nothing_is_missing_between_it_and_what_follows() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    // More than one page of the past.
    let before: Vec<String> =
        (0..520).map(|n| send(&ada.tenant.user, "coder", &format!("before {n}"))).collect();
    let past = ada.says(&["logs", "--since", "1h", "--no-follow"]);
    let ids = |lines: &str| -> Vec<String> {
        lines.lines().map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&past), before);
    let logs = ada.start(&["logs", "--since", "1h"]);
    logs.stderr.wait_for("following");
    let after = send(&ada.tenant.user, "coder", "after");
    logs.stdout.wait_for(&after);
    assert_eq!(ids(&logs.interrupt().stdout), [&before[..], &[after]].concat());
    assert_eq!(ada.says(&["logs", "--since", "2100-01-01T00:00:00Z", "--no-follow"]), "");
    for wrong in [&["logs", "--since", "soon"][..], &["logs", "--no-follow"]] {
        ada.baton(wrong).exited(2);
    }
}

#[test]
fn as_json_every_line_is_a_document_and_watch_without_a_terminal_is_the_same() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    for command in ["logs", "watch"] {
        let logs = ada.start(&[command, "--json"]);
        logs.stderr.wait_for("following");
        let id = send(&ada.tenant.user, "coder", "one");
        let row: Value = serde_json::from_str(&logs.stdout.wait_for(&id)).unwrap();
        assert_eq!(
            (&row["to_status"], &row["actor"], &row["n"]),
            (&json!("delivered"), &json!("ada"), &json!(1))
        );
        report(&coder, "coder", "working");
        let frame: Value = serde_json::from_str(&logs.stdout.wait_for("status_update")).unwrap();
        assert_eq!(frame["alias"], "coder");
        let ran = logs.interrupt();
        assert!(ran.stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{}", ran.stdout);
    }
    let watch = ada.start(&["watch"]);
    watch.stderr.wait_for("following");
    let id = send(&ada.tenant.user, "coder", "two");
    watch.stdout.wait_for(&id);
    assert!(!watch.interrupt().stdout.contains('\x1b'));
}

#[test]
fn an_agent_follows_its_own_tasks() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let (coder, _) = (ada.agent("coder"), ada.agent("other"));
    let logs = ada.start(&["logs", "--token", coder.token.as_deref().unwrap()]);
    logs.stderr.wait_for("following");
    let others = send(&ada.tenant.user, "other", "not for coder");
    let id = send(&ada.tenant.user, "coder", "one");
    logs.stdout.wait_for(&id);
    succeed(&act(&coder, &id, "reply", &json!({"text": "x"})));
    logs.stdout.wait_for("replied");
    assert!(!logs.interrupt().stdout.contains(&others));
}

#[test]
fn a_reader_that_goes_away_is_no_news() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    ada.agent("coder");
    for number in 0..200 {
        // Enough that it does not fit into a pipe.
        send(&ada.tenant.user, "coder", &format!("{number} {}", "x".repeat(2_000)));
    }
    for command in ["tasks --limit 200", "tasks --limit 200 --json", "completions bash", "man"] {
        let script = format!("{} {command} | head -c 10", binary().display());
        let output = ada.at_home(Command::new("sh").args(["-c", &script])).output().unwrap();
        assert_eq!(
            (output.stdout.len(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (10, ""),
            "{command}"
        );
    }
}
