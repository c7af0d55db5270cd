//! A newcomer: `baton init CLIENT --write` and the line it prints, nothing else; a model's call reaches another agent and the
//! answer comes back.

use serde_json::json;

use super::model::{Model, Step, calls};
use super::stage::{Stage, Whose};

fn a_newcomers_model_hands_work_to_another_agent(whose: Whose) {
    let stage = Stage::set();
    let model = Model::start(vec![
        calls("send_task", |_| json!({"alias": "helper", "task": "hello", "wait_seconds": 30})),
        Step::Say("it was shouted"),
    ]);
    stage.configure(whose, &model);
    let said = stage.init(whose, &[]);
    let ran = stage.type_next(&said, &model).exited(0);
    let answers = model.answers();
    assert_eq!(answers.len(), 1, "{answers:?} {ran:?}");
    assert_eq!(
        (&answers[0]["ended"], &answers[0]["task"]["result"]),
        (&json!(true), &json!("HELLO")),
        "{answers:?}"
    );
    assert!(ran.stdout.contains("it was shouted"), "{ran:?}");
    assert_eq!(model.strays(), Vec::<String>::new(), "it called nothing but its model and the hub");
}

#[test]
fn a_newcomer_with_claude_code_hands_work_to_another_agent() {
    a_newcomers_model_hands_work_to_another_agent(Whose::Claude);
}

#[test]
fn a_newcomer_with_codex_hands_work_to_another_agent() {
    a_newcomers_model_hands_work_to_another_agent(Whose::Codex);
}

#[test]
fn a_newcomer_with_gemini_hands_work_to_another_agent() {
    a_newcomers_model_hands_work_to_another_agent(Whose::Gemini);
}
