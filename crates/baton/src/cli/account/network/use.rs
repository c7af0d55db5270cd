//! `baton network use`: the network the next commands mean, kept in the profile.

use clap::Args;
use serde_json::json;
use std::process::ExitCode;

use crate::cli::connection::{Connection, one_named};
use crate::cli::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Use {
    /// The network, by its name or its id
    network_name: String,
    #[command(flatten)]
    connection: Connection,
}

impl Use {
    pub(super) async fn choose(&self) -> Result<ExitCode, Failure> {
        let networks = self.connection.open()?.client.networks().await?.into_value().networks;
        let network = one_named(&self.network_name, &networks)?;
        if !self.connection.remember_network(&network.network_id)? {
            return Err(Failure::usage(
                "there is no profile to keep the choice in; run `baton login`, or set BATON_NETWORK",
            ));
        }
        self.connection.tell(
            &json!({"ok": true, "network_id": network.network_id, "network_name": network.network_name}),
            &format!("Using {} ({}).", network.network_name, network.network_id),
        )
    }
}
