//! `baton inbox wait`: what wakes an idle session of Claude Code, and has one of Codex continue.

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Output, Stdio};

use super::worker::{eventually, tenant_with};
use crate::it::http::Client;
use crate::it::hub::{Hub, baton};
use crate::it::tenant::{send, succeed, task};

/// Starts it as the hook of a session.
fn start(agent: &Client, home: &Path, session: &str, seconds: u32) -> Child {
    start_with(agent, home, session, &["--timeout", &seconds.to_string()])
}

fn start_with(agent: &Client, home: &Path, session: &str, options: &[&str]) -> Child {
    let mut command = baton();
    command.args(["inbox", "wait", "--hook", "--alias", "coder"]).args(options);
    command.env("HOME", home).env("BATON_HUB", format!("http://{}", agent.address));
    command.env("BATON_TOKEN", agent.token.as_deref().unwrap());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let input = json!({"session_id": session, "hook_event_name": "Stop", "stop_hook_active": false});
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    child
}

fn ended(child: Child) -> (Option<i32>, String) {
    let Output { status, stderr, stdout } = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&stdout), "", "a hook's output is no place for words");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_session_is_woken_once_for_what_is_there_and_again_only_for_what_is_new() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    let home = tempfile::tempdir().unwrap();
    let wait = |session: &str, seconds: u32| ended(start(&agent, home.path(), session, seconds));
    let id = send(&network.user, "coder", "one");
    send(&network.user, "coder", "two");
    let (code, line) = wait("a", 30);
    assert_eq!(code, Some(2), "{line}");
    assert_eq!(line, "the Baton inbox of coder has 2 tasks: read it with the tool get_inbox\n");
    assert_eq!(task(&network.user, &id)["status"], "delivered", "nothing is acknowledged");
    assert_eq!(wait("a", 1), (Some(0), String::new()), "it was notified already");
    assert_eq!(wait("b", 30).0, Some(2), "another session was not");
    let message = json!({"alias": "coder", "message": "hello"});
    let waiting = start(&agent, home.path(), "a", 60);
    until_it_listens(&network.user);
    crate::it::tool::call(&network.user, "send_message", &message);
    let (code, line) = ended(waiting);
    assert_eq!(code, Some(2), "{line}");
    assert!(line.contains("1 message, 2 tasks"), "{line}");
}

/// Waits until somebody listens to the agent's inbox.
fn until_it_listens(user: &Client) {
    eventually("that it listens", || {
        let agents = user.get("/api/agents").json();
        let mut agents = agents["agents"].as_array()?.iter();
        agents.any(|one| one["alias"] == "coder" && one["presence"] != "offline").then_some(())
    });
}

#[test]
fn a_burst_that_comes_while_it_waits_is_reported_in_one_line() {
    const BURST: usize = 10;
    // What came within the time that it gathers for is one burst. A busy machine may take longer than that to send it: then
    // another session is tried.
    let is_one_line = (0..10).any(|_| {
        let hub = Hub::start();
        let (network, agent) = tenant_with(&hub, "coder");
        let home = tempfile::tempdir().unwrap();
        let waiting = start(&agent, home.path(), "a", 60);
        until_it_listens(&network.user);
        for nth in 0..BURST {
            send(&network.user, "coder", &nth.to_string());
        }
        let (code, line) = ended(waiting);
        assert_eq!(code, Some(2), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
        line.contains(&format!("has {BURST} tasks: "))
    });
    assert!(is_one_line, "no burst of {BURST} was gathered");
}

#[test]
fn a_look_does_not_wait() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "coder");
    let home = tempfile::tempdir().unwrap();
    let look = || ended(start_with(&agent, home.path(), "a", &["--now"]));
    assert_eq!(look(), (Some(0), String::new()), "nothing is there");
    send(&network.user, "coder", "one");
    let (code, line) = look();
    assert_eq!(
        (code, line.as_str()),
        (Some(2), "the Baton inbox of coder has 1 task: read it with the tool get_inbox\n")
    );
    assert_eq!(look(), (Some(0), String::new()), "the session was notified already");
}

#[test]
fn what_goes_wrong_wakes_nobody() {
    let hub = Hub::start();
    let (_network, agent) = tenant_with(&hub, "coder");
    let home = tempfile::tempdir().unwrap();
    let stranger = agent.with_token(&format!("ntok_{}", "0".repeat(64)));
    let (code, words) = ended(start(&stranger, home.path(), "a", 30));
    assert_eq!(code, Some(1), "{words}");
    let mut nowhere = baton();
    nowhere.args(["inbox", "wait"]).env("HOME", home.path()).env_remove("BATON_TOKEN");
    assert_eq!(nowhere.output().unwrap().status.code(), Some(1), "not logged in");
    let inbox: Value = succeed(&agent.get("/api/inbox"));
    assert_eq!(inbox["messages"], json!([]));
}
