//! `rmcp`, the official MCP client, through `baton mcp`: the conversation with the hub's tools.

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::conversation::{self, COMPLETED, INPUT_REQUIRED, Refused, SUBMITTED, Seen, Sender, WORKING};
use super::stage::{ALIAS, CALLER, Stage};
use crate::it::tenant::text;
use crate::it::work::bridge::{Bridge, call, open};

/// How long one look waits for news.
const WAIT_SECONDS: u32 = 30;

struct Mcp {
    runtime: Runtime,
    /// Until it is closed.
    bridge: Option<Bridge>,
}

impl Mcp {
    fn connect(stage: &Stage) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bridge = runtime.block_on(open(&stage.caller, &["--alias", CALLER]));
        Self { runtime, bridge: Some(bridge) }
    }

    fn call(&self, tool: &'static str, arguments: Value) -> Result<Value, Refused> {
        let answer = self.runtime.block_on(call(self.bridge.as_ref().unwrap(), tool, arguments)).unwrap();
        match answer["ok"] == true {
            true => Ok(answer),
            false => Err(Refused { error: text(&answer["error"]), message: text(&answer["message"]) }),
        }
    }

    /// Sends the task or the answer: the task's id, and the state it has then.
    fn post(&self, words: &str, task: Option<&str>) -> Result<(String, &'static str), Refused> {
        match task {
            Some(id) => {
                let answered = self.call("answer_task", json!({"task_id": id, "text": words}))?;
                Ok((id.to_owned(), state(&answered["status"], true)))
            }
            None => {
                let sent = self.call("send_task", json!({"alias": ALIAS, "task": words}))?;
                Ok((text(&sent["task_id"]), SUBMITTED))
            }
        }
    }

    /// Looks until the task has ended or asks, with every state that it meets.
    fn follow(&self, id: &str, state: &str) -> Result<Seen, Refused> {
        let mut states = vec![state.to_owned()];
        let mut look = json!({"task_id": id});
        loop {
            let seen = self.call("get_task", look)?;
            states.push(state_of(&seen["task"]).to_owned());
            if let Some(settled) = settled(&seen["task"], &seen["messages"]) {
                return Ok(Seen { states, ..settled });
            }
            look = json!({"task_id": id, "wait_seconds": WAIT_SECONDS, "after": seen["event_count"]});
        }
    }
}

impl Sender for Mcp {
    fn not_an_option(&self) -> &'static str {
        "not_an_option"
    }

    fn send(&mut self, words: &str, task: Option<&str>) -> Result<Seen, Refused> {
        if task.is_some() {
            return self.watch(words, task);
        }
        let send = json!({"alias": ALIAS, "task": words, "wait_seconds": WAIT_SECONDS});
        let task = &self.call("send_task", send)?["task"];
        Ok(settled(task, &task["messages"])
            .unwrap_or_else(|| panic!("neither an end nor a question: {task}")))
    }

    fn watch(&mut self, words: &str, task: Option<&str>) -> Result<Seen, Refused> {
        let (id, state) = self.post(words, task)?;
        self.follow(&id, state)
    }

    /// The options stand beside the question.
    fn question(&self, text: &str, _: [&str; 2]) -> String {
        text.to_owned()
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        if let Some(bridge) = self.bridge.take() {
            let _ = self.runtime.block_on(bridge.cancel());
        }
    }
}

/// What A2A calls the status of a task: once it has begun it is at work, also while it waits for its agent's next run.
fn state(status: &Value, has_begun: bool) -> &'static str {
    match status.as_str().unwrap() {
        "delivered" if has_begun => WORKING,
        "delivered" => SUBMITTED,
        "running" => WORKING,
        "waiting_input" => INPUT_REQUIRED,
        "replied" => COMPLETED,
        other => panic!("the task is {other}"),
    }
}

fn state_of(task: &Value) -> &'static str {
    state(&task["status"], task["started_at"].is_string())
}

/// What a task says that has ended or asks; nothing of one that is at work.
fn settled(task: &Value, messages: &Value) -> Option<Seen> {
    let state = state_of(task);
    let (words, options) = match state {
        COMPLETED => (&task["result"], Vec::new()),
        INPUT_REQUIRED => {
            let question = messages.as_array().unwrap().last().unwrap();
            (&question["content"], question["options"].as_array().unwrap().iter().map(text).collect())
        }
        _ => return None,
    };
    Some(Seen { id: text(&task["task_id"]), states: vec![state.into()], words: text(words), options })
}

#[test]
fn the_mcp_client_answers_two_questions_of_one_run() {
    conversation::answers_two_questions_of_one_run(Mcp::connect);
}

#[test]
fn the_mcp_clients_answer_reaches_the_run_after_a_killed_worker() {
    conversation::the_run_after_a_killed_worker_has_the_conversation(Mcp::connect);
}
