//! `baton network rename`.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::service::accounts::networks;

#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// The network, by its name or its id
    network_name: String,
    /// Its new name
    new_name: String,
    #[command(flatten)]
    connection: Connection,
}

impl Rename {
    pub(super) async fn rename(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let id = link.find(&self.network_name).await?;
        let renamed = link
            .client
            .rename_network(&id, &networks::Change { name: Some(self.new_name.clone()), public_cards: None })
            .await?;
        self.connection.tell(renamed.text(), &format!("{id} is now called {}.", self.new_name))
    }
}
