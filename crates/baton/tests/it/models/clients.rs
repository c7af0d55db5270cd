//! Several calls of a model in a row, as an agent: it claims a task, asks its sender under the lease, reads the answer and
//! replies. And one that a person must allow: it runs because `baton init` said so.

use serde_json::json;
use std::thread;

use super::model::{Model, Step, calls};
use super::stage::{Stage, Whose};
use crate::it::tenant::{send, succeed, task};
use crate::it::work::worker::eventually;

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
    if whose == Whose::Codex {
        stage.configure_codex(&model);
    }
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
    answering.join().unwrap();
    let answers = model.answers();
    assert_eq!(answers.len(), 6, "{answers:?} {ran:?}");
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
