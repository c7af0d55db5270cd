//! `baton ack`: a task, or anything else in one's own inbox, was seen.

use clap::Args;
use std::process::ExitCode;

use super::task_id;
use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::service::ack_inbox::PathArgs;
use crate::service::send_ack::AckTask;
use crate::service::task_command::NoArgs;

#[derive(Debug, Args)]
pub(crate) struct Ack {
    /// The id of a task, or of a message in your inbox
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl Ack {
    pub(super) async fn ack(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = task_id::find(&link, &self.id).await?;
        let text = match link.client.command::<AckTask, serde_json::Value>(&id, &NoArgs::default()).await {
            Ok(acked) => acked.into_text(),
            // No task has this id, so it is a message's.
            Err(error) if error.code() == Some("task_not_found") => {
                let args = PathArgs { network_id: Some(link.the_network().await?) };
                link.client.ack_inbox(&id, &args).await?.into_text()
            }
            Err(error) => return Err(error.into()),
        };
        self.connection.tell(&*text, &format!("{id} was seen."))
    }
}
