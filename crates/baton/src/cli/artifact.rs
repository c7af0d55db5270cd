//! `baton artifact put`, `get` and `ls`: files that tasks, messages and replies refer to.

use baton_core::{ArtifactHash, limits};
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::cli::connection::{Connection, Link};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::runtime::block_on;
use crate::cli::screen::{Screen, note};
use crate::cli::table::{Cell, Table};
use crate::cli::tasks::{HubOutage, task_id};
use crate::cli::transfer::{self, Download, NamedFile};
use crate::client::artifacts::Artifact;
use crate::service::artifacts::list::QueryArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactCommand {
    /// Upload files and print their SHA-256
    Put(Put),
    /// Download an artifact
    Get(Get),
    /// List artifacts, newest first
    Ls(Ls),
}

impl ArtifactCommand {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Put(command) => block_on(Box::pin(command.put())),
            Self::Get(command) => block_on(Box::pin(command.get())),
            Self::Ls(command) => block_on(command.list()),
        }
    }
}

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
    async fn put(&self) -> Result<ExitCode, Failure> {
        if self.files.len() > 1 && self.name.is_some() {
            return Err(Failure::usage("--name can be used with one file only"));
        }
        let link = self.connection.open()?;
        let network = link.network().await?;
        let (screen, mut uploaded) = (Screen::stdout(), Vec::new());
        for path in &self.files {
            let named = self.named(path)?;
            let file = transfer::open(path)?;
            let away = &mut HubOutage::default();
            let artifact = transfer::upload(&link.client, network.as_deref(), &file, &named, away).await?;
            if !self.connection.is_json() {
                screen.print(&artifact.sha256)?;
            }
            uploaded.push(artifact);
        }
        if self.connection.is_json() {
            screen.json(&json!({"ok": true, "artifacts": uploaded}))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn named(&self, path: &std::path::Path) -> Result<NamedFile, Failure> {
        let mut named = match &self.name {
            Some(name) => NamedFile { name: name.clone(), media_type: transfer::media_type_of(name).into() },
            None => NamedFile::of(path)?,
        };
        if let Some(media_type) = &self.media_type {
            named.media_type.clone_from(media_type);
        }
        Ok(named)
    }
}

/// Downloads an artifact. The file is there only once its bytes are known to be the right ones.
#[derive(Debug, Args)]
pub(crate) struct Get {
    /// The SHA-256 of its bytes
    sha256: String,
    /// Where to write it; - writes to standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Get {
    async fn get(&self) -> Result<ExitCode, Failure> {
        if ArtifactHash::parse(&self.sha256).is_none() {
            return Err(Failure::usage(
                "an artifact is named by its SHA-256, 64 lower-case hex digits; `baton artifact ls` lists them",
            ));
        }
        let link = self.connection.open()?;
        let network = link.network().await?;
        match self.output == Path::new("-") {
            true => {
                let download = self.download(&link, network.as_deref());
                let written = download.write_to(&mut io::stdout().lock(), &mut HubOutage::default()).await;
                written.map_err(|error| error.of("the output"))?;
            }
            false => self.save(&link, network.as_deref()).await?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn download<'a>(&'a self, link: &'a Link, network_id: Option<&'a str>) -> Download<'a> {
        Download::new(&link.client, network_id, &self.sha256)
    }

    /// Writes it under a temporary name beside the file, and renames it once it is whole.
    async fn save(&self, link: &Link, network: Option<&str>) -> Result<(), Failure> {
        let name = self.output.display().to_string();
        let failed = |error: io::Error| Failure::Write { name: name.clone(), error };
        if !self.force && self.output.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!("{name} already exists; pass --force to replace it")));
        }
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".baton-").tempfile_in(folder).map_err(failed)?;
        let download = self.download(link, network);
        let size = download.write_to(&mut file, &mut HubOutage::default()).await;
        let size = size.map_err(|error| error.of(&name))?;
        file.flush().and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        let kept = match self.force {
            true => file.persist(&self.output),
            false => file.persist_noclobber(&self.output),
        };
        kept.map_err(|error| failed(error.error))?;
        note(&format!("{name}: {size} bytes"));
        Ok(())
    }
}

/// Lists artifacts, newest first. An agent's token shows what it uploaded, or what a task of its own refers to.
#[derive(Debug, Args)]
pub(crate) struct Ls {
    /// Only what this task, its messages and its reply refer to; its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// So many at most
    #[arg(long, value_name = "N", default_value_t = limits::ARTIFACT_PAGE_DEFAULT as u16, value_parser = clap::value_parser!(u16).range(1..=limits::OTHER_PAGE_MAX as i64))]
    limit: u16,
    #[command(flatten)]
    connection: Connection,
}

impl Ls {
    async fn list(&self) -> Result<ExitCode, Failure> {
        let link = self.connection.open()?;
        let task_id = match &self.task {
            Some(id) => Some(task_id::find(&link, id).await?),
            None => None,
        };
        let args = QueryArgs {
            network_id: link.network().await?,
            task_id,
            limit: Some(self.limit.to_string()),
            cursor: None,
        };
        let page = link.client.artifacts(&args).await?;
        let screen = Screen::stdout();
        if self.connection.is_json() {
            screen.json(page.text())?;
            return Ok(ExitCode::SUCCESS);
        }
        screen.table(&table(&page.artifacts))?;
        if page.next_cursor.is_some() {
            note(&format!("there are more; --limit takes up to {}", limits::OTHER_PAGE_MAX));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn table(artifacts: &[Artifact]) -> Table {
    let mut table = Table::new(&["SHA256", "BYTES", "TYPE", "WITH", "UPLOADED", "NAME"]);
    for artifact in artifacts {
        table.row([
            Cell::id(&artifact.sha256),
            artifact.size.to_string().into(),
            (&artifact.media_type).into(),
            artifact.source.as_deref().unwrap_or_default().into(),
            artifact.created_at.map(moment::ago).unwrap_or_default().into(),
            (&artifact.name).into(),
        ]);
    }
    table
}
