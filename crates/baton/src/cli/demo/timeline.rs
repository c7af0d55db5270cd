//! The timeline: what the hub wrote down of the demo's tasks, row by row.

use super::narrator::Narrator;
use super::stage::Stage;
use super::steps::{history, who};
use crate::cli::failure::Failure;
use crate::client::tasks::{Task, TaskEvent};

/// Tells the history of everything that was sent.
pub(super) async fn print(stage: &Stage, narrator: &Narrator) -> Result<(), Failure> {
    narrator.step("The timeline: every change and who made it, as the hub wrote it down")?;
    for (event, task) in history(stage).await? {
        narrator.plain(&row(&event, &task))?;
    }
    Ok(())
}

fn row(event: &TaskEvent, task: &Task) -> String {
    let title: String = task.content.chars().take(30).collect();
    let to = event.to_status.to_string();
    format!("{:>3}  {title:<31} {to:<10} by {:<9} {}", event.id, who(&event.actor), event.detail)
}
