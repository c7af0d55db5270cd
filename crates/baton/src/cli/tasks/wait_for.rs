//! `baton wait`: the results of tasks that were sent before, when they have ended.

use baton_core::limits;
use clap::Args;
use futures_util::future::{join_all, select_ok};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::Instant;

use super::interrupt::Interrupt;
use super::task_id;
use super::wait::{Outcome, Wait, further_ends};
use super::whole_result;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;
use crate::client::Error;

/// Waits until tasks have ended and prints their results; a task that asks for input is not waited for any longer.
#[derive(Debug, Args)]
#[command(
    after_help = concat!("Exit codes, the highest of all tasks: 0 replied, 1 failed, 2 usage, ", further_ends!(), ", 5 hub not \
                        reachable, 6 refused by the hub, 7 still open when the wait ended, 8 needs input")
)]
pub(crate) struct WaitFor {
    /// The tasks' ids, or their beginnings
    #[arg(required = true, num_args = 1..=limits::WAITED_TASKS_MAX_COUNT, value_name = "ID")]
    ids: Vec<String>,
    /// Wait for the first that has ended, and print only that one
    #[arg(long)]
    any: bool,
    /// Wait at most this long
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,
    #[command(flatten)]
    connection: Connection,
}

impl WaitFor {
    pub(super) async fn wait(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let mut ids = Vec::new();
        for id in &self.ids {
            ids.push(task_id::find(&link, id).await?);
        }
        let named: Vec<&str> = ids.iter().map(String::as_str).collect();
        Interrupt::listen()?.unless_pressed(self.wait_for(&link, &ids), &named).await
    }

    async fn wait_for(&self, link: &Link, ids: &[String]) -> Result<ExitCode, Failure> {
        let screen = Screen::stdout();
        let (mut code, mut failed): (u8, Option<Error>) = (0, None);
        for outcome in self.outcomes(link, ids).await {
            match outcome {
                Ok(outcome) => {
                    let outcome = self.answered(link, outcome).await?;
                    self.print(link, &screen, &outcome).await?;
                    code = code.max(outcome.code());
                }
                Err(error) => {
                    code = code.max(error.exit_code());
                    failed = failed.or(Some(error));
                }
            }
        }
        // The results of the others are printed anyway.
        if let Some(error) = failed {
            Failure::from(error).print();
        }
        Ok(ExitCode::from(code))
    }

    /// The same, once somebody at the terminal has answered what is asked; with several tasks nobody is asked.
    async fn answered(&self, link: &Link, mut outcome: Outcome) -> Result<Outcome, Failure> {
        let id = outcome.task.task_id.clone();
        while self.ids.len() == 1
            && !self.connection.is_json()
            && let Some(question) = outcome.question()
            && question.answer(&link.client, &id).await?
        {
            outcome = Wait::new(&link.client, &id, self.deadline()).run().await?;
        }
        Ok(outcome)
    }

    fn deadline(&self) -> Option<Instant> {
        self.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds.into()))
    }

    async fn outcomes(&self, link: &Link, ids: &[String]) -> Vec<Result<Outcome, Error>> {
        let deadline = self.deadline();
        let waits =
            ids.iter().map(|id| Box::pin(async move { Wait::new(&link.client, id, deadline).run().await }));
        match self.any {
            true => vec![select_ok(waits).await.map(|(first, _)| first)],
            false => join_all(waits).await,
        }
    }

    async fn print(&self, link: &Link, screen: &Screen, outcome: &Outcome) -> Result<(), Failure> {
        let Outcome { json, task, .. } = outcome;
        if self.connection.is_json() {
            return screen.json(json);
        }
        if self.ids.len() > 1 {
            screen.print(&format!("{} {}", task.task_id, task.status))?;
        }
        whole_result::print(&link.client, task, false).await?;
        match outcome.question() {
            Some(question) => question.show(),
            None if task.status.is_terminal() => outcome.note_reason(screen),
            None => {}
        }
        Ok(())
    }
}
