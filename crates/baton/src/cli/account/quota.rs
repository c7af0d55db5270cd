//! `baton quota`: how much an account or a network may have. For system admins; an admin of a network may set its
//! `delegation_depth`.

use baton_core::{NetworkId, UserId};
use clap::{Args, Subcommand};
use std::process::ExitCode;

use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::cli::table::Table;
use crate::client::HubResponse;
use crate::client::quotas::{QuotaSubject, Quotas};
use crate::service::accounts::quotas::QuotaChange;

#[derive(Debug, Subcommand)]
pub(crate) enum QuotaCommand {
    /// Show the quotas of an account or a network, and what is used
    Show(Show),
    /// Set the quotas of an account or a network
    Set(Set),
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A username, a user's id or a network's id
    subject: String,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Set {
    /// A username, a user's id or a network's id
    subject: String,
    /// Quotas to set, such as networks=100; `default` in place of the number resets one
    #[arg(required = true, value_name = "QUOTA=NUMBER", value_parser = change)]
    changes: Vec<(String, Option<i64>)>,
    #[command(flatten)]
    connection: Connection,
}

impl QuotaCommand {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Show(command) => block_on(command.show()),
            Self::Set(command) => block_on(command.set()),
        }
    }
}

impl Show {
    async fn show(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let quotas = link.client.quotas(&subject(&link, &self.subject).await?).await?;
        print(&self.connection, &quotas)
    }
}

impl Set {
    async fn set(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let args = QuotaChange(self.changes.iter().cloned().collect());
        let quotas = link.client.set_quotas(&subject(&link, &self.subject).await?, &args).await?;
        print(&self.connection, &quotas)
    }
}

/// `networks=100`, or `networks=default`.
fn change(text: &str) -> Result<(String, Option<i64>), String> {
    let rule = || format!("{text:?} must be QUOTA=NUMBER or QUOTA=default");
    let (quota, number) = text.split_once('=').ok_or_else(rule)?;
    match number {
        "default" => Ok((quota.to_owned(), None)),
        number => Ok((quota.to_owned(), Some(number.parse().map_err(|_| rule())?))),
    }
}

async fn subject(link: &Link, text: &str) -> Result<QuotaSubject, Failure> {
    if let Some(network) = NetworkId::parse(text) {
        return Ok(QuotaSubject::Network(network));
    }
    if UserId::parse(text).is_some() {
        return Ok(QuotaSubject::User(text.to_owned()));
    }
    let users = link.client.users().await?.into_value().users;
    let named = users.into_iter().find(|user| user.username == text);
    let named = named.ok_or_else(|| {
        Failure::usage(format!(
            "no user is named {text:?}; for a network, pass its id, such as net_0123456789ab"
        ))
    })?;
    Ok(QuotaSubject::User(named.user_id))
}

fn print(connection: &Connection, quotas: &HubResponse<Quotas>) -> Result<ExitCode, Failure> {
    let screen = Screen::stdout();
    if connection.is_json() {
        screen.json(quotas.text())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["QUOTA", "USED", "LIMIT", "DEFAULT"]);
    for quota in &quotas.quotas {
        table.row([
            (&quota.quota).into(),
            quota.used.map_or_else(|| "-".to_owned(), |used| used.to_string()).into(),
            quota.limit.to_string().into(),
            quota.default_limit.to_string().into(),
        ]);
    }
    screen.table(&table)?;
    Ok(ExitCode::SUCCESS)
}
