//! `baton task show`: a task, its texts, and its history with who did what and how long each step took.

use baton_core::{Status, limits};
use clap::{Args, Subcommand};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;

use super::ask::{Answer, Ask};
use super::follow::Follow;
use super::reply::Reply;
use super::report::{Progress, Share};
use super::task_id;
use super::tree::Tree;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Color, Screen};
use crate::cli::table::{Cell, Table};
use crate::client::artifacts::Artifact;
use crate::client::tasks::{self, Task, TaskEvent, TaskMessage, TaskProgress};
use crate::client::{Error, HubAddress};
use crate::service::{WireTime, task_events};

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Show a task and its history
    Show(Show),
    /// Show the tree of a task: its ancestors and descendants, with status and duration
    Tree(Tree),
    /// Ask the sender of a task you work on, and print the answer
    Ask(Box<Ask>),
    /// Follow the output of a task until it ends
    Follow(Follow),
    /// Report the progress of a task you work on
    Progress(Progress),
    /// Share a file or a text of a task you work on before it ends
    Share(Box<Share>),
    /// End a task with a reply
    Reply(Reply),
    /// Answer the question of a task's agent, or send it a message while it works
    Answer(Answer),
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The task's id, or its beginning
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl TaskCommand {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Show(command) => block_on(command.show()),
            Self::Tree(command) => block_on(command.show()),
            Self::Ask(command) => command.run(),
            Self::Follow(command) => command.run(),
            Self::Progress(command) => command.run(),
            Self::Share(command) => command.run(),
            Self::Reply(command) => command.run(),
            Self::Answer(command) => command.run(),
        }
    }
}

impl Show {
    async fn show(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let answer = link.client.task(&id).await?;
        let args = task_events::QueryArgs {
            task_id: Some(id.clone()),
            network_id: None,
            limit: Some(limits::EVENT_PAGE_MAX.to_string()),
            cursor: None,
        };
        let history = link.client.task_events(&args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            let hub = link.client.hub();
            let (task, events) =
                (member(hub, answer.text(), "task")?, member(hub, history.text(), "events")?);
            // The hub leaves the member out where there are no messages.
            let messages = member(hub, answer.text(), "messages").ok();
            let messages = messages.map_or_else(|| json!([]), |messages| json!(messages));
            screen.json(&json!({"ok": true, "task": task, "messages": messages, "events": events}))?;
            return Ok(ExitCode::SUCCESS);
        }
        let tree = link.client.task_tree(&id).await?;
        let mut events = history.into_value().events;
        events.reverse();
        show_task(&screen, &answer.task)?;
        show_messages(&screen, &answer.messages)?;
        show_artifacts(&screen, &answer.task.artifacts)?;
        show_children(&screen, &tree.tree)?;
        screen.print("")?;
        screen.table(&timeline(&events, &answer.task))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn show_task(screen: &Screen, task: &Task) -> Result<(), Failure> {
    let rejected = if task.rejected { " (rejected)" } else { "" };
    let head = format!("{}  {}{rejected}", task.task_id, task.status);
    screen.print_colored(Color::of_status(task.status.as_str()), &head)?;
    let attempts = if task.attempt > 1 { format!(", attempt {}", task.attempt) } else { String::new() };
    let end = match task.completed_at {
        Some(end) => format!("ended {} later", moment::between(task.created_at, end)),
        None if task.status == Status::WaitingInput => {
            format!("to be answered by {}", moment::date_time(task.expires_at))
        }
        None => format!("to be taken up by {}", moment::date_time(task.expires_at)),
    };
    let fields = [
        ("from", Some(format!("{} to {}", task.from_name, task.to_name))),
        ("kind", Some(format!("{}, {} priority{attempts}", task.kind, task.priority))),
        (
            "sent",
            Some(format!("{} ({}), {end}", moment::date_time(task.created_at), moment::ago(task.created_at))),
        ),
        ("runs", runs(task)),
        ("progress", task.progress.as_ref().map(progress)),
        ("network", Some(task.network_id.clone())),
        ("part of", task.parent_task_id.clone()),
        ("retry of", task.retry_of.clone()),
        ("meta", task.meta.as_ref().map(|meta| meta.get().to_owned())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            screen.print(&format!("  {name:<9} {value}"))?;
        }
    }
    let texts =
        [("task", Some(&task.content)), ("context", task.context.as_ref()), ("result", task.result.as_ref())];
    for (name, text) in texts {
        if let Some(text) = text {
            screen.print("")?;
            screen.print_colored(Color::Heading, name)?;
            text.lines().try_for_each(|line| screen.print(&format!("  {line}")))?;
        }
    }
    Ok(())
}

/// `at most 5, 30 s apart, at most 600 s each`: what its sender allows its runs.
fn runs(task: &Task) -> Option<String> {
    let terms = [
        task.max_attempts.map(|most| format!("at most {most}")),
        task.retry_backoff_seconds.map(|seconds| format!("{seconds} s apart")),
        task.run_timeout_seconds.map(|seconds| format!("at most {seconds} s each")),
    ];
    let terms: Vec<_> = terms.into_iter().flatten().collect();
    (!terms.is_empty()).then(|| terms.join(", "))
}

/// `40 %: compiling (3 s ago)`.
fn progress(progress: &TaskProgress) -> String {
    let percent = progress.percent.map(|percent| format!("{percent} %"));
    let words: Vec<_> = percent.into_iter().chain(progress.message.clone()).collect();
    format!("{} ({})", words.join(": "), moment::ago(progress.at))
}

/// The messages on the task, in order.
fn show_messages(screen: &Screen, messages: &[TaskMessage]) -> Result<(), Failure> {
    if messages.is_empty() {
        return Ok(());
    }
    screen.print("")?;
    screen.print_colored(Color::Heading, "messages")?;
    for message in messages {
        let kind = message.kind.as_deref().unwrap_or("message");
        let kind = if message.auth_required { "question (authentication required)" } else { kind };
        screen.print(&format!("  {}  {kind} by {}", moment::clock(message.created_at), message.from_name))?;
        message.content.lines().try_for_each(|line| screen.print(&format!("    {line}")))?;
        message.options.iter().try_for_each(|option| screen.print(&format!("    - {option}")))?;
        message
            .artifacts
            .iter()
            .try_for_each(|artifact| screen.print(&format!("    + {}", named(artifact))))?;
    }
    Ok(())
}

/// What came with the task's text, its work and its reply.
fn show_artifacts(screen: &Screen, artifacts: &[Artifact]) -> Result<(), Failure> {
    if artifacts.is_empty() {
        return Ok(());
    }
    screen.print("")?;
    screen.print_colored(Color::Heading, "artifacts")?;
    for artifact in artifacts {
        let source = artifact.source.as_deref().unwrap_or_default();
        screen.print(&format!("  {source:<8} {}", named(artifact)))?;
    }
    Ok(())
}

/// The tasks it led to directly, the first of them.
fn show_children(screen: &Screen, tree: &tasks::Tree) -> Result<(), Failure> {
    let children: Vec<_> =
        tree.nodes.iter().filter(|node| node.parent_task_id.as_deref() == Some(&*tree.task_id)).collect();
    if children.is_empty() {
        return Ok(());
    }
    screen.print("")?;
    screen.print_colored(Color::Heading, "led to")?;
    for child in children.iter().take(limits::CHILDREN_SHOWN_COUNT) {
        screen.print(&format!("  {:<13} {}  {}", child.status.as_str(), child.task_id, child.to_name))?;
    }
    let more = children.len().saturating_sub(limits::CHILDREN_SHOWN_COUNT);
    if more > 0 {
        screen.print(&format!("  and {more} more; `baton task tree {}` shows all", tree.task_id))?;
    }
    Ok(())
}

fn named(artifact: &Artifact) -> String {
    let Artifact { sha256, size, name, media_type, .. } = artifact;
    if let Some(part) = &artifact.part {
        let id = artifact.artifact_id.as_deref().unwrap_or_default();
        let text = part.get("text").or_else(|| part.get("url")).and_then(Value::as_str).map(str::to_owned);
        return format!("{id}  {}", text.unwrap_or_else(|| part["data"].to_string()));
    }
    format!("{name}  {size} bytes, {media_type}, sha256 {sha256}")
}

/// Each step with when it came, how long the task then stood there, and who made it.
fn timeline(events: &[TaskEvent], task: &Task) -> Table {
    let mut table = Table::new(&["WHEN", "STATUS", "FOR", "BY", "TOKEN", "WHAT"]);
    for (at, event) in events.iter().enumerate() {
        let until = events.get(at + 1).map(|next| next.created_at);
        let is_open = until.is_none() && task.completed_at.is_none();
        let until = until.or(is_open.then(|| WireTime(moment::now())));
        table.row([
            moment::clock(event.created_at).into(),
            Cell::status(event.to_status.as_str()),
            until.map(|until| moment::between(event.created_at, until)).unwrap_or_default().into(),
            (&event.actor).into(),
            event.actor_token.as_deref().unwrap_or("-").into(),
            (&event.detail).into(),
        ]);
    }
    table
}

/// A member of an answer, as it came.
fn member(hub: &HubAddress, answer: &RawValue, name: &str) -> Result<Box<RawValue>, Error> {
    let members = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(answer.get());
    let found = members.ok().and_then(|mut members| members.remove(name));
    found.ok_or_else(|| Error::protocol(hub, format!("its answer has no {name}")))
}
