//! `baton hub health`: whether a hub has its database and takes work. Over the socket in its folder, which knows nothing of
//! ports and certificates and so suits a container's health check; or over the network, as its callers reach it.

use baton_core::limits;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

use super::folder::Folder;
use super::status::say;
use crate::cli::failure::Failure;
use crate::cli::runtime::block_on;
use crate::client::{Client, HubAddress, Options};
use crate::control::{Answer, Command, Control, ControlError};

/// Say whether a hub has its database and takes work
///
/// Asks over the socket in the data folder, or at a URL. Exits with 0 and `ready`, or with 1 and what is wrong.
#[derive(Debug, Args)]
pub(crate) struct Health {
    #[command(flatten)]
    folder: Folder,
    /// Ask this hub over the network instead
    #[arg(long, value_name = "URL", conflicts_with = "data_dir")]
    url: Option<HubAddress>,
    /// Trust only the certificates in this PEM file
    #[arg(long, value_name = "FILE", requires = "url")]
    ca: Option<PathBuf>,
}

impl Health {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let seen = match &self.url {
            Some(url) => block_on(self.call(url)),
            None => self.ask(),
        };
        // A health check knows two exit codes, and has no use for the others of this tool.
        seen.or_else(|failure| say(&format!("not ready: {failure}"), ExitCode::FAILURE))
    }

    fn ask(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let Some(mut control) = Control::connect(&folder.socket()).map_err(super::Trouble::from)? else {
            return say(&format!("no hub runs in {}", folder.path().display()), ExitCode::FAILURE);
        };
        match control.ask(&Command::Ready).map_err(super::Trouble::from)? {
            Answer::Ready => say("ready", ExitCode::SUCCESS),
            _ => Err(super::Trouble::from(ControlError::Unexpected).into()),
        }
    }

    async fn call(&self, url: &HubAddress) -> Result<ExitCode, Failure> {
        let mut options = match &self.ca {
            Some(file) => Options::with_ca(file)?,
            None => Options::default(),
        };
        options.answer_timeout = limits::HEALTH_ANSWER_MAX;
        let client = Client::new(url.clone(), None, &options)?;
        client.get_json::<serde_json::Value>(&["ready"], &()).await?;
        say("ready", ExitCode::SUCCESS)
    }
}
