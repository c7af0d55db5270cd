//! `baton node hand-over`: gives an alias to another member, whose tokens speak as it from then on.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::service::accounts::aliases;

#[derive(Debug, Args)]
pub(crate) struct HandOver {
    /// The agent's name in the network
    alias: String,
    /// The member it goes to, by username
    username: String,
    #[command(flatten)]
    connection: Connection,
}

impl HandOver {
    pub(super) async fn hand_over(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let network = link.the_network().await?;
        let members = link.client.members(&network).await?.into_value().members;
        let member = members.into_iter().find(|member| member.username == self.username);
        let Some(member) = member else {
            return Err(Failure::usage(format!(
                "no member of this network is named {:?}; `baton network members` lists them",
                self.username
            )));
        };
        let args = aliases::HandOver { user_id: member.user_id };
        let done = link.client.hand_over_alias(&network, &self.alias, &args).await?;
        let words = format!(
            "{} belongs to {} now. Tokens that others had for it are revoked.",
            self.alias, member.username
        );
        self.connection.tell(done.text(), &words)
    }
}
