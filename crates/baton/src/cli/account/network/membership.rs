//! Who is in a network: `baton network members`, `invite` and `join` by a code, `invitations`, `accept` and `decline`, and
//! `leave`.

use baton_core::{NetworkRole, limits};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::process::ExitCode;

use crate::cli::connection::{Connection, Link, one_named};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::Screen;
use crate::cli::table::{Cell, Table};
use crate::client::Invitation;
use crate::client::invite_link::{self, InviteLink};
use crate::service::accounts::invites::{self, NewInvite};

#[derive(Debug, Args)]
pub(crate) struct Members {
    #[command(flatten)]
    connection: Connection,
}

impl Members {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let answer = link.client.members(&link.the_network().await?).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(answer.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut table = Table::new(&["MEMBER", "ROLE", "JOINED", "INVITED BY", "NAME"]);
        for member in &answer.members {
            table.row([
                (&member.username).into(),
                member.role.as_str().into(),
                moment::ago(member.joined_at).into(),
                member.invited_by.as_deref().unwrap_or("-").into(),
                member.display_name.as_deref().unwrap_or_default().into(),
            ]);
        }
        for invited in &answer.pending {
            table.row([
                (&invited.username).into(),
                invited.role.as_str().into(),
                format!("invited {}", moment::ago(invited.created_at)).into(),
                (&invited.invited_by).into(),
                "".into(),
            ]);
        }
        screen.table(&table)?;
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Invite {
    /// The role of users who join
    #[arg(long, value_enum, default_value_t = Role::Member)]
    role: Role,
    /// How many users may join
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=i64::from(limits::INVITE_MAX_USES)))]
    uses: i64,
    /// Days until it expires [default: never]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=i64::from(limits::INVITE_MAX_DAYS)))]
    days: Option<i64>,
    /// Print a link that opens in a browser, instead of the code
    #[arg(long)]
    link: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Role {
    Viewer,
    Member,
    Admin,
}

impl From<Role> for NetworkRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Viewer => Self::Viewer,
            Role::Member => Self::Member,
            Role::Admin => Self::Admin,
        }
    }
}

impl Invite {
    pub(super) async fn invite(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let args =
            NewInvite { role: Some(self.role.into()), max_uses: Some(self.uses), expires_days: self.days };
        let invited = link.client.invite(&link.the_network().await?, &args).await?;
        let (hub, code) = (link.client.hub(), &invited.invite_code);
        let link = InviteLink::new(hub.clone(), code);
        if self.connection.is_json() {
            let answer = json!({"ok": true, "invite_code": code, "link": link.to_string()});
            return self.connection.print(&answer, "");
        }
        let screen = Screen::stdout();
        if self.link {
            screen.print(&link.to_string())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.print(code)?;
        if screen.is_terminal() {
            screen.print(&format!("link     {link}"))?;
            screen.print("Shown this once. Whoever you give it to opens the link in a browser, or runs:")?;
            screen.print(&format!("baton network join {link}"))?;
            if hub.is_loopback() {
                screen.print(
                    "The link leads to this machine; others need the address by which they reach the hub.",
                )?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Join {
    /// The invite's code, inv_…, or its link
    #[arg(value_name = "CODE_OR_LINK")]
    invite: String,
    #[command(flatten)]
    connection: Connection,
}

impl Join {
    pub(super) async fn join(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let invite_code = invite_link::code_for(link.client.hub(), &self.invite).map_err(Failure::usage)?;
        let joined = link.client.join(&invites::Join { invite_code }).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(joined.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.print(&format!("You are in {} as {}.", joined.network_id, joined.role))?;
        screen.print(&format!(
            "`baton network use {}` makes it the network of the next commands.",
            joined.network_id
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

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
        self.connection.print(joined.text(), &words)
    }
}

impl Decline {
    pub(super) async fn decline(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let invitation = find(&link, &self.network_name).await?;
        let declined = link.client.decline_invitation(&invitation.network_id).await?;
        self.connection.print(declined.text(), &format!("Declined {}.", invitation.network_id))
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
        self.connection.print(left.text(), &words)
    }
}
