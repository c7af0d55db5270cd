//! `hub start --keep-tasks`: old tasks leave while the hub is at work, and their evidence stays.

use rusqlite::Connection;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::assert_agrees;
use super::clock::Clock;
use crate::it::entry_bundles::wait_until_bundled;
use crate::it::hub::{ADMIN, Hub, PASSWORD, baton};
use crate::it::program::{Ran, binary, run};
use crate::it::tenant::{Tenant, act, claim, refused, send, send_with, succeed, task, text};
use crate::it::tool;
use crate::it::triggers::without_triggers;

const OLD: usize = 1_000;
const SENDERS: usize = 4;
const OPTIONS: [&str; 6] = ["--username", ADMIN, "--password", PASSWORD, "--keep-tasks", "90d"];

fn count(folder: &Path, sql: &str) -> i64 {
    Connection::open(folder.join("hub.db")).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// `baton evidence` as a user of the network.
fn evidence(hub: &Hub, network: &Tenant, home: &Path, arguments: &[&str]) -> Ran {
    let mut command = std::process::Command::new(binary());
    command.arg("evidence").args(arguments).current_dir(home).env("HOME", home).env("BATON_HUB", hub.url());
    command.env("BATON_TOKEN", network.user.token.as_deref().unwrap());
    command.env("BATON_NETWORK", &network.network_id);
    run(&mut command, |_| Ok(()))
}

/// Tasks that end at once, by several senders.
fn end_many(network: &Tenant) -> Vec<String> {
    let senders: Vec<_> = (0..SENDERS).map(|n| network.agent(&format!("sender-{n}"))).collect();
    thread::scope(|scope| {
        let each = senders.iter().map(|sender| {
            scope.spawn(move || -> Vec<String> {
                let one = |n: usize| {
                    let task_id = send(sender, "coder", &format!("old task {n}"));
                    succeed(&act(sender, &task_id, "cancel", &json!({"reason": "enough"})));
                    task_id
                };
                (0..OLD / SENDERS).map(one).collect()
            })
        });
        let each: Vec<_> = each.collect();
        each.into_iter().flat_map(|one| one.join().unwrap()).collect()
    })
}

#[test]
fn a_thousand_old_tasks_leave_while_sends_go_on_and_their_evidence_stays() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::make(folder.path());
    let then = clock.days_ago(100);
    let then: Vec<_> = then.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut hub = Hub::start_with_env(&OPTIONS, &then);
    let network = Tenant::of_admin(&hub);
    let (lead, coder) = (network.agent("lead"), network.agent("coder"));
    let mut old = end_many(&network);
    // One with all a task can have: a question and its answer, a completion with artifacts, a child, a retry.
    let rich = send(&lead, "coder", "a rich one");
    let lease = claim(&coder, 0, 600)["lease_id"].clone();
    succeed(&act(&coder, &rich, "ask", &json!({"question": "which?", "lease_id": lease})));
    succeed(&act(&lead, &rich, "answer", &json!({"text": "that one"})));
    let lease = claim(&coder, 0, 600)["lease_id"].clone();
    let done =
        json!({"alias": "coder", "task": rich, "result": "done", "lease_id": lease, "artifacts": ["a.txt"]});
    let child = send_with(
        &lead,
        &json!({"alias": "coder", "task": "a child", "parent_task_id": rich, "allow_cycle": true,
            "ttl_seconds": 86_400}),
    );
    assert_eq!(tool::call(&coder, "report_completion", &done)["ok"], true);
    assert_eq!(task(&network.user, &child)["parent_task_id"], json!(rich));
    let tried = send(&lead, "coder", "one to be tried again");
    succeed(&act(&lead, &tried, "cancel", &json!({"reason": "not yet"})));
    let retried = text(&succeed(&act(&lead, &tried, "retry", &json!({})))["task_id"]);
    old.extend([rich, tried.clone()]);
    let events = "SELECT SUM(log_events) FROM (SELECT bundled AS log_events FROM logs UNION ALL
        SELECT COUNT(*) FROM evidence)";
    let size = count(&hub.data_dir(), events);

    // A hundred days later.
    hub.relaunch(&OPTIONS, &[]);
    let gone = |task_id: &String| network.user.get(&format!("/api/tasks/{task_id}")).status == 404;
    let leaving = AtomicBool::new(true);
    let sent = thread::scope(|scope| {
        let senders: Vec<_> = [&lead, &coder]
            .into_iter()
            .map(|sender| {
                let leaving = &leaving;
                scope.spawn(move || {
                    let mut sent = Vec::new();
                    while leaving.load(Ordering::Relaxed) {
                        sent.push(send(sender, "coder", "a new task"));
                    }
                    sent
                })
            })
            .collect();
        let began = Instant::now();
        while !old.iter().rev().all(gone) {
            assert!(began.elapsed() < Duration::from_secs(50), "they stay: {}", hub.log());
        }
        leaving.store(false, Ordering::Relaxed);
        senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(sent.len() > 10, "{}", sent.len());

    // They are unknown now, as others are; what is new, and what ended since, is there.
    refused(&network.user.get(&format!("/api/tasks/{}", old[0])), 404, "task_not_found");
    refused(&act(&lead, &old[0], "retry", &json!({})), 404, "task_not_found");
    for task_id in sent.iter().take(3).chain([&child, &retried]) {
        task(&network.user, task_id);
    }
    assert_eq!(task(&network.user, &child)["parent_task_id"], json!(null), "a parent that has left");
    assert_eq!(task(&network.user, &retried)["retry_of"], json!(tried));
    let data = hub.data_dir();
    for (table, of, key) in [
        ("task_events", "task", "seq"),
        ("deliveries", "task", "seq"),
        ("task_messages", "task_id", "task_id"),
        ("completions", "task_id", "task_id"),
        ("push_configs", "task_id", "task_id"),
    ] {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE {of} NOT IN (SELECT {key} FROM tasks)");
        assert_eq!(count(&data, &sql), 0, "{table}");
    }
    assert!(count(&data, events) >= size);
    // Most of it is in entry bundles by now.
    wait_until_bundled(&data, &network.network_id, size - size % 256);
    assert_eq!(count(&data, "SELECT tasks FROM retention"), old.len() as i64);

    // The check tells what left from what is lost, and an export of all of it still holds.
    let said = assert_agrees(&data);
    assert!(said.contains(" are of tasks that have left by retention"), "{said}");
    evidence(&hub, &network, folder.path(), &["export", "-o", "all.tar.gz"]).exited(0);
    evidence(&hub, &network, folder.path(), &["verify", "all.tar.gz"]).exited(0);
    evidence(&hub, &network, folder.path(), &["audit"]).exited(0);
    assert!(hub.stop().success());
    lost_is_told_from_left(&data, &sent[0]);
    hub.restart();
}

/// On a copy: a task that is deleted by hand is named, whether its end was before or after what retention removed.
fn lost_is_told_from_left(data: &Path, young: &str) {
    let copy = tempfile::tempdir().unwrap();
    let differs = |sql: &str, name: &str| {
        for file in ["hub.db", "evidence.key"] {
            std::fs::copy(data.join(file), copy.path().join(file)).unwrap();
        }
        let db = Connection::open(copy.path().join("hub.db")).unwrap();
        without_triggers(&db, |db| db.execute_batch(sql).unwrap());
        drop(db);
        let checked = baton().args(["hub", "check", "--data-dir"]).arg(copy.path()).output().unwrap();
        let said = String::from_utf8(checked.stdout).unwrap();
        assert!(checked.status.code() == Some(1) && said.contains(name), "{sql}: {said}");
    };
    let lose = format!(
        "DELETE FROM task_events WHERE task = (SELECT seq FROM tasks WHERE task_id = '{young}');
         DELETE FROM deliveries WHERE task = (SELECT seq FROM tasks WHERE task_id = '{young}');
         DELETE FROM tasks WHERE task_id = '{young}'"
    );
    differs(&lose, "no_such_change: ");
    // Hidden behind a later mark, the numbers do not add up.
    differs(&format!("UPDATE retention SET through = 1 << 60 >> 8; {lose}"), "retention: ");
    differs("UPDATE retention SET events = events + 1", "retention: ");
    differs("DELETE FROM retention", "no_such_change: ");
}

#[test]
fn without_the_option_every_task_stays() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::make(folder.path());
    let then = clock.days_ago(4_000);
    let then: Vec<_> = then.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut hub = Hub::start_with_env(&["--username", ADMIN, "--password", PASSWORD], &then);
    let network = Tenant::of_admin(&hub);
    let (lead, _coder) = (network.agent("lead"), network.agent("coder"));
    let task_id = send(&lead, "coder", "old");
    succeed(&act(&lead, &task_id, "cancel", &json!({"reason": "enough"})));
    hub.relaunch(&["--username", ADMIN, "--password", PASSWORD], &[]);
    assert_eq!(task(&network.user, &task_id)["status"], "cancelled");
    // With it, it goes: the clock was really that far back.
    hub.relaunch(&OPTIONS, &[]);
    let began = Instant::now();
    while network.user.get(&format!("/api/tasks/{task_id}")).status == 200 {
        assert!(began.elapsed() < Duration::from_secs(30), "{}", hub.log());
    }
}

#[test]
fn how_long_tasks_are_kept_is_days_or_hours_and_at_least_a_day() {
    for (keep, is_taken) in
        [("1d", true), ("24h", true), ("3650d", true), ("23h", false), ("0d", false), ("", false)]
            .into_iter()
            .chain([
                ("90", false),
                ("90m", false),
                ("d", false),
                ("-1d", false),
                ("3651d", false),
                ("1é", false),
            ])
    {
        let folder = tempfile::tempdir().unwrap();
        // A wrong option is reported before anything is touched; a right one gets as far as the address.
        let mut command = baton();
        command.args(["hub", "start", "--host", "192.0.2.1", "--data-dir"]).arg(folder.path().join("data"));
        let ran = command.arg(format!("--keep-tasks={keep}")).output().unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2));
        assert_eq!(error.contains("from 1d to 3650d"), !is_taken, "{keep:?}: {error}");
    }
}
