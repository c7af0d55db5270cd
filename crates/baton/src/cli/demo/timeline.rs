//! The timeline: what the hub wrote down of the demo's tasks, row by row.

use std::collections::HashMap;

use super::stage::Stage;
use super::telling::Telling;
use crate::cli::failure::Failure;
use crate::client::tasks::{Task, TaskEvent};
use crate::service::{list_tasks, task_events};

/// Tells the history of these tasks and of the tasks that were part of them.
pub(super) async fn tell(stage: &Stage, telling: &Telling, asked: &[String]) -> Result<(), Failure> {
    telling.step("The timeline: every change, who made it, written in the same transaction")?;
    let list = list_tasks::QueryArgs { network_id: Some(stage.network_id.clone()), ..Default::default() };
    let tasks = stage.you.tasks(&list).await?.into_value().tasks;
    let is_told = |task: &&Task| {
        asked.contains(&task.task_id)
            || task.parent_task_id.as_ref().is_some_and(|parent| asked.contains(parent))
    };
    let names: HashMap<&str, &Task> =
        tasks.iter().filter(is_told).map(|task| (task.task_id.as_str(), task)).collect();
    let events = task_events::QueryArgs {
        network_id: Some(stage.network_id.clone()),
        limit: Some("200".into()),
        ..Default::default()
    };
    let mut events = stage.you.task_events(&events).await?.into_value().events;
    events.sort_by_key(|event| event.id);
    for event in &events {
        if let Some(task) = names.get(event.task_id.as_str()) {
            telling.plain(&row(event, task))?;
        }
    }
    Ok(())
}

fn row(event: &TaskEvent, task: &Task) -> String {
    let title: String = task.content.chars().take(24).collect();
    let detail: String = event.detail.chars().take(48).collect();
    let to = event.to_status.to_string();
    format!("{:>3}  {title:<25} {to:<10} by {:<9} {detail}", event.id, event.actor)
}
