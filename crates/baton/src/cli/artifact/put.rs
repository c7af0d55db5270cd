//! `baton artifact put`: uploads files.

use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::connection::Connection;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;
use crate::cli::tasks::Away;
use crate::cli::transfer::{self, Named};

/// Uploads files and prints the SHA-256 of each on a line.
///
/// An artifact that no task, message or reply refers to is removed 24 hours later.
#[derive(Debug, Args)]
pub(crate) struct Put {
    /// The files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the artifact is called [default: the file's name]
    #[arg(long)]
    name: Option<String>,
    /// What sort of bytes it has, such as text/plain [default: by the end of its name]
    #[arg(long, value_name = "TYPE")]
    media_type: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Put {
    pub(super) async fn put(&self) -> Result<ExitCode, Failure> {
        if self.files.len() > 1 && self.name.is_some() {
            return Err(Failure::usage("--name goes with one file"));
        }
        let link = self.connection.open()?;
        let network = link.network().await?;
        let (screen, mut uploaded) = (Screen::stdout(), Vec::new());
        for path in &self.files {
            let named = self.named(path)?;
            let file = transfer::open(path)?;
            let away = &mut Away::default();
            let artifact = transfer::upload(&link.client, network.as_deref(), &file, &named, away).await?;
            if !self.connection.is_json() {
                screen.say(&artifact.sha256)?;
            }
            uploaded.push(artifact);
        }
        if self.connection.is_json() {
            screen.json(&json!({"ok": true, "artifacts": uploaded}))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn named(&self, path: &std::path::Path) -> Result<Named, Failure> {
        let mut named = match &self.name {
            Some(name) => Named { name: name.clone(), media_type: transfer::media_type_of(name).into() },
            None => Named::of(path)?,
        };
        if let Some(media_type) = &self.media_type {
            named.media_type.clone_from(media_type);
        }
        Ok(named)
    }
}
