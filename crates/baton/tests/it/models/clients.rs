//! Several calls of a model in a row, as an agent: it claims a task, asks its sender under the lease, reads the answer and
//! replies. And one that a user must allow: it runs because `baton init` said so. And sessions that their inbox brings back.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use super::model::{Model, Step, calls};
use super::stage::{Stage, Whose};
use crate::it::cli::cli_user::Running;
use crate::it::program::run;
use crate::it::tenant::{claim, send, succeed, task};
use crate::it::work::worker::{PATIENCE, eventually};

fn a_model_claims_asks_and_replies(whose: Whose) {
    let stage = Stage::set();
    let model = Model::start(vec![
        calls("claim_task", |_| json!({"wait_seconds": 20})),
        calls("ask_sender", |answers| {
            json!({"task_id": answers[0]["task"]["task_id"], "lease_id": answers[0]["lease_id"], "keep_lease": true,
                "question": "which colour?", "options": ["red", "blue"]})
        }),
        calls(
            "wait_for_task",
            |answers| json!({"task_ids": [answers[0]["task"]["task_id"]], "wait_seconds": 0}),
        ),
        calls(
            "get_task",
            |answers| json!({"task_id": answers[0]["task"]["task_id"], "wait_seconds": 30, "after": 3}),
        ),
        calls("send_reply", |answers| {
            let said = answers[3]["messages"].as_array().and_then(|messages| messages.last());
            let colour = said.map_or("nothing", |said| said["content"].as_str().unwrap_or_default());
            json!({"in_reply_to": answers[0]["task"]["task_id"], "lease_id": answers[0]["lease_id"],
                "text": format!("painted it {colour}")})
        }),
        calls("cancel_task", |answers| json!({"task_id": answers[0]["task"]["task_id"]})),
        Step::Say("done"),
    ]);
    stage.configure(whose, &model);
    stage.network.agent("painter");
    let said = stage.init(whose, &["--alias", "painter"]);
    let user = &stage.network.user;
    let id = send(user, "painter", "paint it");
    let (sender, asked) = (user.with_token(user.token.as_deref().unwrap()), id.clone());
    let answering = thread::spawn(move || {
        eventually("its question", || (task(&sender, &asked)["status"] == "waiting_input").then_some(()));
        succeed(&sender.post(&format!("/api/tasks/{asked}/answer"), &json!({"text": "blue"})));
    });
    let ran = stage.type_next(&said, &model);
    let (answered, answers) = (answering.join(), model.answers());
    assert!(answered.is_ok() && answers.len() == 6, "{answers:?} {ran:?}");
    let row = task(user, &id);
    assert_eq!(
        (&row["status"], &row["result"]),
        (&json!("replied"), &json!("painted it blue")),
        "{answers:?}"
    );
    // A refusal is an error that the model can read, also of a tool that takes something away.
    assert_eq!((&answers[5]["ok"], &answers[5]["cancelled"]), (&json!(false), &json!(false)), "{answers:?}");
    assert_eq!(model.strays(), Vec::<String>::new());
}

#[test]
fn claude_code_claims_a_task_asks_its_sender_and_replies() {
    a_model_claims_asks_and_replies(Whose::Claude);
}

#[test]
fn codex_claims_a_task_asks_its_sender_and_replies() {
    a_model_claims_asks_and_replies(Whose::Codex);
}

/// A model that works on a task under `baton work` sends a part of it.
fn what_a_client_sends_under_a_worker_is_part_of_its_task(whose: Whose, command: &[&str]) {
    let stage = Stage::set();
    let model = Model::start(vec![
        calls("send_task", |_| json!({"alias": "scribe", "task": "a part"})),
        Step::Say("handed on"),
    ]);
    stage.configure(whose, &model);
    let (scribe, _) = (stage.network.agent("scribe"), stage.network.agent("planner"));
    stage.init(whose, &["--alias", "planner"]);
    let mut work = stage.on_machine(Command::new("baton"), Some(&model));
    let worker = Running::start(work.args(["work", "--alias", "planner", "--"]).args(command));
    worker.stderr.wait_for("waiting for tasks");
    let trace = ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let body = json!({"alias": "planner", "task": "the whole", "wait_seconds": 30});
    let whole = succeed(&stage.network.user.send("POST", "/api/task", &[trace], Some(&body)));
    let (ended, answers) = (&whole["task"], model.answers());
    assert_eq!((&ended["status"], answers.len()), (&json!("replied"), 1), "{whole} {answers:?}");
    assert!(ended["result"].as_str().unwrap().contains("handed on"), "{whole}");
    let part = claim(&scribe, 0, 60);
    let task = &part["task"];
    assert_eq!(
        (&task["task_id"], &task["parent_task_id"], &task["from_name"]),
        (&answers[0]["task_id"], &whole["task_id"], &json!("planner")),
        "{part}"
    );
    let traceparent = part["traceparent"].as_str().unwrap();
    assert!(traceparent.contains("0af7651916cd43dd8448eb211c80319c"), "{traceparent}");
    assert_eq!(model.strays(), Vec::<String>::new());
}

#[test]
fn what_claude_code_sends_under_a_worker_is_part_of_its_task_and_of_its_trace() {
    what_a_client_sends_under_a_worker_is_part_of_its_task(Whose::Claude, &["claude", "-p", "{task}"]);
}

#[test]
fn what_codex_sends_under_a_worker_is_part_of_its_task_and_of_its_trace() {
    what_a_client_sends_under_a_worker_is_part_of_its_task(Whose::Codex, &["codex", "exec", "{task}"]);
}

#[test]
fn an_idle_session_of_claude_code_is_woken_by_its_inbox() {
    let stage = Stage::set();
    let model = Model::start(vec![
        Step::IdleUntil("the Baton inbox of painter has 1 task"),
        calls("get_inbox", |_| json!({})),
        Step::Say("something waits"),
    ]);
    stage.network.agent("painter");
    stage.init(Whose::Claude, &["--alias", "painter", "--hooks"]);
    let mut claude = stage.on_machine(Command::new("claude"), Some(&model));
    claude.args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]);
    let mut session = claude.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (tell, lines) = channel();
    let stdout = BufReader::new(session.stdout.take().unwrap());
    thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
    // What the session ends a turn with.
    let turn = || loop {
        let line: Value = serde_json::from_str(&lines.recv_timeout(PATIENCE).expect("a turn ends")).unwrap();
        if line["type"] == "result" {
            return line["result"].as_str().unwrap().to_owned();
        }
    };
    let hello = json!({"type": "user", "message": {"role": "user", "content": "wait for work"}});
    let mut stdin = session.stdin.take().unwrap();
    writeln!(stdin, "{hello}").unwrap();
    assert_eq!(turn(), "idle");
    let id = send(&stage.network.user, "painter", "paint it");
    assert_eq!(turn(), "something waits");
    assert_eq!(model.answers()[0]["messages"][0]["task_id"], json!(id));
    assert_eq!(task(&stage.network.user, &id)["status"], "delivered", "nothing was acknowledged");
    drop(stdin);
    session.kill().unwrap();
    session.wait().unwrap();
    assert_eq!(model.strays(), Vec::<String>::new());
}

#[test]
fn a_session_of_codex_continues_when_a_turn_ends_and_its_inbox_has_something() {
    let stage = Stage::set();
    let model = Model::start(vec![
        Step::IdleUntil("the Baton inbox of painter has 1 task"),
        calls("get_inbox", |_| json!({})),
        Step::Say("something waits"),
    ]);
    stage.configure(Whose::Codex, &model);
    stage.network.agent("painter");
    let said = stage.init(Whose::Codex, &["--alias", "painter", "--hooks"]);
    assert!(said.contains("Codex runs no hook before you trust it"), "{said}");
    let id = send(&stage.network.user, "painter", "paint it");
    let mut codex = stage.on_machine(Command::new("codex"), Some(&model));
    // Trusting a hook takes a person in an interactive session; this stands for that.
    codex.args(["exec", "--dangerously-bypass-hook-trust", "wait for work"]);
    let ran = run(codex.stdin(Stdio::null()), |_| Ok(())).exited(0);
    assert!(ran.stdout.contains("something waits"), "{ran:?}");
    assert_eq!(model.answers()[0]["messages"][0]["task_id"], json!(id));
    assert_eq!(task(&stage.network.user, &id)["status"], "delivered", "nothing was acknowledged");
    assert_eq!(model.strays(), Vec::<String>::new());
}
