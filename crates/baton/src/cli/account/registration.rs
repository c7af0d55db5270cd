//! `baton register`: a new account on a hub whose registration is open, which is logged in from then on.

use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

use super::{password, session};
use crate::cli::connection::{self, Connection};
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::Screen;
use crate::client::{HubAddress, TokenSource};
use crate::service::accounts::registration::Registration;

/// Creates an account with a network of its own, and remembers the hub, the token and the network as `baton login` does.
#[derive(Debug, Args)]
pub(crate) struct Register {
    /// What to be called on the hub
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// `-` reads the password from standard input; without it you are asked for one
    #[arg(long, value_name = "-", value_parser = standard_input, conflicts_with = "password_stdin")]
    password: Option<String>,
    /// The same as `--password -`
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    connection: Connection,
}

/// The one value: a password must not be an argument, which every process of the machine can read.
fn standard_input(text: &str) -> Result<String, &'static str> {
    match text {
        "-" => Ok(text.to_owned()),
        _ => Err(
            "every process on this machine can read arguments; pass - and write the password to standard input",
        ),
    }
}

impl Register {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if self.connection.token()?.is_some() {
            return Err(Failure::usage(
                "a new account has no token yet: leave out --token and unset BATON_TOKEN",
            ));
        }
        let known = self.connection.profile()?;
        let hub = self.connection.hub(known.as_ref())?;
        session::warn_of_plain_http(&hub);
        let username = match &self.username {
            Some(username) => username.clone(),
            None => session::ask_username(None)?,
        };
        let password = match self.password.is_some() || self.password_stdin {
            true => password::line()?,
            false => password::ask_twice(
                &format!("Password for {username}"),
                "--password - and write it to standard input",
            )?,
        };
        // A private CA is kept for its own hub.
        let ca = self.connection.ca(known.as_ref().filter(|profile| profile.hub == hub));
        let args = Registration { username, password, email: None, display_name: None };
        block_on(self.register(hub, ca, args))
    }

    async fn register(
        &self,
        hub: HubAddress,
        ca: Option<PathBuf>,
        args: Registration,
    ) -> Result<ExitCode, Failure> {
        let stranger = connection::client(hub, ca.as_deref())?;
        let answer = stranger.register(&args).await?;
        let token = session::parse_token(&answer.token)?;
        let hub = stranger.hub().clone();
        let (profile, who) =
            session::remember(&self.connection, hub, ca, &stranger, token, TokenSource::Run).await?;
        let (hub, username) = (profile.hub.to_string(), &args.username);
        if self.connection.is_json() {
            let answer = json!({"ok": true, "hub": hub, "username": username, "network_id": profile.network});
            return self.connection.print(&answer, "");
        }
        let screen = Screen::stdout();
        screen.print(&format!("Registered on {hub} as {username}, and logged in."))?;
        if let Some(words) = session::chosen_network(&profile, &who) {
            screen.print(&words)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
