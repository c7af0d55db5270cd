//! Which hub a command talks to, as which user and in which network: options every such command has, filled up from the
//! environment and then from a profile. A profile's token is sent to that profile's hub and to no other.

use baton_core::limits;
use clap::Args;
use serde::Serialize;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use super::failure::Failure;
use super::screen::Screen;
use crate::client::{Client, HubAddress, Network, Options, Token, TokenSource};
use crate::profile::{Profile, ProfileFile, ProfileName};

/// Options that come before the environment, which comes before the profile.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// The hub's address
    #[arg(long, value_name = "URL", env = "BATON_HUB", hide_env_values = true)]
    hub: Option<String>,
    /// A token, instead of the profile's
    #[arg(long, env = "BATON_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The network, by its id or its name
    #[arg(long, value_name = "NETWORK", env = "BATON_NETWORK", hide_env_values = true)]
    network: Option<String>,
    /// The profile to use [default: default]
    #[arg(long, value_name = "NAME", env = "BATON_PROFILE", hide_env_values = true)]
    profile: Option<String>,
    /// Trust only the certificates in this PEM file
    #[arg(long, value_name = "FILE", env = "BATON_CA", hide_env_values = true)]
    ca: Option<PathBuf>,
    /// Print JSON, as the hub answered
    #[arg(long)]
    json: bool,
}

/// A hub to speak to.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) client: Client,
    /// The file of the hub's private CA.
    pub(crate) ca: Option<PathBuf>,
    /// The network that was named, by its id or its name.
    named: Option<String>,
}

impl Connection {
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// The end of a command that has one thing to say: as JSON if that was asked for, else in words.
    pub(crate) fn print(&self, json: &(impl Serialize + ?Sized), words: &str) -> Result<ExitCode, Failure> {
        let screen = Screen::stdout();
        let told = if self.json { screen.json(json) } else { screen.print(words) };
        told.map(|()| ExitCode::SUCCESS)
    }

    /// The same for a command that is called inside others, whose output is their answer: in words only on a terminal.
    pub(crate) fn print_for_user(
        &self,
        json: &(impl Serialize + ?Sized),
        words: &str,
    ) -> Result<ExitCode, Failure> {
        match self.json || Screen::stdout().is_terminal() {
            true => self.print(json, words),
            false => Ok(ExitCode::SUCCESS),
        }
    }

    /// The profile's name.
    pub(crate) fn profile_name(&self) -> Result<ProfileName, Failure> {
        Ok(parse(self.profile.as_deref(), "--profile")?.unwrap_or_default())
    }

    /// The profile, if it was ever written.
    pub(crate) fn profile(&self) -> Result<Option<Profile>, Failure> {
        // Without a home there are no profiles, and a command with all options given needs none.
        let Ok(file) = ProfileFile::home() else { return Ok(None) };
        Ok(file.read(&self.profile_name()?)?)
    }

    /// The network that was named, not the profile's.
    pub(crate) fn named_network(&self) -> Option<&str> {
        said(self.network.as_deref())
    }

    /// Keeps a network in the profile; false if there is none to keep it in, or it is not what decides.
    pub(crate) fn remember_network(&self, network_id: &str) -> Result<bool, Failure> {
        self.change_profile(|profile| profile.network = Some(network_id.to_owned()))
    }

    /// Takes a network that is gone out of the profile.
    pub(crate) fn forget_network(&self, network_id: &str) -> Result<(), Failure> {
        let forget =
            |profile: &mut Profile| profile.network = profile.network.take().filter(|id| id != network_id);
        self.change_profile(forget).map(drop)
    }

    /// Changes the profile if the call was made with its hub and its token; false if it was not, or there is none.
    pub(crate) fn change_profile(&self, change: impl FnOnce(&mut Profile)) -> Result<bool, Failure> {
        let Some(profile) = self.profile()? else { return Ok(false) };
        if self.token()?.is_some() || self.hub(Some(&profile))? != profile.hub {
            return Ok(false);
        }
        Ok(ProfileFile::home()?.update(&self.profile_name()?, change)?)
    }

    /// The token that was named, not the profile's.
    pub(crate) fn token(&self) -> Result<Option<Token>, Failure> {
        let source = self.token_source();
        match (said(self.token.as_deref()), &source) {
            (Some(text), _) => {
                Token::parse(text).map(Some).ok_or_else(|| Failure::usage(not_a_token(text, &source)))
            }
            // A variable that a script did not fill must not make its user somebody else.
            (None, TokenSource::Flag) if self.token.is_some() => Err(Failure::usage(
                "--token is empty; pass a token, or leave the option out to use BATON_TOKEN or the profile",
            )),
            (None, _) => Ok(None),
        }
    }

    /// Where a token that was named came from.
    pub(crate) fn token_source(&self) -> TokenSource {
        match self.token.as_deref().map(OsStr::new) == std::env::var_os("BATON_TOKEN").as_deref() {
            true => TokenSource::Environment,
            false => TokenSource::Flag,
        }
    }

    /// The hub that was named, else the profile's, else the one on this machine.
    pub(crate) fn hub(&self, profile: Option<&Profile>) -> Result<HubAddress, Failure> {
        let named = parse(self.hub.as_deref(), "--hub or BATON_HUB")?;
        let hub = named.or_else(|| profile.map(|profile| profile.hub.clone())).or_else(HubAddress::local);
        hub.ok_or_else(|| Failure::usage("there is no hub to call; pass --hub URL or set BATON_HUB"))
    }

    /// The CA's certificates that were named, wherever they are looked for from.
    pub(crate) fn named_ca(&self) -> Option<PathBuf> {
        let named = self.ca.as_ref().filter(|file| !file.as_os_str().is_empty());
        named.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()))
    }

    /// Where the CA's certificates are: those that were named, else those of a profile of the same hub.
    pub(crate) fn ca(&self, profile: Option<&Profile>) -> Option<PathBuf> {
        self.named_ca().or_else(|| profile.and_then(|profile| profile.ca.clone()))
    }

    /// The profile that was named, if it is not the default one by being left out.
    pub(crate) fn named_profile(&self) -> Option<&str> {
        said(self.profile.as_deref())
    }

    /// The profile that was named is not there.
    pub(crate) fn missing_profile(&self) -> Result<Option<MissingProfile<'_>>, Failure> {
        match (self.named_profile(), self.profile()?) {
            (Some(name), None) => Ok(Some(MissingProfile(name))),
            _ => Ok(None),
        }
    }

    /// A hub to speak to, and a token to speak with. Nothing is sent yet.
    pub(crate) fn open(&self) -> Result<Link, Failure> {
        let named = self.token()?;
        if named.is_none()
            && let Some(missing) = self.missing_profile()?
        {
            return Err(Failure::usage(format!(
                "{missing}; create it with `baton login --profile {} --hub URL`",
                missing.0
            )));
        }
        let profile = self.profile()?;
        let hub = self.hub(profile.as_ref())?;
        // What a profile holds is for its own hub.
        let profile = profile.filter(|profile| profile.hub == hub);
        let name = self.profile_name()?;
        let (token, source, network) = match (named, profile.as_ref()) {
            (Some(token), _) => (Some(token), self.token_source(), None),
            // Its network goes with its token.
            (None, Some(profile)) => {
                (profile.token.clone(), TokenSource::Profile(name.to_string()), profile.network.clone())
            }
            (None, None) => (None, TokenSource::default(), None),
        };
        let Some(token) = token else {
            return Err(Failure::NotLoggedIn { hub, profile: name.to_string() });
        };
        let named = self.named_network().map(str::to_owned).or(network);
        let ca = self.ca(profile.as_ref());
        Ok(Link { client: client(hub, ca.as_deref())?.with_token(token, source), ca, named })
    }
}

impl Link {
    /// The id of the network that was named; none if none was.
    pub(crate) async fn network(&self) -> Result<Option<String>, Failure> {
        match self.named.as_deref() {
            Some(name) => self.find(name).await.map(Some),
            None => Ok(None),
        }
    }

    /// The id of the network that was named, or of the only one there is.
    pub(crate) async fn the_network(&self) -> Result<String, Failure> {
        if let Some(id) = self.network().await? {
            return Ok(id);
        }
        let who = self.client.me().await?.into_value();
        match (who.current_network, &*who.networks) {
            (Some(id), _) => Ok(id),
            (None, [only]) => Ok(only.network_id.clone()),
            (None, []) => Err(Failure::usage(
                "you do not belong to a network; create one with `baton network create NAME`",
            )),
            (None, _) => Err(Failure::usage(
                "you belong to several networks; pass --network NAME, or choose one with `baton network use NAME`",
            )),
        }
    }

    /// The network that was named, by its id or its name.
    pub(crate) fn named_network(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// The id of a network, by its id or its name.
    pub(crate) async fn find(&self, name: &str) -> Result<String, Failure> {
        find(&self.client, name).await
    }
}

/// A profile that was named and is not there; says which there are.
#[derive(Debug)]
pub(crate) struct MissingProfile<'a>(&'a str);

impl fmt::Display for MissingProfile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no profile {:?} (--profile or BATON_PROFILE; ", self.0)?;
        let known = ProfileFile::home().and_then(|file| file.names()).unwrap_or_default();
        match &*known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ") {
            "" => f.write_str("there are no profiles yet)"),
            names => write!(f, "profiles: {names})"),
        }
    }
}

/// A client of this hub without a token that believes this CA or the system's.
pub(crate) fn client(hub: HubAddress, ca: Option<&Path>) -> Result<Client, Failure> {
    let options = match ca {
        Some(file) => Options::with_ca(file)?,
        None => Options::default(),
    };
    Ok(Client::new(hub, None, &options)?)
}

/// The id of a network, by its id or its name.
pub(crate) async fn find(client: &Client, name: &str) -> Result<String, Failure> {
    if baton_core::NetworkId::parse(name).is_some() {
        return Ok(name.to_owned());
    }
    Ok(one_named(name, &client.networks().await?.networks)?.network_id.clone())
}

/// The one network of this name or id.
pub(crate) fn one_named<'a>(name: &str, networks: &'a [Network]) -> Result<&'a Network, Failure> {
    let is_meant = |network: &&Network| network.network_id == name || network.network_name == name;
    let mut named = networks.iter().filter(is_meant);
    match (named.next(), named.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(Failure::usage(format!(
            "several of your networks are named {name:?}; pass the id of one, which `baton network ls` lists"
        ))),
        (None, _) => Err(Failure::usage(format!(
            "you do not belong to a network named {name:?}; `baton network ls` lists yours"
        ))),
    }
}

/// What is wrong with a token, without the token in it.
fn not_a_token(text: &str, source: &TokenSource) -> String {
    let given = if *source == TokenSource::Environment { "BATON_TOKEN" } else { "--token" };
    let rule = match ["utok_", "ntok_"].iter().find(|prefix| text.starts_with(**prefix)) {
        None => "a token begins with utok_ or ntok_".to_owned(),
        Some(prefix) => format!(
            "{prefix} must be followed by at least {} hex digits, and here it is followed by {} characters; copy the whole token",
            limits::SECRET_MIN_DIGITS,
            text.chars().count() - prefix.len()
        ),
    };
    format!("{given} is not a token: {rule}. `baton login` and `baton node create` give you one")
}

/// A value that was given; an empty one is none, as scripts leave variables empty.
fn said(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn parse<T: FromStr<Err = &'static str>>(text: Option<&str>, what: &str) -> Result<Option<T>, Failure> {
    let read = |text: &str| text.parse().map_err(|rule| Failure::usage(format!("{what} {text:?}: {rule}")));
    said(text).map(read).transpose()
}
