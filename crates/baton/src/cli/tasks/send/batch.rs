//! `baton send --batch`: up to 100 tasks in one call and one commit. Each line is a body of `POST /api/task`; what a line
//! leaves out (network, parent, idempotency key) is what `baton send` would use.

use baton_core::limits;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use super::repeated;
use crate::cli::connection::Link;
use crate::cli::failure::Failure;
use crate::cli::screen::{Screen, note};
use crate::cli::tasks::send_key::KeySource;
use crate::client::tasks::{SendOutcome, TasksSent};
use crate::client::{HubResponse, REFUSED};
use crate::service::send_task;
use crate::trace;

/// What counts for every line that does not say otherwise.
pub(super) struct Batch<'a> {
    pub(super) parent: Option<&'a str>,
    pub(super) keys: KeySource<'a>,
}

impl Batch<'_> {
    /// Sends all tasks of the file and prints a line for each, in their order: its id, or `refused` and the code. Exits with
    /// the worst code of all.
    pub(super) async fn send(&self, link: &Link, file: &Path, is_json: bool) -> Result<ExitCode, Failure> {
        let network_id = link.network().await?;
        let (name, text) = read(file)?;
        let tasks = self.tasks(&name, &text, network_id.as_deref())?;
        let sent: HubResponse<TasksSent> =
            repeated::send(false, || link.client.send_tasks(&tasks, trace::of_environment())).await?;
        let screen = Screen::stdout();
        if is_json {
            screen.json(sent.text())?;
        }
        let mut code = 0;
        for ((line, _), outcome) in numbered(&text).zip(&sent.results) {
            let words = match outcome {
                SendOutcome::Sent(task) => task.task_id.clone(),
                SendOutcome::Refused { error, message } => {
                    code = REFUSED;
                    note(&format!("{name} line {line}: {}", message.as_ref().unwrap_or(error)));
                    format!("refused {error}")
                }
            };
            if !is_json {
                screen.print(&words)?;
            }
        }
        Ok(ExitCode::from(code))
    }

    fn tasks(&self, name: &str, text: &str, network_id: Option<&str>) -> Result<Vec<Value>, Failure> {
        let tasks: Vec<_> = numbered(text)
            .map(|(line, json)| {
                let wrong = |message: String| Failure::Line { name: name.to_owned(), line, message };
                self.task(json, network_id, &wrong)
            })
            .collect::<Result<_, _>>()?;
        match tasks.len() {
            1..=limits::SEND_MAX_COUNT => Ok(tasks),
            count => Err(Failure::usage(format!(
                "{name} has {count} tasks; one call takes 1 to {}, a JSON object a line",
                limits::SEND_MAX_COUNT
            ))),
        }
    }

    fn task(
        &self,
        json: &str,
        network_id: Option<&str>,
        wrong: &impl Fn(String) -> Failure,
    ) -> Result<Value, Failure> {
        let mut task: Map<String, Value> = serde_json::from_str(json).map_err(|error| {
            wrong(format!("this is not a JSON object of a task, as in {EXAMPLE}: {error}"))
        })?;
        for (field, value) in [("network_id", network_id), ("parent_task_id", self.parent)] {
            if let (false, Some(value)) = (task.contains_key(field), value) {
                task.insert(field.into(), value.into());
            }
        }
        if !task.contains_key("idempotency_key") {
            let args: send_task::Args = serde_json::from_value(Value::Object(task.clone()))
                .map_err(|error| wrong(format!("{error}; a task is written as in {EXAMPLE}")))?;
            task.insert("idempotency_key".into(), self.keys.key(&args)?.into());
        }
        Ok(Value::Object(task))
    }
}

const EXAMPLE: &str = r#"{"alias": "coder", "task": "write a haiku"}"#; // not a limit: shown in errors

/// The lines that hold something, with their numbers.
fn numbered(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

/// The name of the file for errors, and what it holds: at most what the hub takes in one call.
fn read(path: &Path) -> Result<(String, String), Failure> {
    let is_stdin = path == Path::new("-");
    let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    let failed = |error| Failure::Read { name: name.clone(), error };
    let mut bytes = Vec::new();
    let from: Box<dyn Read> =
        if is_stdin { Box::new(io::stdin().lock()) } else { Box::new(File::open(path).map_err(failed)?) };
    from.take(limits::JSON_BODY_MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > limits::JSON_BODY_MAX_BYTES {
        let most = limits::JSON_BODY_MAX_BYTES;
        return Err(Failure::usage(format!("{name} is larger than the {most} bytes of one call; split it")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Failure::usage(format!("{name} is not UTF-8 text"))),
    }
}
