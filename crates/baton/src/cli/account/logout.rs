//! `baton logout`: the token ends on the hub and is forgotten here.

use clap::Args;
use serde_json::json;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::cli::screen::note;
use crate::client::{Error, Token};
use crate::profile::{Profile, ProfileFile};

#[derive(Debug, Args)]
pub(crate) struct Logout {
    #[command(flatten)]
    connection: Connection,
}

impl Logout {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let profile = self.connection.profile()?;
        let Some((profile, token)) =
            profile.and_then(|profile| profile.token.clone().map(|token| (profile, token)))
        else {
            return self.tell("You were not logged in.");
        };
        // Forgotten here first: whatever the hub says, this machine has it no more.
        ProfileFile::home()?.update(&self.connection.profile_name()?, |profile| profile.token = None)?;
        block_on(self.end(profile, token))
    }

    async fn end(&self, profile: Profile, token: Token) -> Result<ExitCode, Failure> {
        // A node's token is not a login: it goes on until it is revoked.
        if matches!(token, Token::Node(_)) {
            return self.tell("The token is forgotten here; `baton token revoke` ends it on the hub.");
        }
        let client = self.connection.client(profile.hub.clone(), Some(token), Some(&profile))?;
        match client.logout().await {
            Ok(_) | Err(Error::Unauthorized { .. }) => self.tell(&format!("Logged out of {}.", profile.hub)),
            Err(error) => {
                note("The token is forgotten here, but the hub was not told.");
                Err(error.into())
            }
        }
    }

    fn tell(&self, words: &str) -> Result<ExitCode, Failure> {
        self.connection.tell(&json!({"ok": true}), words)
    }
}
