//! What happens on the stage: a task handed on, one cancelled, one saved. Each step watches the hub and prints what it
//! sees there; a step that does not come to its end in time is a failure of the demo.

use baton_core::{Status, limits};
use std::collections::HashMap;
use std::time::Instant;
use tokio::time::{sleep, timeout};

use super::narrator::Narrator;
use super::stage::Stage;
use crate::cli::failure::Failure;
use crate::client::tasks::{Task, TaskEvent};
use crate::service::{cancel_task, list_tasks, send_task, task_events};

/// You ask the planner, the planner asks the coder and the reviewer.
pub(super) async fn handoff(stage: &Stage, narrator: &Narrator) -> Result<(), Failure> {
    narrator.step("Work is handed on: you ask the planner, the planner asks the coder and the reviewer")?;
    let asked = send(stage, "planner", "a health check").await?;
    bounded("the planner's answer", follow(stage, narrator, &asked)).await
}

/// A task is cancelled while its command runs.
pub(super) async fn cancel(stage: &Stage, narrator: &Narrator) -> Result<(), Failure> {
    narrator.step("A task is cancelled while it runs")?;
    let asked = send(stage, "coder", "count to infinity").await?;
    narrator.line("you         → coder: count to infinity")?;
    let group = bounded("the coder's start", async {
        loop {
            match stage.coders_group() {
                Some(group) => return Ok(group),
                None => sleep(limits::DEMO_LOOK_EVERY).await,
            }
        }
    });
    let group = group.await?;
    narrator.line("coder       runs it, with two child processes")?;
    let args = cancel_task::Args { reason: Some("changed my mind".into()), cascade: None };
    stage.you.command::<cancel_task::CancelTask, serde_json::Value>(&asked, &args).await?;
    let begun = Instant::now();
    narrator.line("you         cancel it: changed my mind")?;
    bounded("the command's end", async {
        while group.is_there() {
            sleep(limits::DEMO_END_LOOK_EVERY).await;
        }
        Ok(())
    })
    .await?;
    let millis = begun.elapsed().as_millis();
    narrator.line(&format!("coder       its command and both children are gone, {millis} ms later"))?;
    stage.forget_group();
    Ok(())
}

/// A worker dies in the middle of a task.
pub(super) async fn crash(stage: &mut Stage, narrator: &Narrator) -> Result<(), Failure> {
    narrator.step("A worker is killed in the middle of a task, and the task is not lost")?;
    let asked = send(stage, "coder", "a long build").await?;
    narrator.line("you         → coder: a long build")?;
    bounded("the coder's start", async {
        while stage.coders_group().is_none() {
            sleep(limits::DEMO_LOOK_EVERY).await;
        }
        Ok(())
    })
    .await?;
    let pid = stage.kill_worker("coder")?;
    narrator.line(&format!("coder       its worker is killed: kill -9 {pid}"))?;
    stage.start_worker("coder")?;
    narrator.line("coder       another worker starts; the hub waits for the dead one's lease, 5 s")?;
    let task = bounded("the second attempt's answer", ended(stage, &asked)).await?;
    let result = task.result.unwrap_or_default();
    narrator.line(&format!("coder       → you: {result}; answered once, by the second worker"))
}

async fn send(stage: &Stage, alias: &str, text: &str) -> Result<String, Failure> {
    let args = send_task::Args {
        alias: alias.into(),
        task: text.into(),
        network_id: Some(stage.network_id.clone()),
        ..send_task::Args::default()
    };
    Ok(stage.you.send_task(&args, None).await?.into_value().task_id)
}

/// Tells every send and every answer as the hub has written them down, until this task has ended.
async fn follow(stage: &Stage, narrator: &Narrator, asked: &str) -> Result<(), Failure> {
    let mut told = 0;
    loop {
        for (event, task) in history(stage).await? {
            if event.id <= told {
                continue;
            }
            told = event.id;
            let (from, to) = (who(&task.from_name), &task.to_name);
            if event.from_status.is_none() {
                narrator.line(&format!("{from:<11} → {to}: {}  ({})", task.content, task.kind))?;
            }
            if event.to_status.is_terminal() {
                let words = task.result.as_deref().unwrap_or_default();
                narrator.line(&format!("{to:<11} → {from}: {words}"))?;
                if task.task_id == asked {
                    return replied(&task);
                }
            }
        }
        sleep(limits::DEMO_LOOK_EVERY).await;
    }
}

/// Everything that happened so far, in order, each with its task.
pub(super) async fn history(stage: &Stage) -> Result<Vec<(TaskEvent, Task)>, Failure> {
    let network_id = || Some(stage.network_id.clone());
    let rows =
        task_events::QueryArgs { network_id: network_id(), limit: Some("500".into()), ..Default::default() };
    // Events first: the tasks then contain what they describe.
    let mut events = stage.you.task_events(&rows).await?.into_value().events;
    let list = list_tasks::QueryArgs { network_id: network_id(), ..Default::default() };
    let tasks = stage.you.tasks(&list).await?.into_value().tasks;
    let tasks: HashMap<String, Task> = tasks.into_iter().map(|task| (task.task_id.clone(), task)).collect();
    events.sort_by_key(|event| event.id);
    let both = events.into_iter().filter_map(|event| {
        let task = tasks.get(&event.task_id)?.clone();
        Some((event, task))
    });
    Ok(both.collect())
}

/// The user of the demo is its reader.
pub(super) fn who(name: &str) -> &str {
    if matches!(name, "planner" | "coder" | "reviewer" | "hub") { name } else { "you" }
}

async fn ended(stage: &Stage, task_id: &str) -> Result<Task, Failure> {
    loop {
        let task = stage.you.task(task_id).await?.into_value().task;
        if task.status.is_terminal() {
            replied(&task)?;
            return Ok(task);
        }
        sleep(limits::DEMO_LOOK_EVERY).await;
    }
}

fn replied(task: &Task) -> Result<(), Failure> {
    if task.status == Status::Replied {
        return Ok(());
    }
    let words = task.result.as_deref().unwrap_or("nothing");
    Err(Failure::usage(format!("the demo went wrong: {} answered {}: {words}", task.to_name, task.status)))
}

async fn bounded<T>(what: &str, step: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    match timeout(limits::DEMO_STEP_MAX, step).await {
        Ok(done) => done,
        Err(_) => {
            let longest = limits::DEMO_STEP_MAX;
            Err(Failure::usage(format!("the demo went wrong: {what} did not come within {longest:?}")))
        }
    }
}
