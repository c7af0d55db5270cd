//! `baton login`, `whoami` and `logout`: a password for a token, or a token as it is, kept in the profile once the hub knows
//! it and forgotten at the end.

use clap::Args;
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::password;
use crate::cli::connection::{self, Connection};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::client::accounts::TokenIdentity;
use crate::client::{Client, Error, HubAddress, Token, TokenSource};
use crate::profile::{Profile, ProfileFile};
use crate::service::accounts::sessions;

/// Logs in and remembers the hub, the token and the network in ~/.baton/config.toml, for the next commands.
#[derive(Debug, Args)]
pub(crate) struct Login {
    /// Your name on the hub
    #[arg(long, value_name = "NAME")]
    username: Option<String>,
    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
    /// When the new token ends by itself, such as 12h or 90d from now; without it, when you log out
    #[arg(long, value_name = "SPAN", value_parser = moment::life)]
    expires: Option<i64>,
    #[command(flatten)]
    connection: Connection,
}

impl Login {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let known = self.connection.profile()?;
        let hub = self.connection.hub(known.as_ref())?;
        warn_of_plain_http(&hub);
        // What is asked for is asked before anything runs.
        let given = match self.connection.token()? {
            Some(_) if self.username.is_some() || self.password_stdin => {
                return Err(Failure::usage(
                    "log in with a token or with a password, not with both: leave out --token and unset BATON_TOKEN, \
                     or leave out --username and --password-stdin",
                ));
            }
            Some(token) => Credentials::Token(token),
            None => self.credentials(known.as_ref().and_then(|profile| profile.username.as_deref()))?,
        };
        // The CA of another hub says nothing of this one.
        let ca = self.connection.ca(known.as_ref().filter(|profile| profile.hub == hub));
        block_on(self.log_in(hub, ca, given))
    }

    fn credentials(&self, known: Option<&str>) -> Result<Credentials, Failure> {
        let username = match &self.username {
            Some(username) => username.clone(),
            None => ask_username(known)?,
        };
        let password = if self.password_stdin {
            password::line()?
        } else {
            password::ask(&format!("Password of {username}: "), "--password-stdin, or --token")?
        };
        Ok(Credentials::Password(sessions::Login { username, password, expires_in_seconds: self.expires }))
    }

    async fn log_in(
        &self,
        hub: HubAddress,
        ca: Option<PathBuf>,
        given: Credentials,
    ) -> Result<ExitCode, Failure> {
        let stranger = connection::client(hub.clone(), ca.as_deref())?;
        let (token, source) = match given {
            Credentials::Token(token) => (token, self.connection.token_source()),
            Credentials::Password(args) => {
                (parse_token(&stranger.login(&args).await?.token)?, TokenSource::Run)
            }
        };
        let (profile, who) = remember(&self.connection, hub, ca, &stranger, token, source).await?;
        self.print(&profile, &who)
    }

    fn print(&self, profile: &Profile, who: &TokenIdentity) -> Result<ExitCode, Failure> {
        let screen = Screen::stdout();
        let (hub, username) = (profile.hub.to_string(), profile.username.clone().unwrap_or_default());
        if self.connection.is_json() {
            screen.json(
                &json!({"ok": true, "hub": hub, "username": username, "network_id": profile.network}),
            )?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.print(&format!("Logged in to {hub} as {username}."))?;
        match chosen_network(profile, who) {
            Some(words) => screen.print(&words)?,
            None if who.networks.is_empty() => {
                screen.print("You are in no network yet: `baton network create NAME`.")?;
            }
            None => screen.print("You are in several networks: choose one with `baton network use NAME`.")?,
        }
        if who.user.must_change_password {
            screen.print("Your password was generated: change it with `baton passwd`.")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What to log in with.
enum Credentials {
    Token(Token),
    Password(sessions::Login),
}

/// A token that the hub answered with.
pub(super) fn parse_token(text: &str) -> Result<Token, Failure> {
    Token::parse(text).ok_or_else(|| {
        Failure::usage(
            "the hub answered with a token that this version of baton does not know; is the hub newer?",
        )
    })
}

/// Says who a token is of, and keeps both in the profile.
pub(super) async fn remember(
    connection: &Connection,
    hub: HubAddress,
    ca: Option<PathBuf>,
    stranger: &Client,
    token: Token,
    source: TokenSource,
) -> Result<(Profile, TokenIdentity), Failure> {
    let client = stranger.with_token(token.clone(), source);
    let who = client.me().await?.into_value();
    let network = match connection.named_network() {
        Some(name) => Some(connection::find(&client, name).await?),
        None => match &*who.networks {
            [only] => Some(only.network_id.clone()),
            _ => None,
        },
    };
    let username = Some(who.alias.clone().unwrap_or_else(|| who.user.username.clone()));
    let profile = Profile { hub, username, network, token: Some(token), ca };
    ProfileFile::home()?.put(&connection.profile_name()?, profile.clone())?;
    Ok((profile, who))
}

/// The network of the next commands, in words; none if there is none, or several.
pub(super) fn chosen_network(profile: &Profile, who: &TokenIdentity) -> Option<String> {
    let is_chosen = |id: &String| Some(id) == profile.network.as_ref();
    let chosen = who.networks.iter().find(|network| is_chosen(&network.network_id))?;
    Some(format!("Network: {} ({})", chosen.network_name, chosen.network_id))
}

/// What is sent to a hub without TLS can be read on the way.
pub(super) fn warn_of_plain_http(hub: &HubAddress) {
    if !hub.is_https() && !hub.is_loopback() {
        note(&format!("warning: {hub} does not use TLS: the password and the token are sent unencrypted"));
    }
}

pub(super) fn ask_username(known: Option<&str>) -> Result<String, Failure> {
    if !io::stdin().is_terminal() {
        return known
            .map(str::to_owned)
            .ok_or_else(|| Failure::usage("there is no username; pass --username NAME"));
    }
    let hint = known.map(|name| format!(" [{name}]")).unwrap_or_default();
    let _ = write!(io::stderr(), "Username{hint}: ");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(password::unread)?;
    match (line.trim(), known) {
        ("", Some(known)) => Ok(known.to_owned()),
        ("", None) => Err(Failure::usage("there is no username; pass --username NAME")),
        (name, _) => Ok(name.to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct Whoami {
    #[command(flatten)]
    connection: Connection,
}

impl Whoami {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        block_on(self.print_identity())
    }

    async fn print_identity(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let who = link.client.me().await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(who.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        let user = &who.user;
        match &who.alias {
            Some(alias) => screen.print(&format!("{alias}, a node of {}", user.username))?,
            None => {
                screen.print(&format!("{} ({}), {} of the hub", user.username, user.user_id, user.role))?;
            }
        }
        screen.print(&format!("hub      {}", link.client.hub()))?;
        let current = match &who.current_network {
            Some(id) => Some(id.clone()),
            None => link.network().await?,
        };
        for network in &who.networks {
            let is_current = current.as_ref() == Some(&network.network_id);
            let role = network.member_role.map(|role| format!(", {role}")).unwrap_or_default();
            let mark = if is_current { "network " } else { "        " };
            screen.print(&format!("{mark} {} ({}{role})", network.network_name, network.network_id))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
pub(crate) struct Logout {
    #[command(flatten)]
    connection: Connection,
}

impl Logout {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if let Some(missing) = self.connection.missing_profile()? {
            return Err(Failure::usage(format!("{missing}; nothing was changed")));
        }
        let profile = self.connection.profile()?;
        let Some((profile, token)) =
            profile.and_then(|profile| profile.token.clone().map(|token| (profile, token)))
        else {
            return self.print("You were not logged in.");
        };
        let named = self.connection.hub(Some(&profile))?;
        if named != profile.hub {
            let known = &profile.hub;
            return Err(Failure::usage(format!(
                "this profile is logged in to {known}, not to {named}: leave out --hub and unset BATON_HUB, or pass \
                 --profile NAME; nothing was changed"
            )));
        }
        // Forgotten here first: whatever the hub says, this machine has it no more.
        ProfileFile::home()?.update(&self.connection.profile_name()?, |profile| profile.token = None)?;
        block_on(self.end(profile, token))
    }

    async fn end(&self, profile: Profile, token: Token) -> Result<ExitCode, Failure> {
        // A node's token is not a login: it continues until it is revoked.
        if matches!(token, Token::Node(_)) {
            return self.print(
                "The token was removed from this machine; `baton token revoke` revokes it on the hub.",
            );
        }
        let ca = self.connection.ca(Some(&profile));
        let client =
            connection::client(profile.hub.clone(), ca.as_deref())?.with_token(token, TokenSource::Run);
        match client.logout().await {
            Ok(_) | Err(Error::Unauthorized { .. }) => self.print(&format!("Logged out of {}.", profile.hub)),
            Err(error) => {
                note(
                    "The token was removed from this machine, but the hub could not be reached to revoke it.",
                );
                Err(error.into())
            }
        }
    }

    fn print(&self, words: &str) -> Result<ExitCode, Failure> {
        self.connection.print(&json!({"ok": true}), words)
    }
}
