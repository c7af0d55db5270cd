//! Where the token of a client came from. It decides what to do about a token that the hub refuses: a new login does not
//! help while BATON_TOKEN is set.

use std::fmt;

use super::HubAddress;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum TokenSource {
    /// The program got it from the hub for this run alone.
    #[default]
    Run,
    /// `--token`
    Flag,
    /// `BATON_TOKEN`
    Environment,
    /// The profile of this name.
    Profile(String),
}

impl fmt::Display for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run => f.write_str("created for this run"),
            Self::Flag => f.write_str("given with --token"),
            Self::Environment => f.write_str("taken from BATON_TOKEN"),
            Self::Profile(name) => write!(f, "taken from the profile {name:?}"),
        }
    }
}

impl TokenSource {
    /// What to do once the hub refuses it.
    pub(super) fn remedy(&self, hub: &HubAddress) -> String {
        match self {
            Self::Run => "start the command again".into(),
            Self::Flag => {
                format!("pass another with --token, or leave it out and run `baton login --hub {hub}`")
            }
            Self::Environment => format!(
                "set BATON_TOKEN to another (`baton node create` creates one), or unset it and run `baton login --hub {hub}`"
            ),
            Self::Profile(name) => format!("run `{}`", login_command(hub, name)),
        }
    }
}

/// The command that logs in to the hub and keeps the token in this profile.
pub(crate) fn login_command(hub: &HubAddress, profile: &str) -> String {
    match profile {
        "default" => format!("baton login --hub {hub}"),
        name => format!("baton login --profile {name} --hub {hub}"),
    }
}
