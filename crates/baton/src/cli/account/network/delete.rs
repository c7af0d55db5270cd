//! `baton network delete`: the network goes with its tasks, tokens, history and evidence, so it asks for the name first.

use clap::Args;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use crate::cli::connection::{Connection, one_named};
use crate::cli::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The network, by its name or its id
    network_name: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Delete {
    pub(super) async fn delete(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let networks = link.client.networks().await?.into_value().networks;
        let network = one_named(&self.network_name, &networks)?;
        if !self.yes {
            confirm(&network.network_name)?;
        }
        let deleted = link.client.delete_network(&network.network_id).await?;
        self.connection.forget_network(&network.network_id)?;
        self.connection
            .tell(deleted.text(), &format!("{} ({}) is deleted.", network.network_name, network.network_id))
    }
}

fn confirm(name: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "this deletes the network with its tasks, tokens, history and evidence log; to keep the evidence, run \
             `baton evidence export` first. Pass --yes to delete without being asked",
        ));
    }
    let shown = crate::cli::plain::line(name);
    let _ = write!(
        io::stderr(),
        "This deletes {shown} with its tasks, tokens, history and evidence log, and cannot be undone.\n\
         To keep the evidence, run `baton evidence export` first.\n\
         Type the network's name to delete it: "
    );
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::Read { name: "the answer".into(), error })?;
    if line.trim_end_matches(['\r', '\n']) == name {
        return Ok(());
    }
    Err(Failure::usage("that is not its name; nothing was deleted"))
}
