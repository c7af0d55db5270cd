//! `baton network invitations`, `accept` and `decline`: the networks you are invited to, and your answers.

use clap::Args;
use std::process::ExitCode;

use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};
use crate::client::Invitation;

#[derive(Debug, Args)]
pub(crate) struct Invitations {
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// The network, by its id or its name
    network_name: String,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Decline {
    /// The network, by its id or its name
    network_name: String,
    #[command(flatten)]
    connection: Connection,
}

impl Invitations {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let answer = link.client.invitations().await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["ID", "NAME", "ROLE", "INVITED BY", "INVITED"]);
        for invitation in &answer.invitations {
            table.row([
                Cell::id(&invitation.network_id),
                (&invitation.network_name).into(),
                invitation.role.as_str().into(),
                (&invitation.invited_by).into(),
                moment::ago(invitation.created_at).into(),
            ]);
        }
        screen.table(&table)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Accept {
    pub(super) async fn accept(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let invitation = find(&link, &self.network_name).await?;
        let joined = link.client.accept_invitation(&invitation.network_id).await?;
        let words = format!(
            "You are in {} as {}. `baton network use {}` selects it for the next commands.",
            joined.network_id, joined.role, joined.network_id
        );
        self.connection.tell(joined.text(), &words)
    }
}

impl Decline {
    pub(super) async fn decline(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let invitation = find(&link, &self.network_name).await?;
        let declined = link.client.decline_invitation(&invitation.network_id).await?;
        self.connection.tell(declined.text(), &format!("Declined {}.", invitation.network_id))
    }
}

/// The one pending invitation to the network of this id or name.
async fn find(link: &Link, name: &str) -> Result<Invitation, Failure> {
    let invitations = link.client.invitations().await?.into_value().invitations;
    let is_meant = |one: &Invitation| one.network_id == name || one.network_name == name;
    let mut named = invitations.into_iter().filter(is_meant);
    match (named.next(), named.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(Failure::usage(format!(
            "you are invited to several networks named {name:?}; pass the id of the one you mean"
        ))),
        (None, _) => Err(Failure::usage(format!(
            "you have no invitation to {name:?}; `baton network invitations` lists yours"
        ))),
    }
}
