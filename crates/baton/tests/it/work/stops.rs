//! How a worker begins when things are not as they should be, and how it stops.

use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;

use super::worker::{Worker, ended, eventually, is_running, pids, tenant_with};
use crate::it::http::Client;
use crate::it::hub::{Hub, baton};
use crate::it::tenant::{send, task};

#[test]
fn a_term_lets_running_commands_finish_and_takes_no_new_task() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "polite");
    let script = r#"read -r n; echo $n > "$WHERE/started"; while [ ! -e "$WHERE/go" ]; do sleep 0.02; done; echo "finished $n""#;
    let mut worker = Worker::start(&agent, "polite", &[], script);
    let first = send(&network.user, "polite", "1");
    worker.file("started");
    let shown = || network.user.get("/api/status").json()["sessions"][0]["status"].clone();
    eventually("a working agent", || (shown() == "working").then_some(()));
    worker.signal(Signal::TERM);
    worker.says("no new tasks");
    let second = send(&network.user, "polite", "2");
    std::fs::write(worker.home.path().join("go"), "").unwrap();
    let (status, said) = worker.ends();
    assert!(status.success(), "{said}");
    assert_eq!(task(&network.user, &first)["result"], "finished 1");
    assert_eq!(task(&network.user, &second)["status"], "delivered");
    assert_eq!(shown(), "idle", "a worker that has stopped is not shown at work");
}

#[test]
fn an_idle_worker_stops_at_once() {
    let hub = Hub::start();
    let (_network, agent) = tenant_with(&hub, "idle");
    for signal in [Signal::TERM, Signal::INT] {
        let mut worker = Worker::start(&agent, "idle", &[], "cat");
        worker.says("waiting for tasks");
        worker.signal(signal);
        let (status, said) = worker.ends();
        assert!(status.success(), "{said}");
    }
}

#[test]
fn a_worker_that_is_gone_takes_no_task_with_its_last_claim() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "ghost");
    for is_killed in [false, true] {
        let mut worker = Worker::start(&agent, "ghost", &[], "cat");
        worker.says("waiting for tasks");
        // It has worked, so its next claim waits at the hub by now or soon.
        assert_eq!(ended(&network.user, &send(&network.user, "ghost", "one"))["result"], "one");
        worker.says("replied");
        if is_killed {
            worker.kill9();
        } else {
            worker.signal(Signal::TERM);
            assert!(worker.ends().0.success());
        }
        let task_id = send(&network.user, "ghost", "two");
        let _next = Worker::start(&agent, "ghost", &[], "cat");
        let row = ended(&network.user, &task_id);
        assert_eq!((&row["result"], &row["attempt"]), (&json!("two"), &json!(1)));
    }
}

#[test]
fn a_second_signal_ends_the_commands_and_the_task_is_delivered_again() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "hasty");
    let script = r#"[ "$BATON_ATTEMPT" = 1 ] && { sleep 300 & echo "$$ $!" > "$WHERE/family"; wait; }; echo "attempt $BATON_ATTEMPT""#;
    let mut worker = Worker::start(&agent, "hasty", &["--lease", "5"], script);
    let task_id = send(&network.user, "hasty", "go");
    let family = pids(&worker.file("family"));
    worker.signal(Signal::INT);
    worker.says("no new tasks");
    assert!(family.iter().all(|pid| is_running(*pid)));
    worker.signal(Signal::INT);
    let (status, said) = worker.ends();
    assert!(status.success() && said.contains("left: "), "{said}");
    eventually("their end", || family.iter().all(|pid| !is_running(*pid)).then_some(()));
    let _next = Worker::start(&agent, "hasty", &[], script);
    assert_eq!(ended(&network.user, &task_id)["result"], "attempt 2");
}

#[test]
fn a_bad_token_is_said_and_exits_with_6() {
    let hub = Hub::start();
    let bad = hub.client().with_token(&format!("ntok_{}", "0".repeat(64)));
    let (status, said) = Worker::start(&bad, "coder", &[], "cat").ends();
    assert_eq!(status.code(), Some(6), "{said}");
    assert!(said.contains("does not accept your token"), "{said}");
}

#[test]
fn a_token_that_is_revoked_stops_the_worker_with_6() {
    let hub = Hub::start();
    let (network, _) = tenant_with(&hub, "other");
    let (agent, token_id) = network.mint("gone", "node");
    let mut worker =
        Worker::start(&agent, "gone", &["--lease", "5"], "echo go > \"$WHERE/started\"; sleep 300");
    send(&network.user, "gone", "go");
    worker.file("started");
    assert_eq!(network.user.delete(&format!("/api/auth/tokens/{token_id}")).status, 200);
    let (status, said) = worker.ends();
    assert_eq!(status.code(), Some(6), "{said}");
}

#[test]
fn another_agents_token_is_refused_before_it_takes_a_task() {
    let hub = Hub::start();
    let (_network, agent) = tenant_with(&hub, "coder");
    let (status, said) = Worker::start(&agent, "painter", &[], "cat").ends();
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("belongs to the alias coder, not to painter"), "{said}");
}

#[test]
fn a_hub_that_is_not_there_is_said_once_and_waited_for() {
    let mut hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "early");
    hub.kill9();
    let mut worker = Worker::start(&agent, "early", &[], "cat");
    let line = worker.says("cannot be reached");
    assert!(line.contains("trying again"), "{line}");
    hub.restart();
    worker.says("waiting for tasks");
    assert_eq!(ended(&network.user, &send(&network.user, "early", "hi"))["result"], "hi");
    worker.signal(Signal::TERM);
    let (status, said) = worker.ends();
    assert!(status.success());
    assert_eq!(said.matches("cannot be reached").count(), 1, "{said}");
}

#[test]
fn a_command_that_cannot_be_run_is_found_out_before_any_task_is_taken() {
    let nowhere = Client::new("127.0.0.1:9".parse().unwrap()).with_token("ntok_0");
    for (command, words) in [
        (vec!["no-such-program-anywhere"], "no program"),
        (vec!["sh", "-c", "echo {task}"], "{task} after sh could run whatever a sender writes"),
        (vec!["env", "-S", "sh -c", "echo {task}"], "{task} after env could run whatever a sender writes"),
        (vec!["echo", "a{task}"], "pass --allow-embedded"),
    ] {
        let (status, said) = Worker::start_command(&nowhere, "a", &[], &command).ends();
        assert_eq!(status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    let output = baton().args(["work", "--alias", "a"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn once_is_one_task() {
    let hub = Hub::start();
    let (network, agent) = tenant_with(&hub, "one");
    let (a, b) = (send(&network.user, "one", "a"), send(&network.user, "one", "b"));
    let (status, said) = Worker::start(&agent, "one", &["--once"], "cat").ends();
    assert!(status.success(), "{said}");
    assert_eq!(task(&network.user, &a)["result"], json!("a"));
    assert_eq!(task(&network.user, &b)["status"], "delivered");
}

/// Reads one call whole, and gives its first line.
fn read_call(socket: &TcpStream) -> String {
    let mut reader = BufReader::new(socket);
    let head: Vec<String> =
        reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    reader.read_exact(&mut vec![0; length.unwrap_or(0)]).unwrap();
    head.first().cloned().unwrap_or_default()
}

#[test]
fn a_token_that_comes_when_the_worker_was_told_to_stop_is_ended() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let hub = Client::new(listener.local_addr().unwrap()).with_token(&format!("utok_{}", "0".repeat(64)));
    let ((heard, incoming), (go, gone)) = (channel::<String>(), channel::<()>());
    std::thread::spawn(move || {
        let user =
            json!({"user_id": "u_1", "username": "ada", "role": "user", "must_change_password": false});
        let network = json!({"network_id": "net_000000000001", "network_name": "n", "created_at": "2026-01-01T00:00:00.000Z"});
        for mut socket in listener.incoming().map_while(Result::ok) {
            let call = read_call(&socket);
            heard.send(call.clone()).unwrap();
            let (status, body): (_, Value) = if call.starts_with("GET /api/auth/me ") {
                ("200 OK", json!({"ok": true, "user": user, "networks": [network]}))
            } else if call.starts_with("POST /api/auth/node-token ") {
                gone.recv().unwrap(); // the worker is asked to stop meanwhile
                let token = format!("ntok_{}", "0".repeat(64));
                ("200 OK", json!({"ok": true, "token": token, "token_id": "tok_000000000001"}))
            } else {
                ("503 Busy", json!({"ok": false, "error": "busy"}))
            };
            let (body, close) = (body.to_string(), "connection: close");
            let head = format!("HTTP/1.1 {status}\r\n{close}\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = socket.write_all(format!("{head}{body}").as_bytes());
        }
    });
    let mut worker = Worker::start(&hub, "late", &[], "cat");
    let next = |what: &str| {
        let mut calls = std::iter::from_fn(|| incoming.recv_timeout(super::worker::PATIENCE).ok());
        assert!(calls.any(|call| call.starts_with(what)), "no {what}");
    };
    next("POST /api/auth/node-token ");
    worker.signal(Signal::TERM);
    worker.says("stopping before the first task");
    go.send(()).unwrap();
    next("DELETE /api/auth/tokens/tok_000000000001 ");
    assert!(worker.ends().0.success());
}
