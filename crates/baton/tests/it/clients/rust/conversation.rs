//! The client in a conversation with its agent.

use a2a_types::{A2AError, Artifact, Message, StreamResponse, TaskStatus, error_reason};
use serde_json::{Value, from_value, to_value};
use tokio::runtime::Runtime;

use super::request::{request, says};
use super::seen::{all, said, state};
use super::{Driver, NAMES};
use crate::it::clients::BINDINGS;
use crate::it::clients::conversation::{self, Refused, Seen, Sender};
use crate::it::clients::stage::Stage;

struct Talk {
    runtime: Runtime,
    driver: Driver,
}

impl Talk {
    fn connect(stage: &Stage, binding: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let token = stage.token();
        let driver = Driver::connect(&stage.base, &token, stage.release(), binding);
        Self { driver: runtime.block_on(driver), runtime }
    }
}

impl Sender for Talk {
    fn not_an_option(&self) -> &'static str {
        NAMES.invalid_params
    }

    fn send(&mut self, text: &str, task: Option<&str>) -> Result<Seen, Refused> {
        let sent = self.runtime.block_on(self.driver.send(message(text, task), false)).map_err(refused)?;
        let states = vec![to_value(&sent.status.state).unwrap()];
        Ok(seen(sent.id, states, &sent.status, &sent.artifacts.unwrap_or_default()))
    }

    fn watch(&mut self, text: &str, task: Option<&str>) -> Result<Seen, Refused> {
        let sent = request(message(text, task), false);
        let events = self.runtime.block_on(async {
            all(self.driver.client.send_streaming_message(&sent).await).await.map_err(refused)
        })?;
        let states = events.iter().map(state).filter(|state| !state.is_null()).collect();
        let (mut id, mut status, mut artifacts) = (String::new(), None, Vec::new());
        for event in events {
            match event {
                StreamResponse::Task(task) => {
                    (id, status) = (task.id, Some(task.status));
                    artifacts.extend(task.artifacts.unwrap_or_default());
                }
                StreamResponse::StatusUpdate(update) => (id, status) = (update.task_id, Some(update.status)),
                StreamResponse::ArtifactUpdate(update) => artifacts.push(update.artifact),
                StreamResponse::Message(message) => panic!("a bare message: {message:?}"),
            }
        }
        Ok(seen(id, states, &status.unwrap(), &artifacts))
    }
}

/// What begins a task, or answers one.
fn message(text: &str, task: Option<&str>) -> Message {
    Message { task_id: task.map(Into::into), ..says(text) }
}

fn seen(id: String, states: Vec<Value>, status: &TaskStatus, artifacts: &[Artifact]) -> Seen {
    let metadata = status.message.as_ref().and_then(|message| message.metadata.as_ref());
    let options = metadata.and_then(|metadata| metadata.get("options"));
    Seen {
        id,
        states: states.into_iter().map(|state| from_value(state).unwrap()).collect(),
        words: said(status, artifacts),
        options: options.map(|options| from_value(options.clone()).unwrap()).unwrap_or_default(),
    }
}

fn refused(error: A2AError) -> Refused {
    Refused { error: error_reason(error.code).to_string(), message: error.message }
}

#[test]
fn the_rust_client_answers_two_questions_of_one_run() {
    for binding in BINDINGS {
        conversation::answers_two_questions_of_one_run(|stage| Talk::connect(stage, binding));
    }
}

#[test]
fn the_rust_clients_answer_reaches_the_run_after_a_killed_worker() {
    for binding in BINDINGS {
        conversation::the_run_after_a_killed_worker_has_the_conversation(|stage| {
            Talk::connect(stage, binding)
        });
    }
}
