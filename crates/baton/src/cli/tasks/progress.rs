//! `baton task progress`: how far the work on a task is, from inside its command.

use baton_core::limits;
use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::service::report_progress;

/// Reports how far a task you work on is.
///
/// A command of `baton work` names neither the task nor its lease. The hub writes one report a second for a lease; one that
/// comes sooner is answered when its turn has come.
#[derive(Debug, Args)]
pub(crate) struct Progress {
    /// The task's id, or its beginning [default: $BATON_TASK_ID]
    id: Option<String>,
    /// How much is done, 0 to 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..=i64::from(limits::PROGRESS_MAX_PERCENT)), required_unless_present = "message")]
    percent: Option<i64>,
    /// What is being done
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// The lease you hold [default: $BATON_LEASE_ID]
    #[arg(long, value_name = "ID")]
    lease: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Progress {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        block_on(self.report(&link))
    }

    async fn report(&self, link: &Link) -> Result<ExitCode, Failure> {
        let id = match self.id.clone().or_else(|| task_id::variable("BATON_TASK_ID")) {
            Some(id) => task_id::find(link, &id).await?,
            None => return Err(Failure::usage("which task? Give its id; BATON_TASK_ID names none")),
        };
        let Some(lease_id) = self.lease.clone().or_else(|| task_id::variable("BATON_LEASE_ID")) else {
            return Err(Failure::usage("under which lease? Give --lease; BATON_LEASE_ID names none"));
        };
        let args = report_progress::Args {
            lease_id,
            percent: self.percent,
            message: self.message.clone(),
            output: None,
        };
        let reported = link.client.report_progress(&id, &args).await?;
        self.connection.tell_person(reported.text(), &format!("{id}: progress reported."))
    }
}
