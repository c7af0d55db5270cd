//! `baton work` as it is seen, and `baton status`: the real binary against a real hub.

use rustix::process::Signal;
use serde_json::json;

use super::{agent, find, worker_ids};
use crate::it::cli::cli_user::CliUser;
use crate::it::hub::{Hub, baton};
use crate::it::tenant::{Tenant, send, text};
use crate::it::work::worker::{Worker, ended, eventually, tenant_with};

const ANSWER: &str = "cat; echo";

#[test]
fn two_workers_of_one_agent_are_both_shown_and_each_leaves_when_it_stops() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    let mut workers =
        [0, 1].map(|_| Worker::start(&network.agent("coder"), "coder", &["--concurrency", "3"], ANSWER));
    let shown = |count: usize| {
        let what = format!("{count} workers");
        eventually(&what, || Some(worker_ids(&network.user, "coder")).filter(|ids| ids.len() == count))
    };
    shown(2);
    let listed = agent(&network.user, "coder");
    assert_eq!((&listed["status"], &listed["workers"][0]["concurrency"]), (&json!("idle"), &json!(3)));
    assert!(listed["workers"][0]["hostname"].is_string() && listed["workers"][0]["version"].is_string());
    for n in 0..4 {
        let task = send(&network.user, "coder", &n.to_string());
        assert_eq!(ended(&network.user, &task)["status"], "replied");
    }
    for (left, worker) in [(1, 0), (0, 1)] {
        workers[worker].signal(Signal::TERM);
        let (status, said) = workers[worker].ends();
        assert!(status.success() && !said.contains("alias_in_use") && !said.contains("not shown"), "{said}");
        shown(left);
    }
    assert!(find(&network.user, "coder").is_some(), "it was seen within the last day");
}

#[test]
fn a_worker_that_was_killed_and_started_again_is_shown_at_once_and_works() {
    let hub = Hub::start();
    let network = Tenant::of_admin(&hub);
    // With a user's token every run has a token of its own.
    let start = || Worker::start(&network.user, "coder", &[], ANSWER);
    let mut first = start();
    let before =
        eventually("the first", || Some(worker_ids(&network.user, "coder")).filter(|ids| ids.len() == 1));
    first.kill9();
    let mut second = start();
    let after =
        eventually("the second", || Some(worker_ids(&network.user, "coder")).filter(|ids| ids.len() == 2));
    assert!(after.contains(&before[0]) && agent(&network.user, "coder")["status"] == "idle");
    let task = send(&network.user, "coder", "go on");
    assert_eq!(ended(&network.user, &task)["result"], "go on");
    second.signal(Signal::TERM);
    let (status, said) = second.ends();
    assert!(status.success() && !said.contains("alias_in_use") && !said.contains("not shown"), "{said}");
    assert_eq!(worker_ids(&network.user, "coder"), before, "the killed one is removed later");
}

#[test]
fn a_worker_says_what_its_agent_is_and_can_do() {
    let hub = Hub::start();
    let (network, coder) = tenant_with(&hub, "coder");
    let options = ["--description", "Reviews code", "--skill", "review=Code review", "--skill", "rust"];
    let _worker = Worker::start(&coder, "coder", &options, ANSWER);
    let listed = eventually("what it says", || {
        find(&network.user, "coder").filter(|agent| agent["description"].is_string())
    });
    assert_eq!(listed["description"], "Reviews code");
    assert_eq!(listed["skills"], json!([{"id": "review", "name": "Code review"}, {"id": "rust"}]));
    for wrong in [&["--skill", "not an id"][..], &["--skill", "a", "--skill", "a"]] {
        let mut work = baton();
        work.args(["work", "--alias", "coder"]).args(wrong).args(["--", "cat"]);
        let home = tempfile::tempdir().unwrap();
        let output = work.env("HOME", home.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains("skill"), "{output:?}");
    }
}

#[test]
fn the_log_of_a_worker_is_one_short_line_per_event_with_a_clock() {
    let hub = Hub::start();
    let (network, coder) = tenant_with(&hub, "coder");
    let mut worker = Worker::start(&coder, "coder", &[], ANSWER);
    let task = send(&network.user, "coder", "go");
    for (event, rest) in [("running", "  from admin"), ("replied", "  from admin  ")] {
        let line = worker.says(event);
        let (clock, words) = line.split_at(8);
        assert!(is_clock(clock), "{line}");
        assert!(words.starts_with(&format!("  {event}  {task}{rest}")), "{line}");
    }
}

/// `16:02:11`.
fn is_clock(clock: &str) -> bool {
    let parts: Vec<&str> = clock.split(':').collect();
    parts.len() == 3 && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn the_status_shows_every_agent_what_it_works_on_and_its_last_day() {
    let hub = Hub::start();
    let ada = CliUser::logged_in(&hub, "ada");
    let coder = ada.agent("coder");
    let held = "while [ ! -e \"$WHERE/go\" ]; do sleep 0.02; done; cat; echo";
    let workers = [0, 1].map(|_| Worker::start(&coder, "coder", &[], held));
    let first = send(&ada.tenant.user, "coder", "the first task");
    eventually("it works", || {
        find(&ada.tenant.user, "coder")
            .filter(|agent| agent["leases"] == 1 && agent["workers"].as_array().unwrap().len() == 2)
    });
    let status = ada.says(&["status"]);
    let line = status.lines().find(|line| line.starts_with("coder")).unwrap();
    assert!(status.contains("AGENT") && status.contains("QUEUE") && status.contains("1 online"), "{status}");
    assert!(line.starts_with("coder (2 workers)  working"), "{status}");
    assert!(line.ends_with(&format!("{first} the first task")), "{status}");
    for worker in &workers {
        std::fs::write(worker.home.path().join("go"), "").unwrap();
    }
    ended(&ada.tenant.user, &first);
    let status = ada.says(&["status"]);
    assert!(status.lines().any(|line| line.starts_with("coder") && line.contains("100 % of 1")), "{status}");
    let status = ada.json(&["status"]);
    assert_eq!(text(&status["agents"]["agents"][0]["alias"]), "coder");
    assert!(status["status"]["sessions"].is_array() && status["stats"]["ok"] == true);
}
