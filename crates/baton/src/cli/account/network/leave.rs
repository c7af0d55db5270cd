//! `baton network leave`: ends your membership; your tokens for the network are revoked.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::{Connection, one_named};
use crate::cli::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Leave {
    /// The network, by its name or its id
    network_name: String,
    #[command(flatten)]
    connection: Connection,
}

impl Leave {
    pub(super) async fn leave(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let networks = link.client.networks().await?.into_value().networks;
        let network = one_named(&self.network_name, &networks)?;
        let left = link.client.leave_network(&network.network_id).await?;
        self.connection.forget_network(&network.network_id)?;
        let words = format!("You left {} ({}).", network.network_name, network.network_id);
        self.connection.tell(left.text(), &words)
    }
}
