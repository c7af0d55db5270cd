//! `baton task follow`: what a task's command prints, as it prints it, until the task has ended.

use baton_core::limits;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;
use tokio::time::sleep;

use super::task_id;
use super::wait::{HubOutage, ended_code, further_ends};
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::client::TaskStreamEvent;

/// Prints what a task's command prints, as it prints it, until the task has ended.
///
/// The output that the hub keeps, the last 64 KiB, comes first. Statuses and progress go to stderr.
#[derive(Debug, Args)]
#[command(
    after_help = concat!("Exit codes: 0 replied, 1 failed, 2 usage, ", further_ends!(), ", 5 hub not reachable, 6 refused by the hub")
)]
pub(crate) struct Follow {
    /// The task's id, or its beginning
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl Follow {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        block_on(self.follow())
    }

    async fn follow(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let (mut stream, mut away) = (link.client.follow_task(id), HubOutage::default());
        let (screen, mut told) = (Screen::stdout(), 0);
        loop {
            let Some(news) = away.met(stream.next().await)? else {
                sleep(limits::HUB_AWAY_RETRY_AFTER).await;
                continue;
            };
            match news {
                TaskStreamEvent::Output { offset, text } => {
                    if offset > told && told > 0 {
                        note(&format!("{} bytes of output were not kept", offset - told));
                    }
                    told = offset + text.len() as u64;
                    match self.connection.is_json() {
                        true => screen.json(&json!({"type": "output", "offset": offset, "text": text}))?,
                        false => screen.stream(&text)?,
                    }
                }
                TaskStreamEvent::Progress { percent, message } => {
                    let percent = percent.map(|percent| format!("{percent} %"));
                    let words: Vec<_> = percent.into_iter().chain(message).collect();
                    note(&format!("progress: {}", words.join(": ")));
                }
                TaskStreamEvent::Status { status } => {
                    note(&format!("{status}"));
                    if status.is_terminal() {
                        return Ok(ExitCode::from(ended_code(status)));
                    }
                }
                TaskStreamEvent::Other => {}
            }
        }
    }
}
