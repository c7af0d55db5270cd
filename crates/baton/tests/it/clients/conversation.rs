//! One conversation with a shell agent, held through every client: the agent asks its sender twice, with options, and uses
//! both answers. What a client sees is compared here, and so is what the hub and the agent's command know of it afterwards.

use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::Stage;
use crate::it::tenant::{succeed, task};
use crate::it::work::conversation::{asking_twice, lapses_waiting, statuses};

pub(super) const SUBMITTED: &str = "TASK_STATE_SUBMITTED";
pub(super) const WORKING: &str = "TASK_STATE_WORKING";
pub(super) const INPUT_REQUIRED: &str = "TASK_STATE_INPUT_REQUIRED";
pub(super) const COMPLETED: &str = "TASK_STATE_COMPLETED";

/// What a client saw until the agent was done or asked.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    /// The task's id.
    pub(super) id: String,
    /// In their order: with `send` the last may be the only one.
    pub(super) states: Vec<String>,
    /// The question or the result.
    pub(super) words: String,
    pub(super) options: Vec<String>,
}

/// An error, by the client's name for it.
#[derive(Debug, Deserialize)]
pub(super) struct Refused {
    pub(super) error: String,
    pub(super) message: String,
}

/// A client of the agent.
pub(super) trait Sender {
    /// What it calls an answer that is no option.
    fn not_an_option(&self) -> &'static str;

    /// Begins a task, or answers one, and waits for what comes of it.
    fn send(&mut self, text: &str, task: Option<&str>) -> Result<Seen, Refused>;

    /// The same, with what happens meanwhile.
    fn watch(&mut self, text: &str, task: Option<&str>) -> Result<Seen, Refused>;

    /// How it shows a question: an A2A message repeats the options for people.
    fn question(&self, text: &str, options: [&str; 2]) -> String {
        let [one, other] = options;
        format!("{text}Options:\n- {one}\n- {other}")
    }
}

/// Both answers reach one run of the agent's command.
pub(super) fn answers_two_questions_of_one_run<S: Sender>(connect: impl FnOnce(&Stage) -> S) {
    let stage = Stage::with(&[], &["sh", "-c", &asking_twice()]);
    let mut sender = connect(&stage);
    let asked = sender.watch("paint it", None).unwrap();
    assert_asks(&sender, &asked, "which colour?", ["red", "blue"]);
    let id = Some(&*asked.id);
    let wrong = sender.send("green", id).unwrap_err();
    assert_eq!(wrong.error, sender.not_an_option(), "{wrong:?}");
    assert!(wrong.message.contains(r#""red", "blue""#), "{wrong:?}");
    let asked_again = sender.watch("blue", id).unwrap();
    assert_eq!((&asked_again.id, &*asked_again.states[0]), (&asked.id, WORKING), "under the same lease");
    assert_asks(&sender, &asked_again, "which size?", ["small", "large"]);
    assert_done(&sender.send("large", id).unwrap());
    assert_eq!(stage.runs(), [1], "one run of its command");
    let expected =
        ["delivered", "running", "waiting_input", "running", "waiting_input", "running", "replied"];
    assert_held(&stage, &asked.id, &expected);
}

/// The worker is killed while the second question waits: the next run knows the first answer and receives the second.
pub(super) fn the_run_after_a_killed_worker_has_the_conversation<S: Sender>(
    connect: impl FnOnce(&Stage) -> S,
) {
    let script = asking_twice();
    let mut stage = Stage::with(&["--lease", "5", "--grace", "1"], &["sh", "-c", &script]);
    let mut sender = connect(&stage);
    let asked = sender.send("paint it", None).unwrap();
    assert_asks(&sender, &asked, "which colour?", ["red", "blue"]);
    let id = Some(&*asked.id);
    let asked_again = sender.send("blue", id).unwrap();
    assert_asks(&sender, &asked_again, "which size?", ["small", "large"]);
    stage.kill_worker();
    lapses_waiting(&stage.network.user, &asked.id);
    stage.start_worker(&["sh", "-c", &script]);
    let done = sender.watch("large", id).unwrap();
    assert_eq!(done.states[0], WORKING, "an answered task is at work, also before the next run");
    assert_done(&done);
    assert_eq!(stage.runs(), [1, 1]);
    let expected = [
        "delivered",
        "running",
        "waiting_input",
        "running",
        "waiting_input",
        "waiting_input",
        "delivered",
        "running",
        "replied",
    ];
    assert_held(&stage, &asked.id, &expected);
}

#[track_caller]
fn assert_asks(sender: &impl Sender, seen: &Seen, question: &str, options: [&str; 2]) {
    assert_eq!(seen.states.last().map(String::as_str), Some(INPUT_REQUIRED), "{seen:?}");
    assert_eq!(
        (&seen.words, &seen.options),
        (&sender.question(question, options), &options.map(str::to_owned).to_vec())
    );
}

#[track_caller]
fn assert_done(seen: &Seen) {
    assert_eq!(seen.states.last().map(String::as_str), Some(COMPLETED), "{seen:?}");
    assert_eq!(seen.words, "paint it: large blue");
}

/// Each question was asked once, no attempt was lost, and the task went through these statuses.
fn assert_held(stage: &Stage, id: &str, expected: &[&str]) {
    let reader = &stage.network.user;
    assert_eq!(task(reader, id)["attempt"], 1, "no attempt is lost");
    let messages = succeed(&reader.get(&format!("/api/tasks/{id}")))["messages"].clone();
    let said: Vec<(&Value, &Value)> =
        messages.as_array().unwrap().iter().map(|message| (&message["kind"], &message["content"])).collect();
    let talk =
        [("question", "which colour?"), ("answer", "blue"), ("question", "which size?"), ("answer", "large")];
    assert_eq!(json!(said), json!(talk));
    assert_eq!(statuses(reader, id), expected);
}
